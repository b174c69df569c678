"""Diffs as text: what is read of them, and what is refused."""

import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from senno.errors import FileFormatError
from senno.gate.diff import parse_diff, read_staged, rendered_hunk, rendered_names


def parse(text):
    return parse_diff(text if isinstance(text, bytes) else text.encode(), "-")


def told(file):
    return [(line.kind, line.text, line.old, line.new) for hunk in file.hunks for line in hunk.lines]


GIT = """\
diff --git a/a.py b/a.py
index 1111111..2222222 100644
--- a/a.py
+++ b/a.py
@@ -1,3 +1,3 @@ def f():
 one
-two
+TWO
 three
"""


def test_a_file_is_read_with_the_numbers_of_its_lines():
    diff = parse(GIT)
    (file,) = diff.files
    assert (diff.source, file.path, file.status, file.old_mode, file.new_mode) == (
        "stdin",
        "a.py",
        "modified",
        "100644",
        "100644",
    )
    assert (file.old_id, file.new_id, file.size, file.added, file.removed) == ("1111111", "2222222", None, 1, 1)
    assert file.hunks[0].header == "def f():"
    assert told(file) == [(" ", "one", 1, 1), ("-", "two", 2, None), ("+", "TWO", None, 2), (" ", "three", 3, 3)]


def test_where_it_comes_from_is_told():
    assert parse_diff(GIT.encode(), "x.diff").source == "file"
    assert parse_diff(b"", "-").files == ()
    assert parse_diff(b"\n\n", "-").files == ()


def test_a_diff_of_diffs_is_counted_by_its_headers():
    inner = "".join(f"+{line}\n" for line in GIT.splitlines())
    text = f"diff --git a/x.diff b/x.diff\nnew file mode 100644\n--- /dev/null\n+++ b/x.diff\n@@ -0,0 +1,9 @@\n{inner}"
    text += "@@ -5,2 +15,2 @@\n--- a/removed\n+++ b/added\n context\n" + GIT
    files = parse(text).files
    assert [file.path for file in files] == ["x.diff", "a.py"]
    assert files[0].status == "added"
    assert told(files[0])[-3:] == [
        ("-", "-- a/removed", 5, None),
        ("+", "++ b/added", None, 15),
        (" ", "context", 6, 16),
    ]


NAMES = [
    ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "x", None),
    ("diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n", "x y", None),
    ("diff --git a/x b/x b/x b/x\nold mode 100644\nnew mode 100755\n", "x b/x", None),
    ("diff --git x x\nold mode 100644\nnew mode 100755\n", "x", None),
    ("diff --git a/x a/x\nold mode 100644\nnew mode 100755\n", "a/x", None),
    ("diff --git i/x w/x\nold mode 100644\nnew mode 100755\n", "x", None),
    ("diff --git b/x a/x\nold mode 100644\nnew mode 100755\n", "x", None),
    ("diff --git before/d/x after/d/x\nold mode 100644\nnew mode 100755\n", "d/x", None),
    (
        'diff --git "a/\\303\\251\\t\\"\\\\" "b/\\303\\251\\t\\"\\\\"\nold mode 100644\nnew mode 100755\n',
        'é\t"\\',
        None,
    ),
    ("diff --git a/x y b/z w\nsimilarity index 100%\nrename from x y\nrename to z w\n", "z w", "x y"),
    ('diff --git a/x "b/\\n"\nsimilarity index 100%\nrename from x\nrename to "\\n"\n', "\n", "x"),
    ('diff --git "a/\\n" b/x\nsimilarity index 100%\nrename from "\\n"\nrename to x\n', "x", "\n"),
    ("diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n", "y", "x"),
    ("diff --git a/x b/x\ndeleted file mode 100644\nindex 1111..0000\n", "x", None),
    ("diff --git a/x b/x\nnew file mode 100644\nindex 0000..1111\n", "x", None),
    ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n", "x", None),
    ("--- x\n+++ x\n@@ -1 +1 @@\n-1\n+2\n", "x", None),
    ("--- old/d/x\t2026-01-01 00:00:00\n+++ new/d/x\t2026-01-02 00:00:00\n@@ -1 +1 @@\n-1\n+2\n", "d/x", None),
    ("diff -ru old/x new/x\n--- old/x\n+++ new/x\n@@ -1 +1 @@\n-1\n+2\n", "x", None),
    (
        "Index: x\n==========\n--- x\t(revision 1)\n+++ x\t(working copy)\n@@ -1 +1 @@\n-1\n+2\n",
        "x",
        None,
    ),
    ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+2\n", "x", None),
    ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-2\n", "x", None),
    ("Binary files old/x and new/x differ\n", "x", None),
]


@pytest.mark.parametrize(("text", "path", "old_path"), NAMES)
def test_a_file_has_the_name_it_had(text, path, old_path):
    (file,) = parse(text).files
    assert (file.path, file.old_path) == (path, old_path)


STATUSES = [
    ("diff --git a/x b/x\nnew file mode 100644\nindex 0000..1111\n", "added"),
    ("diff --git a/x b/x\ndeleted file mode 100644\nindex 1111..0000\n", "deleted"),
    ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "mode"),
    ("diff --git a/x b/x\nindex 1111..2222\nBinary files a/x and b/x differ\n", "modified"),
    ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+2\n", "added"),
    ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-2\n", "deleted"),
    ("--- old/x\t1970-01-01 01:00:00.0 +0100\n+++ new/x\t2026-01-02 00:00:00\n@@ -0,0 +1 @@\n+2\n", "added"),
]


@pytest.mark.parametrize(("text", "status"), STATUSES)
def test_a_file_has_a_status(text, status):
    assert parse(text).files[0].status == status


def test_a_file_that_becomes_a_link_is_one_file():
    text = (
        "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"
        "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n"
        "\\ No newline at end of file\n"
    )
    (file,) = parse(text).files
    assert (file.status, file.old_mode, file.new_mode, file.added, file.removed) == ("type", "100644", "120000", 1, 1)


def test_binary_patches_are_passed_over():
    text = (
        "diff --git a/x.bin b/x.bin\nindex 1111..2222 100644\nGIT binary patch\nliteral 300\nzcmZ?wbhEHb\nzcmZ?w\n\n"
        "literal 0\nHcmV?d00001\n\n" + GIT
    )
    files = parse(text).files
    assert [(file.path, file.binary, file.size) for file in files] == [("x.bin", True, 300), ("a.py", False, None)]


def test_submodules_are_read_in_both_forms():
    text = (
        "Submodule libs/x 1111111..2222222 (rewind):\n  < a commit\n"
        "diff --git a/y b/y\nindex 1111..2222 160000\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n"
        "-Subproject commit 1\n+Subproject commit 2\n"
        "Submodule z 0000000...2222222 (new submodule)\n"
    )
    files = parse(text).files
    assert [(file.path, file.submodule, file.status) for file in files] == [
        ("libs/x", True, "modified"),
        ("y", True, "modified"),
        ("z", True, "added"),
    ]
    assert (files[0].old_id, files[0].new_id) == ("1111111", "2222222")


def test_series_of_patches_are_read_with_their_messages():
    mail = (
        "From 1111111111 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] y\n\n- a list\n+ another\n--- a rule\n---\n"
        f" a.py | 2 +-\n\n{GIT}-- \n2.39.5\n\n"
    )
    assert [file.path for file in parse(mail + mail).files] == ["a.py", "a.py"]
    listed = mail.replace("- a list", "Only in CI: this\nBinary files a and b differ")
    assert [file.path for file in parse(listed).files] == ["a.py"]
    log = f"commit 1111111\nAuthor: x\n\n    - message\n\n{GIT}\ncommit 2222222\nAuthor: x\n\n    message\n\n{GIT}"
    assert len(parse(log).files) == 2


def test_a_diff_whose_own_lines_end_in_cr_lf_is_read_and_told():
    diff = parse(GIT.replace("\n", "\r\n"))
    assert [file.path for file in diff.files] == ["a.py"]
    assert diff.notes == ("the lines of the diff itself end in CR LF",)


def test_a_byte_order_mark_before_the_diff_hides_nothing():
    text = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n" + GIT
    assert [file.path for file in parse("\ufeff" + text).files] == ["x", "a.py"]


def test_white_space_cut_off_empty_lines_does_no_harm():
    assert told(parse("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n\n-1\n+2\n").files[0])[0] == (" ", "", 1, 1)


def test_the_end_without_a_line_feed_is_marked_on_the_right_line():
    end = "\\ No newline at end of file\n"
    lines = parse(f"--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-1\n{end}+1\n+2\n{end}").files[0].hunks[0].lines
    assert [line.no_newline for line in lines] == [True, False, True]


REFUSED = [
    ("hello\nworld\n", r"-:1: this is no diff"),
    ("\n\n{}\n", r"-:3: this is no diff"),
    (GIT.replace("-1,3", "-1,4"), r"-:9: the diff ends in the middle of a hunk.*cut off"),
    (GIT.replace("-1,3", "-1,2"), r"-:9: the hunk has more lines than its header says"),
    (GIT + "+smuggled\n", r"-:10: this line is part of no file"),
    (GIT + " smuggled\n", r"-:10: this line is part of no file"),
    (GIT + "-smuggled\n", r"-:10: this line is part of no file"),
    (GIT + "--- a/y\n@@ -1 +1 @@\n", r"part of no file"),
    (GIT + "junk\n", r"-:10: this line is part of no file"),
    (GIT.replace(" one\n", "one\n"), r"-:6: the hunk has fewer lines than its header says"),
    (GIT.replace("@@ -1,3 +1,3 @@", "@@ -1,3 @@"), r"-:5: this is no header of a hunk"),
    (GIT.replace("@@ -1,3", "@@ -99999999999,3"), r"no header of a hunk"),
    (GIT.replace("+++ b/a.py", "+++ b/b.py"), r"name different files"),
    (GIT.replace("+++ b/a.py\n", ""), r"`---` without `\+\+\+`"),
    ("@@ -1 +1 @@\n-1\n+2\n", r"-:1: a hunk of no file"),
    (
        "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n",
        r"combined diff of a merge.*--first-parent",
    ),
    ("diff --combined x\n", r"combined diff"),
    (GIT.replace("@@ -1,3 +1,3 @@", "@@@ -1,3 -1,3 +1,3 @@@"), r"combined diff"),
    ("\x1b[1mdiff --git a/x b/x\x1b[m\n", r"colours.*--no-color"),
    (GIT.encode("utf-16"), r"-:1: the diff is in UTF-16.*--output"),
    ("Only in new: x\n", r"new/x is on one side only.*diff -N"),
    ("diff --git a/x b/y\nold mode 100644\nnew mode 100755\n", r"name of the file cannot be told"),
    ('diff --git "a/\\000" "b/\\000"\nold mode 100644\n', r"has a NUL"),
    ("--- \n+++ \n@@ -1 +1 @@\n-1\n+2\n", r"name of the file is empty"),
]


@pytest.mark.parametrize(("text", "problem"), REFUSED)
def test_what_is_not_wholly_a_diff_is_refused_with_the_line(text, problem):
    with pytest.raises(FileFormatError, match=problem):
        parse(text)


def test_what_a_file_has_too_much_of_is_counted_and_told(monkeypatch):
    monkeypatch.setattr("senno.gate.diff.hunks.MOST_OF_A_FILE", 1000)
    many = "".join(f"+{n}\n" for n in range(10))
    head = "--- /dev/null\n+++ b/x\n@@ -0,0 +1,10 @@\n"
    text = f"diff --git a/x b/x\nnew file mode 100644\n{head}{many}"
    text += text.replace("/x", "/y").replace("+1,10", "+1").replace(many, "+1\n")
    first, second = parse(text).files
    assert (first.added, len(first.hunks[0].lines), first.unread) == (10, 4, 12)
    assert "12 bytes of its lines were not kept" in first.notes[0]
    assert (second.unread, len(second.hunks[0].lines)) == (0, 1)


def test_a_line_longer_than_any_is_passed_over_and_counted(monkeypatch):
    monkeypatch.setattr("senno.gate.diff.lines.LONGEST_LINE", 100)
    text = f"--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n+{'x' * 500}\n one\n two\n"
    (file,) = parse(text).files
    assert (file.added, file.unread) == (1, 501)


def test_a_line_as_long_as_a_minified_file_is_kept():
    (file,) = parse(f"--- /dev/null\n+++ b/x.js\n@@ -0,0 +1 @@\n+{'x' * 30_000_000}\n").files
    assert (len(file.hunks[0].lines[0].text), file.unread) == (30_000_000, 0)


@given(st.binary(max_size=400))
def test_any_bytes_are_a_diff_or_an_error_that_says_where(data):
    try:
        parse_diff(data, "-")
        where = "-:"
    except FileFormatError as error:
        where = error.where
    assert where.startswith("-:")


HEADS = [
    b"diff --git a/x b/x",
    b'diff --git "a/x" b/x',
    b"--- a/x",
    b"+++ b/x",
    b"@@ -1,2 +1 @@",
    b"@@ -0,0 +1,3 @@ x",
    b"+x",
    b"-x",
    b" x",
    b"",
    b"\\ No newline at end of file",
    b"rename from x",
    b"rename to y",
    b"new file mode 100644",
    b"deleted file mode 100644",
    b"index 1..2 160000",
    b"GIT binary patch",
    b"literal 3",
    b"Binary files a/x and b/x differ",
    b"Submodule x 1111111..2222222:",
    b"From 1111111",
    b"-- ",
]


@given(st.lists(st.one_of(st.sampled_from(HEADS), st.binary(max_size=8)), max_size=30))
def test_no_added_line_of_a_diff_is_lost(lines):
    """Every line that begins with `+` is in a hunk, is a header, or the diff is refused."""
    data = b"\n".join(lines)
    try:
        diff = parse_diff(data, "-")
    except FileFormatError:
        return
    kept = [line for file in diff.files for hunk in file.hunks for line in hunk.lines]
    assert sum(file.added for file in diff.files) == sum(line.kind == "+" for line in kept)
    for file in diff.files:
        for hunk in file.hunks:
            assert sum(line.kind != "+" for line in hunk.lines) == hunk.old_lines
            assert sum(line.kind != "-" for line in hunk.lines) == hunk.new_lines


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0/"), min_size=1, max_size=8).filter(
    lambda name: name not in (".", "..") and name.strip() and len(name.encode()) < 60 and name.lower() != ".git"
)
pieces = st.sampled_from(
    [b"a", b"--- a/x", b"+++ b/x", b"@@ -1 +1 @@", b"diff --git a/x b/x", b"\\ No newline", b"", b"x\r"]
)
contents = st.one_of(
    st.lists(pieces, max_size=12).map(b"\n".join),
    st.lists(pieces, max_size=12).map(lambda some: b"".join(each + b"\n" for each in some)),
    st.binary(max_size=30),
)
trees = st.dictionaries(names, contents, max_size=4)


def applied(old, file):
    """The lines of the new file, from those of the old one and the hunks."""
    new, at = [], 0
    for hunk in file.hunks:
        start = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        new += old[at:start]
        assert [line.text for line in hunk.lines if line.kind != "+"] == old[start : start + hunk.old_lines]
        new += [line.text for line in hunk.lines if line.kind != "-"]
        at = start + hunk.old_lines
    return new + old[at:]


def as_lines(content):
    lines = (content or b"").split(b"\n")
    return [decoded(line) for line in (lines[:-1] if lines[-1] == b"" else lines)]


def decoded(line):
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=trees, after=trees)
def test_what_git_diffs_can_be_applied_again(tmp_path_factory, make_repo, before, after):
    repo = make_repo(tmp_path_factory.mktemp("trees") / "repo")
    try:
        for name, content in before.items():
            repo.write(name, content)
        repo.stage()
    except subprocess.CalledProcessError:
        return  # a name that git refuses (a disguised `.git`)
    repo.git("commit", "-q", "--allow-empty", "-m", "x")
    repo.git("rm", "-q", "-r", "--ignore-unmatch", ".")
    for name, content in after.items():
        repo.write(name, content)
    try:
        repo.stage()
    except subprocess.CalledProcessError:
        return
    kept = {name: content for name, content in before.items() if name in after}
    for file in read_staged(repo.folder).files:
        old = before.get(file.old_path or file.path)
        kept.pop(file.path, None)
        if file.status == "deleted":
            assert file.path not in after
        elif not file.binary and file.encoding not in ("utf-16", "utf-32"):
            assert applied(as_lines(old), file) == as_lines(after[file.path])
        else:
            assert b"\0" in (old or b"") + after[file.path]
    assert all(before[name] == after[name] for name in kept)


def test_what_is_written_from_a_change_reads_as_the_same_change():
    text = "".join(
        f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1,2 +1,2 @@ f\n-1\n+2\n x\n"
        for name in ("x", "a b", "é")
    )
    for file in parse(text).files:
        again = parse(rendered_names(file) + "".join(map(rendered_hunk, file.hunks)))
        assert again.files[0].hunks == file.hunks
        assert again.files[0].path == file.path


def test_a_name_with_a_line_feed_stays_on_its_line():
    (file,) = parse('diff --git "a/x\\n+++ b/y" "b/x\\n+++ b/y"\nold mode 100644\nnew mode 100755\n').files
    assert file.path == "x\n+++ b/y"
    assert len(rendered_names(file).splitlines()) == 2


def test_a_long_series_of_files_is_read(repo):
    for n in range(300):
        repo.write(f"d{n % 7}/f{n}", f"{n}\n" * 3)
    repo.stage()
    diff = read_staged(repo.folder)
    assert len(diff.files) == 300
    assert {file.size for file in diff.files} <= {6, 9, 12}
