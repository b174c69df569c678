import json
import random
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from senno.errors import ConfigError, FileFormatError, MissingExtra
from senno.judge.calibrating import (
    LEAST_A_HALF,
    Cut,
    Seen,
    Target,
    agreement,
    at,
    calibrate,
    calibrated_json,
    check_picture,
    graded_json,
    graded_of,
    load_predictions,
    propose,
    reliability_svg,
    targets_of,
    write_picture,
)
from senno.judge.checkfile import parse_check_file
from senno.judge.labelled import Case
from senno.models import Distribution, Probability, Unanswered
from senno.stats import Confusion, Estimate, NotMeasured

CHECKS = parse_check_file(
    {
        "tone": {"type": "noul", "instructions": "Does the tone fit?"},
        "clarity": {"type": "score", "instructions": "How clear?", "criteria": ["opaque", "readable", "clear"]},
        "topic": {"type": "choice", "instructions": "About what?", "criteria": {"tax": None, "loans": None}},
        "short": {"type": "length", "unit": "words", "max": 5},
    },
    "checks.json",
    Path(),
)


def seen(n=400, seed=1, bend=1.0):
    chance = random.Random(seed)
    rows = []
    for number in range(n):
        p = chance.random()
        rows.append(Seen(f"c{number}", chance.random() < p**bend, round(p, 3)))
    return tuple(rows)


def target(rows, **rest):
    return Target("tone", "tone", None, tuple(rows), **rest)


def test_a_case_becomes_a_yes_or_no_of_each_question_option_and_level():
    cases = [
        Case("a", {"tone": True, "clarity": 1, "topic": "loans", "short": False}, text="x"),
        Case("b", {"tone": False}, text="y"),
        Case("c", {"tone": True}, text="z", taught=("tone",)),
    ]
    answers = {
        "a": {
            "tone": Probability(0.7),
            "clarity": Distribution({"0": 0.2, "1": 0.5, "2": 0.3}),
            "topic": Distribution({"tax": 0.1, "loans": 0.9}),
            "short": Probability(0.0),
        },
        "b": {"tone": Unanswered("timed out")},
    }
    found = {each.name: each for each in targets_of(cases, answers, CHECKS)}
    assert list(found) == ["tone", "clarity ≥ 1", "clarity ≥ 2", "topic=tax", "topic=loans", "short"]
    assert found["tone"].seen == (Seen("a", True, 0.7),)
    assert (found["tone"].missing, found["tone"].taught) == ({"timed out": 1}, 1)
    assert [(each.true, each.p) for each in found["clarity ≥ 1"].seen] == [(True, 0.8)]
    assert [(each.true, each.p) for each in found["clarity ≥ 2"].seen] == [(False, 0.3)]
    assert [(each.true, each.p) for each in found["topic=tax"].seen] == [(False, 0.1)]
    assert found["short"].is_check
    assert [(each.true, each.p) for each in found["short"].seen] == [(False, 0.0)]
    clarity, topic = graded_of(cases, answers, CHECKS)
    assert (clarity.pairs, clarity.ordered, topic.pairs) == ((("1", "1"),), True, (("loans", "loans"),))


def test_a_missing_answer_is_no_answer_whatever_its_truth():
    cases = [Case(str(n), {"tone": n % 2 == 0}, text=str(n)) for n in range(40)]
    answered = {str(n): {"tone": Probability(0.9 if n % 2 == 0 else 0.1)} for n in range(30)}
    (found,) = targets_of(cases, answered, CHECKS)
    made = calibrate(found, Cut(), seed=1)
    assert (made.n, made.accuracy.value, found.missing) == (30, 1.0, {"no answer": 10})


def test_a_judge_whose_probabilities_are_true_is_as_good_as_chance_lets_it_be():
    found = calibrate(target(seen(1000)), Cut(), seed=1)
    assert found.ece.value < found.by_chance[1]
    assert 0.5 < found.youden.value < 0.6  # at 0.5 it is right in three of four cases
    assert found.prevalence.value in found.prevalence.interval
    assert found.brier.value == pytest.approx(1 / 6, abs=0.02)
    assert found.brier.value in found.brier.interval
    assert sum(b.n for b in found.bins) == 1000
    assert len(found.bins) == 10


def test_one_that_exaggerates_is_found_out():
    found = calibrate(target(seen(1000, bend=3)), Cut(), seed=1)
    assert found.ece.value > 3 * found.by_chance[1]
    assert found.ece.value in found.ece.interval
    assert all(b.observed < b.predicted for b in found.bins[2:-1])


@pytest.mark.parametrize(
    ("positives", "negatives", "measured"),
    [
        (0, 0, set()),
        (9, 9, {"accuracy"}),
        (10, 9, {"accuracy", "sensitivity"}),
        (3, 200, {"accuracy", "specificity"}),
        (10, 10, {"accuracy", "sensitivity", "specificity", "youden"}),
        (15, 15, {"accuracy", "sensitivity", "specificity", "youden", "brier", "ece"}),
        (20, 20, {"accuracy", "sensitivity", "specificity", "youden", "brier", "ece", "proposal"}),
    ],
)
def test_with_too_few_cases_of_a_side_there_is_no_number_of_that_side(positives, negatives, measured):
    chance = random.Random(3)
    rows = [Seen(f"p{n}", True, chance.uniform(0.4, 1)) for n in range(positives)]
    rows += [Seen(f"n{n}", False, chance.uniform(0, 0.6)) for n in range(negatives)]
    found = calibrate(target(rows), Cut(), seed=1, unlabelled=(30, 100))
    names = ("accuracy", "sensitivity", "specificity", "youden", "brier", "ece", "proposal")
    assert {name for name in names if not isinstance(getattr(found, name), NotMeasured)} == measured
    assert isinstance(found.corrected, Estimate) == ("youden" in measured)
    for name in set(names) - measured:
        assert "it takes" in getattr(found, name).reason
    assert bool(found.bins) == ("ece" in measured)
    json.dumps(calibrated_json(found), allow_nan=False)


def test_a_check_has_no_probability_and_a_level_no_threshold():
    rows = [Seen(str(n), n % 2 == 0, float(n % 2 == 0)) for n in range(60)]
    check = calibrate(target(rows, is_check=True), Cut(), seed=1)
    assert check.youden.value == 1
    assert "no probability" in check.ece.reason
    assert "no threshold" in check.proposal.reason
    assert isinstance(calibrate(target(rows, is_level=True), Cut(), seed=1).proposal, NotMeasured)


@pytest.mark.parametrize(("above", "counts"), [(False, Confusion(tp=1)), (True, Confusion(fn=1))])
def test_a_probability_on_the_threshold_is_on_the_side_of_the_rule(above, counts):
    assert at([Seen("a", True, 0.5)], 0.5, above=above) == counts


def test_a_threshold_is_proposed_on_one_half_and_checked_on_the_other():
    chance = random.Random(4)
    rows = [Seen(f"p{n}", True, round(chance.uniform(0.62, 1), 3)) for n in range(60)]
    rows += [Seen(f"n{n}", False, round(chance.uniform(0, 0.58), 3)) for n in range(60)]
    found = propose(rows, 0.9, seed=7)
    assert 0.58 <= found.cut <= 0.64
    assert (found.found.fn, found.found.fp) == (0, 0)
    assert found.found.positives == found.checked.positives == found.found.negatives == 30
    assert found.checked.positives == found.now.positives
    assert found.now.fn > found.checked.fn
    assert propose(list(reversed(rows)), 0.9, seed=7) == found
    assert propose(rows, 0.9, seed=8).seed == 8


def test_the_two_halves_share_no_case_and_hold_every_case():
    rows = seen(300)
    found = propose(rows, 0.5, seed=1)
    for name in ("positives", "negatives"):
        assert getattr(found.found, name) + getattr(found.checked, name) == getattr(at(rows, 0.5), name)


def test_what_was_chosen_on_noise_is_found_out_on_the_other_half():
    chance = random.Random(9)
    gains = []
    for seed in range(60):
        rows = [Seen(str(n), n % 2 == 0, round(chance.random(), 3)) for n in range(4 * LEAST_A_HALF)]
        found = propose(rows, 0.5, seed=seed)
        j = [c.tp / c.positives - c.fp / c.negatives for c in (found.found, found.checked)]
        gains.append(j)
    assert sum(one for one, _ in gains) / 60 > 0.2
    assert abs(sum(other for _, other in gains) / 60) < 0.1


def test_a_judge_that_says_one_thing_has_no_threshold():
    rows = [Seen(str(n), n % 2 == 0, 0.5) for n in range(80)]
    assert "same probability" in propose(rows, 0.5, seed=1).reason


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=40, max_size=120))
def test_a_proposed_threshold_lies_between_two_probabilities_or_there_is_none(pairs):
    rows = [Seen(str(n), true, p) for n, (true, p) in enumerate(pairs)]
    found = propose(rows, 0.5, seed=1)
    if not isinstance(found, NotMeasured):
        assert min(p for _, p in pairs) < found.cut <= max(p for _, p in pairs)


def test_the_whole_of_a_score_is_graded_with_near_misses_near():
    cases = [Case(str(n), {"clarity": n % 3}, text=str(n)) for n in range(60)]
    near = {
        "0": {"0": 0.2, "1": 0.6, "2": 0.2},
        "1": {"0": 0.1, "1": 0.8, "2": 0.1},
        "2": {"0": 0.1, "1": 0.2, "2": 0.7},
    }
    answers = {str(n): {"clarity": Distribution(near[str(n % 3)])} for n in range(60)}
    (graded,) = graded_of(cases, answers, CHECKS)
    right, kappa = agreement(graded)
    assert right.value == pytest.approx(2 / 3)
    assert kappa.value > 0.65  # 0.5 without weights
    assert graded_json(graded)["weights"] == "quadratic"
    assert isinstance(agreement(replace(graded, pairs=graded.pairs[:29]))[0], NotMeasured)


def test_the_diagram_is_xml_that_says_what_it_shows():
    hostile = replace(target(seen(200)), name='<script>&"\x00\x1b[31m\u202e\ufffe ' + "x" * 200)
    few = target(seen(5))
    svg = reliability_svg([calibrate(each, Cut(), seed=1) for each in (hostile, few)])
    root = ET.fromstring(svg)
    assert "script" not in {each.tag.rpartition("}")[2] for each in root.iter()}
    told = "".join(root.itertext())
    assert "10 bins of 20 cases" in told
    assert "too few cases: 5 cases" in " ".join(told.split())
    assert svg.count("<circle") == 10
    assert "prefers-color-scheme:dark" in svg
    assert root.find("{*}desc").text.startswith("<script>")


def test_without_a_question_there_is_a_diagram_that_says_so():
    assert "no question with a probability" in reliability_svg([])


def test_a_diagram_is_written_as_svg_and_as_png(tmp_path):
    svg = reliability_svg([calibrate(target(seen(100)), Cut(), seed=1)])
    write_picture(tmp_path / "deep" / "out.svg", svg)
    assert (tmp_path / "deep" / "out.svg").read_text(encoding="utf-8") == svg
    pytest.importorskip("resvg_py", reason="the extra plots is not installed")
    write_picture(tmp_path / "out.PNG", svg)
    data = (tmp_path / "out.PNG").read_bytes()
    assert data.startswith(b"\x89PNG\r\n")
    assert len(data) > 5000
    assert list(tmp_path.glob("*.tmp")) == []


def test_a_picture_that_cannot_be_made_is_refused_before_anything_is_judged(tmp_path, monkeypatch):
    with pytest.raises(ConfigError, match=r"an \.svg or a \.png"):
        check_picture(tmp_path / "out.gif")
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"senno\[plots\]"):
        check_picture(tmp_path / "out.png")


def predictions(path, *rows):
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_predictions_are_read_as_answers_of_a_model_are(tmp_path):
    path = predictions(
        tmp_path / "p.jsonl",
        {"id": "a", "answers": {"tone": 0.7, "clarity": {"0": 0.1, "1": 0.2, "2": 0.7}, "topic": None}, "model": "m"},
        {"id": "b", "answers": {"topic": {"tax": 1, "loans": 0}}},
    )
    found = load_predictions(path, CHECKS)
    assert found["a"]["tone"] == Probability(0.7)
    assert isinstance(found["a"]["topic"], Unanswered)
    assert found["b"]["topic"] == Distribution({"tax": 1.0, "loans": 0.0})


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"id": "a", "answers": {"tone": 1.78}}, "no probability in [0, 1]"),
        ({"id": "a", "answers": {"tone": True}}, "a number from 0 to 1"),
        ({"id": "a", "answers": {"tone": {"yes": 1}}}, "a number from 0 to 1"),
        ({"id": "a", "answers": {"clarity": 1.3}}, "a mapping of option"),
        ({"id": "a", "answers": {"topic": {"tax": 1}}}, "loans"),
        ({"id": "a", "answers": {"topic": {"tax": 0.9, "loans": 0.9}}}, "answers.topic"),
        ({"id": "a", "answers": {"topic": {"tax": "x", "loans": 1}}}, "answers.topic.tax"),
        ({"id": "a", "answers": {"tune": 0.5}}, "did you mean 'tone'"),
        ({"id": "a", "answers": [0.5]}, "a mapping of question to answer"),
        ({"id": "a"}, "answers: found nothing"),
        ({"id": "first", "answers": {"tone": 0.5}}, "stands twice"),
        ('{"id": "a", "answers": {"tone": NaN}}', "finite"),
    ],
)
def test_what_is_no_answer_to_the_question_is_refused_with_its_place(tmp_path, row, told):
    path = predictions(tmp_path / "p.jsonl", {"id": "first", "answers": {"tone": 0.1}}, row)
    with pytest.raises(FileFormatError, match=r"p\.jsonl:2") as refused:
        load_predictions(path, CHECKS)
    assert told in str(refused.value)
