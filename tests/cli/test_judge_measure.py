"""`senno judge measure` and `senno judge calibrate` as their user meets them."""

import json
import random
from pathlib import Path

import pytest

from noisy_judge import NoisyJudge
from openai_server import says
from senno.ledger import Ledger, past_measurements

ROOT = Path(__file__).parents[2]
JUDGED = ROOT.parent / "shared" / "data" / "judge" / "judge_triples_gpt4.csv"

CHECKS = {
    "disclaimer": {"type": "contains", "phrases": ["risk"]},
    "tone": {"type": "noul", "instructions": "Does the tone fit?"},
    "clarity": {"type": "score", "instructions": "How clear?", "criteria": ["opaque", "readable", "clear"]},
    "topic": {"type": "choice", "instructions": "About what?", "criteria": {"tax": None, "loans": None}},
}
POLICY = {
    "verdicts": [
        {"name": "REWRITE", "rules": [{"check": "tone", "op": "lt", "value": 0.5}]},
        {"name": "KEEP", "rules": []},
    ],
    "weights": {"tone": 100},
}


@pytest.fixture(name="files")
def _files(tmp_path, machine, monkeypatch):
    monkeypatch.setenv("SENNO_PATHS_LEDGER", str(tmp_path / "ledger.db"))
    for name, value in (("checks.json", CHECKS), ("policy.json", POLICY)):
        (tmp_path / name).write_text(json.dumps(value), encoding="utf-8")
    rows = "".join(json.dumps({"id": f"t{n}", "text": f"text {n}"}) + "\n" for n in range(20))
    (tmp_path / "texts.jsonl").write_text(rows, encoding="utf-8")
    return tmp_path


@pytest.fixture(name="measure")
def _measure(senno, files):
    def run(judge, *options, texts="texts.jsonl", policy=True):
        rules = ["--policy", files / "policy.json"] if policy else []
        return senno(
            "judge",
            "measure",
            files / texts,
            "--checks",
            files / "checks.json",
            *rules,
            "--judge-model",
            judge,
            *options,
        )

    return run


def steady(question, state, count):
    share = random.Random(state["text"]).random()
    if question == "tone":
        return round(share, 2)
    return {"0": 0.2, "1": 0.5, "2": 0.3} if question == "clarity" else {"tax": 0.6, "loans": 0.4}


def shaky(question, state, count):
    if question != "tone":
        return steady(question, state, count)
    return round(min(1, max(0, steady(question, state, count) + (-0.2, 0.0, 0.2)[count % 3])), 2)


def test_what_moves_is_told_from_what_stands_still(measure, files):
    with NoisyJudge(shaky) as judge:
        ran = measure(judge.name, "--repeats", "3", "--n", "12", "--json")
        assert len(judge.requests) == 60
    assert ran.code == 0
    found = {each["name"]: each for each in ran.json["figures"]}
    assert list(found) == ["tone", "clarity", "topic=tax", "topic=loans", "score of the policy"]
    assert found["tone"]["within_item_sd"]["value"] == pytest.approx(0.2, abs=0.04)
    assert found["tone"]["flips"][0]["at"] == "< 0.5"
    assert found["tone"]["flips"][0]["share"]["value"] > 0.2
    assert found["tone"]["same_again"]["n"] == 12
    assert found["clarity"]["within_item_sd"]["value"] == 0
    assert ran.json["verdict"]["share"]["value"] == found["tone"]["flips"][0]["share"]["value"]
    assert (ran.json["versions"], ran.json["methods"]) == ({"judge-1.0.0": 60}, ["systemone"])


def test_what_was_measured_is_kept_for_the_version_that_answered_and_the_questions(measure, files):
    with NoisyJudge(shaky) as judge:
        ran = measure(judge.name, "--repeats", "3")
    assert "kept: holds for judge-1.0.0" in ran.out
    with Ledger.open(files / "ledger.db") as ledger:
        (row,) = past_measurements(ledger)
    assert (row.kind, row.model, set(row.questions)) == ("measure", "judge-1.0.0", {"tone", "clarity", "topic"})
    assert row.report["figures"][0]["name"] == "tone"


def test_no_repeat_is_given_the_answer_of_another_and_a_second_measurement_of_a_pinned_model_asks_nothing(measure):
    with NoisyJudge(shaky) as judge:
        first = measure(judge.name, "--repeats", "4", "--json")
        asked = len(judge.requests)
        again = measure(judge.name, "--repeats", "4", "--json")
        assert (asked, len(judge.requests)) == (80, 80)
        measure(judge.name, "--repeats", "4", "--no-cache", "--json")
        assert len(judge.requests) == 160
    assert first.json["figures"] == again.json["figures"]
    assert first.json["figures"][0]["within_item_sd"]["value"] > 0.1


def test_failures_are_counted_shown_and_no_number(measure):
    def failing(question, state, count):
        return None if question == "tone" and state["text"] == "text 3" else shaky(question, state, count)

    with NoisyJudge(failing) as judge:
        ran = measure(judge.name, "--repeats", "3", "--json")
        told = measure(judge.name, "--repeats", "3")
    tone = ran.json["figures"][0]
    assert (tone["answers"], tone["missing"], tone["left_out"], sum(tone["failures"].values())) == (20, 3, 1, 3)
    assert tone["flips"][0]["share"]["n"] == 19
    assert ran.json["figures"][-1]["missing"] == 3
    assert "tone: failed 3 times: " in told.out


def test_a_judge_that_never_answers_measures_nothing(measure):
    with NoisyJudge(lambda *_: None) as judge:
        ran = measure(judge.name, "--repeats", "3", "--json")
    assert (ran.code, ran.json["kept"]) == (4, None)
    assert all(each["within_item_sd"]["value"] is None for each in ran.json["figures"])


def test_a_version_that_changes_on_the_way_leaves_nothing_that_could_hold(measure, files):
    # The name has no version: whichever answers is taken, and told.
    with NoisyJudge(shaky, version=lambda n: "judge-1.0.0" if n < 30 else "judge-1.1.0") as judge:
        ran = measure(judge.name.replace("#judge-1.0.0", "#judge-latest"), "--repeats", "3", "--json")
    assert ran.json["kept"] is None
    assert "2 versions answered" in ran.json["not_kept"]
    with Ledger.open(files / "ledger.db") as ledger:
        assert past_measurements(ledger) == []


def test_a_used_up_budget_leaves_what_was_judged_and_says_so(measure, monkeypatch):
    monkeypatch.setenv("SENNO_BUDGET_CALLS", "45")
    with NoisyJudge(shaky) as judge:
        ran = measure(judge.name, "--repeats", "3", "--json")
        assert len(judge.requests) == 45
    assert (ran.code, ran.json["kept"]) == (4, None)
    assert "budget of 45 calls" in ran.json["stopped"]
    tone = ran.json["figures"][0]
    assert (tone["values"], tone["missing"], tone["left_out"]) == (45, 15, 0)


def test_a_policy_pinned_to_another_version_does_not_hinder_the_measurement_of_this_one(measure, files):
    (files / "policy.json").write_text(json.dumps({**POLICY, "model": "judge-0.9.0"}), encoding="utf-8")
    with NoisyJudge(shaky) as judge:
        assert measure(judge.name, "--repeats", "3", "--json").json["figures"][0]["missing"] == 0


def test_answers_to_one_scenario_tell_decode_noise_from_judge_noise(measure, files):
    rows = [{"id": f"t{n}", "item": f"s{n // 2}", "text": f"text {n}"} for n in range(20)]
    (files / "texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with NoisyJudge(shaky) as judge:
        ran = measure(judge.name, "--repeats", "3", "--json", policy=False)
    tone = ran.json["figures"][0]
    assert (tone["items"], tone["answers"]) == (10, 20)
    assert tone["variance"]["judge"]["value"] == pytest.approx(tone["within_item_sd"]["value"] ** 2)
    assert tone["variance"]["generation"]["value"] > 0
    assert tone["same_again_answered_anew"]["p95"] > 0
    assert ran.json["verdict"] is None


def test_each_group_of_texts_is_measured_by_itself_too(measure, files):
    rows = [{"id": f"t{n}", "text": f"text {n}", "group": "odd" if n % 2 else "even"} for n in range(20)]
    (files / "texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def odd(question, state, count):
        return (shaky if int(state["text"].split()[1]) % 2 else steady)(question, state, count)

    with NoisyJudge(odd) as judge:
        ran = measure(judge.name, "--repeats", "3", "--json")
        told = measure(judge.name, "--repeats", "3").out
    of = {group: figures[0] for group, figures in ran.json["groups"].items()}
    assert (of["odd"]["answers"], of["even"]["answers"]) == (10, 10)
    assert of["odd"]["within_item_sd"]["value"] > 0.1 > of["even"]["within_item_sd"]["value"] == 0
    assert "group odd" in told


def test_a_chat_model_is_asked_with_other_seeds_in_each_repeat(measure, files, server):
    (files / "checks.json").write_text(json.dumps({"tone": CHECKS["tone"]}), encoding="utf-8")
    (files / "texts.jsonl").write_text('{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}\n', encoding="utf-8")
    server.then(*[says("yes")] * 60)
    ran = measure(f"{server.url}#m", "--repeats", "3", "--json")
    assert ran.code == 0
    sampled = [request.body["seed"] for request in server.requests if request.body.get("seed")]
    assert len({seed // 1_000_003 for seed in sampled}) == 3
    assert len(sampled) - len(set(sampled)) == len(sampled) / 2  # two texts


USAGE = {
    "nothing": ([], "expected one of TEXTS, --scores, --history"),
    "two inputs": (["texts.jsonl", "--scores", "s.csv"], "expected one of"),
    "no checks": (["texts.jsonl"], "--checks is missing"),
    "checks for scores": (["--scores", "s.csv", "--checks", "c.json"], "--checks has no use with --scores"),
    "a pass mark for texts": (["texts.jsonl", "--checks", "c.json", "--pass", "4"], "--pass has no use with TEXTS"),
    "a pass mark that is none": (["--scores", "s.csv", "--pass", "nan"], "--pass is no number"),
    "two repeats": (["texts.jsonl", "--checks", "checks.json", "--repeats", "2"], "expected 3 at least"),
    "no model": (["texts.jsonl", "--checks", "checks.json"], "no model was named"),
    "no such file": (["--scores", "none.csv"], "no such file"),
}


@pytest.mark.parametrize(("arguments", "told"), USAGE.values(), ids=USAGE)
def test_what_cannot_be_measured_is_refused_before_anything_is_asked(senno, files, monkeypatch, arguments, told):
    monkeypatch.chdir(files)
    if "no model" not in told and "expected 3" not in told and "c.json" in arguments:
        monkeypatch.setenv("SENNO_MODELS_JUDGE", "ollama:none")
    ran = senno("judge", "measure", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_questions_there_must_be(senno, files):
    (files / "checks.json").write_text(json.dumps({"disclaimer": CHECKS["disclaimer"]}), encoding="utf-8")
    ran = senno("judge", "measure", files / "texts.jsonl", "--checks", files / "checks.json", "--model", "ollama:none")
    assert (ran.code, "no question for a model" in ran.err) == (2, True)


@pytest.mark.skipif(not JUDGED.is_file(), reason="the published judgings are not there")
def test_the_published_figures_are_printed(senno, machine):
    ran = senno("judge", "measure", "--scores", JUDGED, "--n", "12", "--pass", "4")
    assert ran.code == 0
    rows = {line.split()[0]: line for line in ran.out.splitlines() if " × 3 " in line}
    for name, figures in (
        ("mt_bench_eval", ("0.507", "0.85", "0.42 (n = 12)", "≥ 4: 14.7 %")),
        ("vicuna_eval", ("0.367", "0.81", "0.33 (n = 12)", "≥ 4: 7.2 %")),
    ):
        for figure in figures:
            assert figure in rows[name]


def test_two_scores_of_each_are_too_few(senno, machine, tmp_path):
    (tmp_path / "s.csv").write_text("item,r1,r2\na,1,2\nb,2,2\n", encoding="utf-8")
    ran = senno("judge", "measure", "--scores", tmp_path / "s.csv")
    assert (ran.code, "expected 3 at least" in ran.err) == (2, True)


def test_three_answers_judged_once_each_are_enough_for_what_they_tell(senno, machine, tmp_path):
    rows = "".join(f"{item},{answer},1,{(item * 7 + answer * 3) % 5}\n" for item in range(8) for answer in range(3))
    (tmp_path / "s.csv").write_text(f"item,answer,repeat,score\n{rows}", encoding="utf-8")
    ran = senno("judge", "measure", "--scores", tmp_path / "s.csv", "--json")
    (found,) = ran.json["figures"]
    assert ran.code == 0
    assert found["within_item_sd"]["value"] is None
    assert found["variance"]["generation_and_judge"]["value"] > 0
    assert found["same_again_answered_anew"]["p95"] > 0
    assert "not measured" in senno("judge", "measure", "--scores", tmp_path / "s.csv").out


def test_the_noise_explains_69_percent_of_the_climb(senno, machine):
    ran = senno("judge", "measure", "--history", ROOT / "examples" / "judge" / "history.csv")
    assert ran.code == 0
    assert "climb by 0.42" in ran.out
    assert "moved by 0.29" in ran.out
    assert "the noise explains 69 % of the climb" in ran.out
    told = senno("judge", "measure", "--history", ROOT / "examples" / "judge" / "history.csv", "--json").json
    assert told["explained"]["value"] == pytest.approx(0.29 / 0.42)


def test_a_history_that_repeats_nothing_is_undecided(senno, machine, tmp_path):
    (tmp_path / "h.csv").write_text("version,score\na,1\nb,2\n", encoding="utf-8")
    ran = senno("judge", "measure", "--history", tmp_path / "h.csv")
    assert (ran.code, "the noise was not measured" in ran.out) == (3, True)


def labelled(files, n=80, **rest):
    chance = random.Random(1)
    rows = []
    for number in range(n):
        text = f"text {number}" + (" risk" if number % 2 else "")
        share = random.Random(text).random()
        expect = {"tone": chance.random() < share, "disclaimer": number % 2 == 1}
        rows.append({"id": f"c{number}", "text": text, "expect": expect, **rest})
    (files / "labelled.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return files / "labelled.jsonl", rows


def test_a_judge_is_held_against_its_cases(senno, files):
    path, _ = labelled(files)
    options = ["--checks", files / "checks.json", "--policy", files / "policy.json", "--rate", "tone=60/100"]
    with NoisyJudge(steady) as judge:
        ran = senno("judge", "calibrate", path, *options, "--judge-model", judge.name, "--json")
        told = senno("judge", "calibrate", path, *options, "--judge-model", judge.name)
        assert {name for request in judge.requests for name in request["questions"]} == {"tone"}
    assert ran.code == told.code == 0
    tone, disclaimer = ran.json["targets"]
    assert (tone["n"], tone["threshold"]) == (80, {"value": 0.5, "above": False, "of_policy": True})
    for name in ("accuracy", "sensitivity", "specificity", "youden_j", "brier", "ece", "corrected_rate"):
        assert tone[name]["low"] <= tone[name]["value"] <= tone[name]["high"], name
    assert sum(each["n"] for each in tone["bins"]) == 80
    assert disclaimer["youden_j"]["value"] == 1
    assert "kept: holds for judge-1.0.0" in told.out
    assert "No threshold was changed" in told.out
    with Ledger.open(files / "ledger.db") as ledger:
        rows = past_measurements(ledger, "calibrate")
    assert [set(row.questions) for row in rows] == [{"tone"}, {"tone"}]


def test_recorded_answers_are_held_against_the_cases_without_a_model(senno, files, tmp_path):
    path, rows = labelled(files)
    said = [{"id": "stranger", "answers": {"tone": 0.9}}]
    said += [{"id": row["id"], "answers": {"tone": 0.9 if row["expect"]["tone"] else 0.1}} for row in rows[:70]]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in said), encoding="utf-8")
    ran = senno(
        "judge", "calibrate", path, "--checks", files / "checks.json", "--predictions", tmp_path / "p.jsonl",
        "--unlabelled", tmp_path / "p.jsonl", "--diagram", tmp_path / "out.svg", "--json",
    )  # fmt: skip
    tone = ran.json["targets"][0]
    assert (ran.code, tone["n"], tone["missing"]) == (0, 70, {"no answer": 10})
    assert "1 answers are of no labelled case (stranger, …)" in ran.err
    assert tone["youden_j"]["value"] == 1
    assert tone["brier"]["value"] == pytest.approx(0.01)
    assert tone["brier"]["low"] < 0.01 < 0.05 < tone["brier"]["high"]  # 70 cases that are alike prove little
    assert tone["corrected_rate"]["n"] == 71
    assert (ran.json["kept"], ran.json["not_kept"]) == (None, "no model was asked")
    assert (tmp_path / "out.svg").read_text(encoding="utf-8").startswith("<svg")


def test_too_few_cases_give_no_number_and_say_how_many_it_takes(senno, files):
    path, _ = labelled(files, 12)
    with NoisyJudge(steady) as judge:
        ran = senno("judge", "calibrate", path, "--checks", files / "checks.json", "--judge-model", judge.name)
    assert ran.code == 3
    assert "too few cases: 12 cases, and it takes 30" in ran.out
    assert "not kept: no question has enough cases of both sides" in ran.out


def test_cases_that_the_criteria_hold_are_no_evidence(senno, files):
    path, _ = labelled(files, taught=["tone"], group="one author")
    with NoisyJudge(steady) as judge:
        ran = senno("judge", "calibrate", path, "--checks", files / "checks.json", "--judge-model", judge.name)
    assert ran.code == 3
    assert "tone: 80 cases stand in its criteria" in ran.out
    assert "hang together (1 groups)" in ran.out


def test_a_judge_that_does_not_answer_could_not_be_calibrated(senno, files):
    path, rows = labelled(files)
    bare = [{**row, "expect": {"tone": row["expect"]["tone"]}} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in bare), encoding="utf-8")
    with NoisyJudge(lambda *_: None) as judge:
        ran = senno(
            "judge", "calibrate", path, "--checks", files / "checks.json", "--judge-model", judge.name, "--json"
        )
    assert (ran.code, ran.json["targets"][0]["n"]) == (4, 0)
    assert sum(ran.json["targets"][0]["missing"].values()) == 80


def test_nothing_of_the_users_files_is_written(senno, files):
    path, _ = labelled(files)
    before = {file: file.read_bytes() for file in (path, files / "checks.json", files / "policy.json")}
    options = ["--checks", files / "checks.json", "--policy", files / "policy.json"]
    with NoisyJudge(steady) as judge:
        assert senno("judge", "calibrate", path, *options, "--judge-model", judge.name).code == 0
    assert {file: file.read_bytes() for file in before} == before


CALIBRATE_USAGE = {
    "a rate of nothing": (["--rate", "tone=3/0"], "expected YES/N"),
    "a rate above 1": (["--rate", "tone=3/2"], "expected YES/N"),
    "a rate of an unknown question": (["--rate", "tune=1/2"], "unknown question 'tune'"),
    "a rate of which of two": (["--rate", "1/2"], "unknown question ''"),
    "two answerers": (["--predictions", "p.jsonl", "--judge-model", "x:y"], "no use with --predictions"),
    "no model": ([], "no model was named"),
    "a picture of another kind": (["--diagram", "out.jpg"], "an .svg or a .png"),
}


@pytest.mark.parametrize(("options", "told"), CALIBRATE_USAGE.values(), ids=CALIBRATE_USAGE)
def test_a_calibration_that_cannot_be_is_refused_before_anything_is_asked(senno, files, options, told):
    path, _ = labelled(files)
    ran = senno("judge", "calibrate", path, "--checks", files / "checks.json", *options)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_what_no_judging_gets_over_is_told_as_it_is(measure, files, monkeypatch):
    monkeypatch.setenv("SENNO_BUDGET_COST", "1")
    with NoisyJudge(shaky) as judge:
        ran = measure(judge.name, "--repeats", "3")
    assert (ran.code, ran.out) == (2, "")
    assert "price" in ran.err
    assert "Traceback" not in ran.err


def test_the_examples_that_ship_are_read(senno, machine, tmp_path):
    folder = ROOT / "examples" / "judge"
    rows = [json.loads(line) for line in (folder / "labelled.jsonl").read_text(encoding="utf-8").splitlines()]
    said = "".join(json.dumps({"id": row["id"], "answers": {"promises_return": 0.5}}) + "\n" for row in rows)
    (tmp_path / "p.jsonl").write_text(said, encoding="utf-8")
    ran = senno(
        "judge", "calibrate", folder / "labelled.jsonl", "--checks", folder / "checks.json",
        "--policy", folder / "policy.json", "--predictions", tmp_path / "p.jsonl", "--json",
    )  # fmt: skip
    (found,) = ran.json["targets"]
    assert (ran.code, found["n"], found["youden_j"]["value"]) == (0, 48, 0)
    assert len((folder / "texts.jsonl").read_text(encoding="utf-8").splitlines()) == 20
