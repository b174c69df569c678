"""What a measurement is tied to: the exact wording of each question, and the thresholds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from senno.judge.policy import Policy, Rule
from senno.judge.questions import AskedQuestion
from senno.models import Choice, Noul, Question, Score


def question_digest(question: Question) -> str:
    """SHA-256 of what is sent of a question, the order of its options included: a byte changed is another question."""
    match question:
        case Noul():
            criteria: Any = [question.true, question.false]
        case Score():
            criteria = list(question.levels)
        case Choice():
            criteria = list(question.options.items())
    return _digest([type(question).__name__.lower(), question.instructions, criteria])


def question_digests(questions: Mapping[str, AskedQuestion]) -> dict[str, str]:
    """The digest of each question, by name."""
    return {name: question_digest(asked.question) for name, asked in questions.items()}


def policy_digest(policy: Policy) -> str:
    """SHA-256 of all in a policy that makes a verdict."""
    verdicts = [[v.name, v.match, v.exit_code, [_rule(rule) for rule in v.rules]] for v in policy.verdicts]
    return _digest([verdicts, dict(policy.weights), policy.on_error])


def _rule(rule: Rule) -> list[Any]:
    return [rule.check, rule.op, rule.value, rule.option, [_rule(other) for other in rule.unless]]


def _digest(value: Any) -> str:
    # Keys of a mapping in the instructions keep their order too: the model reads them in it.
    return hashlib.sha256(json.dumps(value, ensure_ascii=True).encode("ascii")).hexdigest()
