"""A scripted server on loopback that speaks OpenAI's chat completions, and misbehaves on demand.

    with OpenAIServer(says("ciao"), status(429, headers={"Retry-After": "1"}), stalls()) as server:
        model = text_model(f"{server.url}#local")
        ...
    assert server.requests[0].body["messages"][0]["role"] == "system"

Each POST takes the next behaviour of the queue; a behaviour is a function of the request's handler. GET `/v1/models`
lists `server.models` and takes nothing from the queue.
"""

from __future__ import annotations

import json
import socket
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Recorded:
    """A POST as it came."""

    path: str
    headers: Mapping[str, str]
    body: Any


Behaviour = Callable[["Handler", Recorded], None]


def completion(
    text: str | None = "",
    *,
    tool_calls: Sequence[Mapping[str, Any]] = (),
    usage: tuple[int, int] | None = (10, 5),
    cached: int | None = None,
    finish: str | None = "stop",
    logprobs: Sequence[Mapping[str, float]] | None = None,
    model: str = "scripted-1",
) -> dict[str, Any]:
    """The body of a good answer. `logprobs`: for each token its alternatives, the token chosen first."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if tool_calls:
        message["tool_calls"] = list(tool_calls)
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": finish}
    if logprobs is not None:
        choice["logprobs"] = {"content": [_token(each) for each in logprobs]}
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [choice],
    }
    if usage is not None:
        body["usage"] = {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": usage[0] + usage[1],
        }
        if cached is not None:
            body["usage"]["prompt_tokens_details"] = {"cached_tokens": cached}
    return body


def _token(alternatives: Mapping[str, float]) -> dict[str, Any]:
    top = [{"token": token, "logprob": value, "bytes": None} for token, value in alternatives.items()]
    return {**top[0], "top_logprobs": top}


def call(name: str, arguments: str | Mapping[str, Any], id: str = "call_1") -> dict[str, Any]:  # noqa: A002
    """One entry of `tool_calls`; `arguments` as text goes out as it is, broken or not."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": text}}


def answers(body: Any, code: int = 200, headers: Mapping[str, str] | None = None) -> Behaviour:
    """Any JSON body with any status."""
    return sends(json.dumps(body).encode(), code, headers)


def says(text: str | None, **rest: Any) -> Behaviour:
    """A good answer: see `completion`."""
    return answers(completion(text, **rest))


def status(code: int, message: str = "no", headers: Mapping[str, str] | None = None) -> Behaviour:
    """An error in OpenAI's form."""
    return answers({"error": {"message": message, "type": "error", "code": None}}, code, headers)


def sends(raw: bytes, code: int = 200, headers: Mapping[str, str] | None = None) -> Behaviour:
    """Any bytes as a body of type application/json."""

    def behave(handler: Handler, request: Recorded) -> None:
        handler.start(code, len(raw), headers or {})
        handler.wfile.write(raw)

    return behave


def cuts_off(raw: bytes) -> Behaviour:
    """Promises more bytes than it sends, and closes the connection."""

    def behave(handler: Handler, request: Recorded) -> None:
        handler.start(200, len(raw) + 1000, {})
        handler.wfile.write(raw)
        handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_RDWR)
        handler.close_connection = True

    return behave


def hangs_up() -> Behaviour:
    """Closes the connection with no answer."""

    def behave(handler: Handler, request: Recorded) -> None:
        handler.connection.shutdown(socket.SHUT_RDWR)
        handler.close_connection = True

    return behave


def stalls() -> Behaviour:
    """Answers nothing until the server closes."""

    def behave(handler: Handler, request: Recorded) -> None:
        handler.scripted.closing.wait()
        handler.close_connection = True

    return behave


def trickles(body: Any, every: float = 0.02) -> Behaviour:
    """Sends the headers at once and the body byte by byte: no single wait is long."""
    raw = json.dumps(body).encode()

    def behave(handler: Handler, request: Recorded) -> None:
        handler.start(200, len(raw), {})
        for byte in raw:
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            if handler.scripted.closing.wait(every):
                break
        handler.close_connection = True

    return behave


def waits_for(others: int, then: Behaviour) -> Behaviour:
    """Answers once `others` more requests have come in: the answers overlap for certain."""

    def behave(handler: Handler, request: Recorded) -> None:
        handler.scripted.wait_for_requests(others)
        then(handler, request)

    return behave


def refuses_field(name: str, otherwise: Behaviour) -> Behaviour:
    """400 for a request that has the field `name`."""

    def behave(handler: Handler, request: Recorded) -> None:
        refusal = status(400, f"Unrecognized request argument supplied: {name}")
        (refusal if name in request.body else otherwise)(handler, request)

    return behave


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: _Server

    @property
    def scripted(self) -> OpenAIServer:
        return self.server.scripted

    def setup(self) -> None:
        super().setup()
        self.scripted.connections += 1

    def do_GET(self) -> None:
        if self.path != "/v1/models":
            return status(404)(self, Recorded(self.path, dict(self.headers), None))
        listing = {"object": "list", "data": [{"id": name, "object": "model"} for name in self.scripted.models]}
        return answers(listing)(self, Recorded(self.path, dict(self.headers), None))

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        request = Recorded(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(raw))
        try:
            self.scripted.next(request)(self, request)
            self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def start(self, code: int, length: int, headers: Mapping[str, str]) -> None:
        self.send_response(code)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(length), **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    scripted: OpenAIServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that went away is part of the play


class OpenAIServer:
    """The server: a context manager.

    `requests` holds what it was sent, in order of arrival, and `connections` how many were opened.
    """

    def __init__(self, *behaviours: Behaviour, models: Sequence[str] = ("local",)) -> None:
        self.queue = deque(behaviours)
        self.models = list(models)
        self.requests: list[Recorded] = []
        self.connections = 0
        self.closing = threading.Event()
        self._arrived = threading.Condition()

    @property
    def url(self) -> str:
        """The base URL, ending in `/v1`."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def then(self, *behaviours: Behaviour) -> None:
        """Add to the queue."""
        self.queue.extend(behaviours)

    def next(self, request: Recorded) -> Behaviour:
        with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()
            ended = status(400, f"the script of the server ended before request {len(self.requests)}")
            return self.queue.popleft() if self.queue else ended

    def wait_for_requests(self, count: int) -> None:
        with self._arrived:
            self._arrived.wait_for(lambda: len(self.requests) >= count or self.closing.is_set())

    def __enter__(self) -> OpenAIServer:
        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.scripted = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        with self._arrived:
            self._arrived.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
