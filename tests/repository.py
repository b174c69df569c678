"""A real git repository for a test."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

IDENTITY = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
}


class Repo:
    """A repository at `top`, on the branch `main`."""

    def __init__(self, top: Path) -> None:
        self.top = top
        top.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *arguments],
            cwd=self.top,
            env={**os.environ, **IDENTITY, **environment},
            check=check,
            capture_output=True,
            text=True,
            errors="surrogateescape",
        )

    def write(self, files: Mapping[str, str | bytes]) -> Repo:
        for name, content in files.items():
            path = self.top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def stage(self, files: Mapping[str, str | bytes]) -> Repo:
        self.write(files).git("add", "--all")
        return self

    def commit(self, files: Mapping[str, str | bytes], message: str = "a commit") -> str:
        self.stage(files).git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").stdout.strip()
