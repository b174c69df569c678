"""A System One server on loopback whose answers are a function of the test's: noisy, failing, of another version.

    with NoisyJudge(lambda question, state, count: 0.7) as judge:
        senno("judge", "measure", …, "--judge-model", judge.name)

The function is given the id of the question, the state, and how often this question was asked about this state before.
It returns the probability of yes (or of each option or level, as a mapping); `None` leaves the question out.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answering = Callable[[str, Any, int], float | Mapping[str, float] | None]


class NoisyJudge:
    def __init__(self, answering: Answering, version: str | Callable[[int], str] = "judge-1.0.0") -> None:
        self.requests: list[Any] = []
        self._answering = answering
        self._version = version
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __enter__(self) -> NoisyJudge:
        judge = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = json.dumps(judge._answer(body)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                """Nothing on stderr."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def name(self) -> str:
        """What `--judge-model` takes."""
        return f"systemone:http://127.0.0.1:{self._server.server_port}/v1#judge-1.0.0"

    def _answer(self, body: Any) -> dict[str, Any]:
        with self._lock:
            number = len(self.requests)
            self.requests.append(body)
            key = json.dumps(body["state"], sort_keys=True)
            count = self._seen[key]
            self._seen[key] += 1
        found = {name: self._answering(name, body["state"], count) for name in body["questions"]}
        answers = {
            name: _told(body["questions"][name]["type"], value) for name, value in found.items() if value is not None
        }
        version = self._version(number) if callable(self._version) else self._version
        return {"model": version, "answers": answers, "usage": {"input_tokens": 11, "output_tokens": 3}}


def _told(kind: str, value: float | Mapping[str, float]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        return {"type": kind, "noul": value}
    told: dict[str, Any] = {"type": kind, "probabilities": dict(value), "confidence": 0.5}
    if kind == "choice":
        return {**told, "choice": max(value, key=lambda option: value[option])}
    return {**told, "score": sum(int(level) * p for level, p in value.items())}
