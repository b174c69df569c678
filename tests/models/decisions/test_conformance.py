"""Every fault of the public conformance mock (jevcompat): what comes of it is an error, no answer, or the right answer.

The mock breaks one requirement of System One's public specification at a time. What senno makes of it is compared with
what it makes of the faultless mock, answer by answer and verdict by verdict.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest

from senno.judge import CheckFile, Judge, parse_policy
from senno.judge.questions import AskedQuestion
from senno.models import Calls, Choice, ClientDecisions, Noul, RetryPolicy, Score, Unanswered
from senno.models.decisions.system_one import SystemOne

mock = pytest.importorskip("jevcompat.mock", reason="jevcompat is not installed")

STATE = ["Our fund doubled.", {"author": "Zoë"}]
QUESTIONS = {
    "sure": Noul("Is it sure?", true="It names a gain as certain."),
    "bare": Noul("Does it name a person?"),
    "tone": Choice("Which tone?", {"Warm": "kind words", "Cold": None, "é": "foreign"}),
    "wide": Choice("Which of these?", {f"option {n}": None for n in range(70)}),
    "urgency": Score({"question": "How urgent?"}, ("low", "mid", "high")),
    "long": Score("How long is it?", tuple(f"level {n}" for n in range(8))),
    "an id/of ours": Noul("Is it a text?"),
}
POLICY = {
    "verdicts": [
        {"name": "STOP", "rules": [{"check": "sure", "op": "gte", "value": 0.9}]},
        {"name": "COLD", "rules": [{"check": "tone", "option": "Cold", "op": "gte", "value": 0.5}]},
        {"name": "URGENT", "rules": [{"check": "urgency", "op": "gt", "value": 1.5}]},
        {"name": "LONG", "rules": [{"check": "long", "op": "gt", "value": 6.5}]},
        {"name": "WIDE", "rules": [{"check": "wide", "option": "option 3", "op": "gte", "value": 0.5}]},
        {"name": "PERSON", "rules": [{"check": "bare", "op": "gte", "value": 0.95}]},
        {"name": "NONE", "rules": [{"check": "an id/of ours", "op": "lt", "value": 0.5}]},
        {"name": "GO", "rules": []},
    ]
}


@dataclass(frozen=True)
class Setting:
    model: str = "jev-latest"
    key: str | None = None
    server_key: str | None = None
    questions: dict = field(default_factory=lambda: QUESTIONS)


DEFAULT = Setting()
KEYED = Setting(key="secret-k", server_key="secret-k")

# The setting in which a fault shows, where that is not the usual request.
SETTINGS = {
    "auth-rejects-header": Setting(key="secret-k"),
    "auth-x-api-key": KEYED,
    "auth-plain": Setting(server_key="secret-k"),
    "auth-invalid-403-text": Setting(key="wrong", server_key="secret-k"),
    "text-errors": Setting(model="nobody"),
    "error-flat": Setting(model="nobody"),
    "validation-400": Setting(questions=QUESTIONS | {"wide": Choice("Which?", {str(n): None for n in range(256)})}),
}

HARMLESS = {
    "models-404": "senno lists no models",
    "forbid-extra": "senno sends no other top-level field than the three",
    "noul-needs-instructions": "a question without instructions is refused when its file is read",
    "accept-map-score": "levels are sent as a list",
    "500-on-unknown-type": "no other type than noul, choice and score is sent",
    "accept-boolean": "no question of type boolean is sent",
    "no-usage": "the tokens are then not known, and a note says so; the answers are sound",
    "float-usage": "12.0 tokens are 12 tokens",
    "extra-answer": "the answer that nobody asked for is refused, and a note says so",
    "nan": "it stands in a field that nobody reads; in a field that is read it is no answer (test_answers.py)",
    "unprefixed-extra": "a field that nobody reads",
    "choice-no-confidence": "confidence is checked where it is given, and never read",
    "confidence-margin": "confidence is never read, whatever formula it is by",
    "score-no-legend": "the levels are known, since they were sent",
}

UNSEEN = {
    "id-leaks": "the model sees what it must not see, and answers something else, in good form",
    "batch-leaks": "the same, with the number of questions",
    "order-leaks": "the same, with their order",
}
"""No client can see these in one response. What holds: the same request has the same answers."""


@contextmanager
def served(fault, setting):
    """The address of the mock; its own context manager takes half a second to end."""
    faults = frozenset([fault] if fault else [])
    server = mock.make_server(mock.MockConfig(key=setting.server_key, faults=faults))
    thread = threading.Thread(target=server.serve_forever, args=(0.005,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def decided(fault, setting=DEFAULT, make=None):
    async def run(url):
        model = (make or SystemOne)("x", f"{url}/v1", setting.model, setting.key)
        calls = Calls(retry=RetryPolicy(attempts=1))
        return await calls.decide(model, STATE, setting.questions, role="judge")

    with served(fault, setting) as url:
        return asyncio.run(run(url))


@pytest.fixture(scope="module")
def faultless():
    decision = decided(None)
    assert not any(isinstance(answer, Unanswered) for answer in decision.answers.values())
    assert decision.usage.tokens_in is not None
    return decision


def judged(fault, setting=DEFAULT):
    checks = CheckFile({}, {id_: AskedQuestion(question) for id_, question in QUESTIONS.items()}, None)
    policy = parse_policy(POLICY, "policy.json", checks)

    async def run(url):
        judge = Judge(checks, policy, SystemOne("x", f"{url}/v1", setting.model, setting.key))
        return await judge.judge("", calls=Calls(retry=RetryPolicy(attempts=1)), state=STATE)

    with served(fault, setting) as url:
        return asyncio.run(run(url)).verdict


def assert_right_or_none(decision, faultless, questions=QUESTIONS) -> list[str]:
    """Every answer is the faultless one or none; those that are none."""
    missing = [id_ for id_, answer in decision.answers.items() if isinstance(answer, Unanswered)]
    assert list(decision.answers) == list(questions)
    for id_ in questions:
        assert id_ in missing or decision.answers[id_] == faultless.answers[id_]
    return missing


SEEN = sorted(set(mock.FAULTS) - set(HARMLESS) - set(UNSEEN))


def test_every_fault_of_the_mock_is_accounted_for() -> None:
    assert set(HARMLESS) | set(UNSEEN) | set(SETTINGS) <= set(mock.FAULTS)
    assert len(mock.FAULTS) >= 47


@pytest.mark.parametrize("fault", SEEN)
def test_a_fault_leaves_a_question_without_an_answer_and_says_why(fault, faultless) -> None:
    setting = SETTINGS.get(fault, DEFAULT)
    decision = decided(fault, setting)
    missing = assert_right_or_none(decision, faultless)
    assert missing
    assert all(decision.answers[id_].reason for id_ in missing)


@pytest.mark.parametrize(("fault", "why"), HARMLESS.items(), ids=HARMLESS)
def test_a_fault_that_touches_nothing_senno_uses_changes_no_answer(fault, why, faultless) -> None:
    assert assert_right_or_none(decided(fault), faultless) == [], why


@pytest.mark.parametrize(("fault", "why"), UNSEEN.items(), ids=UNSEEN)
def test_a_fault_in_the_model_itself_cannot_be_seen_but_the_same_request_has_the_same_answers(fault, why) -> None:
    first, second = decided(fault), decided(fault)
    assert first == second, why
    assert not any(isinstance(answer, Unanswered) for answer in first.answers.values())


@pytest.mark.parametrize("fault", sorted(set(mock.FAULTS) - set(UNSEEN)))
def test_no_fault_changes_a_verdict_into_another(fault) -> None:
    usual = judged(None)
    assert usual.state == "decided"
    setting = replace(SETTINGS.get(fault, DEFAULT), questions=QUESTIONS)
    found = judged(fault, setting)
    assert (found.name, found.state) in {(usual.name, "decided"), ("ERROR", "error")}


def test_a_server_with_a_key_answers_as_one_without(faultless) -> None:
    assert decided(None, KEYED).answers == faultless.answers


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (Setting(server_key="k"), "HTTP 403: Must supply an API key!; check SENNO_API_KEY"),
        (Setting(key="no", server_key="k"), "HTTP 401: Cannot authenticate with the server.; check SENNO_API_KEY"),
        (Setting(model="nobody"), "HTTP 400: Unknown model: nobody"),
        (SETTINGS["validation-400"], "HTTP 422: question 'wide' (choice.criteria): Dictionary should have at most 255"),
    ],
)
def test_what_the_server_refuses_is_told_with_what_to_look_at(setting, said) -> None:
    def make(name, url, model, key):
        return SystemOne(name, url, model, key, "SENNO_API_KEY")

    reasons = {answer.reason for answer in decided(None, setting, make).answers.values()}
    assert len(reasons) == 1
    assert said in reasons.pop()


# The same, through the official SDK


def sdk(kind):
    sdk_ = pytest.importorskip("typesafe_sdk", reason="the official SDK is not installed")

    def make(name, url, model, key):
        none = sdk_.RetryPolicy(max_retries=0)
        client = getattr(sdk_, kind)(api_key=key or "k", base_url=url.removesuffix("/v1"), retry=none)
        return ClientDecisions(client, model, name=name)

    return make


@pytest.fixture(params=["TypeSafeClient", "AsyncTypeSafeClient"])
def client(request):
    return sdk(request.param)


STRICTER = {"no-usage", "float-usage", "choice-no-confidence", "score-no-legend"}
"""What the SDK itself refuses, and the wire lets pass because nobody uses it."""

LAXER = {"plain-content-type": "the SDK reads the body whatever type it is said to be, and it is sound"}

ALWAYS_KEYED = {"auth-plain": "the SDK always sends a key, so the server has a wrong one to refuse"}


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.parametrize("fault", [None, *sorted(set(mock.FAULTS) - set(UNSEEN))])
def test_through_the_official_sdk_no_fault_gives_another_answer(fault, client, faultless) -> None:
    setting = SETTINGS.get(fault, DEFAULT)
    missing = assert_right_or_none(decided(fault, setting, client), faultless)
    expected = (fault in SEEN and fault not in LAXER) or fault in STRICTER
    assert bool(missing) == expected, {**HARMLESS, **LAXER, **ALWAYS_KEYED}.get(fault)
