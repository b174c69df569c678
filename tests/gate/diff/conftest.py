"""Repositories to read changes from: real ones, made by the git that is installed."""

import os
import subprocess

import pytest


class Repo:
    """A git repository in a folder of the test."""

    def __init__(self, folder, *options):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", *options)

    def git(self, *arguments, data=None, **environment):
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            input=data,
            capture_output=True,
            check=True,
            env={**os.environ, **environment},
        )
        return done.stdout

    def write(self, name, content):
        path = self.folder / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def stage(self, **files):
        """Write files (`a_py="…"` is `a.py`) and stage all there is."""
        for name, content in files.items():
            self.write(name.replace("_", "."), content)
        self.git("add", "-A")

    def commit(self, **files):
        self.stage(**files)
        self.git("commit", "-q", "--allow-empty", "-m", "a change")
        return self.git("rev-parse", "HEAD").decode().strip()


@pytest.fixture(autouse=True)
def _git_of_the_test(monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "someone")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "someone@example.org")


@pytest.fixture
def repo(tmp_path):
    return Repo(tmp_path / "repo")


@pytest.fixture
def make_repo():
    return Repo
