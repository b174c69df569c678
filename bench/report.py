"""What a benchmark leaves behind: `results/NAME.md` to read and `results/NAME.json` to compute with."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def write(name: str, title: str, command: str, packages: Sequence[str], body: str, figures: Any) -> None:
    """Print a report, and keep it.

    Args:
        name: of the files.
        title: of the report.
        command: that makes it.
        packages: distributions whose versions are told.
        body: Markdown.
        figures: JSON value.
    """
    versions = [f"Python {platform.python_version()}", *(f"{package} {version(package)}" for package in packages)]
    circumstances = {
        "command": command,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": ", ".join(versions),
    }
    told = "\n".join(f"- {what}: {value}" for what, value in circumstances.items())
    text = f"# {title}\n\n{told}\n\n{body}\n"
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    kept = json.dumps({**circumstances, **figures}, indent=2, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(f"{kept}\n", encoding="utf-8")


def machine() -> str:
    """Processor, cores, system, and how busy it is."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()}; load average {load}"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table: the first column is text, the others are figures."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    cuts = statistics.quantiles(values, n=20)
    return cuts[9], cuts[18]
