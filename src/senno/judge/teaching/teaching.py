"""A case that the judge got wrong becomes an example in the criteria, and a case of the labelled set."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from senno.errors import ConfigError, FileFormatError
from senno.files import parse_mapping, read_text
from senno.judge.checkfile import CheckFile
from senno.judge.labelled import Case, expected_answer, load_labelled
from senno.judge.lint import Finding, LintedFile, lint_questions, read_linted_text
from senno.judge.teaching.editing import criteria_of, taught_text
from senno.judge.teaching.example import EXCERPT, NOTE, example_line
from senno.judge.teaching.labelling import Labelling, case_of_id, key_of_answer, labelled, told_by
from senno.ledger import redact
from senno.text import did_you_mean


@dataclass(frozen=True, slots=True)
class Teaching:
    """What is to be written, and to which files. Nothing is written yet."""

    checks_path: Path
    labelled_path: Path
    question: str
    key: str
    """Of the criteria: `true`, `false`, the option, the number of the level."""
    line: str
    old_text: str
    new_text: str
    old: CheckFile
    new: CheckFile
    case: Case
    labelling: Labelling
    cases: tuple[Case, ...]
    """The labelled cases of the question, with this one."""
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    """What lint says of the question now and did not say before."""

    @property
    def difference(self) -> str:
        """The change of the file of checks, as a unified diff."""
        old, new = (text.splitlines(keepends=True) for text in (self.old_text, self.new_text))
        name = str(self.checks_path)
        lines = difflib.unified_diff(old, new, name, name, n=1)
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def prepare(checks_path: Path, question: str, text: str, expect: str, labelled_path: Path, note: str = "") -> Teaching:
    """Work out what teaching a case changes, and refuse what would make no sense.

    Args:
        checks_path: the file of checks and questions.
        question: the question that erred.
        text: the case; a diff, where the questions are those of a gate. Secrets in it are redacted before it is kept.
        expect: the right answer as a command states it: `true`, `false`, a level, an option.
        labelled_path: the labelled set; it may not exist yet.
        note: what the case shows, in place of an excerpt of it.

    Raises:
        ConfigError: no such question, an answer it does not have, an empty case, a note too long, a case that is
            taught already (with its place), one that contradicts a labelled case, a file that cannot be edited there.
    """
    asked = _Asked.read(checks_path, question, labelled_path)
    expected = expected_answer(question, _answer(expect), asked.checks, "--expect")
    if not text.strip():
        raise ConfigError("the case is empty; expected the text that was judged wrong")
    kept, told = redact(text), redact(note.strip())
    notes = {"note": told} if told else dict[str, str]()
    about: dict[str, Any] = {"state": {"diff": kept}} if asked.linted.for_gate else {"text": kept}
    case = Case("", {question: expected}, taught=(question,), notes=notes, **about)
    return asked.teaching(*labelled(case, question, asked.cases), told, (kept, told) != (text, note.strip()))


def prepare_labelled(checks_path: Path, question: str, case_id: str, labelled_path: Path, note: str = "") -> Teaching:
    """`prepare`, of a case that is labelled already: what it is and what is right stand in the set.

    Args:
        checks_path: the file of checks and questions.
        question: the question that erred.
        case_id: of the case.
        labelled_path: the labelled set.
        note: what the case shows; without one the note of the case, where it has a short one, else an excerpt.

    Raises:
        ConfigError: as `prepare`; or there is no such case.
    """
    asked = _Asked.read(checks_path, question, labelled_path)
    there = case_of_id(case_id, question, asked.cases, str(labelled_path))
    own = there.notes.get("note")
    told = redact(note.strip()) or (redact(own.strip()) if isinstance(own, str) and len(own) <= NOTE else "")
    case, labelling = labelled(there, question, [there])
    return asked.teaching(case, labelling, told, False)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question and the labelled set, as they are."""

    path: Path
    labelled_path: Path
    question: str
    text: str
    data: Mapping[str, Any]
    linted: LintedFile
    checks: CheckFile
    cases: tuple[Case, ...]

    @classmethod
    def read(cls, path: Path, question: str, labelled_path: Path) -> _Asked:
        text = read_text(path)
        linted = read_linted_text(text, path)
        assert linted.checks is not None
        _refuse_no_question(question, linted.checks, str(path))
        there = labelled_path.exists() and bool(read_text(labelled_path).strip())
        cases = load_labelled(labelled_path, linted.checks) if there else ()
        return cls(path, labelled_path, question, text, parse_mapping(str(path), text), linted, linted.checks, cases)

    def teaching(self, case: Case, labelling: Labelling, note: str, redacted: bool) -> Teaching:
        """What is to be written for a case."""
        where = str(self.path)
        language = next(each.language for each in self.linted.questions if each.name == self.question)
        words = redact(told_by(case))
        line = example_line(words, note, language)
        as_it_was = str(case.notes.get("note", ""))[:NOTE]
        self._refuse_taught({line, example_line(words, as_it_was, language)}, case, labelling)
        key = key_of_answer(case.expect[self.question])
        new_text = taught_text(self.text, where, self.question, key, line)
        new = read_linted_text(new_text, self.path)
        others = tuple(c for c in self.cases if self.question in c.expect and c.id != case.id)
        return Teaching(
            self.path,
            self.labelled_path,
            self.question,
            key,
            line,
            self.text,
            new_text,
            self.checks,
            new.checks or self.checks,
            case,
            labelling,
            (*others, case),
            tuple(_notes(redacted, words, note, labelling, case)),
            self._new_findings(new),
        )

    def _refuse_taught(self, lines: set[str], case: Case, labelling: Labelling) -> None:
        for key, told in criteria_of(self.data[self.question]).items():
            if lines & set((told or "").splitlines()):
                also = "" if labelling == "append" else f", and the case is labelled at {case.where} ({case.id})"
                at = f"{self.path}: {self.question}.criteria.{key}"
                raise FileFormatError(at, f"this example is here already{also}", "a case that is not taught yet")

    def _new_findings(self, new: LintedFile) -> tuple[Finding, ...]:
        def found(file: LintedFile) -> dict[tuple[str, str], Finding]:
            return {(f.rule.id, f.key): f for f in lint_questions(file).findings if f.question == self.question}

        before = found(self.linted)
        return tuple(finding for place, finding in found(new).items() if place not in before)


def _refuse_no_question(question: str, checks: CheckFile, where: str) -> None:
    if question in checks.questions:
        return
    if question in checks.checks:
        raise ConfigError(f"{where}: {question} is a deterministic check, which has no criteria; mend the check itself")
    raise ConfigError(f"{where}: there is no question {question!r}{did_you_mean(question, checks.questions)}")


def _answer(text: str) -> object:
    """As JSON would have it: `true`, `false`, a whole number, else a name."""
    plain = text.strip()
    if plain.lower() in ("true", "false"):
        return plain.lower() == "true"
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) < 4 else plain


def _notes(redacted: bool, words: str, note: str, labelling: Labelling, case: Case) -> list[str]:
    notes: list[str] = []
    if redacted:
        notes.append("secrets in the case are redacted, in the criteria and in the labelled set")
    if not note and len(words) > EXCERPT:
        more = f"the first {EXCERPT} of {len(words):,} characters stand for the case"
        notes.append(f"{more}; --note says what it shows instead")
    if labelling == "there":
        at = f"{case.where} ({case.id})"
        notes.append(f"{at} is marked as taught and its example is not in the criteria: it is added")
    return notes
