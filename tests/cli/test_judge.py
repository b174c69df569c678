"""`senno judge`: a text, a file of checks and questions, a policy → a verdict and its exit code."""

import json

import pytest

from movie_answers import sure
from openai_server import says, status

POLICY = {
    "verdicts": [
        {"name": "DISCARD", "rules": [{"check": "promises", "op": "gte", "value": 0.5}], "exit_code": 7},
        {"name": "REWRITE", "rules": [{"check": "short", "op": "lt", "value": 0.5}]},
        {"name": "KEEP", "rules": []},
    ]
}
CHECKS = {
    "short": {"type": "length", "unit": "words", "max": 4},
    "promises": {"type": "noul", "instructions": "Does the text promise a return?"},
}
ONLY_CHECKS = {"short": CHECKS["short"]}
SHORT_OR_NOT = {"verdicts": POLICY["verdicts"][1:]}


@pytest.fixture(name="judge")
def _judge(senno, machine):
    def run(text, *options, checks=CHECKS, policy=POLICY, stdin=False):
        (machine / "checks.json").write_text(json.dumps(checks))
        (machine / "policy.json").write_text(json.dumps(policy))
        (machine / "text.txt").write_text(text)
        file = "-" if stdin else "text.txt"
        named = ("judge", "run", file, "--checks", "checks.json", "--policy", "policy.json")
        return senno(*named, *options, stdin=text.encode() if stdin else b"")

    return run


@pytest.mark.parametrize("stdin", [True, False])
@pytest.mark.parametrize(("text", "verdict", "code"), [("a b c", "KEEP", 0), ("a b c d e", "REWRITE", 1)])
def test_checks_need_no_model_and_the_code_is_the_verdicts(judge, text, verdict, code, stdin):
    ran = judge(text, "--json", checks=ONLY_CHECKS, policy=SHORT_OR_NOT, stdin=stdin)
    assert (ran.code, ran.json["verdict"], ran.json["exit_code"]) == (code, verdict, code)
    assert ran.json["checks"]["short"]["passed"] is (code == 0)
    assert (ran.json["model"], ran.json["cost"]) == (None, "0")


@pytest.mark.parametrize(
    ("yes", "text", "verdict", "code"),
    [(0.8, "a b c", "DISCARD", 7), (0.2, "a b c d e", "REWRITE", 1), (0.2, "a b c", "KEEP", 0)],
)
def test_a_question_is_answered_by_the_model(judge, server, yes, text, verdict, code):
    server.then(says("yes", logprobs=sure(yes), model="jury-1"))
    ran = judge(text, "--model", f"{server.url}#j", "--json")
    assert (ran.code, ran.json["verdict"]) == (code, verdict)
    assert ran.json["answers"]["promises"]["yes"] == pytest.approx(yes)
    assert (ran.json["model"], ran.json["method"], ran.json["cost"]) == ("jury-1", "logprobs", None)


def test_a_question_without_an_answer_is_an_error_and_no_verdict(judge, server):
    server.then(status(401))
    ran = judge("a", "--model", f"{server.url}#j", "--json")
    assert (ran.code, ran.json["verdict"], ran.json["state"]) == (4, "ERROR", "error")
    assert ran.json["answers"]["promises"]["unanswered"]


def test_a_question_without_a_model_leaves_it_undecided_unless_a_check_decides(judge):
    ran = judge("a", "--json")
    assert (ran.code, ran.json["state"]) == (3, "undecided")
    assert "no model was named" in ran.json["reasons"][0]


def test_the_author_may_not_judge_unless_that_is_said(judge, server):
    named = ("--model", f"{server.url}#j", "--author", f"{server.url}#j")
    ran = judge("a", *named)
    assert (ran.code, server.requests, "--allow-same-model" in ran.err) == (2, [], True)
    server.then(says("no", logprobs=sure(0.1)))
    assert judge("a", *named, "--allow-same-model").code == 0


def test_the_table_shows_what_was_found_where(judge):
    checks = {"clean": {"type": "forbidden_words", "words": ["guaranteed"]}}
    policy = {
        "verdicts": [{"name": "NO", "rules": [{"check": "clean", "op": "lt", "value": 1}]}, {"name": "OK", "rules": []}]
    }
    ran = judge("It is guaranteed.", checks=checks, policy=policy)
    assert ran.code == 1
    assert "6–16 'guaranteed'" in " ".join(ran.out.split())
    assert "NO: clean < 1 (it is 0)" in ran.out


def test_names_of_the_server_and_words_of_the_text_reach_the_terminal_without_escapes(judge, server):
    server.then(says("no", logprobs=sure(0.1), model="m\x1b[2J\u202e"))
    ran = judge("\x1b[31m a b c d e", "--model", f"{server.url}#j")
    assert ran.code == 1
    assert not {"\x1b", "\u202e"} & set(ran.out)


def test_standard_input_that_is_not_utf_8_is_refused_and_not_mended(senno, machine):
    (machine / "checks.json").write_text(json.dumps(ONLY_CHECKS))
    (machine / "policy.json").write_text(json.dumps(SHORT_OR_NOT))
    named = ("--checks", "checks.json", "--policy", "policy.json")
    ran = senno("judge", "run", "-", *named, stdin="perché".encode("latin-1"))
    assert (ran.code, "byte 5" in ran.err) == (2, True)
    (machine / "text.txt").write_bytes("perché".encode("latin-1"))
    ran = senno("judge", "run", "text.txt", *named)
    assert (ran.code, "byte 5" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("checks.json", '{"short": {"type": "lenght"}}', "checks.json: short"),
        ("checks.json", "{", "checks.json:1:2"),
        ("policy.json", '{"verdicts": []}', "policy.json: verdicts"),
        ("policy.json", '{"verdicts": [{"name": "A", "rules": [{"check": "shrt"}]}]}', "policy.json: verdicts.0"),
        ("policy.json", None, "policy.json"),
        ("text.txt", None, "text.txt"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_its_place(senno, machine, file, content, said):
    files = {"checks.json": json.dumps(ONLY_CHECKS), "policy.json": json.dumps(SHORT_OR_NOT), "text.txt": "a"}
    for name, text in {**files, file: content}.items():
        if text is not None:
            (machine / name).write_text(text)
    ran = senno("judge", "run", "text.txt", "--checks", "checks.json", "--policy", "policy.json")
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_judgement_by_a_model_is_in_the_ledger(judge, server, senno):
    server.then(says("no", logprobs=sure(0.1)))
    judge("a", "--model", f"{server.url}#j")
    (line,) = senno("runs", "export", "--jsonl", "-").out.splitlines()
    row = json.loads(line)
    assert (row["row"], row["role"], row["run_id"], row["outcome"]) == ("call", "judge", None, "ok")


def test_the_kinds_of_check_are_listed(senno):
    kinds = senno("judge", "checks", "--json").json["kinds"]
    assert {"length", "forbidden_words", "json_schema"} <= {k["name"] for k in kinds}
    assert "length" in senno("judge", "checks").out
