from __future__ import annotations

import asyncio
import gc
import json
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from openai_server import (
    OpenAIServer,
    answers,
    call,
    completion,
    cuts_off,
    hangs_up,
    refuses_field,
    says,
    sends,
    stalls,
    status,
    trickles,
    waits_for,
)
from senno.errors import BudgetExceeded, ConfigError, ModelError
from senno.models import (
    AttemptFailed,
    Budget,
    Calls,
    Message,
    Reply,
    Request,
    RetryPolicy,
    Tool,
    ToolCall,
    Usage,
    text_model,
)
from senno.models.adapter import ProviderModel

ASK = Request("Be brief.", (Message("user", "Ciao"),))
SCHEMA = {"type": "object", "properties": {"year": {"type": "integer"}}, "required": ["year"]}
ONCE = RetryPolicy(attempts=1)
QUICK = RetryPolicy(first=0.001)


def model_of(server: OpenAIServer, name: str = "local") -> ProviderModel:
    model = text_model(f"{server.url}#{name}", {})
    assert isinstance(model, ProviderModel)
    return model


def ask(server: OpenAIServer, request: Request = ASK) -> Reply:
    return asyncio.run(model_of(server).complete(request))


def failure(server: OpenAIServer, request: Request = ASK) -> AttemptFailed:
    with pytest.raises(AttemptFailed) as caught:
        ask(server, request)
    return caught.value


def test_a_request_and_its_reply(server) -> None:
    server.then(says("Ciao!", usage=(12, 3), cached=8, model="qwen-1.5b"))
    request = Request("Be brief.", (Message("user", "Ciao"),), max_tokens=50, temperature=0.0, seed=7)
    assert ask(server, request) == Reply("Ciao!", "qwen-1.5b", usage=Usage(12, 3, 8))
    (sent,) = server.requests
    assert sent.path == "/v1/chat/completions"
    assert sent.body == {
        "model": "local",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Ciao"}],
        "max_tokens": 50,
        "temperature": 0.0,
        "seed": 7,
        "stream": False,
    }


def test_a_turn_with_tools(server) -> None:
    server.then(
        says(None, tool_calls=[call("find", {"title": "Pi"}, "c1")], finish="tool_calls"), says("Found.", usage=(40, 2))
    )
    tool = Tool("find", "Finds a film.", {"type": "object", "properties": {"title": {"type": "string"}}})
    question = Message("user", "Find Pi")

    async def main() -> tuple[Reply, Reply]:
        model = model_of(server)
        first = await model.complete(Request("", (question,), (tool,)))
        turn = Message("assistant", "", first.tool_calls)
        result = Message("tool", "1998", tool_call_id="c1", tool_name="find")
        return first, await model.complete(Request("", (question, turn, result), (tool,)))

    first, second = asyncio.run(main())
    assert first.tool_calls == (ToolCall("c1", "find", {"title": "Pi"}),)
    assert (first.text, first.finish, second.text) == ("", "tool_calls", "Found.")
    sent = server.requests[1].body
    assert sent["tools"][0]["function"]["name"] == "find"
    assert [message["role"] for message in sent["messages"]] == ["user", "assistant", "tool"]
    assert json.loads(sent["messages"][1]["tool_calls"][0]["function"]["arguments"]) == {"title": "Pi"}
    assert sent["messages"][2] == {"role": "tool", "tool_call_id": "c1", "content": "1998"}


def test_logprobs_come_back_by_token(server) -> None:
    server.then(says("Yes", logprobs=[{"Yes": -0.1, "No": -2.5, "yes": -6.0}]))
    reply = ask(server, Request("", (Message("user", "?"),), top_logprobs=3))
    assert server.requests[0].body["logprobs"] is True
    assert server.requests[0].body["top_logprobs"] == 3
    assert reply.logprobs is not None
    assert (reply.logprobs[0].token, reply.logprobs[0].logprob) == ("Yes", -0.1)
    assert reply.logprobs[0].top == pytest.approx({"Yes": -0.1, "No": -2.5, "yes": -6.0})


def test_no_logprobs_are_none(server) -> None:
    server.then(says("Yes"))
    assert ask(server, Request("", (Message("user", "?"),), top_logprobs=3)).logprobs is None


@pytest.mark.parametrize(
    ("behaviour", "usage"),
    [
        pytest.param(says("x", usage=None), Usage(), id="no usage"),
        pytest.param(says("x", usage=(0, 0)), Usage(), id="zeros"),
        pytest.param(says("x", usage=(9, 0)), Usage(9, None), id="no tokens for a text that came"),
        pytest.param(says(None, usage=(9, 0)), Usage(9, 0), id="no tokens for no text"),
    ],
)
def test_usage_that_the_provider_does_not_say_is_none(server, behaviour, usage) -> None:
    server.then(behaviour)
    assert ask(server).usage == usage


def used(**usage: Any) -> Any:
    return answers({**completion("x"), "usage": usage})


@pytest.mark.parametrize(
    ("behaviour", "usage", "off"),
    [
        pytest.param(used(prompt_tokens=9, completion_tokens=3), Usage(9, 3), None, id="no total"),
        pytest.param(used(prompt_tokens=9, completion_tokens=3, total_tokens="x"), Usage(9, 3), None, id="odd total"),
        pytest.param(used(prompt_tokens=9), Usage(9, None), None, id="no count of output"),
        pytest.param(used(prompt_tokens=2**63, completion_tokens=3), Usage(), f"{2**63} in", id="beyond the ledger"),
        pytest.param(used(prompt_tokens=2**53, completion_tokens=3), Usage(2**53, 3), None, id="the most"),
        pytest.param(used(prompt_tokens=-9, completion_tokens=-3), Usage(), "-9 in, -3 out", id="negative"),
        pytest.param(used(prompt_tokens=9, completion_tokens=2.5), Usage(9, None), "2.5 out", id="half a token"),
        pytest.param(used(prompt_tokens="many", completion_tokens=3), Usage(), "'many' in", id="text"),
        pytest.param(
            used(prompt_tokens=9, completion_tokens=3, prompt_tokens_details={"cached_tokens": 2**70}),
            Usage(9, 3),
            f"{2**70} cached",
            id="more from the cache than there is",
        ),
        pytest.param(
            used(prompt_tokens=9, completion_tokens=3, prompt_tokens_details="none"), Usage(9, 3), None, id="no details"
        ),
        pytest.param(answers({**completion("x"), "usage": [1]}), Usage(), "[1] came in the place of", id="a list"),
    ],
)
@pytest.mark.parametrize("ollama", [False, True])
def test_books_that_cannot_be_read_cost_nobody_the_answer(server, behaviour, usage, off, ollama) -> None:
    server.then(behaviour)
    model = text_model("ollama:local", {"OLLAMA_BASE_URL": server.url}) if ollama else model_of(server)
    reply = asyncio.run(model.complete(ASK))
    assert (reply.text, reply.usage) == ("x", usage)
    if off is None:
        assert reply.notes == ()
    else:
        assert off in reply.notes[0]


@pytest.mark.parametrize("request_", [replace(ASK, system="a\ud800"), Request("", (Message("user", "\udcff"),))])
def test_what_utf8_cannot_write_is_refused_at_once(server, rows, request_) -> None:
    async def main() -> None:
        await Calls(ledger=rows, retry=QUICK).complete(model_of(server), request_, role="a")

    with pytest.raises(ModelError, match="the request cannot be sent"):
        asyncio.run(main())
    assert rows.outcomes == ["failed"]


TOO_LARGE = [
    "max_tokens is too large: 416626. This model supports at most 16384 completion tokens",
    "max_tokens: 416626 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet",
    "`max_tokens` must be less than or equal to `8192`, the maximum value for this model",
    "it has a maxOutputTokens value of 416626 but the supported range is from 1 (inclusive) to 8193 (exclusive)",
    "'max_tokens' or 'max_completion_tokens' is too large: 416626",
]


@pytest.mark.parametrize("said", TOO_LARGE)
def test_an_answer_that_is_asked_to_be_too_long_is_an_error_that_says_so(server, rows, said) -> None:
    server.then(status(400, said))
    request = replace(ASK, max_tokens=416_626, schema=SCHEMA)

    async def main() -> None:
        await Calls(ledger=rows, retry=QUICK).complete(model_of(server), request, role="a")

    with pytest.raises(ModelError, match="the request allows an answer of 416626 tokens: set a max_tokens that"):
        asyncio.run(main())
    assert rows.outcomes == ["failed"]


@pytest.mark.parametrize(
    "said", ["Unsupported parameter: 'max_tokens' is not supported with this model", "temperature: 3 > 2"]
)
def test_another_rejection_does_not_blame_the_length_of_the_answer(server, said) -> None:
    server.then(status(400, said))
    assert failure(server, replace(ASK, max_tokens=9)).problem == f"HTTP 400: {said}"


@pytest.mark.parametrize(
    ("finish", "meant"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "content_filter"), ("guardrail", "unknown")],
)
def test_why_an_answer_ended(server, finish, meant) -> None:
    server.then(says("x", finish=finish))
    assert ask(server).finish == meant


def test_a_refusal_is_no_answer_that_passes_for_one(server) -> None:
    body = completion(None)
    body["choices"][0]["message"]["refusal"] = "I cannot help."
    server.then(answers(body))
    reply = ask(server)
    assert (reply.text, reply.finish) == ("I cannot help.", "content_filter")


def test_half_a_character_does_not_break_what_reads_it(server) -> None:
    server.then(sends(json.dumps(completion("ok \ud83d")).encode()))
    assert ask(server).text == "ok \ufffd"


# What fails, and whether trying again may help


@pytest.mark.parametrize(
    ("code", "retry", "not_run"),
    [
        (400, False, True),
        (401, False, True),
        (403, False, True),
        (404, False, True),
        (408, True, False),
        (409, True, True),
        (413, False, True),
        (422, False, True),
        (429, True, True),
        (500, True, False),
        (502, True, False),
        (503, True, True),
        (504, True, False),
        (529, True, True),
    ],
)
def test_a_status(server, code, retry, not_run) -> None:
    server.then(status(code, "what happened"))
    failed = failure(server)
    assert f"HTTP {code}: what happened" in failed.problem
    assert failed.retry is retry
    assert failed.usage == (Usage(0, 0) if not_run else Usage())
    assert len(server.requests) == 1


def test_credit_that_is_used_up_does_not_come_back(server) -> None:
    body = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota", "type": "x"}}
    server.then(answers(body, 429))
    assert failure(server).retry is False


@pytest.mark.parametrize(("hint", "code", "retry"), [("false", 500, False), ("true", 400, True)])
def test_the_provider_may_say_whether_to_retry(server, hint, code, retry) -> None:
    server.then(status(code, headers={"x-should-retry": hint}))
    assert failure(server).retry is retry


def test_how_long_the_provider_asks_to_wait(server) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    for headers in ({"Retry-After": "7"}, {"Retry-After": date}, {"retry-after-ms": "500"}, {"Retry-After": "1_0"}, {}):
        server.then(status(429, headers=headers))
    seconds, dated, milliseconds, strange, nothing = (failure(server).retry_after for _ in range(5))
    assert (seconds, milliseconds, strange, nothing) == (7.0, 0.5, None, None)
    assert dated is not None
    assert 50 < dated <= 100


def test_a_key_that_is_refused_says_where_it_is_from(server) -> None:
    server.then(status(401, "bad key"))
    assert failure(server).problem == "HTTP 401: bad key; check SENNO_API_KEY"


def body_with(**choice: Any) -> dict[str, Any]:
    body = completion("x")
    body["choices"][0] |= choice
    return body


UNREADABLE = {
    "malformed": sends(b'{"id": "x", "choi'),
    "html": sends(b"<html></html>", headers={"Content-Type": "text/html"}),
    "empty": sends(b""),
    "not UTF-8": sends(b'{"id": "\xff"}'),
    "nested": sends(b"[" * 100_000),
    "a list": answers([1, 2]),
    "null": answers(None),
    "an error with 200": answers({"error": {"message": "overloaded", "code": 500}}),
    "choices null": answers({**completion("x"), "choices": None}),
    "choices empty": answers({**completion("x"), "choices": []}),
    "choices text": answers({**completion("x"), "choices": "none"}),
    "choices numbers": answers({**completion("x"), "choices": [1]}),
    "message null": answers(body_with(message=None)),
    "content a number": answers(body_with(message={"role": "assistant", "content": 5})),
    "logprob text": answers(body_with(logprobs={"content": [{"token": "a", "logprob": "x", "top_logprobs": []}]})),
    "arguments broken": says(None, tool_calls=[call("find", '{"title": "P')]),
    "arguments a list": says(None, tool_calls=[call("find", "[1]")]),
    "arguments null": says(
        None, tool_calls=[{"id": "1", "type": "function", "function": {"name": "f", "arguments": None}}]
    ),
    "a call of another kind": says(
        None, tool_calls=[{"id": "1", "type": "custom", "custom": {"name": "f", "input": "x"}}]
    ),
    "nothing in it": says(None, finish="weird"),
    "cut off": cuts_off(json.dumps(completion("x")).encode()[:60]),
    "hung up": hangs_up(),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_body_that_cannot_be_read_may_be_asked_for_again(server, name) -> None:
    server.then(UNREADABLE[name])
    failed = failure(server)
    assert failed.retry is True
    assert len(failed.problem) > 20
    assert "\n" not in failed.problem


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), 1000.0])
@pytest.mark.parametrize("other", [None, -0.1])
def test_logprobs_that_are_none_are_no_answer(server, number, other) -> None:
    """The token's own, or that of an alternative; there -inf is what it says, impossible."""
    top = [] if other is None else [{"token": "b", "logprob": number}]
    own = number if other is None else other
    server.then(answers(body_with(logprobs={"content": [{"token": "a", "logprob": own, "top_logprobs": top}]})))
    if other is not None and number == float("-inf"):
        assert ask(server).logprobs[0].top == {}
        return
    assert failure(server).problem == f"a logprob of {number}; expected a number up to 0"


def test_a_tool_call_with_broken_arguments_says_which_and_what_it_used(server) -> None:
    server.then(UNREADABLE["arguments broken"])
    failed = failure(server)
    assert failed.problem.startswith("a call of the tool find with arguments that are not JSON")
    assert failed.usage == Usage(10, 5)


def test_nobody_at_that_address_used_no_tokens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(AttemptFailed) as caught:
            asyncio.run(text_model(f"{url}#x", {}).complete(ASK))
    assert caught.value.retry is True
    assert url in caught.value.problem
    assert caught.value.usage == Usage(0, 0)


# Behind the gate


def gated(server: OpenAIServer, rows, **rest) -> Reply:
    async def main() -> Reply:
        return await Calls(ledger=rows, **{"retry": QUICK, **rest}).complete(model_of(server), ASK, role="a")

    return asyncio.run(main())


def test_the_sdk_does_not_retry_on_its_own(server, rows) -> None:
    server.then(status(500), status(529), says("at last"))
    assert gated(server, rows).text == "at last"
    assert len(server.requests) == 3
    assert rows.outcomes == ["retried", "retried", "ok"]


@pytest.mark.parametrize("behaviour", [stalls(), trickles(completion("x" * 2000))], ids=["a stall", "a trickle"])
def test_an_answer_that_does_not_come_is_cut(server, rows, behaviour) -> None:
    server.then(says("warm"), behaviour)
    model = model_of(server)

    async def main() -> None:
        await model.complete(ASK)
        await Calls(ledger=rows, timeout=0.3, retry=ONCE).complete(model, ASK, role="a")

    with pytest.raises(ModelError, match=r"no answer within 0\.3 s"):
        asyncio.run(main())
    assert rows.outcomes == ["failed"]


def test_a_trickle_does_not_outlast_the_seconds_of_the_run(server, rows) -> None:
    server.then(says("warm"), trickles(completion("x" * 2000)))
    model = model_of(server)

    async def main() -> None:
        await model.complete(ASK)
        await Calls(ledger=rows, budget=Budget(seconds=0.3)).complete(model, ASK, role="a")

    with pytest.raises(BudgetExceeded, match="seconds"):
        asyncio.run(main())


# Schemas


def test_a_schema_is_sent_natively_and_not_strictly(server) -> None:
    server.then(says('{"year": 1998}'))
    reply = ask(server, Request("", (Message("user", "?"),), schema=SCHEMA))
    sent = server.requests[0].body["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["schema"]["properties"] == SCHEMA["properties"]
    assert not sent["json_schema"].get("strict")
    assert reply.notes == ()


def test_beside_tools_a_schema_is_left_to_the_prompt(server) -> None:
    server.then(says("x"))
    tool = Tool("find", "Finds.", {"type": "object", "properties": {}})
    reply = ask(server, Request("", (Message("user", "?"),), (tool,), schema=SCHEMA))
    assert "response_format" not in server.requests[0].body
    assert reply.notes == ("the JSON schema was not sent natively: there are tools beside it",)


def test_a_server_without_schemas_is_asked_without_one_and_that_is_kept_and_said(server, rows) -> None:
    server.then(*[refuses_field("response_format", says("{}"))] * 3)
    model = model_of(server)
    request = Request("", (Message("user", "?"),), schema=SCHEMA)

    async def main() -> list[Reply]:
        calls = Calls(ledger=rows, retry=QUICK)
        return [await calls.complete(model, request, role="a") for _ in range(2)]

    replies = asyncio.run(main())
    assert ["response_format" in sent.body for sent in server.requests] == [True, False, False]
    assert rows.outcomes == ["retried", "ok", "ok"]
    assert "to be tried without schema" in rows.rows[0].error
    for reply in replies:
        assert "the JSON schema was not sent natively: refused with HTTP 400" in reply.notes[0]
    assert "not sent natively" in rows.rows[2].received


def test_a_server_without_logprobs_is_asked_without_them(server, rows) -> None:
    server.then(*[refuses_field("logprobs", says("yes"))] * 2)
    request = Request("", (Message("user", "?"),), top_logprobs=5)

    async def main() -> Reply:
        return await Calls(ledger=rows, retry=QUICK).complete(model_of(server), request, role="a")

    reply = asyncio.run(main())
    assert reply.logprobs is None
    assert "logprobs were not asked for" in reply.notes[0]
    assert rows.outcomes == ["retried", "ok"]


def test_a_rejection_that_names_nothing_is_tried_without_and_then_believed(server, rows) -> None:
    server.then(status(400, "bad request"), status(400, "bad request"), says('{"year": 1}'))
    model = model_of(server)
    request = Request("", (Message("user", "?"),), schema=SCHEMA)

    async def main() -> None:
        calls = Calls(ledger=rows, retry=QUICK)
        with pytest.raises(ModelError, match="HTTP 400: bad request"):
            await calls.complete(model, request, role="a")
        assert (await calls.complete(model, request, role="a")).notes == ()

    asyncio.run(main())
    assert rows.outcomes == ["retried", "failed", "ok"]
    assert ["response_format" in sent.body for sent in server.requests] == [True, False, True]


def test_one_bad_schema_does_not_cost_the_others_theirs(server, rows) -> None:
    server.then(says('{"year": 1}'), status(400, "Invalid schema for response_format"), says("{}"), says('{"year": 1}'))
    model = model_of(server)
    request = Request("", (Message("user", "?"),), schema=SCHEMA)

    async def main() -> list[Reply]:
        calls = Calls(ledger=rows, retry=QUICK)
        return [await calls.complete(model, request, role="a") for _ in range(3)]

    good, bad, other = asyncio.run(main())
    assert (good.notes, other.notes) == ((), ())
    assert "Invalid schema" in bad.notes[0]
    assert ["response_format" in sent.body for sent in server.requests] == [True, True, False, True]


# The server's only model


def test_a_url_alone_means_the_one_model_there(server) -> None:
    server.then(says("a"), says("b"))
    model = text_model(server.url, {})

    async def main() -> None:
        await model.complete(ASK)
        await model.complete(ASK)

    asyncio.run(main())
    assert [sent.body["model"] for sent in server.requests] == ["local", "local"]
    assert model.name == server.url


@pytest.mark.parametrize(("models", "said"), [(["a", "b"], r"has 2 models \(a, b\)"), ([], "lists no model")])
def test_a_url_alone_needs_one_model_there(models, said) -> None:
    with OpenAIServer(models=models) as server, pytest.raises(ConfigError, match=said):
        asyncio.run(text_model(server.url, {}).complete(ASK))


def test_a_url_that_lists_no_models_says_what_happened(server) -> None:
    with pytest.raises(AttemptFailed, match=r"GET http.*/nothing/models: HTTP 404"):
        asyncio.run(text_model(server.url.replace("/v1", "/nothing"), {}).complete(ASK))


# Keys


def test_the_key_of_another_host_is_never_sent(server, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    server.then(says("x"), says("x"))
    asyncio.run(text_model(f"{server.url}#m").complete(ASK))
    asyncio.run(text_model(f"{server.url}#m", {"SENNO_API_KEY": "own", "OPENAI_API_KEY": "sk-openai"}).complete(ASK))
    sent = [request.headers["authorization"] for request in server.requests]
    assert "sk-openai" not in sent[0]
    assert sent[1] == "Bearer own"


# The client


def test_one_connection_serves_a_loop_and_nothing_is_left_open(server) -> None:
    """Unclosed sockets are warnings, and warnings are errors here."""
    server.then(*[says("x")] * 6)
    model = model_of(server)

    async def thrice() -> None:
        for _ in range(3):
            await model.complete(ASK)

    for used in (1, 2):
        asyncio.run(thrice())
        gc.collect()
        assert server.connections == used


def test_a_closed_model_opens_again(server) -> None:
    server.then(says("a"), says("b"))
    model = model_of(server)

    async def main() -> None:
        await model.complete(ASK)
        await model.aclose()
        await model.aclose()
        await model.complete(ASK)

    asyncio.run(main())
    gc.collect()
    assert server.connections == 2


def test_attempts_side_by_side_share_one_client(server) -> None:
    server.then(*[waits_for(8, says("x"))] * 8, says("x"))
    model = model_of(server)

    async def main() -> None:
        await asyncio.gather(*(model.complete(ASK) for _ in range(8)))
        await model.complete(ASK)

    asyncio.run(main())
    assert server.connections == 8


# Other APIs than that of plain servers


def test_openai_is_asked_in_its_own_way(server, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    server.then(says('{"year": 1998}', logprobs=[{"{": -0.1}]))
    request = Request("", (Message("user", "?"),), schema=SCHEMA, max_tokens=9, temperature=0.5, top_logprobs=2)
    reply = asyncio.run(text_model("openai:gpt-4o", {"OPENAI_API_KEY": "k"}).complete(request))
    (sent,) = server.requests
    assert sent.headers["authorization"] == "Bearer k"
    assert (sent.body["max_completion_tokens"], sent.body["temperature"], sent.body["top_logprobs"]) == (9, 0.5, 2)
    assert sent.body["response_format"]["type"] == "json_schema"
    assert reply.notes == ()


def test_a_model_that_reasons_takes_no_temperature_and_that_is_said(server, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    server.then(says("x"))
    request = Request("", (Message("user", "?"),), temperature=0.5, top_logprobs=2)
    reply = asyncio.run(text_model("openai:o3", {"OPENAI_API_KEY": "k"}).complete(request))
    assert not {"temperature", "logprobs", "top_logprobs"} & set(server.requests[0].body)
    assert reply.notes == ("the temperature was not sent: the model reasons, and takes none",)


def test_ollama_is_asked_at_its_address(server) -> None:
    server.then(says("x"))
    asyncio.run(text_model("ollama:llama3.2:1b", {"OLLAMA_BASE_URL": server.url}).complete(ASK))
    assert server.requests[0].body["model"] == "llama3.2:1b"


def test_anthropic_is_asked_in_its_own_way(server, monkeypatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url.removesuffix("/v1"))
    used = {"input_tokens": 20, "output_tokens": 7, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 0}
    said = [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "t1", "name": "find", "input": {"a": 1}},
    ]
    message = {"id": "m", "type": "message", "role": "assistant", "model": "claude-x", "stop_sequence": None}
    server.then(answers({**message, "content": said, "stop_reason": "tool_use", "usage": used}), status(529, "busy"))
    model = text_model("anthropic:claude-x", {"ANTHROPIC_API_KEY": "k"})
    tool = Tool("find", "Finds.", {"type": "object", "properties": {"a": {"type": "integer"}}})

    async def main() -> tuple[Reply, AttemptFailed]:
        reply = await model.complete(Request("Be brief.", (Message("user", "?"),), (tool,), max_tokens=9))
        with pytest.raises(AttemptFailed) as caught:
            await model.complete(ASK)
        return reply, caught.value

    reply, failed = asyncio.run(main())
    sent = server.requests[0]
    assert (sent.path.partition("?")[0], sent.headers["authorization"], sent.body["max_tokens"]) == (
        "/v1/messages",
        "Bearer k",
        9,
    )
    assert (reply.text, reply.finish, reply.model) == ("Let me see.", "tool_calls", "claude-x")
    assert reply.tool_calls == (ToolCall("t1", "find", {"a": 1}),)
    assert reply.usage == Usage(25, 7, 5)
    assert (failed.retry, failed.usage) == (True, Usage(0, 0))
    assert len(server.requests) == 2
