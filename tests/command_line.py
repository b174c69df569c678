"""The command line as its user meets it: arguments in, exit code and both streams out."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import dataclass

import pytest

from senno.cli import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self):
        """The one object on stdout."""
        value = json.loads(self.out)
        assert value["schema_version"] == 1
        return value


@pytest.fixture(name="senno")
def _senno(monkeypatch, capsys):
    """Runs `senno ARGUMENTS` in this process, through the entry point itself."""

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["senno", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return Ran(ended.value.code, told.out, told.err)

    return run


COMMAND = [sys.executable, "-c", "from senno.cli import main; main()"]
"""`senno` as a process of its own."""


def process(*arguments, **rest):
    """A `senno` process under way, its streams in pipes."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **rest
    )
