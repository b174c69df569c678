import json
from pathlib import Path

import pytest

CRITERIA = {"true": "A return is named as certain.", "false": "A return is named with its risks."}
GOOD = {"type": "noul", "instructions": "Does the text promise a return?", "criteria": CRITERIA}
ERROR = {**GOOD, "instructions": "Is the return certain? Is it high?"}
WARNING = {"type": "noul", "instructions": "Does the text promise a return?"}
POLICY = {
    "verdicts": [{"name": "STOP", "rules": [{"check": "q", "op": "gte", "value": 0.7}]}, {"name": "OK", "rules": []}]
}


def _file(name, data):
    Path(name).write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return name


@pytest.mark.parametrize(
    ("question", "strict", "code"),
    [
        (GOOD, False, 0),
        (GOOD, True, 0),
        (WARNING, False, 0),
        (WARNING, True, 1),
        (ERROR, False, 1),
        ({"type": "noul"}, False, 2),
    ],
)
def test_the_exit_code_says_what_was_found(senno, question, strict, code):
    ran = senno("judge", "lint", _file("checks.json", {"q": question}), *(["--strict"] if strict else []))
    assert ran.code == code


def test_a_finding_is_shown_with_place_words_reason_and_alternative(senno):
    ran = senno("judge", "lint", _file("checks.json", {"q": ERROR}))
    assert "error SJ001 two-questions: checks.json: q.instructions" in ran.out
    assert "“Is it high?”" in ran.out
    assert "Instead: A question for each" in ran.out
    assert ran.out.splitlines()[-1] == "1 errors, 0 warnings, 0 notes"


def test_json_is_one_object_with_every_finding(senno):
    told = senno("judge", "lint", _file("checks.json", {"q": ERROR}), "--json").json
    assert (told["errors"], told["warnings"], told["suppressed"]) == (1, 0, 0)
    assert {k: told["findings"][0][k] for k in ("id", "severity", "question", "key", "words")} == {
        "id": "SJ001", "severity": "error", "question": "q", "key": "instructions", "words": "Is it high?",
    }  # fmt: skip


def test_hostile_text_of_a_file_does_not_reach_the_terminal(senno):
    question = {**GOOD, "instructions": "Is it certain?\x1b[2J Is it \u202ehigh?"}
    ran = senno("judge", "lint", _file("checks.json", {"q\x1b[1m": question}))
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert "SJ001" in ran.out


def test_a_policy_is_held_against_the_questions(senno):
    dead = {
        "verdicts": [
            *POLICY["verdicts"][:1],
            {"name": "LATER", "rules": [{"check": "q", "op": "gte", "value": 0.9}]},
            {"name": "OK", "rules": []},
        ]
    }
    ran = senno("judge", "lint", _file("checks.json", {"q": GOOD}), "--policy", _file("policy.json", dead))
    assert (ran.code, "SJ101 unreachable-verdict: policy.json: verdicts.1" in ran.out) == (1, True)


def test_a_place_is_named_as_the_file_names_it(senno):
    lanes = {
        "lanes": [{**POLICY["verdicts"][0], "rules": [{"check": "q", "op": "gte", "value": 0}]}, POLICY["verdicts"][1]]
    }
    ran = senno("judge", "lint", _file("checks.json", {"q": GOOD}), "--policy", _file("policy.json", lanes))
    assert "extreme-threshold: policy.json: lanes.0.rules.0" in ran.out


def test_a_name_that_a_caller_provides_is_allowed_when_it_is_given(senno):
    asked = {
        "verdicts": [
            {
                "name": "STOP",
                "exit_code": 3,
                "rules": [{"check": "MINE", "op": "gte", "value": 1}, {"check": "q", "op": "gte", "value": 0.7}],
            },
            {"name": "OK", "rules": []},
        ]
    }
    checks, policy = _file("checks.json", {"q": GOOD}), _file("policy.json", asked)
    assert senno("judge", "lint", checks, "--policy", policy).code == 2
    assert senno("judge", "lint", checks, "--policy", policy, "--reading", "MINE").code == 0


@pytest.mark.parametrize("language", ["en", "it"])
def test_the_review_files_are_clean_with_their_policy(senno, language):
    folder = Path(__file__).parents[2] / "src" / "senno" / "gate" / "shipped" / language
    ran = senno("judge", "lint", folder / "checks.json", "--policy", folder / "policy.json", "--strict", "--json")
    assert (ran.code, ran.json["findings"]) == (0, [])


def test_a_request_is_linted_and_has_no_policy(senno):
    request = _file(
        "request.json",
        {"state": {"mail": "x"}, "questions": {"q": {**GOOD, "instructions": "Does `body` promise a return?"}}},
    )
    ran = senno("judge", "lint", request, "--json")
    assert [f["id"] for f in ran.json["findings"]] == ["SJ015", "SJ023"]
    refused = senno("judge", "lint", request, "--policy", _file("policy.json", POLICY))
    assert (refused.code, "needs a file of checks" in refused.err) == (2, True)


def test_a_state_says_which_fields_there_are(senno):
    checks = _file("checks.json", {"q": {**GOOD, "instructions": "Does `body` promise a return?"}})
    assert senno("judge", "lint", checks).code == 1
    assert senno("judge", "lint", checks, "--state", _file("state.json", {"body": "x"})).code == 0


def _moved(senno, *rest):
    new = json.loads(json.dumps(POLICY))
    new["verdicts"][0]["rules"][0]["value"] = 0.75
    case = {"id": "c1", "text": "x", "expect": {"q": False}}
    policies = ("--policy", _file("new.json", new), "--was", _file("old.json", POLICY))
    cases = ("--labelled", _file("cases.jsonl", json.dumps(case)))
    return senno("judge", "lint", _file("checks.json", {"q": GOOD}), *policies, *cases, "--json", *rest)


def test_a_threshold_moved_just_past_a_labelled_case_is_told(senno):
    told = _moved(senno, "--predictions", _file("p.jsonl", '{"id": "c1", "answers": {"q": 0.72}}'))
    (found,) = [f for f in told.json["findings"] if f["id"] == "SJ111"]
    assert "it was q ≥ 0.7; case c1 (cases.jsonl:1) has 0.72, is labelled false, and no longer fires" in found["detail"]
    elsewhere = _moved(senno, "--predictions", _file("p.jsonl", '{"id": "c1", "answers": {"q": 0.9}}'))
    assert [f for f in elsewhere.json["findings"] if f["id"] == "SJ111"] == []


def test_without_predictions_it_says_that_it_does_not_know(senno):
    assert ["q ≥ 0.7 → q ≥ 0.75" in note and "not known" in note for note in _moved(senno).json["notes"]] == [True]


def test_cases_without_a_prediction_are_counted(senno):
    told = _moved(senno, "--predictions", _file("p.jsonl", '{"id": "other", "answers": {"q": 0.72}}')).json
    assert told["notes"] == ["1 of 1 labelled cases have no prediction: not held against"]


def test_predictions_that_are_none_are_refused(senno):
    ran = _moved(senno, "--predictions", _file("p.jsonl", '{"id": "c1", "answers": {"q": 1.72}}'))
    assert (ran.code, "p.jsonl:1: answers.q" in ran.err) == (2, True)


@pytest.mark.parametrize(
    "arguments",
    [[], ["c.json", "--was", "o.json"], ["c.json", "--labelled", "l"], ["c.json", "--predictions", "p"], ["none.json"]],
)
def test_half_a_command_is_refused(senno, arguments):
    assert senno("judge", "lint", *arguments).code == 2


def test_the_rules_are_listed(senno):
    rules = senno("judge", "lint", "--rules", "--json").json["rules"]
    assert {"SJ001", "SJ101"} < {rule["id"] for rule in rules}
    assert "two-questions" in senno("judge", "lint", "--rules").out
