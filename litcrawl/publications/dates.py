"""Dates of publication, no more exact than they were stated. Pure."""

from __future__ import annotations

import calendar
import re
from datetime import date
from typing import Any

PRECISIONS = {4: "year", 7: "month", 10: "day"}
_MONTHS = {name.lower(): n for names in (calendar.month_name, calendar.month_abbr) for n, name in enumerate(names) if name}
_ISO = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?=$|[T\s])")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})?$")
_MONTH_FIRST = re.compile(r"(\d{1,2})[-/.](\d{4})$")
_YEAR_LAST = re.compile(r"[^\d]{1,40}\b(\d{4})$")  # "Spring 2012", "May-June 2012"
_WORDS = re.compile(r"(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?([a-z]+)\.?,?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})$", re.IGNORECASE)
_BACKWARDS = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$")


def stated(value: Any) -> str | None:
    """A date as ISO 8601 (`2012`, `2012-05`, `2012-05-18`) out of any text that states one; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return of_parts([value])
    if not isinstance(value, str):
        return None
    text = " ".join(value.split())
    if match := _COMPACT.match(text) or _ISO.match(text):
        return of_parts([int(part) for part in match.groups() if part])
    if (match := _WORDS.match(text)) and (month := _MONTHS.get(match[2].lower())):
        day = match[1] or match[3]
        return of_parts([int(match[4]), month, *([int(day)] if day else [])])
    if match := _BACKWARDS.match(text):
        first, second, year = int(match[1]), int(match[2]), int(match[3])
        if first > 12:  # which is the day cannot be told otherwise
            return of_parts([year, second, first])
        return of_parts([year, first, second]) if second > 12 or first == second else of_parts([year])
    if match := _MONTH_FIRST.match(text):
        return of_parts([int(match[2]), int(match[1])])
    return of_parts([int(match[1])]) if (match := _YEAR_LAST.match(text)) else None


def of_parts(parts: Any) -> str | None:
    """A date of `[year, month, day]`, of as many as are stated and are of a calendar."""
    if not isinstance(parts, list | tuple) or not parts:
        return None
    known: list[int] = []
    for part in parts[:3]:
        if type(part) is not int:
            break
        known.append(part)
    if not known or not 1000 <= known[0] <= 2999:
        return None
    if len(known) > 1 and not 1 <= known[1] <= 12:
        known = known[:1]
    if len(known) > 2:
        try:
            date(*known)
        except ValueError:
            known = known[:2]
    return "-".join(f"{part:0{width}d}" for part, width in zip(known, (4, 2, 2), strict=False))


def precision(iso: str) -> str:
    """`year`, `month` or `day`: how exact a date that `stated` gave is."""
    return PRECISIONS[len(iso)]
