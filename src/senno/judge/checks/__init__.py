"""Deterministic checks of a text: pass or fail, with the place that shows it, and no model asked.

`parse_check` reads an entry of a user's file, `run_check` runs it, `kinds` lists what there is. A check that cannot
be decided raises `CheckError`: it is never a pass and never a failure.
"""

from senno.judge.checks.parse import parse_check
from senno.judge.checks.registry import KindInfo, Parameter, kinds
from senno.judge.checks.result import CheckContext, CheckError, CheckResult, Span
from senno.judge.checks.spec import CheckSpec, Example, run_check

__all__ = [
    "CheckContext",
    "CheckError",
    "CheckResult",
    "CheckSpec",
    "Example",
    "KindInfo",
    "Parameter",
    "Span",
    "kinds",
    "parse_check",
    "run_check",
]
