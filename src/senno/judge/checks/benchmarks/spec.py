"""What the kinds of IFEval and IFBench have in common: their verdict on an empty text, and the loose variants."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Literal

from senno.judge.checks.reading import Reading
from senno.judge.checks.result import CheckContext, CheckError, CheckResult
from senno.judge.checks.spec import CheckSpec

Relation = Literal["less than", "at least"]
"""How IFEval compares a count."""


def related(count: int, relation: Relation, threshold: int) -> bool:
    """IFEval's two comparisons."""
    return count < threshold if relation == "less than" else count >= threshold


class BenchmarkSpec(CheckSpec):
    """A kind of a benchmark, with the benchmark's own parameters.

    It follows the benchmark, not the rules of the general kinds: no Unicode normalization, and an empty text
    follows no instruction.
    """

    null_is_absent: ClassVar[bool] = True
    variants: Literal["strict", "loose"] = "strict"
    """`loose`: it is enough that one of IFEval's eight variants of the text passes: without the first line, the
    last line, both, or none of them, each with and without its asterisks."""

    @abstractmethod
    def follow(self, text: str) -> CheckResult:
        """Look at one text that is not blank, spans with offsets in it."""

    def examine(self, text: str, context: CheckContext) -> CheckResult:  # noqa: ARG002
        """Strictly, or with the first variant that passes; the detail names the variant."""
        if self.variants == "loose":
            return self._loose(text)
        return self._strict(text)

    def _strict(self, text: str) -> CheckResult:
        return self.follow(text) if text.strip() else CheckResult(False, "the text is empty")

    def _loose(self, text: str) -> CheckResult:
        undecided: CheckError | None = None
        for name, variant in loose_variants(text):
            try:
                result = self._strict(variant.text)
            except CheckError as error:
                undecided = undecided or error
                continue
            if result.passed:
                found = tuple(variant.span(s.start, s.end) for s in result.spans)
                return CheckResult(True, f"{result.detail} ({name})" if name else result.detail, found)
        if undecided:
            raise undecided
        return self._strict(text)


def loose_variants(text: str) -> Iterator[tuple[str, Reading]]:
    """IFEval's variants (Zhou et al., 2023), the text as it is first, each with the way back to it."""
    lines = text.split("\n")
    first, last = len(lines[0]) + 1, len(text) - len(lines[-1]) - 1
    yield "", Reading(text, text)
    yield "without asterisks", _kept(text, 0, len(text), asterisks=False)
    cuts = {
        "without the first line": (first, len(text)),
        "without the last line": (0, last),
        "without the first and the last line": (first, last),
    }
    for asterisks in (True, False):
        for name, (start, end) in cuts.items():
            start, end = _stripped(text, min(start, len(text)), max(end, 0))
            yield name if asterisks else f"{name}, without asterisks", _kept(text, start, end, asterisks=asterisks)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start : max(start, end)]
    start += len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())


def _kept(text: str, start: int, end: int, *, asterisks: bool) -> Reading:
    kept = [at for at in range(start, end) if asterisks or text[at] != "*"]
    return Reading(text, "".join(text[at] for at in kept), kept, [at + 1 for at in kept])
