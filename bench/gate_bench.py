"""The gate without its judge: a change of 5,000 files, and one of a 30 MB line, read, split, screened; and peers.

Run: `.venv/bin/python bench/gate_bench.py`.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from peak import peak_memory
from peers import ROOT, missing, run_beside_peers, warning
from report import table, write

sys.path.insert(0, str(ROOT / "tests"))

PEERS = ("detect-secrets", "unidiff", "whatthepatch")
ROUNDS = 3
FILES = 5000
LONG = 30_000_000
LIMIT_TOKENS = 24_000
PATIENCE = 60
"""Seconds that a peer has for the long line."""


def source_lines() -> list[str]:
    """Lines of the standard library."""
    folder = Path(sysconfig.get_path("stdlib"))
    lines: list[str] = []
    for path in sorted(folder.glob("*.py")):
        lines += path.read_text(encoding="utf-8", errors="replace").split("\n")
    return [line for line in lines if line.isprintable()]


def large_change() -> bytes:
    """A change of 5,000 files, 20 to 120 lines each, a half of them added."""
    source, lines = random.Random(7), source_lines()
    pieces: list[str] = []
    for number in range(FILES):
        at, count = source.randrange(len(lines) - 200), source.randint(20, 120)
        shown = [source.choice("++ -") + line for line in lines[at : at + count]]
        old, new = (sum(line[0] != kind for line in shown) for kind in "+-")
        path = f"package{number % 50}/module{number}.py"
        pieces.append(
            f"diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n"
            f"@@ -10,{old} +10,{new} @@ def f():\n" + "\n".join(shown) + "\n"
        )
    return "".join(pieces).encode()


def long_line() -> bytes:
    """A change that adds a minified file: one line of 30 MB."""
    code = "".join(f"function f{n}(a,b){{return a+b*{n}}};" for n in range(LONG // 30))
    line = (code * (LONG // len(code) + 1))[:LONG]
    head = "diff --git a/x.js b/x.js\nnew file mode 100644\n--- /dev/null\n+++ b/x.js\n@@ -0,0 +1 @@\n"
    return f"{head}+{line}\n".encode()


def median(work: Callable[[], object]) -> float:
    taken: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def ours(data: bytes) -> dict[str, Any]:
    """Seconds of each step, and what came of it."""
    from senno.gate.detectors import DetectorSettings, detect, without_secrets_in
    from senno.gate.diff import parse_diff
    from senno.gate.state import parts

    start = time.perf_counter()
    detect(parse_diff(diff_of("x = 1"), "-"), DetectorSettings())
    loaded = time.perf_counter() - start
    diff = parse_diff(data, "-")
    return {
        "rules": loaded,
        "read": median(lambda: parse_diff(data, "-")),
        "clean": median(lambda: without_secrets_in(diff)),
        "split": median(lambda: parts(diff, limit_tokens=LIMIT_TOKENS)),
        "screen": median(lambda: detect(diff, DetectorSettings())),
        "parts": len(parts(diff, limit_tokens=LIMIT_TOKENS).parts),
        "findings": len(detect(diff, DetectorSettings()).findings),
        "peak": peak_memory(),
    }


def by_detect_secrets(data: bytes) -> int:
    from detect_secrets import SecretsCollection
    from detect_secrets.settings import default_settings

    with default_settings() as used:
        used.disable_filters("detect_secrets.filters.common.is_invalid_file")  # the files of a diff are not there
        found = SecretsCollection()
        found.scan_diff(data.decode())
        return sum(1 for _ in found)


def by_unidiff(data: bytes) -> int:
    from unidiff import PatchSet

    return len(PatchSet(data.decode().splitlines(keepends=True)))


def by_whatthepatch(data: bytes) -> int:
    from whatthepatch import parse_patch

    return sum(1 for _ in parse_patch(data.decode()))


def within_patience(work: Callable[[bytes], int], data: bytes) -> float | None:
    """Seconds; `None`: it was not done in time."""
    process = get_context("fork").Process(target=work, args=(data,))
    start = time.perf_counter()
    process.start()
    process.join(PATIENCE)
    taken = time.perf_counter() - start
    if process.is_alive():
        process.kill()
        process.join()
        return None
    if process.exitcode:
        raise SystemExit(f"{work.__name__} failed")
    return taken


def from_git(data: bytes) -> float:
    """Seconds to read the same files from a repository where they are staged."""
    from senno.gate.diff import parse_diff, read_staged

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        for file in parse_diff(data, "-").files:
            path = folder / file.path
            path.parent.mkdir(exist_ok=True)
            lines = [line.text for hunk in file.hunks for line in hunk.lines if line.kind != "-"]
            path.write_text("\n".join(lines), encoding="utf-8")
        subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
        return median(lambda: read_staged(folder))


def diff_of(text: str) -> bytes:
    lines = text.split("\n")
    head = "diff --git a/x.py b/x.py\nnew file mode 100644\n--- /dev/null\n+++ b/x.py\n"
    return f"{head}@@ -0,0 +1,{len(lines)} @@\n{''.join(f'+{line}{chr(10)}' for line in lines)}".encode()


def secrets_by_senno(data: bytes) -> int:
    from senno.gate.detectors import DetectorSettings, detect
    from senno.gate.diff import parse_diff

    return sum(each.detector == "secrets" for each in detect(parse_diff(data, "-"), DetectorSettings()).findings)


def secrets_without_rules(data: bytes) -> int:
    from senno.gate.detectors import secret_scan

    kept, secret_scan._scanner = secret_scan._scanner, lambda: None
    try:
        return secrets_by_senno(data)
    finally:
        secret_scan._scanner = kept


def recall(scanners: dict[str, Callable[[bytes], int]]) -> list[list[object]]:
    """What each finds of planted secrets, whole and cut in two; and how often it cries on the standard library."""
    from gate_planted import by_rules, planted

    seeds = range(1, 6)
    whole = [diff_of(text) for seed in seeds for text, _ in planted(seed).values()]
    whole += [diff_of(f'x = "{secret}"') for seed in seeds for secret in by_rules(seed).values()]
    tokens = [planted(seed)["github"][1] for seed in seeds]
    shapes = ('T = ("{}"\n  "{}")', 'T = "{}" +\n  "{}"', "export T={}\\\n{}", "token: >-\n  {}\n  {}")
    split = [diff_of(shape.format(token[:18], token[18:])) for token in tokens for shape in shapes]
    clean = diff_of("\n".join(source_lines()))
    return [
        [
            name,
            f"{sum(scan(each) > 0 for each in whole)} of {len(whole)}",
            f"{sum(scan(each) > 0 for each in split)} of {len(split)}",
            f"{scan(clean):,}",
        ]
        for name, scan in scanners.items()
    ]


def seconds(value: float | None) -> str:
    return f"not in {PATIENCE} s" if value is None else f"{value:.2f} s"


def times(figures: dict[str, Any], peers: dict[str, list[float | None]]) -> str:
    """The table of seconds."""
    steps = {
        "read": "read",
        "screen": "screen, nine detectors",
        "clean": "take secrets out, before a model sees it",
        "split": "split into parts",
    }
    sizes = ("large", "long")
    rows: list[list[object]] = [
        [f"senno: {what}", *(seconds(figures[size][step]) for size in sizes)] for step, what in steps.items()
    ]
    totals = [seconds(sum(figures[size][step] for step in steps)) for size in sizes]
    rows.append(["**senno: all of it**", *(f"**{total}**" for total in totals)])
    rows.append(["senno: read from git, staged", seconds(figures["from_git"]), ""])
    rows += [[what, *map(seconds, taken)] for what, taken in peers.items()]
    return table(["", f"{FILES:,} files", "one line of 30 MB"], rows)


def main() -> None:
    run_beside_peers()
    absent = missing(*PEERS)
    large, long = large_change(), long_line()
    figures: dict[str, Any] = {"large": ours(large), "long": ours(long), "from_git": from_git(large)}
    works: dict[str, tuple[str, Callable[[bytes], int]]] = {
        "unidiff": ("unidiff: read", by_unidiff),
        "whatthepatch": ("whatthepatch: read", by_whatthepatch),
        "detect-secrets": ("detect-secrets: read (by unidiff), look for secrets", by_detect_secrets),
    }
    figures["peers"] = {
        what: [within_patience(work, data) for data in (large, long)]
        for name, (what, work) in works.items()
        if name not in absent
    }
    scanners = {"senno": secrets_by_senno, "senno without Kingfisher's rules": secrets_without_rules}
    if "detect-secrets" not in absent:
        scanners["detect-secrets"] = by_detect_secrets
    figures["recall"] = recall(scanners)
    told, lines = figures["large"], large.count(b"\n")
    size = (
        f"{FILES:,} files, {lines:,} lines, {len(large) / 1e6:.0f} MB; and one added line of "
        f"{LONG / 1e6:.0f} MB. The median of {ROUNDS} runs (peers: one)."
    )
    beside = (
        f"The rules are loaded once, in {told['rules']:.2f} s (2.6 s the first time on a machine). Parts of "
        f"{LIMIT_TOKENS:,} tokens: {told['parts']}. Most memory, of a process that keeps both: {told['peak']:.0f} MB "
        f"after the first, {figures['long']['peak']:.0f} MB after the second."
    )
    planted = (
        "Secrets of random content, planted one by one; tokens cut in two; and what each finds in the standard "
        f"library, where nothing was planted ({len(source_lines()):,} lines):"
    )
    head = ["", "found whole", "found cut in two", "alarms on clean code"]
    body = [size, times(figures, figures["peers"]), beside, planted, table(head, figures["recall"])]
    if absent:
        body.insert(0, warning(absent))
    packages = ("senno", *(name for name in PEERS if name not in absent))
    write("gate", "The gate without its judge", "python bench/gate_bench.py", packages, "\n\n".join(body), figures)


if __name__ == "__main__":
    main()
