"""Rules that need no language: the fields a question names, other questions, what is sent with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from senno.judge.lint.asked import LintedQuestion
from senno.judge.lint.finding import Finding, excerpt
from senno.judge.lint.rules import RULES
from senno.judge.lint.states import StateFields
from senno.judge.lint.wording import backticked, plain
from senno.models import Json
from senno.text import did_you_mean, estimate_tokens, folded

MOST_STATE_TOKENS = 32_000
"""What decision models read of state and longest question together, by their makers' documentation."""
_LARGE_STATE, _TIMES = 4_000, 8
_FEWEST_WORDS = {"en": 4}
"""Of a question without criteria; other languages (Italian) leave the subject out."""
_IDENTIFIER = re.compile(r"\w+")
_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|«([^»\n]+)»|(?<!\w)'([^'\n]+)'(?!\w)")
_WORDS = re.compile(r"[^\W_]+")


def field_findings(question: LintedQuestion, file: str, fields: StateFields | None) -> Iterator[Finding]:
    """Whether the fields that a question names are sent, and named so that they are seen as names."""
    if fields is None:
        return
    known = {*fields.names, *fields.inside}
    text = question.asked.asks
    named = backticked(text)
    unsent = [name for name in named if name not in known]
    # Code may stand in backticks too: with a field beside it, an unknown name may be that.
    if unsent and not any(name in known for name in named):
        hint = did_you_mean(unsent[0], known).lstrip("; ")
        detail = f"{fields.of or 'the state'} has {', '.join(fields.names)}{f'; {hint}' if hint else ''}"
        yield _at("SJ015", question, file, f"`{unsent[0]}`", detail)
    if len(fields.names) < 2 or any(name in known for name in named) or unsent:
        return
    bare = next(
        (name for name in fields.names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)), None
    )
    yield _at("SJ014", question, file, bare or question.instructions, f"the fields are {', '.join(fields.names)}")


def _at(rule: str, question: LintedQuestion, file: str, words: str, detail: str = "") -> Finding:
    return Finding(RULES[rule], file, question.name, "instructions", excerpt(words), detail)


def length_findings(question: LintedQuestion, file: str) -> Iterator[Finding]:
    """Whether there is a question at all, and enough of it."""
    if not question.instructions:
        yield _at("SJ020", question, file, question.name)
        return
    words = _WORDS.findall(question.asked.text)
    if folded(question.instructions) == folded(question.name):
        yield _at("SJ021", question, file, question.instructions, "it is the id of the question")
    elif len(words) < _FEWEST_WORDS.get(question.language or "", 3) and not any(question.sides()):
        yield _at("SJ021", question, file, question.instructions)


def together_findings(questions: Sequence[LintedQuestion], file: str, fields: StateFields | None) -> Iterator[Finding]:
    """What only the file as a whole shows: references from one question to another, twins, data not declared."""
    seen: dict[tuple[str, str, tuple[tuple[str, str | None], ...]], str] = {}
    names = frozenset(question.name for question in questions)
    known = {*fields.names, *fields.inside} if fields else set[str]()
    for question in questions:
        other = _reference(question, names, known)
        if other is not None:
            yield _at("SJ016", question, file, other, f"{other} is another question")
        same = (question.type, folded(question.instructions), tuple((question.criteria or {}).items()))
        twin = seen.setdefault(same, question.name)
        if twin != question.name and question.instructions:
            yield _at("SJ022", question, file, question.instructions, f"the same as {twin}")
        if (
            fields
            and fields.untrusted
            and question.lexicon
            and question.instructions
            and not question.asked.declares_data
        ):
            yield _at("SJ023", question, file, question.instructions, f"`{fields.untrusted[0]}` is written by others")


def _reference(question: LintedQuestion, names: frozenset[str], known: set[str]) -> str | None:
    """The id of another question that this one names."""
    text = plain(question.instructions)
    # An id that is a plain word ("a", "in", "tone") is a word unless it is marked as a name.
    spelt = {word for word in _IDENTIFIER.findall(text) if "_" in word.strip("_")}
    quoted = {str(part) for match in _QUOTED.finditer(text) for part in match.groups() if part}
    marked = quoted.union(backticked(text))
    found = sorted(((spelt | marked) & names) - known - {question.name}, key=text.index)
    return found[0] if found else None


def size_findings(questions: Sequence[LintedQuestion], file: str, state: Json) -> Iterator[Finding]:
    """Whether the state fits beside the questions."""
    tokens = estimate_tokens(state if isinstance(state, str) else json.dumps(state, ensure_ascii=False))
    sizes = [estimate_tokens(q.instructions + "".join(text for _, text in q.sides())) for q in questions]
    longest = max(sizes, default=0)
    if tokens + longest > MOST_STATE_TOKENS:
        yield Finding(
            RULES["SJ024"], file, None, "state", "", f"about {tokens:,} tokens, and {longest:,} of the longest question"
        )
    elif tokens >= _LARGE_STATE and tokens >= _TIMES * sum(sizes):
        yield Finding(
            RULES["SJ025"], file, None, "state", "", f"about {tokens:,} tokens against {sum(sizes):,} of all questions"
        )
