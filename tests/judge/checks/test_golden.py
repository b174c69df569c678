"""Agreement with the verdicts that IFBench publishes for its sample answers, strict and loose."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from senno.judge.checks import kinds, parse_check, run_check

DATA = Path(__file__).parents[4] / "shared" / "data" / "ifeval"
# They need a list that differs between releases of NLTK, a part-of-speech tagger, a dictionary of syllables.
NOT_CLAIMED = {"ratio:stop_words", "words:start_verb", "words:odd_even_syllables"}
NO_SAMPLE = {"custom:csv_city", "custom:character_reverse"}

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data/ifeval is not there")

Verdict = tuple[dict[str, Any], str, bool, bool]


def rows(name: str) -> Iterator[dict[str, Any]]:
    with (DATA / name).open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file)


def verdicts() -> dict[str, list[Verdict]]:
    """By kind: parameters, answer, strict verdict, loose verdict."""
    asked = {row["prompt"].strip(): row for row in rows("IFBench_test.jsonl")}
    found: dict[str, list[Verdict]] = {}
    for strict, loose in zip(rows("eval_results_strict.jsonl"), rows("eval_results_loose.jsonl"), strict=True):
        row = asked.get(strict["prompt"].strip())
        if row is None:
            continue  # One prompt was replaced after the verdicts were published.
        marks = zip(strict["follow_instruction_list"], loose["follow_instruction_list"], strict=True)
        for kind, kwargs, (hard, soft) in zip(row["instruction_id_list"], row["kwargs"], marks, strict=True):
            found.setdefault(kind, []).append((kwargs, strict["response"], hard, soft))
    return found


def test_every_verdict_of_every_kind_is_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    wrong: list[str] = []
    table: list[str] = []
    for kind, cases in sorted(verdicts().items()):
        if kind in NOT_CLAIMED:
            continue
        agreed = [0, 0]
        for kwargs, response, *golden in cases:
            for mode, variants in enumerate(("strict", "loose")):
                spec = parse_check("x", {"type": kind, "variants": variants, **kwargs}, "IFBench_test.jsonl")
                result = run_check(spec, response)
                assert all(response[s.start : s.end] == s.text for s in result.spans)
                agreed[mode] += result.passed == golden[mode]
                if result.passed != golden[mode]:
                    wrong.append(f"{kind} ({variants}): {result.detail}: {response[:80]!r}")
        yes = (sum(case[2] for case in cases), sum(case[3] for case in cases))
        table.append(f"{kind:36} {len(cases):3}  {yes[0]:3} {agreed[0]:3}  {yes[1]:3} {agreed[1]:3}")
    with capsys.disabled():
        sys.stdout.write(
            "\nkind, verdicts; strict: positive, agreed; loose: positive, agreed\n" + "\n".join(table) + "\n"
        )

    assert not wrong
    assert len(table) == 53


def test_what_is_claimed_is_what_the_verdicts_cover() -> None:
    ours = {alias for kind in kinds() for alias in kind.aliases}
    ifeval = {kind for row in rows("input_data.jsonl") for kind in row["instruction_id_list"]}

    assert ours - ifeval == (set(verdicts()) - NOT_CLAIMED) | NO_SAMPLE
    assert ifeval - ours == set()
    assert len(ifeval) == 25


def test_every_prompt_of_ifeval_can_be_read() -> None:
    for row in rows("input_data.jsonl"):
        for kind, kwargs in zip(row["instruction_id_list"], row["kwargs"], strict=True):
            parse_check(str(row["key"]), {"type": kind, **kwargs}, "input_data.jsonl")
