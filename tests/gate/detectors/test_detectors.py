"""What the detectors find beside secrets, and what they leave alone."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate_changes import bare, diff_of, diffs
from senno.gate.detectors import DETECTORS, DetectorSettings, detect
from senno.gate.diff import Diff, FileChange, parse_diff


def found(diff, detector, **settings):
    return [each for each in detect(diff, DetectorSettings(**settings)).findings if each.detector == detector]


def test_all_detectors_run_and_one_that_is_off_does_not():
    diff = diff_of("x = 1\u202e")
    assert detect(diff, DetectorSettings()).ran == DETECTORS
    detected = detect(diff, DetectorSettings(off=frozenset({"hidden_unicode"})))
    assert set(detected.ran) == set(DETECTORS) - {"hidden_unicode"}
    assert "hidden_unicode" not in {each.detector for each in detected.findings}


def test_a_change_of_nothing_has_no_findings():
    detected = detect(Diff((), "stdin"), DetectorSettings())
    assert (detected.findings, detected.unscreened, detected.ran) == ((), (), DETECTORS)


def test_findings_stand_by_path_and_line():
    diff = diffs(diff_of("a\nb\u202e\nc\u202e", "b.txt"), diff_of("a\u202e", "a.txt"))
    places = [(each.path, each.line) for each in found(diff, "hidden_unicode")]
    assert places == [("a.txt", 1), ("b.txt", 2), ("b.txt", 3)]


TRIAD = ["<<<<<<< HEAD", "one", "=======", "two", ">>>>>>> branch"]


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (TRIAD, 1),
        (["x", *TRIAD], 2),
        (["<<<<<<< HEAD", "one", "||||||| base", "zero", "=======", "two", ">>>>>>> branch"], 1),
        ([f"{line}\r" for line in TRIAD], 1),
        (["<<<<<<<", "=======", ">>>>>>>"], 1),
    ],
)
def test_a_conflict_is_an_error_at_its_first_line(lines, line):
    (finding,) = found(diff_of(lines), "conflict_markers")
    assert (finding.line, finding.severity) == (line, "error")


def test_a_conflict_that_is_partly_there_already_is_found():
    (finding,) = found(diff_of(TRIAD[3:], before=TRIAD[:3]), "conflict_markers")
    assert finding.severity == "error"
    assert found(diff_of(["x"], before=TRIAD), "conflict_markers") == []


@pytest.mark.parametrize("marker", ["<<<<<<< HEAD", ">>>>>>> feature/x", ">>>>>>> 1a2b3c4 (a commit)"])
def test_half_a_conflict_is_a_warning(marker):
    (finding,) = found(diff_of(["x", marker, "y"]), "conflict_markers")
    assert (finding.line, finding.severity) == (2, "warning")


@pytest.mark.parametrize(
    "lines",
    [
        ["Title", "======="],
        ["=======", "Title", "======="],
        [">>>>>>> quoted text of a mail", "=======", "<<<<<<< not a name of a side"],
        ["  <<<<<<< HEAD", "  =======", "  >>>>>>> b"],
        ["<<<<<<<<", "=======", ">>>>>>>>"],
        ["a <<<<<<< HEAD"],
        ["cat <<<<<<<EOF"],
        [],
    ],
)
def test_what_only_looks_like_a_conflict_is_none(lines):
    assert found(diff_of(lines), "conflict_markers") == []


UNSEEN = [
    ("if access != 'user\u202e \u2066// only admins\u2069 \u2066'", "error", "U+202E"),
    ("isAdmin\u200b = True", "warning", "U+200B"),
    ("ad\u200dmin = 1", "warning", "U+200D"),
    ("x = '\U000e0069\U000e0067\U000e006e'", "error", "U+E0069 U+E0067 U+E006E"),
    ("x = 'a\U000e0101\U000e0102'", "error", "U+E0101 U+E0102"),
    ("\u0430dmin = 1", "warning", "U+0430 U+0064"),
    ("x = '\u3164'", "warning", "U+3164"),
    ("// comment\u2028evil()", "warning", "U+2028"),
    ("print('ok')\rprint('evil')", "warning", "U+000D"),
    ("x = '\x1b[2K'", "warning", "U+001B"),
    ("x = '\x00'", "warning", "U+0000"),
    ("x\ufeff = 1", "warning", "U+FEFF"),
    ("co\u00adoperate = 1", "warning", "U+00AD"),
]


@pytest.mark.parametrize(("line", "severity", "points"), UNSEEN)
def test_characters_that_do_not_show_are_found_and_shown(line, severity, points):
    (finding, *others) = found(diff_of(line), "hidden_unicode")
    assert (finding.line, finding.severity) == (1, severity)
    assert points in finding.message
    assert all(each.isprintable() for each in finding.excerpt)
    assert "\ufffd" not in finding.excerpt
    assert len(others) <= 1


@pytest.mark.parametrize(
    "line",
    [
        "plain",
        "\ttabs\t",
        "perché no? Größe, naïve",
        "привет, мир",
        "HTML-код и Python-скрипт",
        "μs, Ωm, σ²",
        "نص عربي مع كلمات",
        "\u200fעברית (C++)\u200f",
        "می\u200cخواهم",
        "क्\u200dष",
        "👩\u200d💻 👍🏽 ❤️ 1️⃣",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "日本語",
        "",
    ],
)
def test_text_of_any_language_is_left_alone(line):
    assert found(diff_of(["first", line]), "hidden_unicode") == []


def test_a_byte_order_mark_is_one_only_at_the_beginning_of_a_file():
    assert found(diff_of("\ufeffx"), "hidden_unicode") == []
    assert len(found(diff_of(["x", "\ufeffx"]), "hidden_unicode")) == 1


def test_names_of_new_files_are_looked_at_too():
    diff = Diff((FileChange(path="invoice\u202efdp.exe", status="added"),), "stdin")
    (finding,) = found(diff, "hidden_unicode")
    assert (finding.line, finding.severity) == (None, "error")
    assert "name of the file" in finding.message
    assert found(Diff((replace(diff.files[0], status="modified"),), "stdin"), "hidden_unicode") == []


def test_windows_line_ends_are_no_hidden_characters():
    assert found(diff_of(["a\r", "b\r"]), "hidden_unicode") == []


PROTECTED = [
    ((".github/workflows/**",), ".github/workflows/ci.yml", True),
    ((".github/workflows/**",), ".GitHub/Workflows/ci.yml", True),
    ((".github/",), ".github/workflows/ci.yml", True),
    ((".github",), "a/.github/x", True),
    (("*.pem",), "deep/in/key.pem", True),
    (("*.pem",), "key.pem.txt", False),
    (("/setup.py",), "setup.py", True),
    (("/setup.py",), "sub/setup.py", False),
    (("src/*.py",), "src/a.py", True),
    (("src/*.py",), "src/deep/a.py", False),
    (("src/**/*.py",), "src/a.py", True),
    (("src/**/*.py",), "src/x/y/a.py", True),
    (("**/secrets/**",), "a/secrets/b", True),
    (("**/secrets/**",), "secrets/b", True),
    (("file[0-9].txt",), "file7.txt", True),
    (("file[!0-9].txt",), "file7.txt", False),
    (("file[",), "file[", True),
    (("a?c",), "abc", True),
    (("a?c",), "a/c", False),
    (("caffe\u0301.txt",), "caffé.txt", True),
    (("a.c",), "abc", False),
    (("*",), "a/b", True),
]


@pytest.mark.parametrize(("globs", "path", "forbidden"), PROTECTED)
def test_protected_paths(globs, path, forbidden):
    findings = found(diff_of("x", path), "forbidden_paths", forbidden_paths=globs)
    assert [(each.path, each.severity) for each in findings] == ([(path, "error")] if forbidden else [])


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_glob_matches_or_does_not(glob, path):
    diff = Diff((FileChange(path=path, status="added"),), "stdin")
    assert len(found(diff, "forbidden_paths", forbidden_paths=(glob,))) <= 1


@given(st.text(st.characters(exclude_characters="*?[]/", exclude_categories=["Cs"]), min_size=1))
def test_a_name_without_a_wildcard_matches_itself(name):
    diff = Diff((FileChange(path=name, status="added"),), "stdin")
    assert len(found(diff, "forbidden_paths", forbidden_paths=(name,))) == 1


def test_moving_away_and_deleting_touch_a_protected_file_too():
    settings = {"forbidden_paths": ("CODEOWNERS",)}
    (moved,) = found(bare(("CODEOWNERS", "old")), "forbidden_paths", **settings)
    assert (moved.path, "moved away" in moved.message) == ("CODEOWNERS", True)
    (deleted,) = found(bare("CODEOWNERS", status="deleted"), "forbidden_paths", **settings)
    assert "is deleted" in deleted.message
    assert len(found(bare(("other", "CODEOWNERS")), "forbidden_paths", **settings)) == 1


@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "a/../../x",
        "/etc/passwd",
        "C:/x",
        "a\\..\\..\\x",
        ".git/config",
        "sub/.GIT/hooks/x",
        "git~1/x",
        ".g\u200cit/x",
    ],
)
def test_paths_that_lead_out_of_the_repository_are_errors(path):
    diff = Diff((FileChange(path=path, status="added"),), "stdin")
    (finding,) = found(diff, "forbidden_paths")
    assert finding.severity == "error"


@pytest.mark.parametrize("path", [".gitignore", ".github/x", "a..b", "x.git", "...", "c:x"])
def test_paths_that_only_look_like_that_are_none(path):
    assert found(Diff((FileChange(path=path, status="added"),), "stdin"), "forbidden_paths") == []


def test_names_that_differ_by_case_alone_are_told():
    (finding,) = found(bare("README.md", "readme.md", "other"), "forbidden_paths")
    assert (finding.path, finding.severity) == ("README.md", "warning")
    assert "readme.md" in finding.message


def test_too_many_lines_and_files_are_told_of_the_whole():
    diff = diffs(*(diff_of(["x"] * 10, f"f{n}") for n in range(3)))
    messages = [
        (each.path, each.message.split(",")[0]) for each in found(diff, "size", max_changed_lines=29, max_files=2)
    ]
    assert sorted(messages) == [("", "3 files"), ("", "30 changed lines")]
    assert found(diff, "size", max_changed_lines=30, max_files=3) == []
    assert found(diff, "size", max_changed_lines=None, max_files=None, max_file_bytes=None) == []


def test_a_large_file_is_told_by_its_size_or_by_what_is_added():
    small = diff_of(["x" * 99] * 3, "a")
    (finding,) = found(small, "size", max_file_bytes=200)
    assert (finding.path, "300 bytes" in finding.message) == ("a", True)
    known = replace(small, files=(replace(small.files[0], size=100),))
    assert found(known, "size", max_file_bytes=200) == []
    assert found(bare("a", status="deleted", content="x" * 500), "size", max_file_bytes=200) == []


TESTS = [
    (["src/a.py"], True),
    (["src/a.py", "tests/test_a.py"], False),
    (["src/a.py", "src/test_a.py"], False),
    (["src/a.ts", "src/a.spec.ts"], False),
    (["src/A.java", "src/test/java/ATest.java"], False),
    (["pkg/a.go", "pkg/a_test.go"], False),
    (["README.md", "docs/x.rst"], False),
    (["tests/test_a.py"], False),
    ([".github/workflows/ci.yml"], False),
    (["contest/latest.py"], True),
    (["src/a.py", "docs/testing.md"], True),
]


@pytest.mark.parametrize(("paths", "missing"), TESTS)
def test_source_without_a_test_is_told(paths, missing):
    findings = found(bare(*paths), "missing_tests")
    assert len(findings) == missing
    assert all(paths[0] in each.message and each.path == "" for each in findings)


def test_deleting_a_test_is_no_test_and_moving_source_wants_none():
    assert len(found(diffs(bare("src/a.py"), bare("tests/test_a.py", status="deleted")), "missing_tests")) == 1
    assert found(bare(("src/a.py", "src/b.py")), "missing_tests") == []
    assert found(bare("src/a.py", status="deleted"), "missing_tests") == []


def test_names_in_messages_stay_on_their_line():
    diff = Diff((FileChange(path="a\n\x1b[2Jb.py", status="added", added=1),), "stdin")
    assert all(each.message.isprintable() for each in detect(diff, DetectorSettings()).findings)


def test_a_long_list_of_source_files_is_cut():
    (finding,) = found(bare(*(f"src/f{n}.py" for n in range(9))), "missing_tests")
    assert finding.message.startswith("9 source files change")
    assert finding.message.endswith("and 4 more")


BINARY = "diff --git a/x b/x\nnew file mode 100755\nindex 0000000..1111111\nBinary files /dev/null and b/x differ\n"


def test_a_binary_is_told_and_is_not_screened():
    detected = detect(parse_diff(BINARY.encode(), "-"), DetectorSettings())
    (finding,) = [each for each in detected.findings if each.detector == "binaries"]
    assert (finding.path, finding.severity) == ("x", "warning")
    assert "can be executed" in finding.message
    assert [each.detector for each in detected.unscreened] == [
        "secrets",
        "conflict_markers",
        "hidden_unicode",
        "long_lines",
    ]
    assert {each.path for each in detected.unscreened} == {"x"}


def test_a_binary_that_goes_leaves_nothing_to_screen():
    text = (
        "diff --git a/x b/x\ndeleted file mode 100644\nindex 1111111..0000000\nBinary files a/x and /dev/null differ\n"
    )
    detected = detect(parse_diff(text.encode(), "-"), DetectorSettings())
    assert (detected.findings, detected.unscreened) == ((), ())


def test_a_submodule_is_told_with_where_it_goes():
    text = "diff --git a/s b/s\nindex 1111111..2222222 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n"
    text += "-Subproject commit 1\n+Subproject commit 2\n"
    detected = detect(parse_diff(text.encode(), "-"), DetectorSettings())
    (finding,) = [each for each in detected.findings if each.detector == "submodules"]
    assert "from 1111111 to 2222222" in finding.message
    assert detected.unscreened


def test_what_was_not_kept_is_not_screened(monkeypatch):
    monkeypatch.setattr("senno.gate.diff.hunks.MOST_OF_A_FILE", 1000)
    detected = detect(diff_of(["x"] * 10), DetectorSettings())
    assert {each.detector for each in detected.unscreened} == {
        "secrets",
        "conflict_markers",
        "hidden_unicode",
        "long_lines",
    }


def test_long_lines_are_told_once_a_file():
    (finding,) = found(diff_of(["short", "x" * 60, "y" * 70]), "long_lines", max_line_length=50)
    assert (finding.line, "2 lines, the longest of 70 characters" in finding.message) == (2, True)
    assert found(diff_of(["x" * 50]), "long_lines", max_line_length=50) == []
    assert found(diff_of(["x"], before=["y" * 60]), "long_lines", max_line_length=50) == []


def test_many_findings_of_a_kind_are_cut_and_that_is_told():
    findings = found(diff_of(["\u202e"] * 500), "hidden_unicode")
    assert len(findings) == 101
    assert findings[0].line is None
    assert "more than 100" in findings[0].message


def test_fingerprints_tell_findings_apart_and_stay_when_lines_move():
    first = found(diff_of(["a\u202e", "b\u202e"]), "hidden_unicode")
    moved = found(diff_of(["new", "a\u202e", "b\u202e"]), "hidden_unicode")
    assert len({each.fingerprint for each in first}) == 2
    assert [each.fingerprint for each in first] == [each.fingerprint for each in moved]


def test_text_of_a_change_cannot_rewrite_the_screen():
    detected = detect(diff_of("\x1b[31mx\u202e\x07"), DetectorSettings())
    assert all(each.excerpt.isprintable() for each in detected.findings)


def test_any_finding_can_be_allowed():
    diff = diff_of("x\u202e")
    prints = frozenset(each.fingerprint for each in detect(diff, DetectorSettings()).findings)
    detected = detect(diff, DetectorSettings(allow_fingerprints=prints))
    assert detected.findings == ()
    assert {each.fingerprint for each in detected.allowed} == prints
