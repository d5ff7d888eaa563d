"""Are these bytes what was asked for? Bytes decide: not statuses, headers, links or lengths."""

from litcrawl.proof.check import Proof, check, is_json
from litcrawl.proof.content import Content
from litcrawl.proof.walls import wall

__all__ = ["Content", "Proof", "check", "is_json", "wall"]
