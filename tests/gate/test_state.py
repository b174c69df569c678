"""The change in parts that fit a model: each line in one, or named as left out."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate_changes import bare, diff_of, diffs
from senno.errors import ConfigError
from senno.gate.diff import Diff, parse_diff
from senno.gate.state import LONGEST_LINE, parts
from senno.text import estimate_tokens

LIMIT = 3000


def lines_in(split):
    """The lines of all parts, as often as they are there; names of files and headers of hunks left aside."""
    counted = Counter()
    for part in split.parts:
        ahead = 0
        for line in part.state["diff"].split("\n"):
            if ahead == 0 and line.startswith("@@ "):
                old, new = (int(each.partition(",")[2]) for each in line.split(" ")[1:3])
                ahead = old + new
            elif ahead > 0 and line[:1] in "+- ":
                counted[line] += 1
                ahead -= 2 if line[0] == " " else 1
    return counted


def lines_of(diff):
    return Counter(f"{line.kind}{line.text}" for file in diff.files for hunk in file.hunks for line in hunk.lines)


def test_a_small_change_is_one_part_with_all_that_is_known():
    split = parts(diff_of("a\nb"), limit_tokens=LIMIT, title="A title", description="What it does")
    (part,) = split.parts
    assert part.state == {
        "title": "A title",
        "description": "What it does",
        "part": 1,
        "parts": 1,
        "files": [{"path": "src/app.py", "status": "added", "added": 2, "removed": 0}],
        "diff": "--- /dev/null\n+++ b/src/app.py\n@@ -0,0 +1,2 @@\n+a\n+b\n",
        "omitted": [],
    }
    assert part.files == ("src/app.py",)
    assert part.tokens == estimate_tokens(json.dumps(part.state))
    assert split.omitted == ()


def test_a_change_of_nothing_has_no_parts():
    assert parts(Diff((), "stdin"), limit_tokens=LIMIT).parts == ()


def test_small_files_share_a_part_and_a_large_one_is_cut_where_it_must():
    small = [diff_of([f"{n}"], f"f{n}") for n in range(5)]
    large = diff_of([f"line {n} of a large file" for n in range(2000)], "large")
    split = parts(diffs(*small, large), limit_tokens=LIMIT)
    assert split.parts[0].files[:5] == ("f0", "f1", "f2", "f3", "f4")
    assert [part.files for part in split.parts[2:]] == [("large",)] * (len(split.parts) - 2)
    assert lines_in(split) == lines_of(diffs(*small, large))
    assert all(part.tokens <= LIMIT for part in split.parts)
    assert [part.state["part"] for part in split.parts] == list(range(1, len(split.parts) + 1))
    assert {part.state["parts"] for part in split.parts} == {len(split.parts)}


def test_pieces_of_a_hunk_have_headers_of_their_own():
    diff = diff_of([f"added {n} {'x' * 50}" for n in range(300)], before=[f"kept {n} {'y' * 50}" for n in range(300)])
    new = old = 1
    for part in parts(diff, limit_tokens=LIMIT).parts:
        for hunk in parse_diff(part.state["diff"].encode(), "-").files[0].hunks:
            assert (hunk.old_start, hunk.new_start) == (old, new)
            old, new = old + hunk.old_lines, new + hunk.new_lines
    assert (old, new) == (301, 601)


def test_a_line_too_long_is_left_out_and_named_and_its_place_is_marked():
    long = "x" * (LONGEST_LINE + 1)
    split = parts(diff_of(["a", long, long, "b", long]), limit_tokens=40_000)
    assert [(each.kind, each.path, each.line, each.lines) for each in split.omitted] == [
        ("long_line", "src/app.py", 2, 2),
        ("long_line", "src/app.py", 5, 1),
    ]
    (part,) = split.parts
    assert part.omitted == split.omitted
    assert part.state["diff"].count("+[a line of 10,001 characters, left out]") == 3
    assert [each["line"] for each in part.state["omitted"]] == [2, 5]
    assert parts(diff_of(["x" * LONGEST_LINE]), limit_tokens=40_000).omitted == ()


def test_long_lines_in_many_places_are_named_together():
    lines = ["y", "x" * (LONGEST_LINE + 1)] * 30
    (omitted,) = parts(diff_of(lines), limit_tokens=40_000).omitted
    assert (omitted.lines, omitted.line) == (30, 2)
    assert "in 30 places" in omitted.reason


LEFT_OUT = [
    (diff_of(["a", "b"], "sub/Package-Lock.json"), "generated", 2),
    (diff_of(["a", "x" * 1500], "app.min.js"), "minified", 2),
    (
        parse_diff(b"diff --git a/x b/x\nindex 1111..2222\nBinary files a/x and b/x differ\n", "-"),
        "binary",
        0,
    ),
    (
        parse_diff(
            b"diff --git a/s b/s\nindex 1111..2222 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-Subproject commit 1\n"
            b"+Subproject commit 2\n",
            "-",
        ),
        "submodule",
        2,
    ),
]


@pytest.mark.parametrize(("diff", "kind", "lines"), LEFT_OUT)
def test_files_without_lines_to_judge_are_named_and_told(diff, kind, lines):
    split = parts(diff, limit_tokens=LIMIT)
    assert [(each.kind, each.line, each.lines) for each in split.omitted] == [(kind, None, lines)]
    (part,) = split.parts
    assert part.state["diff"] == ""
    assert part.state["files"][0]["path"] == diff.files[0].path
    assert part.state["omitted"][0]["reason"] == split.omitted[0].reason


@pytest.mark.parametrize("path", ["app.min.js", "my-package-lock.json", "generated/code.py", "vendor/x.go", "x_pb2.py"])
def test_a_name_alone_hides_nothing(path):
    assert parts(diff_of(["# @generated", "x = 1"], path), limit_tokens=LIMIT).omitted == ()


def test_what_was_not_read_is_named(monkeypatch):
    monkeypatch.setattr("senno.gate.diff.hunks.MOST_OF_A_FILE", 1000)
    (omitted,) = parts(diff_of(["x"] * 10), limit_tokens=LIMIT).omitted
    assert omitted.kind == "unread"


def test_moves_and_modes_are_told_without_lines():
    text = b"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"
    (part,) = parts(diffs(bare(("a", "b")), parse_diff(text, "-")), limit_tokens=LIMIT).parts
    assert part.state["files"] == [
        {"path": "b", "status": "renamed", "added": 0, "removed": 0, "old_path": "a"},
        {"path": "x", "status": "mode", "added": 0, "removed": 0, "mode": "100644 -> 100755"},
    ]
    assert part.state["diff"] == ""


def test_a_long_description_is_cut_and_that_is_told():
    split = parts(diff_of("x"), limit_tokens=LIMIT, description="word " * 3000)
    assert [(each.kind, each.path) for each in split.omitted] == [("description", "")]
    assert split.parts[0].tokens <= LIMIT
    assert len(split.parts[0].state["description"]) > 1000


def test_a_limit_without_room_for_anything_is_refused():
    with pytest.raises(ConfigError, match="limit_tokens: 500 leave"):
        parts(diff_of("x"), limit_tokens=500)


def test_a_name_cannot_pretend_to_be_another_file():
    text = (
        b'diff --git "a/x\\n+++ b/y" "b/x\\n+++ b/y"\n--- "a/x\\n+++ b/y"\n+++ "b/x\\n+++ b/y"\n@@ -1 +1 @@\n-1\n+2\n'
    )
    (part,) = parts(parse_diff(text, "-"), limit_tokens=LIMIT).parts
    assert part.state["diff"].count("\n+++ ") == 1


texts = st.one_of(
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=30),
    st.sampled_from(["x" * 3000, "\x01" * 900, "é" * 1500, "@@ -1,2 +1,2 @@", "--- a/x", "+++ b/x", "\\ No newline"]),
)
changes = st.lists(
    st.builds(
        lambda name, lines, times: (name, lines * times),
        st.text("abcd/é\n\x01", min_size=1, max_size=300),
        st.lists(texts, min_size=1, max_size=12),
        st.integers(1, 12),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60, deadline=None)
@given(changes)
def test_each_line_is_in_one_part_or_named_and_no_part_is_too_large(change):
    files = []
    for name, lines in change:
        file = diff_of(lines, "x").files[0]
        files.append(type(file)(name, "added", hunks=file.hunks, added=file.added))
    diff = Diff(tuple(files), "stdin")
    split = parts(diff, limit_tokens=LIMIT)
    assert all(part.tokens <= LIMIT for part in split.parts)
    assert {name for part in split.parts for name in part.files} == {file.path for file in files}
    told, there = lines_in(split), lines_of(diff)
    left_out = sum(each.lines for each in split.omitted)
    marks = sum(count for line, count in told.items() if line.endswith("characters, left out]"))
    assert marks == left_out
    assert sum(told.values()) == sum(there.values())
    assert sum((there - told).values()) == left_out
