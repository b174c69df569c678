"""Checks per second on the published answers of IFBench, beside the plain way of doing the same.

Run: `.venv/bin/python bench/checks_bench.py`. Needs ../shared/data/ifeval.
"""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from senno.judge.checks import CheckError, CheckSpec, kinds, parse_check, run_check
from senno.judge.checks.reading import fold

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "ifeval"
RESULTS = ROOT / "bench" / "results" / "checks.md"
ROUNDS = 7
WORDS = ["guarantee", "risk", "profit", "promise", "always"]


def rows(name: str) -> list[dict[str, Any]]:
    with (DATA / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def seconds(work: Callable[[str], object], texts: list[str]) -> float:
    """The median over rounds, per text. What is folded is forgotten before each: every text is read anew."""
    taken: list[float] = []
    for _ in range(ROUNDS):
        fold.cache_clear()
        start = time.perf_counter()
        for text in texts:
            work(text)
        taken.append((time.perf_counter() - start) / len(texts))
    return statistics.median(taken)


def check(**parameters: object) -> Callable[[str], object]:
    spec = parse_check("bench", parameters, "bench")
    return lambda text: run_check(spec, text)


def loads(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def peers() -> list[tuple[str, Callable[[str], object], str, Callable[[str], object]]]:
    whole = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)
    iban = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,}")
    return [
        ("forbidden_words", check(type="forbidden_words", words=WORDS), "re, \\b(…)\\b, all places", whole.findall),
        (
            "forbidden_words, substring",
            check(type="forbidden_words", words=WORDS, substring=True),
            "word in text.lower()",
            lambda text: [word in text.lower() for word in WORDS],
        ),
        (
            "contains",
            check(type="contains", phrases=["for example", "in conclusion"]),
            "phrase in text.lower()",
            lambda text: "for example" in text.lower() and "in conclusion" in text.lower(),
        ),
        (
            "length, words",
            check(type="length", unit="words", max=200),
            "len(text.split())",
            lambda t: len(t.split()) < 200,
        ),
        ("regex", check(type="regex", pattern=iban.pattern), "re.search", iban.search),
        ("json", check(type="json"), "json.loads", loads),
        ("no_comma", check(type="no_comma"), "',' not in text", lambda text: "," not in text),
    ]


def benchmark_kinds(answers: list[tuple[dict[str, Any], str]], variants: str) -> tuple[int, float]:
    """How many checks, and checks per second, each kind on the answers that were asked for it."""
    specs: list[tuple[CheckSpec, str]] = []
    known = {alias for kind in kinds() for alias in kind.aliases}
    for row, response in answers:
        for kind, kwargs in zip(row["instruction_id_list"], row["kwargs"], strict=True):
            if kind in known:
                specs.append((parse_check("x", {"type": kind, "variants": variants, **kwargs}, "bench"), response))
    taken: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for spec, response in specs:
            run_check(spec, response)
        taken.append(time.perf_counter() - start)
    return len(specs), len(specs) / statistics.median(taken)


def slowest(texts: list[str]) -> list[tuple[float, str]]:
    """Milliseconds per answer of every kind, with its example's parameters."""
    found: list[tuple[float, str]] = []
    for kind in kinds():
        run = check(**kind.example.check)

        def quietly(text: str, run: Callable[[str], object] = run) -> None:
            try:
                run(text)
            except CheckError:
                return

        found.append((seconds(quietly, texts) * 1000, kind.name))
    return sorted(found, reverse=True)


def main() -> None:
    asked = {row["prompt"].strip(): row for row in rows("IFBench_test.jsonl")}
    strict = rows("eval_results_strict.jsonl")
    answers = [(asked[r["prompt"].strip()], r["response"]) for r in strict if r["prompt"].strip() in asked]
    texts = [response for _, response in answers if response.strip()]
    size = statistics.mean(map(len, texts))
    lines = [
        f"# Checks on {len(texts)} answers of IFBench ({size:.0f} characters on average)",
        "",
        "| check | checks a second | the plain way | times its time |",
        "| --- | ---: | --- | ---: |",
    ]
    for name, ours, plain_name, plain in peers():
        mine, theirs = seconds(ours, texts), seconds(plain, texts)
        lines.append(f"| {name} | {1 / mine:,.0f} | {plain_name} | {mine / theirs:.1f} |")
    for variants in ("strict", "loose"):
        count, rate = benchmark_kinds(answers, variants)
        lines.append(f"| {count} of IFBench, {variants} | {rate:,.0f} | | |")
    lines += ["", "The slowest kinds, milliseconds an answer: "]
    lines += [
        f"{name} {milliseconds:.2f}" + ("," if n < 7 else ".")
        for n, (milliseconds, name) in enumerate(slowest(texts)[:8])
    ]
    report = "\n".join(lines) + "\n"
    print(report)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
