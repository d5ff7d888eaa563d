import json

from crawling import replay

from litcrawl.items import Article, FileItem


async def test_a_line_of_a_feed_is_its_item(tmp_path):
    feed = tmp_path / "feed.jsonl"
    crawled = await replay(tmp_path / "out", ids="PMC3000057", settings={"FEEDS": {str(feed): {"format": "jsonl"}}})
    lines = [json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()]
    assert lines == [item.to_dict() for item in crawled.items]
    assert [{"article": Article, "file": FileItem}[line["type"]].from_dict(line).to_dict() for line in lines] == lines


async def test_a_choice_of_fields_is_kept_to(tmp_path):
    feed = tmp_path / "feed.jsonl"
    chosen = {"format": "jsonl", "fields": ["type", "key"]}
    await replay(tmp_path / "out", ids="PMC3000057", want="xml", settings={"FEEDS": {str(feed): chosen}})
    lines = [json.loads(line) for line in feed.read_text().splitlines()]
    assert lines == [{"type": "file", "key": "PMC3000057"}, {"type": "article", "key": "PMC3000057"}]
