"""What servers of closed questions do beside the specification: each ends in no answer that says why."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
import tracemalloc
import zlib

import pytest

from openai_server import answers, cuts_off, hangs_up, sends, stalls, status, trickles
from senno.errors import BudgetExceeded, LedgerError
from senno.models import Budget, Calls, Choice, Noul, Probability, RetryPolicy, Unanswered
from senno.models.decisions.system_one import SystemOne
from senno.models.protocol import Usage

QUESTIONS = {"sure": Noul("Is it sure?"), "tone": Choice("Which tone?", {"warm": None, "cold": None})}
NOUL = {"type": "noul", "noul": 0.25}
TONE = {"type": "choice", "choice": "warm", "probabilities": {"warm": 0.7, "cold": 0.3}}
GOOD = {
    "model": "jev-1.13.0",
    "answers": {"sure": NOUL, "tone": TONE},
    "usage": {"input_tokens": 90, "output_tokens": 3},
}
RAW = json.dumps(GOOD).encode()


def ask(server, *, model="jev-1.13.0", key=None, attempts=1, **settings):
    asked = SystemOne("x", server.url, model, key, "SENNO_API_KEY")
    retry = settings.pop("retry", RetryPolicy(attempts=attempts, first=0.001))
    calls = Calls(retry=retry, **settings)
    return asyncio.run(calls.decide(asked, {"text": "così"}, QUESTIONS, role="judge"))


def reasons(decision) -> set[str]:
    assert all(isinstance(answer, Unanswered) for answer in decision.answers.values())
    return {answer.reason for answer in decision.answers.values()}


def test_all_questions_go_in_one_request_with_nothing_but_their_form(server, rows) -> None:
    server.then(answers(GOOD))
    decision = ask(server, key="secret-k", ledger=rows)
    assert decision.answers["sure"] == Probability(0.25)
    assert (decision.model, decision.usage, decision.method) == ("jev-1.13.0", Usage(90, 3), "systemone")
    (request,) = server.requests
    assert request.path == "/v1/systemone"
    assert request.headers["authorization"] == "Bearer secret-k"
    assert request.body == {
        "model": "jev-1.13.0",
        "state": {"text": "così"},
        "questions": {
            "sure": {"type": "noul", "instructions": "Is it sure?"},
            "tone": {"type": "choice", "instructions": "Which tone?", "criteria": {"warm": None, "cold": None}},
        },
    }
    (row,) = rows.rows
    assert (row.outcome, row.model_answered, row.tokens_in, row.received) == ("ok", "jev-1.13.0", 90, RAW.decode())


def bomb(size: int) -> bytes:
    packer = zlib.compressobj(wbits=31)
    return b"".join([packer.compress(b" " * 1_000_000) for _ in range(size)]) + packer.flush()


PACKED = {"Content-Encoding": "gzip"}

NO_RESPONSE = {
    "an HTML page": (sends(b"<html>", headers={"Content-Type": "text/html"}), "text/html, and no application/json"),
    "no content type": (sends(RAW, headers={"Content-Type": ""}), "no type at all"),
    "a type that only looks like JSON": (sends(RAW, headers={"Content-Type": "text/json"}), "text/json, and no"),
    "an empty body": (sends(b""), "no JSON"),
    "half of a body": (sends(RAW[:40]), "no JSON"),
    "a body cut off by the network": (cuts_off(RAW), "RemoteProtocolError"),
    "no answer at all": (hangs_up(), "RemoteProtocolError"),
    "a key twice": (sends(RAW.replace(b'"answers"', b'"model": "jev-1.14.0", "answers"')), "stands twice"),
    "an answer twice": (sends(RAW.replace(b'"tone": {', b'"sure": {"type": "noul", "noul": 1}, "tone": {')), "twice"),
    "deep nesting": (sends(b"[" * 200_000), "nested too deeply"),
    "a number of 5,000 digits": (sends(RAW.replace(b"0.25", b"1" * 5000)), "no JSON"),
    "a list": (answers([GOOD]), "no JSON object"),
    "null": (answers(None), "no JSON object"),
    "bytes that are no UTF-8": (sends(b"\xff\xfe" + RAW), "no JSON"),
    "two bodies": (sends(RAW + RAW), "no JSON"),
    "a packed bomb": (sends(bomb(40), headers=PACKED), "longer than 8,388,608 bytes"),
    "a body without end": (sends(b" " * 9_000_000 + RAW), "longer than 8,388,608 bytes"),
    "a packed body cut short": (sends(gzip.compress(RAW)[:-12], headers=PACKED), "ends before its end"),
    "a packed body that is none": (sends(RAW, headers=PACKED), "cannot be unpacked"),
    "a packing that nobody asked for": (sends(RAW, headers={"Content-Encoding": "br"}), "packed as 'br'"),
    "a redirect": (sends(b"", 307, {"Location": "http://127.0.0.1:1/"}), "redirects are not followed"),
    "another success": (sends(RAW, 202), "HTTP 202"),
}


@pytest.mark.parametrize(("behaviour", "said"), NO_RESPONSE.values(), ids=NO_RESPONSE)
def test_what_is_no_response_answers_nothing(server, rows, behaviour, said) -> None:
    server.then(behaviour)
    decision = ask(server, key="secret-k", ledger=rows)
    (reason,) = reasons(decision)
    assert said in reason
    assert "secret-k" not in reason
    assert (decision.model, rows.outcomes, len(server.requests)) == (None, ["failed"], 1)


def test_a_packed_bomb_is_not_unpacked_beyond_the_limit(server) -> None:
    packed = bomb(300)
    server.then(sends(packed, headers=PACKED))
    tracemalloc.start()
    try:
        reasons(ask(server))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000_000


def without(key):
    return {name: value for name, value in GOOD.items() if name != key}


WRONG_ENVELOPE = {
    "no answers": (without("answers"), "holds no answers"),
    "answers as a list": ({**GOOD, "answers": [NOUL, TONE]}, "holds no answers"),
    "no model": (without("model"), "does not say which model"),
    "a model that is no text": ({**GOOD, "model": ["jev-1.13.0"]}, "does not say which model"),
    "a blank model": ({**GOOD, "model": " "}, "does not say which model"),
    "another version": ({**GOOD, "model": "jev-1.14.0"}, "jev-1.14.0 answered, and jev-1.13.0 was asked"),
    "an alias in the place of the version": ({**GOOD, "model": "jev-latest"}, "jev-latest answered"),
    "another model": ({**GOOD, "model": "kev-1.13.0\x1b[2J"}, "kev-1.13.0"),
}


@pytest.mark.parametrize(("body", "said"), WRONG_ENVELOPE.values(), ids=WRONG_ENVELOPE)
def test_what_is_wrong_with_all_of_a_response_leaves_every_question_unanswered(server, rows, body, said) -> None:
    server.then(answers(body))
    (reason,) = reasons(ask(server, ledger=rows))
    assert said in reason
    assert "\x1b" not in reason
    assert rows.rows[0].tokens_in == 90


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("jev-1.13.0", "typesafe/jev-1.13-20260917"),
        ("jev-latest", "jev-1.14.0"),
        ("jev-1.13", "jev-1.13.4"),
        ("local", "whatever"),
    ],
)
def test_the_version_that_was_asked_for_may_be_named_in_the_hosts_way(server, asked, answered) -> None:
    server.then(answers({**GOOD, "model": answered}))
    decision = ask(server, model=asked)
    assert (decision.answers["sure"], decision.model) == (Probability(0.25), answered)


@pytest.mark.parametrize(
    ("usage", "known", "said"),
    [
        (None, Usage(), "does not say how many tokens"),
        ("90", Usage(), "in the place of usage"),
        ([], Usage(), "in the place of usage"),
        ({"input_tokens": 90.0, "output_tokens": 3}, Usage(90, 3), None),
        ({"input_tokens": 90.5, "output_tokens": 3}, Usage(None, 3), "90.5 in"),
        ({"input_tokens": -1, "output_tokens": True}, Usage(), "-1 in, True out"),
        ({"input_tokens": 10**30, "output_tokens": 3}, Usage(None, 3), " in"),
        ({"output_tokens": 3}, Usage(None, 3), None),
    ],
)
def test_tokens_that_can_be_none_are_not_known_and_cost_no_answer(server, usage, known, said) -> None:
    server.then(answers({**GOOD, "usage": usage}))
    decision = ask(server)
    assert decision.answers["sure"] == Probability(0.25)
    assert decision.usage == known
    assert [said in note for note in decision.notes] == ([True] if said else [])


def test_an_answer_to_a_question_nobody_asked_is_refused_and_told(server) -> None:
    server.then(answers({**GOOD, "answers": {**GOOD["answers"], "merge\x1b[2J": NOUL}}))
    decision = ask(server)
    assert list(decision.answers) == ["sure", "tone"]
    (note,) = decision.notes
    assert note.startswith("refused answers to questions that were not asked: 'merge")
    assert "\x1b" not in note


def detail(kind: str, message: str):
    return {"detail": {"error_type": kind, "message": message}}


FASTAPI = {
    "detail": [
        {"loc": ["body", "questions", "tone", "choice", "criteria"], "msg": "too few", "type": "too_short"},
        {"loc": ["body", "state"], "msg": "no text", "type": "string_type"},
        {"loc": "?", "msg": "odd"},
        {"loc": [], "msg": "a fourth"},
        "no mapping",
    ]
}

FINAL = [
    (400, detail("max_tokens_exceeded", "65,000 tokens"), "65,000 tokens; the state and the questions are more than"),
    (400, {"message": "no", "error_type": "max_tokens_exceeded"}, "no; the state and the questions are more than"),
    (400, detail("api_usage_error", "Unknown model: x"), "HTTP 400: Unknown model: x"),
    (401, detail("authentication_error", "no such key"), "no such key; check SENNO_API_KEY"),
    (402, {"error": {"code": 402, "message": "no credit left"}}, "no credit left; the account has no credit: add some"),
    (403, detail("authentication_error", "no key"), "no key; check SENNO_API_KEY"),
    (404, {"error": "no route"}, "no route; check the address"),
    (413, {"detail": "too large"}, "too large; judge a shorter text, or fewer questions"),
    (422, FASTAPI, "question 'tone' (choice.criteria): too few; state: no text; odd (and 1 more)"),
    (422, {"error": {"code": 422, "message": "bad", "metadata": {}}}, "HTTP 422: bad"),
    (400, {"detail": {"message": ["no text"]}}, "HTTP 400: {"),
    (400, [1, 2], "HTTP 400: [1, 2]"),
    (400, None, "HTTP 400: null"),
]


@pytest.mark.parametrize(("code", "body", "said"), FINAL)
def test_a_refusal_is_told_with_what_to_do_and_not_tried_again(server, rows, code, body, said) -> None:
    server.then(answers(body, code))
    (reason,) = reasons(ask(server, attempts=3, ledger=rows))
    assert said in reason
    assert rows.outcomes == ["failed"]


def test_the_words_of_a_refusal_that_is_no_json_are_cut_and_made_safe(server) -> None:
    server.then(sends(b"\x1b[2Jno" + b" way" * 1000, 400))
    (reason,) = reasons(ask(server))
    assert len(reason) < 330
    assert "\x1b" not in reason


def test_a_redirect_is_not_followed_with_the_key(server) -> None:
    server.then(sends(b"", 308, {"Location": server.url + "/elsewhere"}), answers(GOOD))
    reasons(ask(server, key="secret-k", attempts=3))
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", [408, 409, 425, 429, 500, 502, 503, 504, 524, 529])
def test_what_may_succeed_later_is_tried_again(server, rows, code) -> None:
    server.then(status(code), hangs_up(), answers(GOOD))
    decision = ask(server, attempts=3, ledger=rows)
    assert decision.answers["sure"] == Probability(0.25)
    assert rows.outcomes == ["retried", "retried", "ok"]


@pytest.mark.parametrize(
    ("headers", "waited"), [({"Retry-After": "7"}, 7), ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5)]
)
def test_the_wait_that_a_server_asks_for_is_kept(server, clock, headers, waited) -> None:
    server.then(status(429, headers=headers), answers(GOOD))
    retry = RetryPolicy(attempts=2, first=0.001)
    decision = ask(server, retry=retry, clock=clock, sleep=clock.sleep)
    assert decision.answers["sure"] == Probability(0.25)
    assert clock.slept == [waited]


def test_a_wait_beyond_the_whole_budget_is_no_wait(server, clock) -> None:
    server.then(status(429, "slow down", {"Retry-After": "3600"}), answers(GOOD))
    (reason,) = reasons(ask(server, retry=RetryPolicy(total=60), clock=clock, sleep=clock.sleep))
    assert "asks to wait 3600 s, and retries may take 60 s" in reason
    assert (clock.slept, len(server.requests)) == ([], 1)


@pytest.mark.parametrize("slow", [stalls(), trickles(GOOD, 0.05)], ids=["says nothing", "byte by byte"])
def test_a_server_that_takes_too_long_answers_nothing(server, slow) -> None:
    server.then(slow)
    (reason,) = reasons(ask(server, timeout=0.2))
    assert "no answer within 0.2 s" in reason


def test_a_packed_answer_is_read(server) -> None:
    server.then(sends(gzip.compress(RAW), headers=PACKED))
    assert ask(server).answers["sure"] == Probability(0.25)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON", "application/problem+json"])
def test_a_json_type_may_be_written_in_its_ways(server, kind) -> None:
    server.then(sends(RAW, headers={"Content-Type": kind}))
    assert ask(server).answers["sure"] == Probability(0.25)


@pytest.mark.parametrize("key", ["schlüssel", "a\nb", "a\x00b"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_told(server, key) -> None:
    (reason,) = reasons(ask(server, key=key, attempts=3))
    assert reason == "x: the API key holds characters that no header can"
    assert server.requests == []


def test_a_used_up_budget_is_an_error_and_no_missing_answer(server) -> None:
    with pytest.raises(BudgetExceeded):
        ask(server, budget=Budget(tokens=1))
    assert server.requests == []


def test_a_ledger_that_cannot_be_written_is_an_error_and_no_missing_answer(server) -> None:
    class Full:
        def add_call(self, row) -> None:
            raise LedgerError("the disk is full")

    server.then(answers(GOOD))
    with pytest.raises(LedgerError):
        ask(server, ledger=Full())


def test_half_of_a_surrogate_pair_in_the_text_is_no_crash(server) -> None:
    server.then(answers(GOOD))
    model = SystemOne("x", server.url, "jev-1.13.0", None)
    decision = asyncio.run(Calls().decide(model, "a\ud800b", QUESTIONS, role="judge"))
    assert decision.answers["sure"] == Probability(0.25)


def test_calls_of_one_event_loop_share_their_connections(server) -> None:
    server.then(*[answers(GOOD)] * 6)
    model = SystemOne("x", server.url, "jev-1.13.0", None)

    async def run() -> None:
        calls = Calls()
        for _ in range(6):
            await calls.decide(model, "t", QUESTIONS, role="judge")

    asyncio.run(run())
    assert (len(server.requests), server.connections) == (6, 1)


def test_each_event_loop_has_connections_of_its_own_and_closes_them(server) -> None:
    for _ in range(3):
        server.then(answers(GOOD))
        assert ask(server).answers["sure"] == Probability(0.25)
    assert server.connections == 3


def test_a_process_that_asked_closes_its_connections(server) -> None:
    server.then(answers(GOOD))
    code = f"""
import asyncio, gc
from senno.models import Calls, Noul
from senno.models.decisions.system_one import SystemOne
model = SystemOne("x", "{server.url}", "jev-1.13.0", None)
decision = asyncio.run(Calls().decide(model, "t", {{"sure": Noul("?")}}, role="judge"))
gc.collect()
print(decision.answers["sure"].yes)
"""
    ran = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("0.25\n", "", 0)
