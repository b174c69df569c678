"""IFBench: the kinds that belong to one prompt each, whose answer they know."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from itertools import pairwise
from typing import ClassVar, Literal

from senno.judge.checks.benchmarks.bare_words import EDGES, PUNCTUATION
from senno.judge.checks.benchmarks.rule_sentences import rule_sentences
from senno.judge.checks.benchmarks.spec import BenchmarkSpec
from senno.judge.checks.result import CheckResult, span, spans
from senno.judge.checks.spec import Example


class Multiples(BenchmarkSpec):
    """The numbers in the text are 14, 21, 28, 35, 42, 49."""

    type: Literal["multiples", "custom:multiples"]
    example: ClassVar[Example] = Example(
        {"type": "custom:multiples"}, "14, 21, 28, 35, 42, 49", "7, 14, 21, 28, 35, 42, 49"
    )

    def follow(self, text: str) -> CheckResult:
        """Show the numbers."""
        found = [match.span() for match in re.finditer(r"\d+", text)]
        passed = [text[start:end] for start, end in found] == ["14", "21", "28", "35", "42", "49"]
        return CheckResult(passed, f"numbers: {len(found)}", spans(text, found))


class McqCountLength(BenchmarkSpec):
    """Four questions under `Question 1` to `Question 4`, each longer than the one before, with options A to E."""

    type: Literal["mcq_count_length", "custom:mcq_count_length"]
    example: ClassVar[Example] = Example(
        {"type": "custom:mcq_count_length"},
        "\n".join(f"Question {n}. {'Why' * n}?\nA. a\nB. b\nC. c\nD. d\nE. e" for n in range(1, 5)),
        "\n".join(f"Question {n}. Why?\nA. a\nB. b\nC. c\nD. d\nE. e" for n in range(1, 5)),
    )

    def follow(self, text: str) -> CheckResult:
        """Say what is wrong first."""
        if not text.startswith("Question"):
            return CheckResult(False, "the text does not begin with a question")
        parts = [part.strip() for part in re.split(r"Question \d+[.|):;]?\s*", text)]
        questions = [part for part in parts if part]
        if len(questions) != 4:
            return CheckResult(False, f"questions: {len(questions)}, asked for 4")
        read = [_question(question) for question in questions]
        if any(options != 5 for _, options in read):
            return CheckResult(False, "a question has not 5 options")
        longer = all(a < b for (a, _), (b, _) in pairwise(read))
        detail = "each question is longer" if longer else "a question is not longer than the one before"
        return CheckResult(longer, detail)


def _question(question: str) -> tuple[int, int]:
    """Length of the question itself, and how many options follow."""
    lines = [line.strip() for line in question.split("\n")]
    is_option = [bool(re.match(r"[A-Ea-e][.|)]\s*\w+", line)) for line in lines]
    before = is_option.index(True) if True in is_option else len(lines)
    return len(" ".join(lines[:before]).strip()), sum(is_option)


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


class ReverseNewline(BenchmarkSpec):
    """From the line with Zimbabwe on there are at least 52 lines, in reverse alphabetical order."""

    type: Literal["reverse_newline", "custom:reverse_newline"]
    example: ClassVar[Example] = Example(
        {"type": "custom:reverse_newline"},
        "\n".join(["Zimbabwe", *(f"Country {n:02}" for n in range(52, 0, -1))]),
        "\n".join(["Zimbabwe", *(f"Country {n:02}" for n in range(1, 53))]),
    )

    def follow(self, text: str) -> CheckResult:
        """Show the first line that is out of order."""
        lines: list[tuple[str, int, int]] = []
        at = 0
        for raw in text.split("\n"):
            if line := raw.strip(EDGES):
                lines.append((line, at, at + len(raw)))
            at += len(raw) + 1
        first = next((i for i, (line, _, _) in enumerate(lines) if "Zimbabwe" in line), len(lines))
        lines = lines[first:]
        if len(lines) < 52:
            return CheckResult(False, f"{len(lines)} lines from Zimbabwe on, asked for at least 52")
        for before, after in pairwise(lines):
            if _ascii(after[0]) > _ascii(before[0]):
                return CheckResult(False, "a line is out of order", (span(text, after[1], after[2]),))
        return CheckResult(True, "the lines are in reverse order")


class WordReverse(BenchmarkSpec):
    """Read backwards word by word, the text is one sentence with `bald eagle` in it."""

    type: Literal["word_reverse", "custom:word_reverse"]
    example: ClassVar[Example] = Example(
        {"type": "custom:word_reverse"}, "eagle bald the is symbol The", "The symbol is the bald eagle"
    )

    def follow(self, text: str) -> CheckResult:
        """Compare it."""
        bare = text.lower().translate(str.maketrans("", "", PUNCTUATION))
        backwards = " ".join(reversed(bare.split()))
        passed = "bald eagle" in backwards and [s.text for s in rule_sentences(backwards)] == [backwards]
        return CheckResult(passed, f"backwards it is {backwards[:80]!r}")


class CharacterReverse(BenchmarkSpec):
    """The text has `bald eagle` in it, backwards letter by letter."""

    type: Literal["character_reverse", "custom:character_reverse"]
    example: ClassVar[Example] = Example({"type": "custom:character_reverse"}, "elgaE dlaB ehT", "bald eagle")

    def follow(self, text: str) -> CheckResult:
        """Show it."""
        match = re.search("elgae dlab", text, re.IGNORECASE)
        if match is None:
            return CheckResult(False, "'elgae dlab' is not there")
        return CheckResult(True, "'elgae dlab' is there", (span(text, *match.span()),))


class SentenceAlphabet(BenchmarkSpec):
    """Twenty-six sentences that begin with the letters from A to Z.

    Punctuation before the letter does not count since a later commit of the reference.
    """

    type: Literal["sentence_alphabet", "custom:sentence_alphabet"]
    example: ClassVar[Example] = Example(
        {"type": "custom:sentence_alphabet"},
        " ".join(f"{letter}re it is." for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "All is late. But soon.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show the first sentence that does not."""
        sentences = rule_sentences(text)
        if len(sentences) != 26:
            return CheckResult(False, f"sentences: {len(sentences)}, asked for 26")
        for letter, sentence in zip("abcdefghijklmnopqrstuvwxyz", sentences, strict=True):
            if not sentence.text.lstrip(PUNCTUATION + " \t\n\r\v\f").lower().startswith(letter):
                return CheckResult(False, f"a sentence should begin with {letter!r}", spans(text, [sentence[1:]]))
        return CheckResult(True, "the sentences begin with the letters from A to Z")


_CAPITALS_LISTED = (
    "Reykjavik Helsinki Oslo Tallinn Stockholm Riga Moscow Copenhagen Vilnius Minsk Dublin Berlin Amsterdam Warsaw "
    "London Brussels Prague Luxembourg Paris Vienna Bratislava Budapest Vaduz Chisinau Bern Ljubljana Zagreb"
)
_CAPITALS = _CAPITALS_LISTED.split()


class EuropeanCapitalsSort(BenchmarkSpec):
    """The 27 European capitals north of 45 degrees, from north to south, divided by commas."""

    type: Literal["european_capitals_sort", "custom:european_capitals_sort"]
    example: ClassVar[Example] = Example(
        {"type": "custom:european_capitals_sort"}, ", ".join(_CAPITALS), ", ".join(sorted(_CAPITALS))
    )

    def follow(self, text: str) -> CheckResult:
        """Say how many are there."""
        named = [name.strip() for name in _ascii(text).split(",") if name.strip()]
        return CheckResult(named == _CAPITALS, f"names: {len(named)}, asked for {len(_CAPITALS)} in order")


def _rows(text: str, delimiter: str = ",") -> list[list[str]]:
    """The rows of a CSV text. An empty list: it is none (a field is longer than the `csv` module reads)."""
    try:
        return list(csv.reader(io.StringIO(text), delimiter=delimiter))
    except csv.Error:
        return []


class CsvCity(BenchmarkSpec):
    """CSV with the columns ID, Country, City, Year, Count and seven rows."""

    type: Literal["csv_city", "custom:csv_city"]
    example: ClassVar[Example] = Example(
        {"type": "custom:csv_city"},
        "ID,Country,City,Year,Count" + "\n1,Italy,Rome,2025,3" * 7,
        "ID,Country,City,Year,Count" + "\n1,Italy,Rome,2025,3" * 6,
    )

    def follow(self, text: str) -> CheckResult:
        """Count rows and fields."""
        rows = _rows(text)
        shaped = len(rows) == 8 and all(len(row) == 5 for row in rows)
        passed = shaped and rows[0] == ["ID", "Country", "City", "Year", "Count"]
        return CheckResult(passed, f"rows with the header: {len(rows)}, asked for 8 of 5 fields")


def _has_header(text: str, columns: str, between: str) -> bool:
    """The first line is these columns, each in double quotes or not."""
    pattern = between.join(rf'(?:{name}|"{name}")' for name in columns.split())
    return bool(re.fullmatch(pattern, text.split("\n")[0].strip()))


class CsvSpecialCharacter(BenchmarkSpec):
    """CSV with the columns ProductID, Category, Brand, Price, Stock and 14 rows, one field with a sign, quoted."""

    type: Literal["csv_special_character", "custom:csv_special_character"]
    example: ClassVar[Example] = Example(
        {"type": "custom:csv_special_character"},
        "ProductID,Category,Brand,Price,Stock" + '\n1,Food,"A&B",2,3' + "\n1,Food,AB,2,3" * 13,
        "ProductID,Category,Brand,Price,Stock" + "\n1,Food,AB,2,3" * 14,
    )

    def follow(self, text: str) -> CheckResult:
        """Say what is wrong first."""
        if not _has_header(text, "ProductID Category Brand Price Stock", r",[ \t]*"):
            return CheckResult(False, "the first line is not the five columns")
        # Quotes are tripled, so that the reader leaves one pair of them in the field.
        rows = _rows(text.replace('"', '"""'))
        if len(rows) != 15:
            return CheckResult(False, f"rows with the header: {len(rows)}, asked for 15")
        for row in rows[1:]:
            if len(row) != 5:
                return CheckResult(False, f"a row has {len(row)} fields")
            if any(re.match(r'".*[^\d\w\s].*"', field) for field in row):
                return CheckResult(True, "a quoted field has a special character")
        return CheckResult(False, "no quoted field has a special character")


class CsvQuotes(BenchmarkSpec):
    """Tab-separated, with the columns StudentID, Subject, Grade, Semester, Score and three rows, all quoted."""

    type: Literal["csv_quotes", "custom:csv_quotes"]
    example: ClassVar[Example] = Example(
        {"type": "custom:csv_quotes"},
        '"StudentID"\t"Subject"\t"Grade"\t"Semester"\t"Score"' + '\n"1"\t"Law"\t"A"\t"2"\t"30"' * 3,
        "StudentID\tSubject\tGrade\tSemester\tScore" + "\n1\tLaw\tA\t2\t30" * 3,
    )

    def follow(self, text: str) -> CheckResult:
        """Say what is wrong first."""
        if not _has_header(text, "StudentID Subject Grade Semester Score", r"\t *"):
            return CheckResult(False, "the first line is not the five columns")
        rows = _rows(text.replace('"', '"""'), delimiter="\t")
        if len(rows) != 4 or any(len(row) != 5 for row in rows):
            return CheckResult(False, f"rows with the header: {len(rows)}, asked for 4 of 5 fields")
        quoted = all(re.fullmatch(r'\s*(?:".*)?"\s*', field, re.DOTALL) for row in rows for field in row)
        return CheckResult(quoted, "every field is quoted" if quoted else "a field is not quoted")


_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class DateFormatList(BenchmarkSpec):
    """The text is dates as YYYY-MM-DD from 1769 to 1821, divided by commas."""

    type: Literal["date_format_list", "custom:date_format_list"]
    example: ClassVar[Example] = Example(
        {"type": "custom:date_format_list"}, "1796-04-12, 1815-06-18", "1796-04-12, 18 June 1815"
    )

    def follow(self, text: str) -> CheckResult:
        """Show the first part that is no such date."""
        for match in re.finditer(r"[^,]+|(?<=,)(?=,|\Z)|\A(?=,)", text.strip()):
            if not _is_date(match.group().strip()):
                at = text.index(text.strip()) + match.start()
                return CheckResult(False, "not a date of that time", (span(text, at, at + len(match.group())),))
        return CheckResult(True, "all are dates of that time")


def _is_date(text: str) -> bool:
    match = re.fullmatch(r"(\d{4})-(\d{2})-(\d{2})", text)
    if match is None:
        return False
    year, month, day = map(int, match.groups())
    # As in the reference, month and day may be 0.
    return 1769 <= year <= 1821 and month <= 12 and (month == 0 or day <= _DAYS[month - 1])


KINDS = (
    Multiples,
    McqCountLength,
    ReverseNewline,
    WordReverse,
    CharacterReverse,
    SentenceAlphabet,
    EuropeanCapitalsSort,
    CsvCity,
    CsvSpecialCharacter,
    CsvQuotes,
    DateFormatList,
)
