"""What is read from real repositories, whatever is in them."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from senno.errors import ConfigError, SennoError
from senno.gate.diff import read_base, read_staged


def by_path(diff):
    return {file.path: file for file in diff.files}


def told(file):
    return [(line.kind, line.text) for hunk in file.hunks for line in hunk.lines]


def test_a_base_is_compared_from_where_the_branch_left_it(repo):
    base = repo.commit(a_txt="1\n")
    repo.git("checkout", "-q", "-b", "work")
    head = repo.commit(b_txt="2\n")
    repo.git("checkout", "-q", "main")
    repo.commit(c_txt="on main only\n")
    repo.git("checkout", "-q", "work")
    diff = read_base(repo.folder, "main")
    assert (diff.source, diff.base, diff.head) == ("base", base, head)
    assert list(by_path(diff)) == ["b.txt"]


def test_staged_is_what_a_commit_would_have_and_not_what_lies_in_the_folder(repo):
    head = repo.commit(a_txt="1\n")
    repo.stage(a_txt="2\n")
    repo.write("a.txt", "3\n")
    repo.write("untracked.txt", "x\n")
    diff = read_staged(repo.folder)
    assert (diff.source, diff.base, diff.head) == ("staged", head, None)
    assert [told(file) for file in diff.files] == [[("-", "1"), ("+", "2")]]
    assert diff.files[0].size == 2


def test_before_the_first_commit_all_that_is_staged_is_new(repo):
    repo.stage(a_txt="1\n")
    diff = read_staged(repo.folder)
    assert diff.base is None
    assert [(file.path, file.status, told(file)) for file in diff.files] == [("a.txt", "added", [("+", "1")])]


def test_nothing_staged_is_an_empty_change(repo):
    assert read_staged(repo.folder).files == ()
    repo.commit(a_txt="1\n")
    assert read_staged(repo.folder).files == ()


def test_another_index_file_can_be_named(repo, tmp_path):
    repo.commit(a_txt="1\n")
    repo.write("b.txt", "2\n")
    other = tmp_path / "other index"
    repo.git("add", "-A", GIT_INDEX_FILE=str(other))
    assert read_staged(repo.folder).files == ()
    assert "b.txt" in by_path(read_staged(repo.folder, index=other))


def test_names_of_any_kind_are_read_whole(repo):
    names = [
        "with space.txt",
        'q"uote.txt',
        "new\nline.txt",
        "tab\tbed",
        "café.txt",
        "a/ b /c",
        "-dash",
        "b/a/x",
        "\\back",
    ]
    for name in names:
        repo.write(name, "1\n")
    repo.write(b"latin\xe9.txt", "1\n")
    repo.commit()
    for name in names:
        repo.write(name, "2\n")
    repo.write(b"latin\xe9.txt", "2\n")
    repo.stage()
    files = by_path(read_staged(repo.folder))
    assert set(files) == {*names, "latin\\xe9.txt"}
    assert files["latin\\xe9.txt"].notes == ("its name is not UTF-8",)
    assert all(told(file) == [("-", "1"), ("+", "2")] for file in files.values())


def test_renames_copies_modes_links_and_deletions_are_told(repo):
    body = "".join(f"line {n}\n" for n in range(30))
    repo.write("moved.txt", body)
    repo.write("copied.txt", body.upper())
    repo.write("mode.sh", "x\n")
    repo.write("gone.txt", "x\n")
    repo.write("becomes a link", "x\n")
    (repo.folder / "link").symlink_to("moved.txt")
    repo.commit()
    repo.git("mv", "moved.txt", "new name.txt")
    repo.write("new name.txt", body + "one more\n")
    repo.write("copied.txt", body.upper() + "more\n")
    repo.write("the copy.txt", body.upper())
    (repo.folder / "mode.sh").chmod(0o755)
    (repo.folder / "gone.txt").unlink()
    (repo.folder / "becomes a link").unlink()
    (repo.folder / "becomes a link").symlink_to("/etc/passwd")
    (repo.folder / "link").unlink()
    (repo.folder / "link").symlink_to("elsewhere")
    repo.stage()
    files = by_path(read_staged(repo.folder))
    moved = files["new name.txt"]
    assert (moved.status, moved.old_path, moved.added, moved.removed) == ("renamed", "moved.txt", 1, 0)
    assert 90 < moved.similarity < 100
    assert (files["the copy.txt"].status, files["the copy.txt"].old_path) == ("copied", "copied.txt")
    assert (files["mode.sh"].status, files["mode.sh"].new_mode) == ("mode", "100755")
    assert (files["gone.txt"].status, told(files["gone.txt"])) == ("deleted", [("-", "x")])
    link = files["becomes a link"]
    assert (link.status, link.old_mode, link.new_mode) == ("type", "100644", "120000")
    assert told(link) == [("-", "x"), ("+", "/etc/passwd")]
    assert told(files["link"]) == [("-", "moved.txt"), ("+", "elsewhere")]
    assert files["link"].hunks[0].lines[1].no_newline


def test_lines_end_at_a_line_feed_and_at_nothing_else(repo):
    repo.commit(a_txt="x\n")
    repo.stage(a_txt=b"crlf\r\nform\x0cfeed\x1c\xc2\x85\xe2\x80\xa8lone\rcr\nend")
    lines = read_staged(repo.folder).files[0].hunks[0].lines
    assert [line.text for line in lines[1:]] == ["crlf\r", "form\x0cfeed\x1c\x85\u2028lone\rcr", "end"]
    assert [line.no_newline for line in lines] == [False, False, False, True]


@pytest.mark.parametrize(
    ("content", "encoding", "text"),
    [
        ("caffè\n".encode(), "utf-8", "caffè"),
        (b"\xef\xbb\xbfmarked\n", "utf-8", "\ufeffmarked"),
        ("caffè\n".encode("latin-1"), "latin-1", "caffè"),
        ("caffè\n".encode("utf-16"), "utf-16", "caffè"),
        ("caffè\n".encode("utf-32"), "utf-32", "caffè"),
    ],
)
def test_text_is_read_in_the_encoding_it_is_in(repo, content, encoding, text):
    repo.commit()
    repo.stage(a_txt=content)
    file = read_staged(repo.folder).files[0]
    assert (file.binary, file.encoding, told(file)) == (False, encoding, [("+", text)])
    assert bool(file.notes) == (encoding != "utf-8")
    assert file.size == len(content)


def test_a_file_that_is_converted_to_utf_16_shows_what_else_changes(repo):
    repo.commit(a_txt="one\ntwo\n")
    repo.stage(a_txt="one\nTWO\n".encode("utf-16"))
    assert told(read_staged(repo.folder).files[0]) == [(" ", "one"), ("-", "two"), ("+", "TWO")]


def test_binaries_stay_binaries_and_have_a_size(repo):
    repo.commit()
    repo.write("blob", b"\0\1\2" * 100)
    repo.write("broken", b"\xff\xfeodd")
    repo.stage()
    files = by_path(read_staged(repo.folder))
    assert (files["blob"].binary, files["blob"].size, files["blob"].hunks) == (True, 300, ())
    assert files["broken"].encoding == "latin-1"


def test_a_submodule_is_told_by_its_commits(repo, make_repo, tmp_path):
    other = make_repo(tmp_path / "other")
    old = other.commit(a_txt="1\n")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{old},sub")
    repo.git("commit", "-qm", "x")
    new = other.commit(a_txt="2\n")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{new},sub")
    repo.git("config", "diff.ignoreSubmodules", "all")
    (file,) = read_staged(repo.folder).files
    assert (file.path, file.submodule, file.old_id, file.new_id, file.size) == ("sub", True, old, new, None)


def test_git_runs_nothing_that_the_repository_names(repo, tmp_path):
    proof = tmp_path / "ran"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{proof}'\n", encoding="ascii")
    trap.chmod(trap.stat().st_mode | stat.S_IXUSR)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "post-index-change").write_text(trap.read_text(encoding="ascii"), encoding="ascii")
    (hooks / "post-index-change").chmod(0o755)
    repo.commit(a_txt="1\n", b_bin="x\n")
    repo.write(".gitattributes", "* diff=trap filter=trap\n*.bin binary\n")
    repo.stage()
    repo.git("commit", "-qm", "attributes")
    base = repo.git("rev-parse", "HEAD").decode().strip()
    repo.stage(a_txt="2\n", b_bin="y\n")
    for key in ("diff.external", "diff.trap.textconv", "diff.trap.command", "core.fsmonitor", "core.pager"):
        repo.git("config", key, str(trap))
    repo.git("config", "core.hooksPath", str(hooks))
    staged = by_path(read_staged(repo.folder))
    repo.git("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "commit", "-qm", "x")
    proof.unlink(missing_ok=True)
    committed = by_path(read_base(repo.folder, base))
    assert not proof.exists()
    for files in (staged, committed):
        assert told(files["a.txt"]) == [("-", "1"), ("+", "2")]


@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes"])
def test_attributes_do_not_hide_text_as_binary(repo, place):
    repo.commit(a_py="1\n")
    repo.write(place, "*.py -diff\n")
    repo.stage(a_py="password\n")
    assert told(by_path(read_staged(repo.folder))["a.py"]) == [("-", "1"), ("+", "password")]


def test_replaced_objects_do_not_hide_a_change(repo):
    base = repo.commit(a_txt="1\n")
    head = repo.commit(a_txt="2\n")
    repo.git("replace", head, repo.git("commit-tree", f"{base}^{{tree}}", "-p", base, "-m", "x").decode().strip())
    assert [file.path for file in read_base(repo.folder, base).files] == ["a.txt"]


def test_configuration_of_diffs_changes_nothing(repo):
    repo.commit(a_txt="".join(f"{n}\n" for n in range(20)))
    repo.stage(a_txt="".join(f"{n if n != 9 else 'x'}\n" for n in range(20)))
    plain = read_staged(repo.folder)
    for key, value in {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.context": "0",
        "color.diff": "always",
        "diff.relative": "true",
        "core.quotePath": "true",
        "diff.orderFile": "/nowhere",
        "core.whitespace": "cr-at-eol",
    }.items():
        repo.git("config", key, value)
    assert read_staged(repo.folder) == plain


def test_the_repository_is_left_as_it_was(repo):
    repo.commit(a_txt="1\n")
    repo.stage(a_txt="2\n", b_txt=b"\xff\xfea\0")
    before = {path: path.read_bytes() for path in repo.folder.rglob("*") if path.is_file()}
    read_staged(repo.folder)
    read_base(repo.folder, "HEAD")
    assert {path: path.read_bytes() for path in repo.folder.rglob("*") if path.is_file()} == before


def test_a_folder_inside_stands_for_the_whole_repository(repo):
    repo.commit(a_txt="1\n")
    repo.write("sub/b.txt", "1\n")
    repo.stage(a_txt="2\n")
    assert set(by_path(read_staged(repo.folder / "sub"))) == {"a.txt", "sub/b.txt"}


def test_work_trees_bare_repositories_and_a_detached_head_are_read(repo, tmp_path):
    base = repo.commit(a_txt="1\n")
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"), base)
    (tmp_path / "tree" / "b.txt").write_text("1\n", encoding="utf-8")
    subprocess.run(["git", "add", "-A"], cwd=tmp_path / "tree", check=True)
    assert set(by_path(read_staged(tmp_path / "tree"))) == {"b.txt"}
    subprocess.run(["git", "commit", "-qm", "x"], cwd=tmp_path / "tree", check=True)
    assert set(by_path(read_base(tmp_path / "tree", "main"))) == {"b.txt"}
    repo.commit(c_txt="1\n")
    repo.git("clone", "-q", "--bare", str(repo.folder), str(tmp_path / "bare"))
    assert set(by_path(read_base(tmp_path / "bare", base))) == {"c.txt"}


def test_objects_named_by_sha_256_are_read(make_repo, tmp_path):
    repo = make_repo(tmp_path / "sha256", "--object-format=sha256")
    repo.stage(a_txt="1\n")
    assert set(by_path(read_staged(repo.folder))) == {"a.txt"}
    base = repo.commit()
    repo.commit(b_txt="1\n")
    assert set(by_path(read_base(repo.folder, base))) == {"b.txt"}


def test_borrowed_objects_and_odd_folders_are_read(make_repo, tmp_path):
    repo = make_repo(tmp_path / 'a:b "c" \\d')
    base = repo.commit(a_txt="1\n")
    repo.git("clone", "-q", "--shared", str(repo.folder), str(tmp_path / "shared"))
    clone = tmp_path / "shared"
    (clone / "b.txt").write_text("1\n", encoding="utf-8")
    subprocess.run(["git", "add", "-A"], cwd=clone, check=True)
    assert set(by_path(read_staged(clone))) == {"b.txt"}
    repo.stage(b_txt="2\n")
    assert set(by_path(read_staged(repo.folder))) == {"b.txt"}
    assert read_base(repo.folder, base).files == ()


def test_in_a_hook_the_index_of_the_commit_counts(repo, tmp_path, monkeypatch):
    repo.commit(a_txt="1\n")
    repo.write("b.txt", "2\n")
    other = tmp_path / "next-index"
    repo.git("add", "-A", GIT_INDEX_FILE=str(other))
    monkeypatch.chdir(repo.folder)
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    monkeypatch.setenv("GIT_DIR", ".git")
    assert set(by_path(read_staged(Path()))) == {"b.txt"}
    monkeypatch.chdir(tmp_path)
    assert read_staged(repo.folder).files == ()


REFUSED = [
    ("nowhere", "no such folder"),
    (".", "not in a git repository"),
]


@pytest.mark.parametrize(("folder", "problem"), REFUSED)
def test_what_is_no_repository_is_refused(tmp_path, folder, problem):
    with pytest.raises(ConfigError, match=problem):
        read_staged(tmp_path / folder)


@pytest.mark.parametrize("ref", ["nowhere", "", "--help", "-x", "HEAD^{tree}", "a b", "HEAD..main", "\n", "main:a.txt"])
def test_a_ref_that_names_no_commit_is_refused(repo, ref):
    repo.commit(a_txt="1\n")
    with pytest.raises(ConfigError, match="no commit is named"):
        read_base(repo.folder, ref)


def test_a_branch_named_like_an_option_is_a_branch(repo):
    base = repo.commit(a_txt="1\n")
    repo.git("update-ref", "refs/heads/--output=x", base)
    repo.commit(a_txt="2\n")
    assert read_base(repo.folder, "refs/heads/--output=x").base == base
    assert read_base(repo.folder, "--output=x").base == base
    assert not (repo.folder / "x").exists()


def test_a_base_wants_a_commit(repo):
    with pytest.raises(ConfigError, match=r"no commit yet.*--staged"):
        read_base(repo.folder, "main")


def test_histories_with_nothing_in_common_are_refused(repo):
    repo.commit(a_txt="1\n")
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit(a_txt="2\n")
    with pytest.raises(ConfigError, match="no commit in common"):
        read_base(repo.folder, "main")


def test_in_a_shallow_clone_the_way_out_is_told(repo, tmp_path):
    first = repo.commit(a_txt="1\n")
    repo.commit(a_txt="2\n")
    repo.git("checkout", "-q", "-b", "work", first)
    repo.commit(b_txt="1\n")
    clone = tmp_path / "shallow"
    url = f"file://{repo.folder}"
    repo.git("clone", "-q", "--depth=1", "--no-single-branch", "--branch=work", url, str(clone))
    for ref in ("origin/main", first):
        with pytest.raises(ConfigError, match="git fetch --unshallow"):
            read_base(clone, ref)


def test_several_merge_bases_are_told(repo):
    repo.commit(a_txt="1\n")
    repo.git("checkout", "-q", "-b", "other")
    repo.commit(b_txt="1\n")
    repo.git("checkout", "-q", "main")
    repo.commit(c_txt="1\n")
    repo.git("tag", "old")
    repo.git("merge", "-q", "-m", "x", "other")
    repo.git("checkout", "-q", "other")
    repo.git("merge", "-q", "-m", "x", "old")
    assert "2 merge bases" in read_base(repo.folder, "main").notes[0]


def test_conflicts_in_the_index_are_refused(repo):
    repo.commit(a_txt="1\n")
    repo.git("checkout", "-q", "-b", "other")
    repo.commit(a_txt="2\n")
    repo.git("checkout", "-q", "main")
    repo.commit(a_txt="3\n")
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "-q", "other")
    with pytest.raises(ConfigError, match=r"conflicts in the index.*git add"):
        read_staged(repo.folder)


def test_a_broken_index_is_refused(repo):
    repo.commit(a_txt="1\n")
    (repo.folder / ".git" / "index").write_bytes(b"nonsense")
    with pytest.raises(ConfigError, match="the index cannot be read"):
        read_staged(repo.folder)


def test_a_missing_object_is_told_and_no_pass(repo):
    base = repo.commit(a_txt="1\n")
    repo.commit(a_txt="2\n")
    name = repo.git("rev-parse", "HEAD:a.txt").decode().strip()
    path = repo.folder / ".git" / "objects" / name[:2] / name[2:]
    path.chmod(0o644)
    path.unlink()
    with pytest.raises(SennoError, match=f"git failed.*{name}"):
        read_base(repo.folder, base)


def test_without_git_the_way_out_is_told(repo, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SennoError, match=r"git is not installed.*standard input"):
        read_staged(repo.folder)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="to give a folder away, one must be root")
def test_a_repository_of_someone_else_is_told_with_the_way_out(repo):
    repo.commit(a_txt="1\n")
    for path in (repo.folder, repo.folder / ".git"):
        os.chown(path, 12345, 12345)
    with pytest.raises(ConfigError, match=r"belongs to another user.*safe\.directory"):
        read_staged(repo.folder)


def test_more_renames_than_are_looked_for_are_told(repo, monkeypatch):
    monkeypatch.setattr("senno.gate.diff.reading.MOST_RENAMES", 1)
    repo.commit(a_txt="1\n", b_txt="2\n")
    repo.git("rm", "-q", "a.txt", "b.txt")
    repo.stage(c_txt="c\n", d_txt="d\n")
    assert "too many files for git to look for renames" in read_staged(repo.folder).notes[0]
