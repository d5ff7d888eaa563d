"""The feed of an author's papers."""

import arxivs
import pytest

from litcrawl.exceptions import Malformed
from litcrawl.parsers import atom


def test_the_papers_of_a_feed_with_the_version_that_each_stands_at():
    assert atom.papers(arxivs.feed("1507.05965v2", "hep-th/9901001v1")) == ["1507.05965v2", "hep-th/9901001v1"]


def test_an_author_may_have_none():
    assert atom.papers(arxivs.feed()) == []


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Rate exceeded.",
        b"<html><body/></html>",
        arxivs.feed("1507.05965v2")[:-10],
        arxivs.feed("1507.05965v2").replace(b"http://arxiv.org/abs/1507.05965v2", b"https://arxiv.org/api/errors#incorrect_id"),
        arxivs.feed("1507.05965v2").replace(b"<id>http://arxiv.org/abs/1507.05965v2</id>", b""),
    ],
)
def test_what_is_no_feed_of_papers_is_malformed(data):
    with pytest.raises(Malformed):
        atom.papers(data)
