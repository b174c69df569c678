from __future__ import annotations

import asyncio
import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from senno.errors import ConfigError, MissingExtra
from senno.models import AttemptFailed, Message, Reply, Request, TokenLogprobs, Tool, ToolCall, Usage, text_model
from senno.models.gguf import GgufModel
from senno.models.llamacpp import assembled, chat_body

SCHEMA = {"type": "object", "properties": {"year": {"type": "integer"}}}
TOOL = Tool("find", "Finds a film.", {"type": "object", "properties": {"title": {"type": "string"}}})
ASK = Request("Be brief.", (Message("user", "Ciao"),))


def delta(finish: str | None = None, logprobs: Any = None, **said: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": finish, "delta": said}
    return {"choices": [{**choice, "logprobs": {"content": logprobs}} if logprobs else choice]}


USED = {
    "choices": [],
    "usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
}


class Engine:
    """Stands for `xllamacpp.Server`."""

    def __init__(self, *chunks: Any, refuses: str = "") -> None:
        self.chunks = chunks
        self.refuses = refuses
        self.bodies: list[dict[str, Any]] = []

    def handle_chat_completions(self, request: dict[str, Any], on_chunk: Any) -> None:
        self.bodies.append(json.loads(json.dumps(request)))
        if self.refuses and "response_format" in request:
            raise ValueError(self.refuses)
        for chunk in self.chunks:
            if on_chunk(chunk):
                return


def complete(engine: Engine, request: Request = ASK) -> Reply:
    return asyncio.run(GgufModel("gguf:/m/qwen.gguf", Path("/m/qwen.gguf"), lambda _: engine).complete(request))


def test_a_streamed_answer_is_put_together() -> None:
    engine = Engine(
        delta(role="assistant", content=None), delta(content="Ci"), delta(content="ao"), delta("stop"), USED
    )
    assert complete(engine) == Reply("Ciao", "qwen.gguf", usage=Usage(9, 2, 4))
    assert engine.bodies[0]["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Ciao"},
    ]


def test_logprobs_of_every_token() -> None:
    token = {"token": "Yes", "logprob": -0.1, "top_logprobs": [{"token": "Yes", "logprob": -0.1}]}
    reply = complete(Engine(delta(content="Yes", logprobs=[token]), delta("length"), USED))
    assert reply.finish == "length"
    assert reply.logprobs == (TokenLogprobs("Yes", -0.1, {"Yes": pytest.approx(-0.1)}),)


def test_a_tool_call_that_came_in_pieces() -> None:
    pieces = [
        {"index": 0, "id": "c1", "function": {"name": "find", "arguments": '{"ti'}},
        {"index": 0, "function": {"arguments": 'tle": "Pi"}'}},
        {"index": 1, "id": "c2", "function": {"name": "find", "arguments": ""}},
    ]
    reply = complete(Engine(*(delta(tool_calls=[piece]) for piece in pieces), delta("tool_calls"), USED))
    assert reply.finish == "tool_calls"
    assert reply.tool_calls == (ToolCall("c1", "find", {"title": "Pi"}), ToolCall("c2", "find", {}))


def test_everything_of_a_request_is_sent() -> None:
    turn = Message("assistant", "", (ToolCall("c1", "find", {"title": "Pi"}),))
    result = Message("tool", "1998", tool_call_id="c1", tool_name="find")
    request = Request("", (Message("user", "?"), turn, result), (TOOL,), None, 50, 0.0, 5, 7)
    body = chat_body(request)
    assert (body["max_tokens"], body["temperature"], body["seed"], body["top_logprobs"]) == (50, 0.0, 7, 5)
    assert body["tools"][0]["function"]["parameters"] == TOOL.parameters
    assert body["messages"][1]["tool_calls"][0]["function"] == {"name": "find", "arguments": '{"title": "Pi"}'}
    assert body["messages"][2] == {"role": "tool", "content": "1998", "tool_call_id": "c1", "name": "find"}


def test_a_schema_is_enforced() -> None:
    engine = Engine(delta(content="{}"), delta("stop"), USED)
    assert complete(engine, Request("", ASK.messages, schema=SCHEMA)).notes == ()
    assert engine.bodies[0]["response_format"]["json_schema"]["schema"] == SCHEMA


def test_beside_tools_a_schema_is_left_to_the_prompt() -> None:
    engine = Engine(delta(content="{}"), delta("stop"), USED)
    notes = complete(engine, Request("", ASK.messages, (TOOL,), SCHEMA)).notes
    assert notes == ("the JSON schema was not enforced: there are tools beside it",)
    assert "response_format" not in engine.bodies[0]


def test_a_schema_that_the_engine_cannot_enforce_is_left_to_the_prompt_and_that_is_said() -> None:
    engine = Engine(delta(content="{}"), delta("stop"), USED, refuses="JSON schema error: unrecognized type strung")
    notes = complete(engine, Request("", ASK.messages, schema=SCHEMA)).notes
    assert "unrecognized type strung" in notes[0]
    assert ["response_format" in body for body in engine.bodies] == [True, False]


def test_another_refusal_of_the_engine_is_for_good() -> None:
    with pytest.raises(AttemptFailed, match="no such template") as caught:
        complete(Engine(refuses="no such template"), Request("", ASK.messages, schema=SCHEMA))
    assert caught.value.retry is False


@pytest.mark.parametrize(
    ("chunks", "said", "retry"),
    [
        ([{"error": {"code": 400, "message": "exceeds the available context size"}}], "HTTP 400: exceeds", False),
        ([{"error": {"code": 503, "message": "loading"}}], "HTTP 503: loading", True),
        ([delta(content="Ci")], "broke off", True),
        ([], "broke off", True),
        ([{"choices": [1]}], "cannot be read", True),
        (["text"], "cannot be read", True),
        ([{}], "cannot be read", True),
        (
            [delta(tool_calls=[{"index": 0, "function": {"name": "f", "arguments": "{"}}]), delta("stop")],
            "not JSON",
            True,
        ),
    ],
)
def test_what_is_no_answer_is_a_failure(chunks, said, retry) -> None:
    with pytest.raises(AttemptFailed, match=said) as caught:
        assembled(chunks, "m")
    assert caught.value.retry is retry


def test_a_cancelled_attempt_stops_the_engine() -> None:
    class Endless:
        stopped = threading.Event()
        begun = threading.Event()

        def handle_chat_completions(self, request: Any, on_chunk: Any) -> None:
            self.begun.set()
            while not on_chunk(delta(content="x")):
                pass
            self.stopped.set()

    engine = Endless()

    async def main() -> None:
        model = GgufModel("gguf:x", Path("x"), lambda _: engine)
        task = asyncio.create_task(model.complete(ASK))
        await asyncio.to_thread(engine.begun.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(engine.stopped.wait, 30)

    asyncio.run(main())


def test_a_file_that_is_not_there(tmp_path) -> None:
    with pytest.raises(
        ConfigError, match=r"no\.gguf cannot be read \(No such file or directory\); expected a GGUF file"
    ):
        text_model(f"gguf:{tmp_path}/no.gguf")


def test_a_folder_is_no_file(tmp_path) -> None:
    with pytest.raises(ConfigError, match="Is a directory"):
        text_model(f"gguf:{tmp_path}")


@pytest.mark.parametrize("content", [b"", b"GGU", b"PK\x03\x04model"])
def test_a_file_that_is_no_gguf(tmp_path, content) -> None:
    (tmp_path / "a.gguf").write_bytes(content)
    with pytest.raises(ConfigError, match="is no GGUF file"):
        text_model(f"gguf:{tmp_path}/a.gguf")


def test_a_gguf_file_needs_its_extra(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    (tmp_path / "a.gguf").write_bytes(b"GGUF....")
    with pytest.raises(MissingExtra, match=r"pip install 'senno\[gguf\]'"):
        text_model(f"gguf:{tmp_path}/a.gguf")


def test_a_gguf_file_that_does_not_load_is_a_failure_for_good(tmp_path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra gguf is not installed")
    (tmp_path / "a.gguf").write_bytes(b"GGUF\x03\0\0\0" + b"\0" * 64)
    with pytest.raises(AttemptFailed, match="cannot be loaded") as caught:
        asyncio.run(text_model(f"gguf:{tmp_path}/a.gguf").complete(ASK))
    assert caught.value.retry is False
