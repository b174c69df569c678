"""The peers of senno and where they live: `.venv-bench`, so that the project's own environment stays free of them."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
VENV = ROOT / ".venv-bench"

HOW = """\
    python3.11 -m venv .venv-bench
    .venv-bench/bin/python -m pip install --require-hashes -r requirements.lock
    .venv-bench/bin/python -m pip install --no-deps --no-build-isolation -e .
    .venv-bench/bin/python -m pip install -r bench/requirements.txt"""


def run_beside_peers() -> None:
    """Go on in `.venv-bench`, where it is there and this is not it: peers are measured in one run, in one Python."""
    python = VENV / "bin" / "python"
    if not python.is_file() or Path(sys.prefix).resolve() == VENV.resolve():
        return
    if subprocess.run([python, "-c", "import senno"], capture_output=True, check=False).returncode:
        raise SystemExit(f"{VENV} is there, but senno cannot be imported in it. Make it anew:\n\n{HOW}")
    os.execv(python, [str(python), *sys.argv])


def missing(*distributions: str) -> list[str]:
    """Those of `distributions` that are not installed."""
    installed = {each.name for each in metadata.distributions()}
    return [name for name in distributions if name not in installed]


def warning(names: list[str]) -> str:
    """What the reader is told of peers that are not there."""
    return f"**Missing: {', '.join(names)}.** Nothing was measured of it. To install it and run again:\n\n{HOW}"
