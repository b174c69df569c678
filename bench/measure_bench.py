"""Statistics of the judge against scipy and statsmodels: do they agree, and what do they take?

Run: `.venv/bin/python bench/measure_bench.py`. Needs scipy and statsmodels (the group `dev`). The judgings are made up
where ../shared/data/judge is not there.
"""

from __future__ import annotations

import csv
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import report

from senno.judge.calibrating import Cut, Seen, Target, calibrate
from senno.judge.measuring import Repeats, noise_of
from senno.stats import (
    Confusion,
    bca_interval,
    beta_quantile,
    clopper_pearson,
    cohen_kappa,
    corrected_rate,
    icc_single,
    mcnemar,
    paired_clustered,
    paired_permutation,
    paired_t,
    student_quantile,
    wilson,
    within_sd,
)

ROOT = Path(__file__).resolve().parents[1]
JUDGED = ROOT.parent / "shared" / "data" / "judge" / "judge_triples_gpt4.csv"
ROUNDS = 15


def microseconds(work: Callable[[], object], least: float = 0.02) -> float:
    """The median over rounds, of one call."""
    began = time.perf_counter()
    work()
    times = max(1, int(least / max(time.perf_counter() - began, 1e-7)))
    taken: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for _ in range(times):
            work()
        taken.append((time.perf_counter() - began) / times)
    return statistics.median(taken) * 1e6


def judged() -> tuple[list[list[float]], str]:
    if JUDGED.is_file():
        with JUDGED.open(encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["set"] == "mt_bench_eval"]
        return [
            [float(row[f"score{n}"]) for n in (1, 2, 3)] for row in rows
        ], "320 published answers, judged three times"
    chance = random.Random(1)
    return [[chance.gauss(item % 5, 0.5) for _ in range(3)] for item in range(320)], "320 answers made up"


def compared() -> list[tuple[str, float, float, float]]:
    """(what, our microseconds, theirs, how far apart the results are)."""
    import numpy as np
    import statsmodels.api as sm
    from scipy import stats
    from statsmodels.stats.contingency_tables import mcnemar as sm_mcnemar
    from statsmodels.stats.inter_rater import cohens_kappa
    from statsmodels.stats.proportion import proportion_confint

    chance = random.Random(2)
    differences = [chance.gauss(0.1, 1) for _ in range(200)]
    array = np.array(differences)
    few = differences[:12]
    clusters = [n // 4 for n in range(200)]
    pairs = [(chance.randrange(4), chance.randrange(4)) for _ in range(200)]
    table = np.zeros((4, 4))
    for one, other in pairs:
        table[one][other] += 1

    def clustered() -> Any:
        model = sm.OLS(array, np.ones(200))
        return model.fit(cov_type="cluster", cov_kwds={"groups": np.array(clusters)}, use_t=True)

    def permuted() -> Any:
        return stats.permutation_test((few,), np.mean, permutation_type="samples", n_resamples=np.inf)

    def quantile() -> float:
        student_quantile.cache_clear()
        return student_quantile(0.975, 199)

    def exact() -> Any:
        beta_quantile.cache_clear()
        return clopper_pearson(30, 200)

    def permutation() -> Any:
        return paired_permutation(few, 1)

    rows: list[tuple[str, Callable[[], Any], Callable[[], Any], Callable[[Any], float], Callable[[Any], float]]] = [
        ("t quantile, 199 degrees", quantile, lambda: stats.t.ppf(0.975, 199), float, float),
        (
            "paired t, 200 pairs",
            lambda: paired_t(differences),
            lambda: stats.ttest_1samp(array, 0),
            lambda r: r.p,
            lambda r: r.pvalue,
        ),
        (
            "clustered interval, 200 pairs in 50",
            lambda: paired_clustered(differences, clusters),
            clustered,
            lambda r: r.se,
            lambda r: r.bse[0],
        ),
        (
            "exact permutation, 12 pairs",
            lambda: paired_permutation(few, 1),
            permuted,
            lambda r: r.p,
            lambda r: r.pvalue,
        ),
        (
            "exact McNemar, 40 and 25",
            lambda: mcnemar(40, 25),
            lambda: sm_mcnemar([[5, 40], [25, 7]], exact=True),
            lambda r: r.p,
            lambda r: r.pvalue,
        ),
        (
            "Wilson, 30 of 200",
            lambda: wilson(30, 200),
            lambda: proportion_confint(30, 200, method="wilson"),
            lambda r: r.low,
            lambda r: r[0],
        ),
        (
            "Clopper–Pearson, 30 of 200",
            exact,
            lambda: proportion_confint(30, 200, method="beta"),
            lambda r: r.low,
            lambda r: r[0],
        ),
        (
            "kappa, 200 pairs of 4",
            lambda: cohen_kappa(pairs, range(4), "quadratic"),
            lambda: cohens_kappa(table, wt="quadratic"),
            lambda r: r.value,
            lambda r: r.kappa,
        ),
    ]
    found: list[tuple[str, float, float, float]] = []
    for name, ours, theirs, read_ours, read_theirs in rows:
        apart = abs(read_ours(ours()) - float(read_theirs(theirs())))
        found.append((name, microseconds(ours), microseconds(theirs), apart))
    return found


def whole() -> list[tuple[str, float]]:
    """(what, milliseconds) of what the commands do."""
    groups, told = judged()
    repeats = Repeats("score", {str(n): {"": tuple(group)} for n, group in enumerate(groups)})
    chance = random.Random(3)
    rows = tuple(Seen(str(n), chance.random() < p, p) for n in range(400) if (p := chance.random()) is not None)
    target = Target("tone", "tone", None, rows)
    values = [chance.random() for _ in range(200)]
    work: list[tuple[str, Callable[[], object]]] = [
        (f"within-item SD and ICC of {told}", lambda: (within_sd(groups), icc_single(groups))),
        ("all of `measure` for one question of them, n = 12", lambda: noise_of(repeats, n=12, seed=1)),
        ("the same, n = 100", lambda: noise_of(repeats, n=100, seed=1)),
        ("all of `calibrate` for one question, 400 cases", lambda: calibrate(target, Cut(), seed=1)),
        ("BCa interval of a mean, 200 values, 2,000 draws", lambda: bca_interval(values, statistics.fmean, seed=1)),
        ("a rate put right (Rogan–Gladen)", lambda: corrected_rate(60, 200, Confusion(40, 5, 8, 47))),
    ]
    found: list[tuple[str, float]] = []
    for name, each in work:
        taken: list[float] = []
        for _ in range(5):
            began = time.perf_counter()
            each()
            taken.append(time.perf_counter() - began)
        found.append((name, statistics.median(taken) * 1000))
    return found


def imported(module: str) -> tuple[float, float]:
    """(seconds, megabytes) of importing a module into a fresh Python, above an empty one."""

    def run(code: str) -> tuple[float, float]:
        # Not the peak: a child starts with that of its parent.
        measured = "print(int(open('/proc/self/statm').read().split()[1]) * 4096 / 2**20)"
        best: list[tuple[float, float]] = []
        for _ in range(5):
            began = time.perf_counter()
            out = subprocess.run([sys.executable, "-c", f"{code}; {measured}"], capture_output=True, check=True)
            best.append((time.perf_counter() - began, float(out.stdout)))
        return min(best)

    bare, loaded = run("pass"), run(f"import {module}")
    return loaded[0] - bare[0], loaded[1] - bare[1]


def main() -> None:
    peers = compared()
    works = whole()
    modules = {name: imported(name) for name in ("senno.stats", "scipy.stats", "statsmodels.api")}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    body = "\n\n".join(
        [
            "Each statistic beside that of scipy or statsmodels, on the same numbers; how far the results lie apart.",
            report.table(
                ["statistic", "senno, µs", "scipy or statsmodels, µs", "times as fast", "apart"],
                [
                    (name, f"{ours:,.0f}", f"{theirs:,.0f}", f"{theirs / ours:.1f}", f"{apart:.0e}")
                    for name, ours, theirs, apart in peers
                ],
            ),
            "What the commands do, without the judging:",
            report.table(["work", "ms"], [(name, f"{ms:,.1f}") for name, ms in works]),
            "What it takes to have them at all:",
            report.table(
                ["import", "seconds", "MB"],
                [(name, f"{seconds:.3f}", f"{size:.0f}") for name, (seconds, size) in modules.items()],
            ),
            "On long arrays scipy is faster; what is measured here is short, and the cost that counts is the import.",
        ]
    )
    figures = {
        "peers": [dict(zip(("name", "senno_us", "peer_us", "apart"), row, strict=True)) for row in peers],
        "work_ms": dict(works),
        "imports": {name: {"seconds": s, "mb": mb} for name, (s, mb) in modules.items()},
        "peak_mb": peak,
    }
    report.write(
        "measure", "Statistics of the judge", "python bench/measure_bench.py", ["scipy", "statsmodels"], body, figures
    )


if __name__ == "__main__":
    main()
