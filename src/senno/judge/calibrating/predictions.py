"""Answers that were recorded elsewhere: JSON Lines, `{"id", "answers": {question: probability}}`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from senno.errors import FileFormatError
from senno.files import kind_of
from senno.judge.checkfile import CheckFile
from senno.judge.json_lines import JsonLine, json_lines
from senno.models import Answer, Decision, Distribution, Noul, Probability, Unanswered, check_decision
from senno.text import did_you_mean

_KEYS = ("id", "answers", "model")


def load_predictions(path: Path, checks: CheckFile) -> dict[str, dict[str, Answer]]:
    """The answers of a file, by the id of the case, checked as those of a model are.

    A noul is a number; a score or a choice is a mapping of level or option to its probability; `null` is no answer.

    Raises:
        ConfigError: the file cannot be read.
        FileFormatError: a line is not as said, an id stands twice, an unknown question, an answer that is none (1.78, a
            missing option), or no line.
    """
    found: dict[str, dict[str, Answer]] = {}
    for line in json_lines(path):
        line.refuse_other_keys(_KEYS)
        id_ = line.text("id")
        if id_ in found:
            raise FileFormatError(line.where, f"the id {id_!r} stands twice", "each case once")
        found[id_] = _answers(line, checks)
    if not found:
        raise FileFormatError(str(path), "no line in it", 'lines such as {"id": …, "answers": {…}}')
    return found


def _answers(line: JsonLine, checks: CheckFile) -> dict[str, Answer]:
    given = line.values.get("answers")
    if not isinstance(given, dict):
        raise FileFormatError(f"{line.where}: answers", f"found {kind_of(given)}", "a mapping of question to answer")
    answers: dict[str, Answer] = {}
    for name, value in cast("dict[str, Any]", given).items():
        at = f"{line.where}: answers.{name}"
        asked = checks.questions.get(name)
        if asked is None:
            hint = did_you_mean(name, checks.questions).lstrip("; ")
            raise FileFormatError(at, "unknown question", ", ".join(checks.questions), hint)
        if value is None:
            answers[name] = Unanswered("no answer in the file")
            continue
        read = _read(value, at, is_noul=isinstance(asked.question, Noul))
        checked = check_decision({name: asked.question}, Decision({name: read}, None)).answers[name]
        if isinstance(checked, Unanswered):
            raise FileFormatError(at, checked.reason, "an answer to the question as it is asked")
        answers[name] = checked
    return answers


def _read(value: Any, at: str, *, is_noul: bool) -> Answer:
    if is_noul:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise FileFormatError(at, f"found {kind_of(value)}", "a probability, a number from 0 to 1")
        return Probability(float(value))
    if not isinstance(value, Mapping):
        raise FileFormatError(at, f"found {kind_of(value)}", "a mapping of option (or level) to its probability")
    shares = cast("Mapping[str, Any]", value)
    for name, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, (int, float)):
            raise FileFormatError(f"{at}.{name}", f"found {kind_of(share)}", "a number from 0 to 1")
    return Distribution({name: float(share) for name, share in shares.items()})
