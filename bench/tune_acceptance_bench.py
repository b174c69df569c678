"""How often a tuning says `better` where nothing is, and where something is.

`python bench/tune_acceptance_bench.py [tunings]`. Whole tunings with senno's own acceptance and racing
(`tests/simulated_tunings.py`); what is simulated is the scores.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from report import table, write  # noqa: E402

import senno.tune.control as control  # noqa: E402
from senno.stats import NotMeasured, SameAgain, clopper_pearson, normal_quantile, paired_clustered, paired_t  # noqa: E402
from senno.stats import same_again as drawn_by_senno  # noqa: E402
from senno.tune import Rules, Trial, accept  # noqa: E402
from simulated_tunings import GSM8K, Draw, noisy_check, same_again, trial, triples, tuning  # noqa: E402

SIZES = (3, 6, 7, 12, 24, 96)
LOOKS = (1, 8)
LIMIT = 0.025
LIKENESS = 0.02
"""How far a floor drawn by numpy may be from senno's own, of its size."""


def fast_floor(groups: Sequence[Sequence[float]], n: int, seed: int, draws: int = 20_000) -> SameAgain | NotMeasured:
    """`senno.stats.same_again`, drawn by numpy: 100,000 floors would take hours otherwise. Checked against it below."""
    usable = [list(group) for group in groups if len(group) > 1]
    if not usable:
        return NotMeasured("no item has two repeats")
    if len({len(group) for group in usable}) > 1:
        return drawn_by_senno(groups, n, seed, draws)
    apart = np.array([[a - b for a, b in permutations(group, 2)] for group in usable]).ravel()
    chance = np.random.default_rng(seed + int(np.abs(apart).sum() * 1e4))
    drawn = np.sort(np.abs(apart[chance.integers(0, len(apart), (draws, n), dtype=np.int32)].mean(axis=1)))

    def upper(share: float) -> float:
        rank = draws * share + normal_quantile(0.99) * np.sqrt(draws * share * (1 - share))
        return float(drawn[min(draws - 1, int(np.ceil(rank)) - 1)])

    return SameAgain(upper(0.5), upper(0.95), upper(0.99), n, len(usable), draws)


def floors_alike() -> float:
    """The largest relative distance between the two ways of drawing a floor, over a few incumbents."""
    chance, judged = Random(5), triples()
    worst = 0.0
    for n in (6, 24, 96):
        groups = [[chance.choice(judged[name]) for _ in range(3)] for name in chance.sample(sorted(judged), n)]
        own, fast = drawn_by_senno(groups, n, 1), fast_floor(groups, n, 1)
        assert isinstance(own, SameAgain)
        assert isinstance(fast, SameAgain)
        worst = max(worst, abs(own.p95 - fast.p95) / own.p95)
    return worst


Job = tuple[str, int, int, int, int]
"""What is simulated, scenarios, looks, tunings, seed."""


def null_tunings(job: Job) -> dict[str, Any]:
    """Tunings whose candidates are the prompt that is there already."""
    control.same_again = fast_floor  # pyright: ignore[reportPrivateImportUsage]
    what, n, k, count, seed = job
    chance = Random(f"{what} {n} {k} {seed}")
    judged = triples()
    names = sorted(judged)
    said = {**dict.fromkeys(COUNTED, 0), "tunings": count}
    for _ in range(count):
        scenarios = chance.sample(names, n) if what.startswith("triples") else [f"s{i}" for i in range(n)]
        clusters = unbalanced(scenarios) if what.endswith("clusters") else None
        draw = same_again(judged) if what.startswith("triples") else noisy_check(float(what.split()[1]))
        ended = tuning(draw, [draw] * k, scenarios, chance, clusters=clusters)
        said["better"] += ended.better > 0
        said["worse"] += ended.worse > 0
        said["dropped"] += ended.dropped
        said["asked"] += ended.asked
        said["whole"] += ended.whole
        said["alone"] += interval_alone(draw, scenarios, clusters or {}, k, chance)
    return {"what": what, "n": n, "k": k, **said}


def interval_alone(draw: Draw, scenarios: Sequence[str], clusters: Mapping[str, str], k: int, chance: Random) -> bool:
    """Whether the clustered interval by itself calls one of `k` candidates better, of the same tuning drawn again."""
    old = [sum(draw(chance, name) for _ in range(3)) / 3 for name in scenarios]
    named = [clusters.get(name, name) for name in scenarios]
    tests = (
        paired_clustered([draw(chance, s) - b for s, b in zip(scenarios, old, strict=True)], named, 1 - 0.05 / k)
        for _ in range(k)
    )
    return any(not isinstance(test, NotMeasured) and test.interval.low > 0 for test in tests)


def unbalanced(scenarios: Sequence[str]) -> Mapping[str, str]:
    """Half of the scenarios are of one profile, the others stand by themselves."""
    return dict.fromkeys(scenarios[: len(scenarios) // 2], "the large one")


def other_rules(n: int, k: int, count: int, seed: int = 1) -> dict[str, float]:
    """What simpler rules take for better on the same data: any of `k` candidates."""
    chance, judged = Random(seed), triples()
    names = sorted(judged)
    found = {"sum > sum": 0, "beats one A/A difference": 0, "interval at 1 − α": 0, "interval at 1 − α/k": 0}
    for _ in range(count):
        scenarios = chance.sample(names, n)
        old, again = ([chance.choice(judged[s]) for s in scenarios] for _ in range(2))
        said = dict.fromkeys(found, False)
        for _ in range(k):
            new = [chance.choice(judged[s]) for s in scenarios]
            apart = sum(new) - sum(old)
            said["sum > sum"] |= apart > 1e-9
            said["beats one A/A difference"] |= apart > abs(sum(again) - sum(old)) + 1e-9
            differences = [b - a for a, b in zip(old, new, strict=True)]
            for name, level in (("interval at 1 − α", 0.95), ("interval at 1 − α/k", 1 - 0.05 / k)):
                test = paired_t(differences, level)
                said[name] |= not isinstance(test, NotMeasured) and test.interval.low > 0
        for name, better in said.items():
            found[name] += better
    return {name: times / count for name, times in found.items()}


def better_by(judged: Mapping[str, Sequence[float]], by: float) -> Draw:
    return lambda chance, name: chance.choice(judged[name]) + by


def true_winners(job: tuple[int, float, int, int]) -> dict[str, Any]:
    """Tunings of eight candidates of which one, at a random place, is better by `by` in every scenario."""
    control.same_again = fast_floor  # pyright: ignore[reportPrivateImportUsage]
    n, by, count, seed = job
    chance = Random(f"{n} {by} {seed}")
    judged = triples()
    names, k = sorted(judged), 8
    out: dict[str, Any] = {"n": n, "by": by, "tunings": count}
    for racing in (True, False):
        found = asked = whole = 0
        for _ in range(count):
            place = chance.randrange(k)
            candidates = [better_by(judged, by if i == place else 0.0) for i in range(k)]
            ended = tuning(same_again(judged), candidates, chance.sample(names, n), chance, racing=racing)
            found += ended.first == place
            asked += ended.asked
            whole += ended.whole
        out["racing" if racing else "whole"] = {"found": found / count, "asked": asked / whole}
    return out


def systems() -> tuple[list[str], list[list[float]]]:
    with GSM8K.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    return head[1:], [[float(cell) for cell in row[1:]] for row in rows]


def known_truth(job: tuple[int, int, int, int]) -> list[dict[str, Any]]:
    """Two systems on a part of the problems, of which all are known: how often `better` is said, and wrongly."""
    control.same_again = fast_floor  # pyright: ignore[reportPrivateImportUsage]
    n, k, count, seed = job
    names, rows = systems()
    chance = Random(f"{n} {k} {seed}")
    out: list[dict[str, Any]] = []
    for a, b in permutations(range(len(names)), 2):
        truth = sum(row[b] - row[a] for row in rows) / len(rows)
        if truth <= 0:
            continue
        said = {"better": 0, "worse": 0, "no measurable difference": 0}
        for _ in range(count):
            chosen = {str(i): rows[i] for i in chance.sample(range(len(rows)), n)}
            old = [trial("a", lambda _, s: chosen[s][a], list(chosen), chance, r) for r in range(3)]  # noqa: B023
            new = trial("b", lambda _, s: chosen[s][b], list(chosen), chance)  # noqa: B023
            pooled = Trial("a", tuple(row for each in old for row in each.judged))
            said[accept(pooled, new, old, {}, Rules(), k, True).outcome] += 1
        out.append({"old": names[a], "new": names[b], "truth": truth, "n": n, "k": k, "tunings": count, **said})
    return out


def share(times: int, count: int) -> str:
    interval = clopper_pearson(times, count)
    assert not isinstance(interval, NotMeasured)
    return f"{times / count:.2%} (≤ {interval.high:.2%})"


def run(jobs: Sequence[Any], work: Callable[[Any], Any]) -> list[Any]:
    with ProcessPoolExecutor(max_workers=2) as pool:
        return list(pool.map(work, jobs))


def split_up(count: int, parts: int = 4) -> list[tuple[int, int]]:
    return [(count // parts, seed) for seed in range(parts)]


def merged(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    sums: dict[tuple[Any, ...], dict[str, Any]] = {}
    for each in found:
        row = sums.setdefault((each["what"], each["n"], each["k"]), {**each, **dict.fromkeys(COUNTED, 0)})
        for name in COUNTED:
            row[name] += each[name]
    return list(sums.values())


COUNTED = ("better", "worse", "dropped", "asked", "whole", "alone", "tunings")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    os.nice(5)
    alike = floors_alike()
    nothing = merged(
        run([("triples", n, k, c, s) for n in SIZES for k in LOOKS for c, s in split_up(count)], null_tunings)
    )
    hard = merged(
        run(
            [
                (what, n, 8, c, s)
                for what in ("triples, clusters", "check 0.5", "check 0.9", "check 0.5 clusters")
                for n in (7, 12, 24)
                for c, s in split_up(count // 5, 2)
            ],
            null_tunings,
        )
    )
    simpler = {n: other_rules(n, 8, min(count, 4000)) for n in SIZES}
    power = run([(n, by, count // 20, 1) for n in (7, 12, 24, 96) for by in (0.05, 0.1, 0.2, 0.3)], true_winners)
    parts = [(n, 8, count // (10 if n < 96 else 40), 1) for n in (12, 24, 48, 96, 200, 400)]
    known = [row for part in run(parts, known_truth) for row in part]
    figures = {"null": nothing, "hard": hard, "simpler": simpler, "power": power, "known": known, "floors_alike": alike}
    write(
        "tune_acceptance",
        "What a tuning says, where the truth is known",
        f"python bench/tune_acceptance_bench.py {count}",
        ("senno", "numpy"),
        told(figures),
        figures,
    )


def told(figures: Mapping[str, Any]) -> str:
    nothing, hard, known = figures["null"], figures["hard"], figures["known"]
    worst = max(nothing, key=lambda row: row["better"] / row["tunings"])
    tunings = sum(row["tunings"] for row in nothing)
    wrong = sum(row["worse"] for row in known)
    looked = sum(row["tunings"] for row in known)
    lines = [
        (
            f"**`better` where nothing is better: {share(worst['better'], worst['tunings'])} at the most** "
            f"(of {tunings:,} whole tunings on GPT-4's own judgings, by scenarios and candidates; in brackets the "
            f"upper end of the exact 95 % interval). The limit is {LIMIT:.1%}. **With the wrong sign: {wrong} in "
            f"{looked:,}** comparisons of systems whose truth is known."
        ),
        "## Identical prompts",
        (
            "Each tuning: an incumbent judged three times, then candidates that are the same prompt, in a race, each "
            "held against it at 1 − 0.05/k. Scores: three judgings each of 640 real answers, drawn with replacement "
            "(judge_triples_gpt4.csv). The share is of tunings in which it was said at least once."
        ),
        table(
            ["scenarios", "candidates", "tunings", "better", "worse", "dropped early", "answers asked for"],
            [_null_row(row) for row in nothing],
        ),
        (
            "The same where it is hard: one profile with half of the scenarios; one noisy check of weight 0.3 that "
            "holds half of the time or nine times in ten, beside a question that hardly moves. The last column is "
            "what the interval at 1 − 0.05/k would call better by itself, without the noise floor and the signs."
        ),
        table(
            ["scores", "scenarios", "candidates", "tunings", "better", "worse", "interval alone"],
            [
                (
                    row["what"],
                    row["n"],
                    row["k"],
                    f"{row['tunings']:,}",
                    share(row["better"], row["tunings"]),
                    share(row["worse"], row["tunings"]),
                    f"{row['alone'] / row['tunings']:.1%}",
                )
                for row in hard
            ],
        ),
        "Simpler rules on the same judgings, any of 8 identical candidates (one judging of each side):",
        table(
            ["scenarios", *next(iter(figures["simpler"].values()))],
            [(n, *(f"{x:.1%}" for x in rules.values())) for n, rules in figures["simpler"].items()],
        ),
        "## One true winner among eight candidates",
        (
            "The winner is better by so much in every scenario; the other seven are the incumbent. Found: it, and "
            "nothing before it, was called better. Asked: of the answers that would be asked for without a race."
        ),
        table(
            ["scenarios", "better by", "found, racing", "found, no race", "answers asked for, racing"],
            [
                (
                    row["n"],
                    f"{row['by']:g}",
                    f"{row['racing']['found']:.0%}",
                    f"{row['whole']['found']:.0%}",
                    f"{row['racing']['asked']:.0%}",
                )
                for row in figures["power"]
            ],
        ),
        "## Systems whose truth is known",
        (
            "Four systems on 1,319 problems of GSM8K, right or wrong (gsm8k_correct_4systems.csv): every pair, the "
            "better one as the candidate, on a random part of the problems, at 1 − 0.05/8. The true difference is that "
            "on all."
        ),
        table(
            ["true difference", "problems", "comparisons", "better", "worse: the wrong sign"],
            [
                (
                    f"{row['truth']:+.3f} ({row['old']} → {row['new']})",
                    row["n"],
                    f"{row['tunings']:,}",
                    f"{row['better'] / row['tunings']:.1%}",
                    row["worse"],
                )
                for row in known
            ],
        ),
        (
            f"The noise floors of this bench are drawn by numpy; they lie within {figures['floors_alike']:.1%} of "
            "senno's own, which is the spread of the draws."
        ),
    ]
    return "\n\n".join(lines)


def _null_row(row: Mapping[str, Any]) -> tuple[object, ...]:
    return (
        row["n"],
        row["k"],
        f"{row['tunings']:,}",
        share(row["better"], row["tunings"]),
        share(row["worse"], row["tunings"]),
        f"{row['dropped'] / (row['tunings'] * row['k']):.0%}",
        f"{row['asked'] / row['whole']:.0%}",
    )


if __name__ == "__main__":
    main()
