"""Lint of questions and policies: what makes answers unreliable, found by reading the files, with no model asked."""

from senno.judge.lint.finding import Finding, LintRule, Severity
from senno.judge.lint.linting import Linted, joined, lint_policy, lint_questions
from senno.judge.lint.moved import MovedThreshold, Predictions, moved_findings, moved_thresholds
from senno.judge.lint.reading import LintedFile, read_linted, read_linted_text
from senno.judge.lint.rules import RULES

__all__ = [
    "RULES",
    "Finding",
    "LintRule",
    "Linted",
    "LintedFile",
    "MovedThreshold",
    "Predictions",
    "Severity",
    "joined",
    "lint_policy",
    "lint_questions",
    "moved_findings",
    "moved_thresholds",
    "read_linted",
    "read_linted_text",
]
