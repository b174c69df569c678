"""Whether `senno judge run` says that the judge was measured: this version, on these questions."""

import json

import pytest

from noisy_judge import NoisyJudge

CHECKS = {"tone": {"type": "noul", "instructions": "Does the tone fit?"}}
POLICY = {
    "verdicts": [
        {"name": "REWRITE", "rules": [{"check": "tone", "op": "lt", "value": 0.1}]},
        {"name": "KEEP", "rules": []},
    ]
}


@pytest.fixture(name="judged")
def _judged(senno, machine, monkeypatch):
    """Runs a subcommand of `senno judge` in a folder with all its files."""
    monkeypatch.setenv("SENNO_PATHS_LEDGER", str(machine / "ledger.db"))
    (machine / "policy.json").write_text(json.dumps(POLICY), encoding="utf-8")
    (machine / "text.txt").write_text("hello", encoding="utf-8")
    rows = "".join(json.dumps({"id": str(n), "text": f"text {n}"}) + "\n" for n in range(12))
    (machine / "texts.jsonl").write_text(rows, encoding="utf-8")

    def run(command, *options, checks=CHECKS):
        (machine / "checks.json").write_text(json.dumps(checks), encoding="utf-8")
        return senno("judge", command, *options, "--checks", "checks.json", "--policy", "policy.json", "--no-cache")

    return run


def noisy(question, state, count):
    return 0.5 + count % 3 / 10


def test_what_was_never_measured_says_so_and_how_to(judged):
    with NoisyJudge(noisy) as judge:
        ran = judged("run", "text.txt", "--model", judge.name)
        told = judged("run", "text.txt", "--model", judge.name, "--json").json
    assert ran.code == 0
    assert "noise floor not measured: never measured: tone (senno judge measure)" in ran.out
    assert "calibration not measured: never measured: tone (senno judge calibrate)" in ran.out
    assert told["noise_floor"] == {"state": "not measured", "reason": "never measured: tone"}


def test_a_measurement_stands_until_the_version_or_the_wording_changes(judged):
    other = {"tone": {"type": "noul", "instructions": "Does the tone fit ?"}}
    with NoisyJudge(noisy) as judge:
        assert judged("measure", "texts.jsonl", "--model", judge.name, "--repeats", "3").code == 0
        stands = judged("run", "text.txt", "--model", judge.name, "--json").json["noise_floor"]
        reworded = judged("run", "text.txt", "--model", judge.name, "--json", checks=other).json["noise_floor"]
        told = judged("run", "text.txt", "--model", judge.name).out
    with NoisyJudge(noisy, version="judge-1.1.0") as judge:
        alias = judge.name.replace("#judge-1.0.0", "#judge-latest")
        newer = judged("run", "text.txt", "--model", alias, "--json").json["noise_floor"]
    assert stands["state"] == "measured"
    assert (reworded["state"], "wording has changed" in reworded["reason"]) == ("void", True)
    assert (newer["state"], "judge-1.1.0 answers now" in newer["reason"]) == ("void", True)
    assert "noise floor measured on 20" in told


def test_without_an_answer_there_is_nothing_to_measure(judged):
    ran = judged("run", "text.txt", "--json")
    assert ran.code == 3
    assert "noise_floor" not in ran.json


def test_a_ledger_that_cannot_be_read_costs_no_verdict(judged, machine, monkeypatch):
    with NoisyJudge(noisy) as judge:
        judged("run", "text.txt", "--model", judge.name, "--record", "r.jevl")
    (machine / "broken.db").write_bytes(b"this is no database" * 100)
    monkeypatch.setenv("SENNO_PATHS_LEDGER", str(machine / "broken.db"))
    ran = judged("run", "text.txt", "--model", judge.name, "--replay", "r.jevl", "--json")
    assert (ran.code, ran.json["verdict"]) == (0, "KEEP")
    assert (ran.json["noise_floor"]["state"], "broken.db" in ran.json["noise_floor"]["reason"]) == (
        "not measured",
        True,
    )
