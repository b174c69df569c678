"""The file of a lesson.

A number in the name of a test is that of a group of faults which users of other memories reported (4: a file that does
not parse was rewritten; 25: dates; 26: YAML takes text for something else; 27: line ends and byte order marks).
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from lesson_drafts import NOON, lesson
from senno.errors import FileFormatError
from senno.lessons import HEADINGS, Deprecation, Quality, draft_from_text
from senno.lessons.body import answer_text, read_body, write_body
from senno.lessons.document import from_bytes, to_text, with_changes
from senno.lessons.frontmatter import _simple_entries, _yaml_entries, split
from senno.lessons.frontmatter_edit import edit, scalar
from senno.lessons.lesson import well_formed
from senno.lessons.moments import moment, moment_text

PATH = Path("reflexions/2026-11/30-T-1.md")

TRAPS = [
    *("no", "1e3", "a: b", "Re: x", "2026-01-01", "12:30:00", "null", "~", "None", "true", "- x", "# x", "🎬", "---"),
    *("a #b", "it's", '"', "\\", "{a}", "[a]", "&a", "*a", "!x", "%x", "@x", "`x`", "x: ", ":", "", " ", "0x1F", "010"),
    *(
        ".inf",
        "1_000",
        "a\u2028b",
        "a\x85b",
        "a\x7fb",
        "a\ufeffb",
        "a\x00b",
        "a\tb",
        "a\nb\n---\nc",
        "中文：值",
        "مرحبا",
    ),
    *("=", "<<", "y", "on"),
]

texts = st.text().map(well_formed) | st.sampled_from(TRAPS).map(well_formed)
answers = st.lists(
    st.text()
    | st.sampled_from([*TRAPS, *(f"## {h}" for three in HEADINGS.values() for h in three), "```", "~~~~", "\\# x"]),
    min_size=1,
).map(lambda lines: answer_text("\n".join(lines)))
lists = st.lists(texts, max_size=3).map(tuple)
shares = st.none() | st.floats(0, 1)
moments = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 30)).map(lambda d: d.replace(tzinfo=UTC))  # noqa: DTZ001
named = texts.filter(lambda t: t.strip())
lessons = st.builds(
    lesson,
    id=named.map(str.strip),
    created_at=moments,
    task_id=named.map(str.strip),
    task=texts,
    outcome=st.sampled_from(["success", "partial", "failure"]),
    confidence_at_start=shares,
    department=texts,
    related_skills=lists,
    tags=lists,
    skill_gap=st.none() | named,
    quality=st.none() | st.builds(Quality, *[st.floats(0, 1)] * 4),
    what=answers,
    why=answers,
    rule=answers,
    language=st.sampled_from(["en", "it"]),
    supersedes=st.none() | named.map(str.strip),
    last_retrieved=st.none() | moments,
    retrieval_count=st.integers(0, 10**9),
    archived=st.booleans(),
    deprecated=st.none() | st.builds(Deprecation, texts, texts, st.none() | moments),
)


@given(lessons)
def test_26_what_is_written_is_read_back(written):
    assert from_bytes(PATH, to_text(written).encode()) == written


@pytest.mark.parametrize("version", [(1, 1), (1, 2)])
@pytest.mark.parametrize("trap", TRAPS)
def test_26_any_yaml_reads_a_text_as_that_text(trap, version):
    yaml = YAML(typ="safe", pure=True)
    yaml.version = version
    line = f"key: {scalar(trap)}\nlist: {scalar([trap])}\nmap: {scalar({'a': trap})}\n"
    assert yaml.load(line) == {"key": trap, "list": [trap], "map": {"a": trap}}


@given(lessons)
@settings(max_examples=50)
def test_the_quick_reader_and_yaml_read_alike(written):
    yaml = split("x", to_text(written)).yaml
    quick = _simple_entries(yaml)
    slow = _yaml_entries("x", yaml)
    assert quick is None or {k: (e.value, e.line, e.start, e.end) for k, e in quick.items()} == {
        k: (e.value, e.line, e.start, e.end) for k, e in slow.items()
    }


@given(st.text(alphabet="ab:#-\"' \t\n[]{},&*0.1Tz\r~|>"))
@settings(max_examples=300)
def test_the_quick_reader_reads_nothing_that_yaml_reads_otherwise(yaml):
    quick = _simple_entries(yaml)
    if quick is not None:
        slow = _yaml_entries("x", yaml)
        assert {k: (e.value, e.start, e.end) for k, e in quick.items()} == {
            k: (e.value, e.start, e.end) for k, e in slow.items()
        }


def test_what_is_written_is_read_by_the_quick_reader():
    written = lesson(
        quality=Quality(0, 0.25, 0.5, 1), deprecated=Deprecation("obsolete", "anna", NOON), task="a: b\n😀"
    )
    assert _simple_entries(split("x", to_text(written)).yaml) is not None


@pytest.mark.parametrize("language", list(HEADINGS))
def test_a_body_has_exactly_the_three_headings_in_their_order(language):
    answer = "# One\n\nTwo\n===\n\n## Why?\n---\n\n- Three"
    body = write_body(language, answer, answer, answer)
    assert re.findall(r"^ {0,3}#{1,6} (.*)$", body, re.MULTILINE) == list(HEADINGS[language])
    assert not re.search(r"^ {0,3}(=+|-+)\s*$", body, re.MULTILINE)
    assert read_body("x", body, 1) == (language, answer, answer, answer)


def test_code_stays_as_it_is_and_is_closed():
    answer = answer_text("```python\n# a comment\nx = 1")
    body = write_body("en", answer, "Y", "R")
    assert "\n# a comment\nx = 1\n```\n" in body
    assert read_body("x", body, 1).what == answer


BODY = "\n## What happened?\n\nW\n\n## Why?\n\nY\n\n## What rule should I remember?\n\nR\n"


def file(frontmatter, body=BODY):
    return f"---\n{frontmatter}---\n{body}".encode()


def test_27_a_byte_order_mark_and_windows_line_ends_are_read():
    data = b"\xef\xbb\xbf" + to_text(lesson(what="a\nb", tags=("x", "y"))).replace("\n", "\r\n").encode()
    assert from_bytes(PATH, data) == lesson(what="a\nb", tags=("x", "y"))


def test_27_a_line_separator_is_no_line_end():
    answer = "a\u2028## Why?\u2029b\x0bc\x0cd\x85e"
    assert from_bytes(PATH, to_text(lesson(what=answer)).encode()).what == answer


@pytest.mark.parametrize(
    ("written", "utc"),
    [
        ("2026-11-30T12:00:00Z", NOON),
        ("2026-11-30T12:00:00z", NOON),
        ("2026-11-30T12:00:00", NOON),
        ("2026-11-30 12:00:00", NOON),
        ("2026-11-30T15:00:00+03:00", NOON),
        ("2026-11-30T15:00:00 +0300", NOON),
        ("2026-11-30T07:00:00-05", NOON),
        ("2026-11-30 07:00:00.0 -5", NOON),
        ("2026-11-30 12:00", NOON),
        ("2026-11-30t12:00:00.123456789Z", NOON.replace(microsecond=123456)),
        ("2026-11-30", NOON.replace(hour=0)),
        ('"2026-11-30T12:00:00Z"', NOON),
        ("!!timestamp 2026-11-30T12:00:00Z", NOON),
        ("2026-12-01T01:00:00+13:00", NOON),
    ],
)
def test_25_dates_of_every_form_are_read_to_utc(written, utc):
    read = from_bytes(PATH, file(f"created_at: {written}\noutcome: failure\n"))
    assert (read.created_at, read.created_at.tzinfo) == (utc, UTC)


@given(moments)
def test_25_a_moment_is_read_back_and_texts_sort_as_moments_do(at):
    assert moment(moment_text(at)) == at
    assert (moment_text(at) < moment_text(NOON)) == (at < NOON)


@pytest.mark.parametrize(
    "written", ["2026-02-30", "yesterday", "12:00", "2026-11-30T25:00:00Z", "0001-01-01T00:00:00+14:00"]
)
def test_25_what_is_no_moment_is_none(written):
    assert moment(written) is None


def test_what_a_person_left_out_comes_from_the_path():
    read = from_bytes(PATH, file("outcome: Success\ntags: dates\ndeprecated: false\nskill_gap: no\nlast_retrieved:\n"))
    assert (read.id, read.created_at, read.task_id) == ("2026-11-30-T-1", NOON.replace(hour=0), "T-1")
    assert (read.outcome, read.tags, read.deprecated, read.last_retrieved) == ("success", ("dates",), None, None)


def test_26_a_text_without_quotes_is_the_text_as_written():
    read = from_bytes(PATH, file("outcome: failure\ntask_id: 1e3\ntask: no\ntask_type: 2026-01-01\ntags: [007, off]\n"))
    assert (read.task_id, read.task, read.task_type, read.tags) == ("1e3", "no", "2026-01-01", ("007", "off"))


def test_29_half_of_a_surrogate_pair_that_an_escape_says_is_read_as_that_escape():
    read = from_bytes(PATH, file('outcome: failure\ntask: "\\ud83d"\ntags: ["\\ud83d\\ude00", a]\n'))
    assert (read.task, read.tags) == ("\\ud83d", ("😀", "a"))


GOOD = "id: x\ncreated_at: 2026-11-30\ntask_id: t\noutcome: failure\n"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "x.md:1: an empty file; expected a line of three dashes"),
        (b"\xef\xbb\xbf\n", "x.md:1: an empty file"),
        (b"# Title\n", "x.md:1: found '# Title'; expected a line of three dashes"),
        (b"---\nid: x\n", "x.md:1: the frontmatter has no end"),
        (file("id: x\ntask: Re: x\n"), "x.md:3: mapping values are not allowed here; expected valid YAML. Text with"),
        (file("id: x\nid: y\n"), "x.md:3: the key 'id' stands twice"),
        (file("- a\n- b\n"), "x.md:2: the frontmatter is no mapping"),
        (file("? [a]\n: b\n"), "x.md:2: a key that is no text"),
        (file("id: x\ncreated_at: soon\n"), "x.md:3: created_at: found 'soon'; expected a moment"),
        (file("id: x\n# c\ntags:\n  a: b\n"), "x.md:4: tags: found 'a: b'; expected a list of texts"),
        (file("id: *x\n"), "x.md:2: found undefined alias"),
        (file("a: &x b\nid: *x\n"), "x.md:3: id: found an alias; expected text"),
        (file(GOOD.replace("failure", "bad")), "x.md:5: outcome: found 'bad'; expected success, partial or failure"),
        (file("id: x\n"), "x.md: outcome: this key is missing"),
        (file("outcome: failure\n"), "x.md: created_at: this key is missing"),
        (file(GOOD + "confidence_at_start: 1.5\n"), "x.md:6: confidence_at_start: found '1.5'; expected a number"),
        (file(GOOD + "confidence_at_start: .nan\n"), "x.md:6: confidence_at_start"),
        (file(GOOD + "retrieval_count: 1.5\n"), "x.md:6: retrieval_count"),
        (file(GOOD + "archived: maybe\n"), "x.md:6: archived: found 'maybe'; expected true or false"),
        (file(GOOD + "quality: {accuracy: 1}\n"), "x.md:6: quality"),
        (file(GOOD, "\ntext\n"), "x.md:9: the body ends; expected the heading '## What happened?' or"),
        (file(GOOD, BODY.replace("Why?", "When?")), "x.md:16: found the heading '## What rule should I remember?'"),
        (file(GOOD, BODY + "## Why?\n"), "x.md:19: found the heading '## Why?'; expected nothing after the third"),
        (file(GOOD, BODY.replace("Why?", "Perché?")), "x.md:12: found the heading '## Perché?'; expected the heading"),
        (file(GOOD, BODY.replace("W\n", "<<<<<<< HEAD\nW\n", 1)), "x.md:10: a merge conflict of git"),
        (file(GOOD) + b"\xff", "x.md:19: byte 135 (0xff) is not UTF-8; expected UTF-8 text. Convert it"),
        (file("a: " + "[" * 5000 + "\n"), "x.md:2: nested too deeply"),
    ],
)  # fmt: skip
def test_4_a_file_that_is_no_lesson_says_the_line_and_what_was_expected(data, says):
    with pytest.raises(FileFormatError) as raised:
        from_bytes(Path("x.md"), data)
    assert str(raised.value).startswith(says)


def test_a_body_of_two_megabytes_is_read_back():
    answer = answer_text("# no\n---\na line of a long log, 42\n" * 60_000)
    written = lesson(what=answer)
    assert len(answer) > 2_000_000
    assert from_bytes(PATH, to_text(written).encode()) == written


HAND_MADE = """---
# written by hand
outcome:   failure        # sad
id: 'x1'
mood: [tired,   "no"]     # a key of mine
tags: # what it is about
- dates   # the first
- "no"    # the second

archived: false # for now
notes: |
  --- not the end
  # not a comment
deprecated:
  reason: obsolete
  # by whom?
  by: anna
salience_score:
task_id: &t T-9
...
BODY""".replace("BODY", BODY)


def test_a_change_touches_nothing_beside_it():
    changed = with_changes(
        "x",
        HAND_MADE,
        {"archived": True, "tags": ("no", "é: x"), "deprecated": None, "salience_score": 0.5, "promoted": True},
    )
    assert changed == (
        HAND_MADE.replace("archived: false # for now", "archived: true # for now")
        .replace("- dates   # the first\n", "")
        .replace('- "no"    # the second\n', '- "no"    # the second\n- "é: x"\n')
        .replace("deprecated:\n  reason: obsolete\n  # by whom?\n  by: anna\n", "deprecated: null\n")
        .replace("salience_score:\n", "salience_score: 0.5\n")
        .replace("T-9\n", "T-9\npromoted: true\n")
    )


def test_a_change_keeps_byte_order_mark_and_windows_line_ends():
    text = "\ufeff" + HAND_MADE.replace("\n", "\r\n")
    changed = with_changes("x", text, {"tags": ("dates", "new"), "promoted": True, "deprecated": None})
    assert changed.startswith("\ufeff---\r\n")
    assert "\n" not in changed.replace("\r\n", "")
    read = from_bytes(PATH, changed.encode())
    assert (read.tags, read.promoted, read.deprecated) == (("dates", "new"), True, None)


@pytest.mark.parametrize("before", ["tags: &t [a]\nmine: *t\n", "mine: &t [a]\ntags: *t\n"])
def test_a_change_that_would_break_something_else_is_refused(before):
    with pytest.raises(FileFormatError):
        edit("x", before, {"tags": ["b"]})


changes = st.fixed_dictionaries(
    {},
    optional={
        "tags": lists,
        "task": texts,
        "archived": st.booleans(),
        "quality": st.none() | st.builds(Quality, *[st.floats(0, 1)] * 4),
        "deprecated": st.none() | st.builds(Deprecation, texts, texts, st.none() | moments),
        "last_retrieved": st.none() | moments,
    },
)


@given(lessons, st.lists(changes, min_size=1, max_size=3))
def test_any_change_is_read_back_and_all_else_is_as_it_was(written, each):
    text = to_text(written)
    for change in each:
        before, text = text, with_changes("x", text, change)
        written = replace(written, **change)
        assert from_bytes(PATH, text.encode()) == written
        assert split("x", text).rest == split("x", before).rest


styles = st.sampled_from(
    ["tags: [a, b]  # c\n", "tags:\n  - a # x\n  - b\n", "tags:\n- a\n\n- b # y\n", "tags: a\n", "tags:\n", ""]
)


@given(styles, styles.map(lambda s: s.replace("tags", "mine")), lists, st.sampled_from(["\n", "\r\n"]))
def test_tags_in_any_style_can_be_changed(style, mine, tags, newline):
    text = f"---\n# top\n{mine}{style}outcome: failure # end\n---\n{BODY}".replace("\n", newline)
    changed = with_changes("x", text, {"tags": tags})
    assert from_bytes(PATH, changed.encode()).tags == tags
    assert mine.replace("\n", newline) in changed
    assert "# top" in changed
    assert "# end" in changed


def test_a_draft_needs_task_id_and_outcome_alone():
    made = draft_from_text("x.md", file("task_id: t\noutcome: failure\n").decode())
    assert (made.task_id, made.what, made.why, made.rule, made.created_at) == ("t", "W", "Y", "R", None)
    with pytest.raises(FileFormatError, match=r"x\.md: task_id: this key is missing"):
        draft_from_text("x.md", file("outcome: failure\n").decode())
