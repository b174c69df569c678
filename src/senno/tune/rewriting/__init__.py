"""A prompt rewritten by a model from what failed, by edits that code applies and holds against the constraints."""

from senno.tune.rewriting.asking import Brief, Rejected, request
from senno.tune.rewriting.change import Change, measure
from senno.tune.rewriting.constraints import Broken, Constraints, broken, check_start
from senno.tune.rewriting.edits import Applied, Dropped, Edit, Guard, apply_edits, with_parts
from senno.tune.rewriting.failures import Digest, Failure, Text, digest, meanings
from senno.tune.rewriting.leak import guarded, leaked
from senno.tune.rewriting.reading import read_edits
from senno.tune.rewriting.rewriter import ROLE, Completes, Rewrite, rewrite, same_as

__all__ = [
    "ROLE",
    "Applied",
    "Brief",
    "Broken",
    "Change",
    "Completes",
    "Constraints",
    "Digest",
    "Dropped",
    "Edit",
    "Failure",
    "Guard",
    "Rejected",
    "Rewrite",
    "Text",
    "apply_edits",
    "broken",
    "check_start",
    "digest",
    "guarded",
    "leaked",
    "meanings",
    "measure",
    "read_edits",
    "request",
    "rewrite",
    "same_as",
    "with_parts",
]
