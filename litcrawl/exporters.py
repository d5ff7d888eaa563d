"""The JSON lines of a feed."""

from __future__ import annotations

from typing import Any

import orjson
from scrapy.exporters import JsonLinesItemExporter

from litcrawl.items import Article, File
from litcrawl.publications.item import Publication


class JsonLines(JsonLinesItemExporter):
    """Our items as their own `to_dict` has them; other items, and a choice of fields, as Scrapy does."""

    def __init__(self, file: Any, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        self._plain = self.fields_to_export is None and self.encoding == "utf-8"

    def export_item(self, item: Any) -> None:
        if self._plain and isinstance(item, (Article, File, Publication)):
            self.file.write(orjson.dumps(item.to_dict(), option=orjson.OPT_APPEND_NEWLINE))
        else:
            super().export_item(item)
