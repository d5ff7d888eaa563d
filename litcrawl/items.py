"""What sources find and spiders yield: `Link` -> `Blob` -> `File`, and `Article`."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field, fields
from typing import Any, ClassVar, Self

from litcrawl.terms import Kind, Outcome, Role, Stage, Want, want_of

SCHEMA = 1


@dataclass(kw_only=True, slots=True)
class Licence:
    """The terms of one file: as stated (`raw`), its SPDX id where it maps exactly (else a `LicenseRef-…` or None), and who says so."""

    spdx: str | None = None
    raw: str | None = None
    access: str | None = None
    basis: str | None = None


@dataclass(kw_only=True, slots=True)
class Claim:
    """One statement about an article's terms, kept as its source made it; `about`: vor, am, preprint, tdm or None."""

    raw: str | None
    spdx: str | None = None
    access: str | None = None
    basis: str
    about: str | None = None
    start: str | None = None
    url: str | None = None
    at: str | None = None


@dataclass(kw_only=True, slots=True)
class Relation:
    """Another work that this one belongs with; `relation`: preprint, published, version-of, corrects or retracts."""

    relation: str
    ids: dict[str, str | None]


@dataclass(kw_only=True, slots=True)
class Retraction:
    """What a source says: that the article is retracted (True) or stands (False)."""

    retracted: bool


@dataclass(kw_only=True, slots=True)
class Title:
    """What a source calls the article: by it another paper's PDF is told from its own."""

    text: str


@dataclass(kw_only=True, slots=True)
class Metadata:
    """What a source states of a publication, by the names of its record; see `publications.record.told`."""

    fields: dict[str, Any]


@dataclass(kw_only=True, slots=True)
class Step:
    """A further call of the same source: `step` names the method that reads its answer; `state` is plain data for it."""

    step: str
    url: str
    state: dict[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True, slots=True)
class Link:
    """Where a file may be fetched, and what its source says of it before a byte was seen."""

    want: Want
    url: str
    filename: str | None = None
    media_type: str | None = None
    size_bytes: int | None = None
    md5: str | None = None
    version: int | None = None
    stage: Stage | None = None
    licence: Licence | None = None
    description: str | None = None
    role: Role | None = None
    credential_key: str | None = None


@dataclass(kw_only=True, slots=True)
class Heard:
    """
    What one answer holds for another rung of the ladder, by its name: the links that it would have found. It is not asked then.

    `facts` are the kinds of fact that it would have told, and that stand beside this in the same answer.
    """

    source: str
    links: list[Link]
    facts: tuple[Want, ...] = ()


@dataclass(kw_only=True, slots=True)
class Spool:
    """A large body on disk under `.parts/`: hashed on the way, with its first and last `END` bytes for the proof."""

    END: ClassVar[int] = 64 << 10
    """How much of each end the proof looks at, of a body in memory too: large files are judged no more strictly than small ones."""

    path: str
    size: int
    sha256: str
    md5: str
    head: bytes = field(repr=False)
    tail: bytes = field(repr=False)


@dataclass(kw_only=True)
class File:
    """
    One stored file of an article: an entry of `Article.files`.

    The first nine fields mean what litfetch's `File` means; the rest is proof and provenance. `path` is relative to
    `LITCRAWL_OUT`.
    """

    kind: Kind
    source: str
    media_type: str | None
    uri: str
    filename: str | None
    path: str | None
    credential_key: str | None = None
    size_bytes: int | None
    sha256: str | None
    description: str | None = None
    role: Role | None = None
    version: int | None = None
    stage: Stage | None = None
    licence: Licence | None = None
    checks: list[str] = field(default_factory=list)
    stated: InitVar[dict[str, Any] | None] = None  # kept as `evidence`: what its bytes state; for the licence pipeline, never written

    def __post_init__(self, stated: dict[str, Any] | None) -> None:
        self.evidence = stated

    @property
    def want(self) -> Want:
        """The kind of wish that this file answers."""
        return want_of(self.kind, self.media_type)

    def to_dict(self) -> dict[str, Any]:
        """The file as plain JSON, every field there."""
        plain = {name: getattr(self, name) for name in _names(self.__class__)}
        plain["kind"], plain["role"], plain["stage"] = str(self.kind), self.role and str(self.role), self.stage and str(self.stage)
        plain["licence"] = self.licence and _plain(self.licence)
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """The file that `to_dict`, a feed's line or `article.json` holds."""
        known = {name: plain[name] for name in _names(cls) if name in plain}
        for name, enum in (("kind", Kind), ("role", Role), ("stage", Stage)):
            known[name] = known.get(name) and enum(known[name])
        known["licence"] = plain.get("licence") and Licence(**plain["licence"])
        return cls(**known, stated=plain.get("evidence"))


@dataclass(kw_only=True)
class FileItem(File):
    """The feed's `file` item: a file that this run stored, and the article that it belongs to."""

    key: str | None = None
    type: str = "file"
    schema: int = SCHEMA
    run: str | None = None
    at: str | None = None

    @classmethod
    def of(cls, file: File, article: Article) -> Self:
        """The item for a file of an article."""
        return cls(**{name: getattr(file, name) for name in _names(File)}, key=article.key, run=article.run, at=article.at)


@dataclass(kw_only=True)
class Article:
    """What is known of one article of the list, and why what is missing is missing; the feed's `article` item and `article.json`."""

    key: str | None
    path: str | None
    inputs: list[dict[str, Any]] = field(default_factory=list)
    ids: dict[str, str | None] = field(default_factory=dict)
    conflicts: list[dict[str, Any]] = field(default_factory=list)
    outcome: Outcome
    reason: str | None = None
    missing: dict[str, str] = field(default_factory=dict)
    files: list[File] = field(default_factory=list)
    licence: Licence | None = None
    licence_conflict: bool = False
    claims: list[Claim] = field(default_factory=list)
    related: list[Relation] = field(default_factory=list)
    retracted: bool | None = None
    metadata: dict[str, Any] | None = None
    attempts: list[dict[str, Any]] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    type: str = "article"
    schema: int = SCHEMA
    run: str | None = None
    at: str | None = None
    whole: InitVar[bool] = False  # kept as `known`: found whole on disk: nothing to write but this run's inputs

    def __post_init__(self, whole: bool) -> None:
        self.known = whole

    def to_dict(self) -> dict[str, Any]:
        """The article as plain JSON, every field there."""
        plain = {name: getattr(self, name) for name in _names(self.__class__)}
        plain["outcome"] = str(self.outcome)
        plain["licence"] = self.licence and _plain(self.licence)
        plain["files"] = [file.to_dict() for file in self.files]
        for name in _NESTED:
            plain[name] = [_plain(one) for one in plain[name]]
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """The article that `to_dict`, a feed's line or `article.json` holds."""
        known = {name: plain[name] for name in _names(cls) if name in plain}
        known["outcome"] = Outcome(plain["outcome"])
        known["licence"] = plain.get("licence") and Licence(**plain["licence"])
        known["files"] = [File.from_dict(one) for one in plain.get("files", ())]
        for name, nested in _NESTED.items():
            known[name] = [nested(**one) for one in plain.get(name, ())]
        return cls(**known)


@dataclass(kw_only=True)
class Blob:
    """
    A file that was fetched and proved, on its way to the disk, with its bytes or spool and the article so far.

    `last`: `draft` is the Article itself, which follows at once, so that it need not be written now.
    """

    file: File
    body: bytes | None = field(default=None, repr=False)
    spool: Spool | None = field(default=None, repr=False)
    draft: Article = field(repr=False)
    last: bool = False


_NESTED: dict[str, Any] = {"claims": Claim, "related": Relation}


_NAMES: dict[Any, tuple[str, ...]] = {}


def _names(cls: Any) -> tuple[str, ...]:
    if cls not in _NAMES:
        _NAMES[cls] = tuple(one.name for one in fields(cls))
    return _NAMES[cls]


def _plain(item: Any) -> dict[str, Any]:
    return {name: getattr(item, name) for name in _names(item.__class__)}
