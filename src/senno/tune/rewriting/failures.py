"""What failed, counted by name, with the texts that failed: all that a rewriter is told of a trial. Pure.

Two phrasings of one defect are one defect: what is counted is the names of checks and questions, never a critique in
free words. However many answers there are, the digest has a bounded size.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from senno.models import Choice, Noul, Score

if TYPE_CHECKING:
    from senno.judge import AskedQuestion, CheckFile
    from senno.tune.scenarios import Scenario
    from senno.tune.trial import Judged, Trial

MOST_NAMES = 12
"""Failures that are told, the most frequent first."""
MOST_TEXTS = 8
"""Answers that are shown, each once, whatever it failed."""
TEXTS_A_NAME = 3
"""Answers that one failure refers to."""
MOST_MESSAGE = 600
MOST_ANSWER = 1500
"""Characters of a message and of an answer: its beginning and its end."""
_WEAKEST = 3


@dataclass(frozen=True, slots=True)
class Failure:
    """One check or question on its bad side."""

    name: str
    meaning: str
    """What it asks, in words."""
    count: int
    """In how many answers; 0: it did not fail, and is the weakest there is."""
    of: int
    """Answers that were judged."""
    share: float | None
    """Mean of its reading on [0, 1], higher is better; `None`: it has none."""
    texts: tuple[int, ...]
    """Which of the digest's texts failed it, by place from 1."""


@dataclass(frozen=True, slots=True)
class Text:
    """An answer that failed, and what it answered; both shortened."""

    scenario: str
    message: str
    """What was said, and what filled the prompt's variables."""
    answer: str


@dataclass(frozen=True, slots=True)
class Digest:
    """What failed in a trial."""

    failures: tuple[Failure, ...]
    """The most frequent first; where nothing failed, the weakest readings."""
    texts: tuple[Text, ...]
    untold: int
    """Names that failed and are not among `failures`."""
    judged: int
    errors: int
    """Answers that could not be judged: no failures of the prompt, and not shown."""

    @property
    def names(self) -> tuple[str, ...]:
        """What an edit may be for."""
        return tuple(failure.name for failure in self.failures)


def digest(
    trial: Trial,
    scenarios: Mapping[str, Scenario],
    meanings: Mapping[str, str],
    weights: Mapping[str, float] | None = None,
) -> Digest:
    """The failures of a trial.

    Args:
        trial: of the version that is to be rewritten.
        scenarios: of the training part, by id; an answer to any other is left out of all counts, and never shown.
        meanings: what each name asks (`meanings`).
        weights: of the policy: which reading is the weakest where nothing failed.
    """
    judged = [one for one in trial.judged if one.scenario in scenarios]
    sound = [one for one in judged if one.error is None and one.answer is not None]
    counted = Counter(name for one in sound for name in dict.fromkeys(one.checks_failed))
    ranked = sorted(counted, key=lambda name: (-counted[name], name))
    told = ranked[:MOST_NAMES] or _weakest(sound, weights or {})
    shown: list[Judged] = []
    failures: list[Failure] = []
    for name in told:
        places = _places(_worst(name, sound, counted), shown)
        share = _share(name, sound)
        failures.append(Failure(name, meanings.get(name, ""), counted[name], len(sound), share, places))
    texts = tuple(_text(one, scenarios[one.scenario]) for one in shown)
    return Digest(tuple(failures), texts, len(ranked) - len(ranked[:MOST_NAMES]), len(sound), len(judged) - len(sound))


def _text(one: Judged, scenario: Scenario) -> Text:
    filled = [f"[{name}: {value}]" for name, value in scenario.variables.items()]
    message = shortened("\n".join([scenario.text, *filled]), MOST_MESSAGE)
    return Text(scenario.id, message, shortened(one.answer or "", MOST_ANSWER))


def _weakest(sound: Sequence[Judged], weights: Mapping[str, float]) -> list[str]:
    """The names that cost the most of the score."""
    lost = {
        name: weight * (1.0 - share) for name, weight in weights.items() if (share := _share(name, sound)) is not None
    }
    return sorted((name for name in lost if lost[name] > 0.0), key=lambda name: (-lost[name], name))[:_WEAKEST]


def _worst(name: str, sound: Sequence[Judged], counted: Counter[str]) -> list[Judged]:
    """The answers that show a failure, each scenario's first before any scenario's second."""
    if counted[name]:
        showing = [one for one in sound if name in one.checks_failed]
    else:
        readings = [(reading.share, one) for one in sound if (reading := one.readings.get(name))]
        showing = [one for share, one in sorted(readings, key=lambda pair: pair[0] or 0.0) if share is not None]
    seen: Counter[str] = Counter()
    turns: list[tuple[int, Judged]] = []
    for one in showing:
        turns.append((seen[one.scenario], one))
        seen[one.scenario] += 1
    return [one for _, one in sorted(turns, key=lambda pair: pair[0])]


def _places(showing: Sequence[Judged], shown: list[Judged]) -> tuple[int, ...]:
    """Where the texts of a failure stand among those shown; what is shown already is taken first."""
    places = [place for place, one in enumerate(shown, 1) if any(one is other for other in showing)][:TEXTS_A_NAME]
    for one in showing:
        if len(places) >= TEXTS_A_NAME or len(shown) >= MOST_TEXTS:
            break
        if not any(one is other for other in shown):
            shown.append(one)
            places.append(len(shown))
    return tuple(places)


def _share(name: str, sound: Sequence[Judged]) -> float | None:
    shares = [r.share for one in sound if (r := one.readings.get(name)) and r.share is not None]
    return statistics.fmean(shares) if shares else None


def shortened(text: str, most: int) -> str:
    """At most `most` characters of a text, and what was left out: its beginning and its end."""
    if len(text) <= most:
        return text
    first = most * 2 // 3
    return f"{text[:first]}\n[… {len(text) - most:,} characters left out …]\n{text[len(text) - (most - first) :]}"


def meanings(checks: CheckFile) -> dict[str, str]:
    """What each check and question of a file asks, in words, by name."""
    asked = {name: _question(question) for name, question in checks.questions.items()}
    return {
        name: _check(spec.model_dump(mode="json", exclude_unset=True)) for name, spec in checks.checks.items()
    } | asked


def _check(entry: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in entry.items() if key != "type"}
    return f"{entry.get('type', 'check')} {json.dumps(rest, ensure_ascii=False)}" if rest else str(entry.get("type"))


def _question(asked: AskedQuestion) -> str:
    question = asked.question
    words = question.instructions
    text = words if isinstance(words, str) else json.dumps(dict(words), ensure_ascii=False)
    match question:
        case Noul(_, true, false):
            sides = [f"yes: {true}"] if true else []
            sides += [f"no: {false}"] if false else []
        case Score(_, levels):
            sides = [f"levels from low to high: {'; '.join(levels)}"]
        case Choice(_, options):
            sides = [f"options: {', '.join(options)}"]
    better = [] if isinstance(question, Choice) else [f"{'higher' if asked.higher_is_better else 'lower'} is better"]
    return " — ".join([text, *sides, *better])
