"""What lint finds: a rule, the place, and the words that show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from senno.text import one_line

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class LintRule:
    """One rule: what it is called, how grave, why it matters, what to write instead."""

    id: str
    """`SJ001`: it never changes its meaning."""
    name: str
    severity: Severity
    why: str
    """One sentence."""
    instead: str

    def to_json(self) -> dict[str, str]:
        """The rule as JSON values."""
        return {
            "id": self.id,
            "name": self.name,
            "severity": self.severity,
            "why": self.why,
            "instead": self.instead,
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that a file breaks, and where."""

    rule: LintRule
    file: str
    question: str | None
    """The question (or check) it is about; `None`: about a verdict, or the file as a whole."""
    key: str
    """The key inside the question (`instructions`, `criteria.true`), or in the policy (`verdicts.0.rules.2`)."""
    words: str
    """The words of the file that show it."""
    detail: str = ""
    """What the rule's own text cannot say: the other id, the ratio, the verdict that comes first."""

    @property
    def place(self) -> str:
        """`checks.json: tone.criteria.true`."""
        inside = ".".join(part for part in (self.question, self.key) if part)
        return f"{self.file}: {inside}" if inside else self.file

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON values."""
        return {
            **self.rule.to_json(),
            "file": self.file,
            "question": self.question,
            "key": self.key,
            "words": self.words,
            "detail": self.detail,
        }


def excerpt(text: str, start: int = 0, end: int | None = None, limit: int = 80) -> str:
    """The words of `text` that show a finding, on one line, cut where they are long."""
    return one_line(text[start:end].strip(" ,;:"), limit)
