from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from senno.config import Config
from senno.errors import ConfigError, MissingExtra
from senno.models.reranking import Unscored, reranker
from senno.models.reranking.cross_encoder import CrossEncoder, of_logits


@pytest.mark.parametrize(
    ("logits", "count", "expected"),
    [
        ([[0.5], [-1.0]], 2, [0.5, -1.0]),
        ([0.5, -1.0], 2, [0.5, -1.0]),
        ([[0.5]], 1, [0.5]),
        ([0.5], 1, [0.5]),
        (0.5, 1, [0.5]),
        ([[1.0, 3.0], [2.0, -2.0]], 2, [2.0, -4.0]),
        ([[1.0, 3.0]], 1, [2.0]),
    ],
)
def test_logits_of_each_shape_are_a_score_a_pair(logits, count, expected) -> None:
    assert of_logits(np.array(logits, np.float32), count).tolist() == expected


@pytest.mark.parametrize(
    ("logits", "count"), [([[0.1] * 3] * 2, 2), ([0.1] * 3, 2), ([[0.1, 0.2]], 2), (0.5, 2), ([[[0.1]]], 1)]
)
def test_logits_of_another_shape_are_an_error(logits, count) -> None:
    with pytest.raises(ValueError, match="its answer has the shape"):
        of_logits(np.array(logits), count)


def by_length(query: str, passages) -> np.ndarray:
    return np.array([float(len(passage)) for passage in passages])


def test_texts_are_given_as_a_model_can_take_them() -> None:
    seen = []

    def score(query, passages):
        seen.append((query, list(passages)))
        return by_length(query, passages)

    CrossEncoder("r", score).scores("a\0\ud800" + "x" * 5000, ["", "b\udfff"])
    ((query, passages),) = seen
    assert (query[:3], len(query), passages) == ("a ?", 4000, [" ", "b?"])


def test_no_passages_are_no_call() -> None:
    def score(query, passages):
        raise AssertionError("called")

    assert CrossEncoder("r", score).scores("q", []).scores == ()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (RuntimeError("no"), "RuntimeError: no"),
        (SystemExit(3), "it called sys.exit"),
        (np.array([1.0]), "it gave 1 scores for 2 passages"),
        (np.array([1.0, np.nan]), "its score is nan"),
    ],
)
def test_a_failure_is_no_score_and_is_told(answer, said) -> None:
    def score(query, passages):
        if isinstance(answer, BaseException):
            raise answer
        return answer

    found = CrossEncoder("r", score).scores("q", ["a", "b"])
    assert found.usable is None
    assert said in found.notes[0]


def test_it_keeps_its_deadline_and_what_is_late_holds_up_the_next_no_longer_than_that_may_wait() -> None:
    started, go = threading.Event(), threading.Event()

    def score(query, passages):
        started.set()
        go.wait()
        return by_length(query, passages)

    encoder = CrossEncoder("r", score)
    late = encoder.scores("q", ["a", "bb"], seconds=0.05)
    assert started.is_set()
    assert late.scores == (Unscored("no answer within 50 ms"),) * 2
    assert late.usable is None
    assert encoder.scores("q", ["a", "bb"], seconds=0.05).notes == ("r: no answer within 50 ms",)
    go.set()
    assert encoder.scores("q", ["a", "bb"]).usable == (1.0, 2.0)


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_no_time_is_no_call(seconds) -> None:
    def score(query, passages):
        raise AssertionError("called")

    found = CrossEncoder("r", score).scores("q", ["a"], seconds=seconds)
    assert isinstance(found.scores[0], Unscored)


def test_two_who_have_time_are_both_served_one_after_the_other() -> None:
    under_way, most = 0, 0

    def score(query, passages):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        threading.Event().wait(0.02)
        under_way -= 1
        return by_length(query, passages)

    encoder = CrossEncoder("r", score)
    found = []
    threads = [threading.Thread(target=lambda: found.append(encoder.scores("q", ["a", "bb"]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [each.usable for each in found] == [(1.0, 2.0)] * 4
    assert most == 1


# sentence-transformers: against a stand-in for the package, which brings torch


class Stub:
    """Counts shared words."""

    def __init__(self, name: str) -> None:
        if name == "nothing":
            raise OSError("not a valid model identifier")

    def predict(self, pairs, show_progress_bar: bool):
        assert show_progress_bar is False
        return np.array([len(set(q.split()) & set(p.split())) for q, p in pairs], np.float32)


def test_a_cross_encoder_of_sentence_transformers(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(CrossEncoder=Stub))
    found = reranker("sentence-transformers:x/y", Config())
    assert found is not None
    assert found.name == "sentence-transformers:x/y"
    assert found.scores("a b c", ["a b", "c d", "e"]).usable == (2.0, 1.0, 0.0)
    with pytest.raises(ConfigError, match="not a valid model identifier"):
        reranker("sentence-transformers:nothing", Config())


def test_without_sentence_transformers_the_error_has_the_command(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"pip install 'senno\[sentence-transformers\]'"):
        reranker("sentence-transformers:x", Config())


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_without_onnxruntime_or_tokenizers_the_error_has_the_command(monkeypatch, tmp_path: Path, package) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=r"pip install 'senno\[rerank\]'"):
        reranker(f"onnx:{tmp_path}", Config())
