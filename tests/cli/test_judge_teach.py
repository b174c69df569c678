import json
from pathlib import Path

import pytest

from movie_answers import sure
from openai_server import says, status

QUESTION = {
    "type": "noul",
    "instructions": "Does the text promise a return?",
    "criteria": {"true": "A return is named as certain.", "false": "A return is named with its risks."},
}
POLICY = {
    "verdicts": [{"name": "STOP", "rules": [{"check": "q", "op": "gte", "value": 0.9}]}, {"name": "OK", "rules": []}]
}


@pytest.fixture(name="teach")
def _teach(senno, machine):
    (machine / "checks.json").write_text(json.dumps({"q": QUESTION}, indent=2))
    (machine / "case.txt").write_text("It will grow.")

    def run(*options, expect="true", case="case.txt", stdin=b""):
        named = ("judge", "teach", "checks.json", "--question", "q", "--case", case, "--expect", expect)
        return senno(*named, *options, stdin=stdin)

    return run


def _yes(*probabilities):
    return [says("yes", logprobs=sure(p), model="jury-1") for p in probabilities]


def test_without_a_model_both_files_are_written_and_it_says_that_nothing_was_judged(teach):
    ran = teach()
    assert ran.code == 0
    assert [line for line in ran.out.splitlines() if line.startswith(("+ ", "- "))] == [
        '-      "true": "A return is named as certain.",',
        '+      "true": "A return is named as certain.\\nExample, quoted: “It will grow.”",',
    ]
    assert "not judged again: no model was named" in ran.out
    assert "It will grow" in Path("checks.json").read_text()
    assert json.loads(Path("labelled.jsonl").read_text())["expect"] == {"q": True}


def _taught_answers(handler, request):
    """0.8 for the case itself once it is in the criteria, else 0.2, in whatever order the calls come."""
    asked = json.dumps(request.body)
    taught = "Example, quoted" in asked
    own = asked.count("It will grow") > taught
    (_yes(0.8) if taught and own else _yes(0.2))[0](handler, request)


def test_the_labelled_cases_are_judged_before_and_after(teach, server):
    Path("labelled.jsonl").write_text('{"id": "old", "text": "It may fall.", "expect": {"q": false}}\n')
    server.then(*[_taught_answers] * 4)
    ran = teach("--judge-model", f"{server.url}#m", "--json")
    told = ran.json
    assert (ran.code, told["written"]) == (0, True)
    assert {c["id"]: c["change"] for c in told["judged"]["cases"]} == {"old": "right", told["case"]["id"]: "fixed"}
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("before", "after", "code", "change"),
    [(0.2, 0.95, 0, "fixed"), (0.2, 0.8, 1, "wrong"), (0.95, 0.2, 1, "broken"), (0.95, 0.95, 0, "right")],
)
def test_the_exit_code_says_whether_the_case_is_right_now_by_the_threshold_of_the_policy(
    teach, server, before, after, code, change
):
    Path("policy.json").write_text(json.dumps(POLICY))
    server.then(*_yes(before, after))
    ran = teach("--model", f"{server.url}#m", "--policy", "policy.json", "--json")
    assert (ran.code, [c["change"] for c in ran.json["judged"]["cases"]]) == (code, [change])
    assert json.loads(Path("policy.json").read_text()) == POLICY


def test_a_case_that_was_not_answered_is_undecided_and_named(teach, server):
    server.then(*_yes(0.2), status(400, "no such model"))
    ran = teach("--model", f"{server.url}#m")
    assert ran.code == 3
    assert "unanswered 1" in ran.out
    assert "It will grow" in Path("checks.json").read_text()


def test_a_dry_run_judges_and_writes_nothing(teach, server):
    server.then(*_yes(0.2, 0.8))
    before = Path("checks.json").read_bytes()
    ran = teach("--model", f"{server.url}#m", "--dry-run")
    assert (ran.code, "nothing written" in ran.out, "fixed 1" in ran.out) == (0, True, True)
    assert (Path("checks.json").read_bytes(), Path("labelled.jsonl").exists()) == (before, False)


def test_a_case_on_standard_input_is_shown_without_its_control_characters(teach):
    ran = teach(case="-", stdin="\x1b[2Jgrow\u202e ”".encode())
    assert (ran.code, "\x1b" in ran.out, "\u202e" in ran.out) == (0, False, False)
    assert json.loads(Path("labelled.jsonl").read_text())["text"] == "\x1b[2Jgrow\u202e ”"


def test_the_same_case_twice_is_refused_with_the_place(teach):
    teach()
    again = teach()
    assert (again.code, "checks.json: q.criteria.true" in again.err, "labelled.jsonl:1" in again.err) == (2, True, True)


@pytest.mark.parametrize(
    ("options", "rest", "said"),
    [
        (["--question", "w"], {}, "there is no question"),
        ([], {"expect": "2"}, "expected true or false"),
        ([], {"case": "none.txt"}, "no such file"),
        (["--labelled", "checks.json"], {}, "checks.json:1"),
    ],
)
def test_bad_usage_writes_nothing(teach, options, rest, said):
    before = Path("checks.json").read_bytes()
    ran = teach(*options, **rest)
    assert (ran.code, said in ran.err) == (2, True)
    assert Path("checks.json").read_bytes() == before


def test_a_labelled_case_is_taught_by_its_id(teach, senno):
    Path("labelled.jsonl").write_text('{"id": "old", "text": "It may fall.", "expect": {"q": false}}\n')
    ran = senno("judge", "teach", "checks.json", "--question", "q", "--id", "old", "--json")
    assert (ran.code, ran.json["labelling"], ran.json["key"]) == (0, "mark", "q.criteria.false")


@pytest.mark.parametrize(
    "options", [[], ["--case", "case.txt"], ["--expect", "true"], ["--id", "old", "--expect", "true"]]
)
def test_half_a_case_is_refused(teach, senno, options):
    ran = senno("judge", "teach", "checks.json", "--question", "q", *options)
    assert (ran.code, "--id alone" in ran.err) == (2, True)


def test_a_shipped_question_of_the_gate_is_taught_with_its_policy(senno, server, machine):
    folder = Path(__file__).parents[2] / "src" / "senno" / "gate" / "shipped" / "en"
    for name in ("checks.json", "policy.json"):
        (machine / name).write_bytes((folder / name).read_bytes())
    (machine / "change.diff").write_text("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+print(total)\n")
    server.then(*_yes(0.2, 0.75))
    named = ("checks.json", "--policy", "policy.json", "--question", "debug_leftovers", "--case", "change.diff")
    ran = senno("judge", "teach", *named, "--expect", "true", "--model", f"{server.url}#m", "--json")
    assert (ran.code, ran.json["judged"]["fixed"], ran.json["judged"]["cut"]) == (0, 1, "yes ≥ 0.7")
    assert ran.json["line"] == "Example, quoted: “print(total)”"
    assert (machine / "policy.json").read_bytes() == (folder / "policy.json").read_bytes()
