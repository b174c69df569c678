"""Objects with `.system_one`: synchronous, asynchronous, wrong, slow."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace

import pytest

from senno.models import Calls, ClientDecisions, Noul, Probability, RetryPolicy, Score, Unanswered
from senno.models.protocol import Usage

QUESTIONS = {"sure": Noul("Is it sure?", true="It says so."), "urgency": Score("How urgent?", ("low", "high"))}
ANSWERS = {
    "sure": {"type": "noul", "noul": 0.25},
    "urgency": {"type": "score", "score": 0.7, "legend": {0: "low", 1: "high"}, "probabilities": {0: 0.3, 1: 0.7}},
}
RESPONSE = {"model": "jev-1.13.0", "answers": ANSWERS, "usage": {"input_tokens": 90, "output_tokens": 3}}


class Client:
    """Gives or raises what it is made with, and remembers how it was asked."""

    def __init__(self, *gives) -> None:
        self.gives = list(gives)
        self.asked = []
        self.threads = []

    def system_one(self, state, questions, *, model):
        self.asked.append((state, questions, model))
        self.threads.append(threading.current_thread())
        given = self.gives.pop(0)
        if isinstance(given, BaseException):
            raise given
        return given


class AsyncClient(Client):
    async def system_one(self, state, questions, *, model):
        return super().system_one(state, questions, model=model)


class Awaited(Client):
    """No coroutine function, and yet what it gives is to be awaited."""

    def system_one(self, state, questions, *, model):
        async def later():
            return Client.system_one(self, state, questions, model=model)

        return later()


def ask(client, *, attempts=1, model="jev-1.13.0", rows=None, **settings):
    calls = Calls(ledger=rows, retry=RetryPolicy(attempts=attempts, first=0.001), **settings)
    return asyncio.run(calls.decide(ClientDecisions(client, model, name="mine"), {"t": 1}, QUESTIONS, role="judge"))


def as_objects(value):
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return SimpleNamespace(**{key: as_objects(each) for key, each in value.items()})
    return value


OBJECTS = SimpleNamespace(
    model="jev-1.13.0", usage=as_objects(RESPONSE["usage"]), answers={k: as_objects(v) for k, v in ANSWERS.items()}
)


@pytest.mark.parametrize("kind", [Client, AsyncClient, Awaited])
@pytest.mark.parametrize("response", [RESPONSE, OBJECTS], ids=["mappings", "objects"])
def test_a_client_of_either_kind_is_asked_in_the_wires_form_and_read_as_the_wire_is(kind, response, rows) -> None:
    client = kind(response)
    decision = ask(client, rows=rows)
    assert decision.answers["sure"] == Probability(0.25)
    assert decision.answers["urgency"].probabilities == {"0": 0.3, "1": 0.7}
    assert (decision.model, decision.usage, decision.notes) == ("jev-1.13.0", Usage(90, 3), ())
    questions = {
        "sure": {"type": "noul", "instructions": "Is it sure?", "criteria": {"true": "It says so."}},
        "urgency": {"type": "score", "instructions": "How urgent?", "criteria": ["low", "high"]},
    }
    assert client.asked == [({"t": 1}, questions, "jev-1.13.0")]
    (row,) = rows.rows
    assert (row.model_asked, row.model_answered, row.outcome) == ("mine", "jev-1.13.0", "ok")


def test_a_synchronous_client_runs_beside_the_event_loop() -> None:
    gate = threading.Event()

    class Slow(Client):
        def system_one(self, state, questions, *, model):
            assert gate.wait(30)
            return super().system_one(state, questions, model=model)

    async def run():
        model = ClientDecisions(Slow(RESPONSE), "jev-1.13.0")
        asked = asyncio.create_task(Calls().decide(model, "t", QUESTIONS, role="judge"))
        await asyncio.sleep(0)
        gate.set()  # reached only if the client does not hold the loop
        return await asked

    assert asyncio.run(run()).answers["sure"] == Probability(0.25)


class Failure(Exception):
    def __init__(self, status, body=None, headers=None, key="status") -> None:
        super().__init__(f"failed with {status}")
        setattr(self, key, status)
        self.body, self.headers = body, headers or {}


FAULTS = [
    (Failure(401, {"detail": {"message": "no such key"}}), ["failed"], "HTTP 401: no such key"),
    (Failure(422, key="status_code"), ["failed"], "HTTP 422: failed with 422"),
    (Failure(400, {"detail": {"error_type": "max_tokens_exceeded", "message": "m"}}), ["failed"], "a shorter text"),
    (Failure(429), ["retried", "ok"], None),
    (Failure(529, "overloaded"), ["retried", "ok"], None),
    (Failure(200, "bad form"), ["failed"], "failed with 200"),
    (Failure("429"), ["failed"], "Failure: failed with 429"),
    (ConnectionError("gone"), ["retried", "ok"], None),
    (TimeoutError(), ["retried", "ok"], None),
    (LookupError("no recording\nfor this request"), ["failed"], "LookupError: no recording for this request"),
    (SystemExit(3), ["failed"], "sys.exit(3)"),
]


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize(("error", "outcomes", "said"), FAULTS)
def test_what_a_client_raises_is_a_failed_attempt_tried_again_where_that_may_help(
    kind, error, outcomes, said, rows
) -> None:
    decision = ask(kind(error, RESPONSE), attempts=2, rows=rows)
    assert rows.outcomes == outcomes
    answer = decision.answers["sure"]
    if said is None:
        assert answer == Probability(0.25)
    else:
        assert isinstance(answer, Unanswered)
        assert said in answer.reason


def test_the_wait_that_a_client_was_asked_for_is_kept(clock) -> None:
    client = Client(Failure(429, headers={"Retry-After": "7"}), RESPONSE)
    ask(client, attempts=2, clock=clock, sleep=clock.sleep)
    assert clock.slept == [7]


ENDLESS: dict = {"model": "jev-1.13.0"}
ENDLESS["answers"] = ENDLESS


@pytest.mark.parametrize("given", [None, "yes", 0.5, [RESPONSE], object(), {}, {"model": "jev-1.13.0"}, ENDLESS])
def test_what_is_no_response_answers_nothing(given) -> None:
    decision = ask(Client(given))
    assert all(isinstance(answer, Unanswered) for answer in decision.answers.values())


@pytest.mark.parametrize(
    "change",
    [
        {"sure": {"type": "noul", "noul": 1.78}},
        {"sure": {"type": "noul", "noul": float("nan")}},
        {"sure": {"type": "noul", "noul": object()}},
        {"sure": None},
    ],
)
def test_a_bad_answer_of_a_client_is_none(change) -> None:
    decision = ask(Client({**RESPONSE, "answers": {**ANSWERS, **change}}))
    assert isinstance(decision.answers["sure"], Unanswered)
    assert not isinstance(decision.answers["urgency"], Unanswered)


def test_another_version_than_asked_answers_nothing_and_an_alias_is_told() -> None:
    decision = ask(Client({**RESPONSE, "model": "jev-1.14.0"}))
    assert all(isinstance(answer, Unanswered) for answer in decision.answers.values())
    decision = ask(Client(RESPONSE), model="jev-latest")
    assert decision.answers["sure"] == Probability(0.25)
    assert "no pinned version" in decision.notes[0]


def test_a_client_that_hangs_is_cut_off() -> None:
    end = threading.Event()

    class Hangs(Client):
        def system_one(self, state, questions, *, model):
            end.wait(30)

    decision = ask(Hangs(), timeout=0.1)
    end.set()
    assert isinstance(decision.answers["sure"], Unanswered)
    assert "no answer within 0.1 s" in decision.answers["sure"].reason


def test_a_client_without_a_name_is_typesafes() -> None:
    assert ClientDecisions(Client(), "jev-1.13.0").name == "typesafe:jev-1.13.0"
