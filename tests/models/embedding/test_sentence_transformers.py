"""Against a stand-in for the package: the real one brings torch (2 GB), and no test fetches a model."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest

from senno.config import Config
from senno.errors import ConfigError, MissingExtra, ModelError
from senno.models.embedding import embedder


class Model:
    """Keeps what it is given; its vectors are the lengths of the texts."""

    prompts: Mapping[str, str] = MappingProxyType({})
    answer = None

    def __init__(self, name: str) -> None:
        if name == "nothing":
            raise OSError("nothing is not a local folder and is not a valid model identifier")
        self.seen: list[tuple[str, list[str]]] = []

    def _encode(self, how: str, texts: list[str], **options: bool):
        assert options == {"convert_to_numpy": True, "show_progress_bar": False}
        self.seen.append((how, texts))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer if self.answer is not None else np.array([[len(text), 1.0] for text in texts])

    def encode(self, texts: list[str], **options: bool):
        return self._encode("encode", texts, **options)

    def encode_query(self, texts: list[str], **options: bool):
        return self._encode("query", texts, **options)

    def encode_document(self, texts: list[str], **options: bool):
        return self._encode("document", texts, **options)


@pytest.fixture
def package(monkeypatch) -> type[Model]:
    fresh = type("Fresh", (Model,), {})
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=fresh))
    return fresh


def made(name: str):
    found = embedder(f"sentence-transformers:{name}", Config())
    assert found is not None
    return found


def test_rows_have_norm_1_and_the_name_is_as_it_was_written(package) -> None:
    model = made("all-MiniLM-L6-v2")
    assert model.name == "sentence-transformers:all-MiniLM-L6-v2"
    assert model.passages(["abc", "a\0\ud800"]).tolist() == pytest.approx(np.array([[3, 1], [3, 1]]) / 10**0.5)
    assert model._model.seen == [("encode", ["abc", "a ?"])]


def test_a_model_of_a_known_family_reads_its_prefixes(package) -> None:
    model = made("intfloat/e5-base")
    model.passages(["p"])
    model.query("q")
    assert model._model.seen == [("encode", ["passage: p"]), ("encode", ["query: q"])]


def test_a_model_that_brings_prompts_reads_those_alone(package) -> None:
    package.prompts = {"query": "find: ", "document": ""}
    model = made("intfloat/e5-base")
    model.passages(["p"])
    model.query("q")
    assert model._model.seen == [("document", ["p"]), ("query", ["q"])]


def test_no_texts_are_no_rows(package) -> None:
    assert made("m").passages([]).shape == (0, 0)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (RuntimeError("CUDA out of memory"), "CUDA out of memory"),
        (np.zeros((1, 2)), "vector of zeros"),
        (np.ones((2, 2)), "for 1 texts"),
    ],
)
def test_a_failure_is_an_error_of_the_model(package, answer, said) -> None:
    package.answer = answer
    with pytest.raises(ModelError, match=f"sentence-transformers:m: .*{said}"):
        made("m").query("q")


def test_a_model_that_is_not_there_is_an_error_of_the_configuration(package) -> None:
    with pytest.raises(ConfigError, match=r"sentence-transformers:nothing: it cannot be loaded .*not a valid model"):
        made("nothing")


def test_without_the_package_the_error_has_the_command(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"pip install 'senno\[sentence-transformers\]'"):
        made("m")
