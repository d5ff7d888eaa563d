"""The closed lists that items, feeds and `article.json` are written in: wishes, kinds, stages, outcomes, reasons."""

from __future__ import annotations

from enum import StrEnum


class Want(StrEnum):
    """What a user may ask for (`-a want=`), and so what a source offers."""

    XML = "xml"
    PDF = "pdf"
    TEXT = "text"
    SUPPLEMENTARY = "supplementary"
    ACCESS = "access"
    RELATED = "related"
    METADATA = "metadata"

    @property
    def is_file(self) -> bool:
        """Whether files answer it; facts answer the others."""
        return self in _FILES


_FILES = frozenset({Want.XML, Want.PDF, Want.TEXT, Want.SUPPLEMENTARY})
WANTS = frozenset(str(want) for want in Want)
"""The kinds as text: a step of that name fetches a file of that kind, or stands for that fact."""
FILE_WANTS = frozenset(str(want) for want in _FILES)


class Kind(StrEnum):
    """What a stored file is to its article."""

    BODY = "body"
    SUPPLEMENTARY = "supplementary"


class Role(StrEnum):
    FIGURE = "figure"
    MEDIA = "media"
    DATA = "data"
    OTHER = "other"


class Stage(StrEnum):
    """How far publication had come when a copy was made."""

    PUBLISHED = "published"
    ACCEPTED = "accepted"
    SUBMITTED = "submitted"
    PREPRINT = "preprint"


class Outcome(StrEnum):
    COMPLETE = "complete"
    PARTIAL = "partial"
    ABSENT = "absent"
    RETRY = "retry"
    INVALID = "invalid"


class Reason(StrEnum):
    """Why a step ended as it did; README explains each in a line."""

    OK = "ok"
    # declined: judged anew by every run
    NEEDS_ID = "needs-id"
    NEEDS_KEY = "needs-key"
    NEEDS_CONTACT = "needs-contact"
    LICENCE = "licence"
    # final: not asked again
    ABSENT = "absent"
    DENIED = "denied"
    BLOCKED = "blocked"
    NOT_OPEN = "not-open"
    NOT_ENTITLED = "not-entitled"
    ABSTRACT_ONLY = "abstract-only"
    WRONG_TYPE = "wrong-type"
    WRONG_ARTICLE = "wrong-article"
    EMPTY = "empty"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too-large"
    LOOP = "loop"
    UNSAFE = "unsafe"
    EMBARGOED = "embargoed"
    WITHDRAWN = "withdrawn"
    # retryable: asked again by the next run
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    RATE_LIMITED = "rate-limited"
    QUOTA = "quota"
    TRUNCATED = "truncated"
    NOT_STORED = "not-stored"
    ERROR = "error"

    @property
    def declined(self) -> bool:
        return self in DECLINED

    @property
    def retryable(self) -> bool:
        return self in RETRYABLE

    @property
    def final(self) -> bool:
        return not (self.declined or self.retryable)


DECLINED = frozenset({Reason.NEEDS_ID, Reason.NEEDS_KEY, Reason.NEEDS_CONTACT, Reason.LICENCE})
RETRYABLE = frozenset(
    {Reason.TIMEOUT, Reason.UNAVAILABLE, Reason.RATE_LIMITED, Reason.QUOTA, Reason.TRUNCATED, Reason.NOT_STORED, Reason.ERROR}
)


INSTITUTIONAL = "litfetch:institutional"
"""The `credential_key` of a file that only a subscriber's network may fetch."""


def want_of(kind: str, media_type: str | None) -> Want:
    """The wish that a file of this kind and media type answers."""
    if kind != Kind.BODY:
        return Want.SUPPLEMENTARY
    if media_type == "application/pdf":
        return Want.PDF
    return Want.XML if media_type and media_type.endswith("xml") else Want.TEXT
