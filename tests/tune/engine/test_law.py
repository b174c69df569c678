"""On models that follow a known law: what is better is found, what is not is refused, and it stops."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from senno.ledger import Ledger
from senno.tune import TuneOptions, load_tuning, resume, tune


def tuned(file: Path, ledger_path: Path, **rest):
    with Ledger.open(ledger_path) as ledger:
        return asyncio.run(tune(file, ledger=ledger, **rest))


@pytest.mark.parametrize("language", ["en", "it"])
def test_a_real_improvement_is_found_and_holds_on_the_held_out_part(finance, law, tmp_path, language) -> None:
    """Complaint 20: the prompt that comes out is plain text, and is better where nobody looked."""
    file = finance(language)
    result = tuned(file, tmp_path / "l.db")
    assert (result.outcome, result.stop, result.exit_code) == ("better", "rounds", 0)
    found = result.held_out.acceptance
    assert found is not None
    assert found.outcome == "better"
    weights = {name: w / 100 for name, w in json.loads((file.parent / "policy.json").read_text())["weights"].items()}
    texts = [result.versions[id_].text for id_ in (result.start, result.best)]
    before, after = (law.expected_score(text, "any", weights) for text in texts)
    assert after - before > 0.1
    assert abs((found.difference or 0) - (after - before)) < 0.1


@pytest.fixture
def idle(monkeypatch, finance, law):
    """A tune file whose rewriter only ever proposes what changes nothing."""
    file = finance()
    script = file.parents[1] / "scripted.py"
    text = script.read_text(encoding="utf-8").replace("IDLE_SHARE = 0.3", "IDLE_SHARE = 1.1")
    more = ", ".join(f'"Strive for excellence, as rule {n} says."' for n in range(60))
    text = text.replace('"en": ("Strive for excellence in every answer.", ', f'"en": ({more}, ')
    script.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("seed", range(1, 7))
def test_a_rewrite_that_changes_nothing_is_never_better(idle, finance, tmp_path, seed) -> None:
    """Complaint 28: in a null control, changed scores are noise, and none of them makes a winner."""
    finance(seed=str(seed), rounds="6", answers="1")
    result = tuned(idle, tmp_path / "l.db")
    assert result.best == result.start
    assert result.outcome != "better"
    assert result.exit_code in (1, 3)
    assert len([look for each in result.rounds for look in each.looks if look.version]) == 6
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert "test" not in {purpose for _, purpose in load_tuning(ledger).trials}, "nobody had to look"


def test_it_stops_where_the_target_is_met(finance, tmp_path) -> None:
    file = finance(seed="1\ntarget = 0.65")
    result = tuned(file, tmp_path / "l.db")
    assert (result.stop, result.target_met, result.exit_code) == ("target", True, 0)
    assert len(result.rounds) < 8


def test_a_target_that_is_met_at_once_costs_no_rewrite(finance, tmp_path) -> None:
    result = tuned(finance(seed="1\ntarget = 0.3"), tmp_path / "l.db")
    assert (result.stop, len(result.rounds), result.exit_code) == ("target", 0, 0)
    assert "rewrite" not in result.used


def test_a_target_that_is_missed_is_a_no(finance, tmp_path) -> None:
    result = tuned(finance(seed="1\ntarget = 0.99", rounds="1"), tmp_path / "l.db")
    assert (result.stop, result.exit_code) == ("rounds", 1)


def test_the_same_seed_comes_to_the_same_end_and_two_runs_stay_two(finance, tmp_path) -> None:
    """Complaints 17 and 18: what is asked again in another run is asked, and not taken from the first."""
    file = finance(rounds="2")
    first = tuned(file, tmp_path / "l.db")
    second = tuned(file, tmp_path / "l.db", options=TuneOptions(touch_again=True))
    assert first.run_id != second.run_id
    assert first.used["all"]["calls"] == second.used["all"]["calls"]
    assert [each.promoted for each in first.rounds] == [each.promoted for each in second.rounds]
    assert second.held_out.touches == first.held_out.touches + 1 == 2


def test_a_run_that_has_ended_is_gone_on_with_for_nothing(finance, tmp_path) -> None:
    """Complaints 4 and 12: going on pays for nothing that is finished, and what is given again costs nothing."""
    file = finance(rounds="2")
    first = tuned(file, tmp_path / "l.db")
    with Ledger.open(tmp_path / "l.db") as ledger:
        again = asyncio.run(resume(first.run_id, ledger=ledger))
    assert again.to_json() == first.to_json()


@pytest.mark.parametrize("rows", [3, 4, 7])
def test_with_a_few_scenarios_it_runs_and_claims_nothing(finance, tmp_path, rows) -> None:
    result = tuned(finance(scenarios=rows, rounds="2"), tmp_path / "l.db")
    assert (result.outcome, result.stop) == ("no measurable difference", "rounds")


def test_no_version_is_tried_twice_and_the_start_is_no_candidate(finance, tmp_path) -> None:
    """Complaint 27."""
    result = tuned(finance(), tmp_path / "l.db")
    tried = [look.version for each in result.rounds for look in each.looks if look.version]
    assert len(tried) == len(set(tried))
    assert result.start not in tried


def test_train_and_test_share_no_answer(finance, tmp_path) -> None:
    """Complaints 3 and 23: an answer belongs to a scenario, not to a place in a list."""
    result = tuned(finance(rounds="2"), tmp_path / "l.db")
    with Ledger.open(tmp_path / "l.db") as ledger:
        tuning = load_tuning(ledger, result.run_id)
    sides = {side: {s.id for s in tuning.scenarios.values() if s.side == side} for side in ("train", "test")}
    assert sides["train"].isdisjoint(sides["test"])
    for answer in tuning.answers:
        assert (answer.scenario in sides["test"]) == (answer.purpose == "test")
    told = [(a.version, a.scenario, a.repeat, a.purpose) for a in tuning.answers]
    assert len(told) == len(set(told))


def test_how_unstable_each_version_is_stands_beside_each_comparison(finance, tmp_path) -> None:
    """Complaint 29: what moved with nothing changed."""
    result = tuned(finance(rounds="1"), tmp_path / "l.db")
    found = result.to_json()["rounds"][0]["looks"][0]["acceptance"]
    assert found["control"]["repeats"] == 3
    assert found["control"]["moved"] > 0


def test_the_rewriter_sees_no_scenario_of_the_test(finance, tmp_path) -> None:
    file = finance(rounds="3")
    result = tuned(file, tmp_path / "l.db")
    with Ledger.open(tmp_path / "l.db") as ledger:
        tuning = load_tuning(ledger, result.run_id)
        sent = [row.sent for row in ledger.calls(result.run_id) if row.role == "rewrite"]
    held_out = [each.text for each in tuning.scenarios.values() if each.side == "test"]
    assert sent
    assert not [text for text in held_out if any(json.dumps(text, ensure_ascii=False)[1:-1] in each for each in sent)]


def test_scenarios_in_other_scripts_are_tuned_on(finance, tmp_path) -> None:
    file = finance(rounds="1")
    texts = [
        "如何开始存钱？",
        "Как начать копить?",
        "كيف أبدأ الادخار؟",
        "저축은 어떻게 시작하나요?",
        "ξεκινώ",
        "🐖🐖🐖💶",
        "เริ่มออมเงิน",
    ]
    rows = [{"text": f"{text} {n}", "profile": f"{text[::-1]} {n}"} for n in range(2) for text in texts]
    file.with_name("scenarios.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    result = tuned(file, tmp_path / "l.db")
    assert result.error is None
    assert result.rounds[0].score.scored == result.rounds[0].score.asked


def test_scenarios_that_say_the_same_are_told_and_stay_on_one_side(finance, tmp_path) -> None:
    file = finance(rounds="1")
    path = file.with_name("scenarios.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    twice = [{**row, "id": f"{row['id']}-again"} for row in rows[:8]]
    near = [{**row, "id": f"{row['id']}-near", "text": f"{row['text']} Please.", "profile": "other"} for row in rows]
    path.write_text("\n".join(json.dumps(row) for row in [*rows, *twice, *near]), encoding="utf-8")
    result = tuned(file, tmp_path / "l.db")
    assert "these scenarios say the same, and stay on one side: en-01, en-01-again" in result.notes
    assert "and there are 3 more such groups" in result.notes
    assert any("which the rewriter may see" in note for note in result.notes)
    assert len(result.notes) <= 12
