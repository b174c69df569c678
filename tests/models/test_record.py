from __future__ import annotations

import json

from senno.models import Message, Reply, Request, Tool, ToolCall
from senno.models.record import reply_text, request_text


def test_a_request_is_kept_whole() -> None:
    turn = Message("assistant", "", (ToolCall("c1", "find", {"title": "Pi"}),))
    result = Message("tool", "1998", tool_call_id="c1", tool_name="find")
    schema = {"type": "object"}
    request = Request("Sii breve.", (turn, result), (Tool("find", "Finds.", schema),), schema, 50, 0.0, 5, 7)
    kept = json.loads(request_text(request))
    assert kept["system"] == "Sii breve."
    assert kept["messages"][0]["tool_calls"] == [{"id": "c1", "name": "find", "arguments": {"title": "Pi"}}]
    assert (kept["messages"][1]["tool_call_id"], kept["messages"][1]["text"]) == ("c1", "1998")
    assert kept["tools"][0]["parameters"] == kept["schema"] == schema
    assert (kept["max_tokens"], kept["temperature"], kept["top_logprobs"], kept["seed"]) == (50, 0.0, 5, 7)


def test_what_is_not_set_is_not_kept() -> None:
    assert set(json.loads(request_text(Request("", (Message("user", "x"),))))) == {"system", "messages"}


def test_a_seed_of_zero_is_set() -> None:
    assert json.loads(request_text(Request("", (), seed=0)))["seed"] == 0


def test_text_is_kept_readable_and_storable() -> None:
    kept = reply_text(Reply("perché 🎬 \ud83d", "m"))
    assert "perché 🎬" in kept
    assert json.loads(kept)["text"] == "perché 🎬 \ud83d"
    kept.encode("utf-8")
