"""`senno judge run` with decision models: over the wire, recorded, replayed, and not asked twice."""

import json

import pytest

from openai_server import answers, status

CHECKS = {
    "short": {"type": "length", "unit": "words", "max": 40},
    "promises": {
        "type": "noul",
        "instructions": "Does the text promise a return?",
        "criteria": {"true": "It names a gain as certain."},
        "critical": True,
        "label": "a note of ours",
    },
    "topic": {"type": "choice", "instructions": "What is it about?", "criteria": {"tax": None, "loans": "any loan"}},
}
POLICY = {
    "verdicts": [
        {"name": "DISCARD", "rules": [{"check": "promises", "op": "gte", "value": 0.5}]},
        {"name": "TAX", "rules": [{"check": "topic", "option": "tax", "op": "gte", "value": 0.5}], "exit_code": 0},
        {"name": "KEEP", "rules": []},
    ]
}


def response(yes=0.2, tax=0.1, model="jev-1.13.0"):
    shares = {"tax": tax, "loans": 1 - tax}
    given = {
        "promises": {"type": "noul", "noul": yes},
        "topic": {"type": "choice", "choice": max(shares, key=shares.get), "probabilities": shares},
    }
    return answers({"model": model, "answers": given, "usage": {"input_tokens": 90, "output_tokens": 3}})


@pytest.fixture(name="judge")
def _judge(senno, machine):
    def run(*options, text="a b c", policy=POLICY, checks=CHECKS):
        (machine / "checks.json").write_text(json.dumps(checks))
        (machine / "policy.json").write_text(json.dumps(policy))
        (machine / "text.txt").write_text(text)
        return senno("judge", "run", "text.txt", "--checks", "checks.json", "--policy", "policy.json", *options)

    return run


@pytest.fixture(name="jev")
def _jev(server):
    return f"systemone:{server.url}#jev-1.13.0"


@pytest.mark.parametrize(
    ("yes", "tax", "verdict", "code"), [(0.8, 0.1, "DISCARD", 1), (0.2, 0.9, "TAX", 0), (0.2, 0.1, "KEEP", 0)]
)
def test_the_answers_of_a_decision_model_decide(judge, server, jev, yes, tax, verdict, code):
    server.then(response(yes, tax))
    ran = judge("--model", jev, "--json")
    assert (ran.code, ran.json["verdict"]) == (code, verdict)
    assert ran.json["answers"]["promises"] == {"yes": yes}
    assert (ran.json["model"], ran.json["method"], ran.json["tokens_in"]) == ("jev-1.13.0", "systemone", 90)
    (request,) = server.requests
    assert list(request.body["questions"]) == ["promises", "topic"]
    assert set(request.body["questions"]["promises"]) == {"type", "instructions", "criteria"}


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (response(model="jev-1.14.0"), "jev-1.14.0 answered, and jev-1.13.0 was asked"),
        (response(yes=1.78), "1.78 is no probability"),
        (status(401, "no such key"), "check SENNO_API_KEY"),
    ],
)
def test_what_is_no_answer_is_an_error_and_no_verdict(judge, server, jev, behaviour, said):
    server.then(behaviour)
    ran = judge("--model", jev, "--json")
    assert (ran.code, ran.json["verdict"], ran.json["state"]) == (4, "ERROR", "error")
    assert said in ran.json["reasons"][0]


def test_a_lane_for_errors_is_given_where_nothing_was_decided(judge, server, jev):
    server.then(status(401))
    ran = judge("--model", jev, "--json", policy={**POLICY, "on_error": "DISCARD"})
    assert (ran.code, ran.json["verdict"], ran.json["state"]) == (1, "DISCARD", "error")


def test_a_key_that_is_missing_is_a_question_of_configuration(judge, monkeypatch):
    monkeypatch.delenv("TYPESAFE_API_KEY", raising=False)
    ran = judge("--model", "typesafe:jev-1.13.0")
    assert (ran.code, ran.out) == (2, "")
    assert "TYPESAFE_API_KEY" in ran.err


def test_a_name_without_a_version_is_told(judge, server):
    server.then(response())
    ran = judge("--model", f"systemone:{server.url}#jev-latest")
    assert ran.code == 0
    assert "jev-latest is no pinned version" in ran.out


def test_the_same_text_is_not_asked_twice_unless_that_is_wanted(judge, server, jev):
    server.then(response())
    first, second = judge("--model", jev, "--json").json, judge("--model", jev, "--json").json
    assert len(server.requests) == 1
    assert (second["verdict"], second["answers"]) == (first["verdict"], first["answers"])
    assert (second["tokens_in"], second["cost"]) == (0, "0")
    assert "not asked again" in second["notes"][0]
    server.then(response(0.9))
    assert judge("--model", jev, "--no-cache", "--json").json["verdict"] == "DISCARD"
    assert len(server.requests) == 2


def test_an_alias_is_asked_every_time(judge, server):
    server.then(response(), response(0.9))
    alias = f"systemone:{server.url}#jev-latest"
    assert [judge("--model", alias, "--json").json["verdict"] for _ in range(2)] == ["KEEP", "DISCARD"]


def test_what_is_recorded_is_replayed_without_a_key_a_model_or_a_network(judge, server, jev, machine):
    server.then(response(0.8))
    recorded = judge("--model", jev, "--record", "answers.jevl", "--json")
    replayed = judge("--replay", "answers.jevl", "--json")
    assert (replayed.code, replayed.json["verdict"]) == (recorded.code, recorded.json["verdict"]) == (1, "DISCARD")
    assert replayed.json["answers"] == recorded.json["answers"]
    assert (replayed.json["method"], replayed.json["cost"]) == ("replay:systemone", "0")
    assert len(server.requests) == 1
    (line,) = (machine / "answers.jevl").read_text().splitlines()
    assert json.loads(line)["v"] == 1


def test_a_text_that_is_not_recorded_is_an_error_that_says_how_to_record_it(judge, server, jev):
    server.then(response())
    judge("--model", jev, "--record", "answers.jevl")
    ran = judge("--replay", "answers.jevl", "--json", text="another")
    assert (ran.code, ran.out) == (4, "")
    assert "'promises', 'topic'" in ran.err
    assert "--record answers.jevl" in ran.err


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "no such file"), ("", "no records"), ("no\n", "answers.jevl:1"), ('{"v": 2}\n', "upgrade senno")],
)
def test_a_file_that_cannot_be_replayed_is_told(judge, machine, content, said):
    if content is not None:
        (machine / "answers.jevl").write_text(content)
    ran = judge("--replay", "answers.jevl")
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_recording_and_replaying_at_once_means_nothing(judge):
    ran = judge("--record", "a.jevl", "--replay", "a.jevl")
    assert (ran.code, ran.out) == (2, "")


def test_there_is_nothing_to_record_without_a_model(judge):
    ran = judge("--record", "a.jevl")
    assert (ran.code, ran.out) == (2, "")
    assert "--judge-model" in ran.err


def test_a_file_of_checks_alone_replays_nothing_and_needs_no_file(judge):
    ran = judge(
        "--replay", "none.jevl", checks={"short": CHECKS["short"]}, policy={"verdicts": [POLICY["verdicts"][2]]}
    )
    assert ran.code == 0


@pytest.mark.parametrize("options", [("--model", "{jev}"), ("--replay", "answers.jevl")])
def test_the_model_that_wrote_may_not_judge_by_either_way(judge, server, jev, options):
    server.then(response())
    judge("--model", jev, "--record", "answers.jevl")
    ran = judge(*(each.format(jev=jev) for each in options), "--author", f"{server.url}#jev-1.13.0")
    assert (ran.code, ran.out) == (2, "")
    assert "--allow-same-model" in ran.err
