"""How long to wait before trying again. Pure but for the jitter."""

from __future__ import annotations

import random
from typing import Any, NamedTuple, Self


class Backoff(NamedTuple):
    """`LITCRAWL_BACKOFF`: the least and the most seconds."""

    least: float
    most: float

    @classmethod
    def from_settings(cls, settings: Any) -> Self:
        least, most = settings.getlist("LITCRAWL_BACKOFF", [0.5, 60])
        return cls(float(least), float(most))

    def seconds(self, failures: int, floor: float = 0.0) -> float:
        """Doubles with each of `failures` before; from the slot's delay (`floor`) upwards; jitter only lengthens."""
        first = max(self.least, floor) * random.uniform(1, 1.5)  # noqa: S311  # no secret
        return max(floor, min(self.most, first * 2 ** min(failures, 30)))
