"""A machine of its own for a test: no settings, no keys, no ledger of whoever runs it.

A `conftest.py` takes both fixtures by importing them.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest


def clean_environment(home, environ=os.environ):
    """The environment without settings and keys of senno, and with every folder of the user's inside `home`."""
    kept = {k: v for k, v in environ.items() if not k.startswith(("SENNO_", "XDG_")) and not k.endswith("_API_KEY")}
    folders = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "CACHE", "STATE")}
    apart = {"OLLAMA_HOST", "OLLAMA_BASE_URL", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "http_proxy", "HTTP_PROXY"}
    # The rules for secrets are compiled once, and not anew for each home: it takes seconds.
    rules = {"KF_RULE_CACHE_DIR": str(Path(tempfile.gettempdir()) / "senno-tests-secret-rules")}
    return {k: v for k, v in kept.items() if k not in apart} | {"HOME": str(home), **folders, **rules}


@pytest.fixture(name="machine", autouse=True)
def _machine(tmp_path, monkeypatch):
    """The current folder is an empty one, and so is the user's home. Returns the former."""
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    wanted = clean_environment(home)
    for name in set(os.environ) - set(wanted):
        monkeypatch.delenv(name)
    for name, value in wanted.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(here)
    return here
