"""A cross-encoder in ONNX that counts: ten for each word of the query that the passage has, less the passage's words.

It tells query from passage by `token_type_ids` and padding by `attention_mask`: a wrong pairing, a wrong order or a
missing mask gives other numbers.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx makes the models of these tests")
pytest.importorskip("onnxruntime", reason="the extra rerank is not installed")
pytest.importorskip("tokenizers", reason="the extra rerank is not installed")

import onnx.checker
import onnx.parser
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from senno.config import Config
from senno.errors import ConfigError
from senno.models.reranking import Reranked, Unscored, reranker
from senno.models.reranking.onnx_folder import _pad

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS = "the a cat dog sat ran on mat file test failed because missing was read".split()  # noqa: SIM905
VOCABULARY = {word: i for i, word in enumerate([*SPECIAL, *WORDS])}


def expected(query: str, passage: str) -> float:
    return 10.0 * len(set(query.split()) & set(passage.split())) - len(passage.split())


def overlap_folder(folder: Path, shape: str = "(n, 1)", config: dict[str, object] | None = None, kind=None) -> Path:
    """`shape`: of the output, as in `_ENDS`; `kind`: the type of the inputs."""
    folder.mkdir(exist_ok=True)
    _tokenizer().save(str(folder / "tokenizer.json"))
    onnx.save(_model(shape, kind or TensorProto.INT64), folder / "model.onnx")
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", VOCABULARY["[CLS]"]), ("[SEP]", VOCABULARY["[SEP]"])],
    )
    # Padded to a fixed length, as the files of many models are: senno pads to the longest pair instead.
    tokenizer.enable_padding(length=600, pad_id=0, pad_token="[PAD]")
    return tokenizer


_SCORE = """
    mask = Cast <to: int = 1> (attention_mask)
    second = Cast <to: int = 1> (token_type_ids)
    first = Sub (one, second)
    of_query = Mul (first, mask)
    of_passage = Mul (second, mask)
    words = Gather (table, input_ids)
    query_at = Unsqueeze (of_query, last)
    passage_at = Unsqueeze (of_passage, last)
    query_words = Mul (words, query_at)
    passage_words = Mul (words, passage_at)
    in_query = ReduceMax <keepdims: int = 0> (query_words, middle)
    in_passage = ReduceMax <keepdims: int = 0> (passage_words, middle)
    both = Mul (in_query, in_passage)
    shared = ReduceSum <keepdims: int = 1> (both, middle)
    length = ReduceSum <keepdims: int = 0> (passage_words, all)
    length_at = Unsqueeze (length, middle)
    tens = Mul (shared, ten)
    score = Sub (tens, length_at)
"""

_ENDS = {
    "(n, 1)": ("[n, 1]", "logits = Identity (score)"),
    "(n,)": ("[n]", "logits = Squeeze (score, middle)"),
    "squeezed": ("[n]", "logits = Squeeze (score)"),
    "(n, 2)": ("[n, 2]", "no = Neg (score) \n logits = Concat <axis: int = 1> (no, score)"),
    "(n, 3)": ("[n, 3]", "logits = Concat <axis: int = 1> (score, score, score)"),
    "constant": ("[n, 1]", "nothing = Sub (score, score) \n logits = Add (nothing, one)"),
    "not a number": ("[n, 1]", "nothing = Sub (score, score) \n logits = Div (nothing, nothing)"),
    "second output": ("[n, 1]", "hidden = Neg (score) \n logits = Identity (score)"),
}


def _model(shape: str, kind: int) -> onnx.ModelProto:
    dimensions, end = _ENDS[shape]
    of = "int64" if kind == TensorProto.INT64 else "int32"
    outputs = f"float{dimensions} logits"
    if shape == "second output":
        outputs = f"float[n, 1] hidden, {outputs}"
    inputs = ", ".join(f"{of}[n, t] {name}" for name in ("input_ids", "attention_mask", "token_type_ids"))
    model = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 18]> overlap ({inputs}) => ({outputs}) {{ {_SCORE} {end} }}'
    )
    table = np.eye(len(VOCABULARY), dtype=np.float32)
    table[: len(SPECIAL)] = 0
    constants = {
        "table": table,
        "one": np.array(1, np.float32),
        "ten": np.array(10, np.float32),
        "last": np.array([2], np.int64),
        "middle": np.array([1], np.int64),
        "all": np.array([1, 2], np.int64),
    }
    model.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
    onnx.checker.check_model(model)
    return model


def strange_folder(folder: Path) -> Path:
    """A model that wants pictures."""
    folder.mkdir(exist_ok=True)
    _tokenizer().save(str(folder / "tokenizer.json"))
    pixels = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["n", 3])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", 3])
    graph = helper.make_graph([helper.make_node("Identity", ["pixels"], ["logits"])], "g", [pixels], [logits])
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), folder / "model.onnx"
    )
    return folder


QUERY = "the test failed because a file was missing"
PASSAGES = ["the cat sat on the mat", "a file was missing", "read the file because the test failed", "dog"]


def scores(folder: Path, passages=PASSAGES, query=QUERY) -> Reranked:
    found = reranker(f"onnx:{folder}", Config())
    assert found is not None
    return found.scores(query, passages)


@pytest.mark.parametrize(
    ("shape", "times"), [("(n, 1)", 1), ("(n,)", 1), ("squeezed", 1), ("(n, 2)", 2), ("second output", 1)]
)
def test_each_passage_has_the_score_of_its_own_pair(tmp_path, shape, times) -> None:
    folder = overlap_folder(tmp_path / "m", shape)
    found = scores(folder)
    assert found == Reranked(tuple(times * expected(QUERY, passage) for passage in PASSAGES), "cross-encoder")
    for passage in PASSAGES:
        assert scores(folder, [passage]).usable == (times * expected(QUERY, passage),)


def test_inputs_of_32_bits_are_given(tmp_path) -> None:
    folder = overlap_folder(tmp_path / "m", kind=TensorProto.INT32)
    assert scores(folder).usable == tuple(expected(QUERY, passage) for passage in PASSAGES)


def test_one_score_for_all_is_told_and_not_used(tmp_path) -> None:
    found = scores(overlap_folder(tmp_path / "m", "constant"))
    assert found.scores == (1.0,) * 4
    assert found.usable is None
    assert found.notes == (f"onnx:{tmp_path / 'm'} gave all 4 candidates the score 1: that tells nothing",)


@pytest.mark.parametrize(("shape", "said"), [("not a number", "its score is nan"), ("(n, 3)", "has the shape (4, 3)")])
def test_what_is_no_score_is_none(tmp_path, shape, said) -> None:
    found = scores(overlap_folder(tmp_path / "m", shape))
    assert all(isinstance(each, Unscored) for each in found.scores)
    assert said in found.notes[0]


@pytest.mark.parametrize("longest", [16, 512, 8192, None, "many", True])
def test_what_is_longer_than_the_model_reads_is_cut(tmp_path, longest) -> None:
    folder = overlap_folder(tmp_path / "m", config={"max_position_embeddings": longest})
    room = (16 if longest == 16 else 512) - 3
    query, passage = "test", "cat " * 900 + "test"
    cut = room - 1
    assert scores(folder, [passage, "test"], query).usable == (-float(cut), 9.0)


def test_a_query_that_is_longer_than_the_model_reads_is_cut_too(tmp_path) -> None:
    folder = overlap_folder(tmp_path / "m", config={"max_position_embeddings": 64})
    found = scores(folder, ["cat sat", "dog"], "cat " * 700)
    assert found.usable == (10.0 - 2, -1.0)


def test_roberta_reads_two_tokens_fewer_than_it_has_places(tmp_path) -> None:
    folder = overlap_folder(tmp_path / "m", config={"max_position_embeddings": 34, "model_type": "xlm-roberta"})
    assert scores(folder, ["cat " * 100, "test"], "test").usable == (-(32.0 - 3 - 1), 9.0)


def test_it_pads_with_what_the_model_was_padded_with(tmp_path) -> None:
    tokenizer = Tokenizer.from_file(str(overlap_folder(tmp_path / "m") / "tokenizer.json"))
    _pad(tokenizer, {"pad_token_id": 3})
    assert (tokenizer.padding["pad_id"], tokenizer.padding["length"]) == (0, None)
    tokenizer.no_padding()
    _pad(tokenizer, {"pad_token_id": 3})
    assert (tokenizer.padding["pad_id"], tokenizer.padding["pad_token"]) == (3, "[SEP]")
    tokenizer.no_padding()
    _pad(tokenizer, {"pad_token_id": None})
    assert tokenizer.padding["pad_id"] == VOCABULARY["[PAD]"]


def test_a_tokenizer_that_does_not_pad_is_made_to(tmp_path) -> None:
    folder = overlap_folder(tmp_path / "m")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.save(str(folder / "tokenizer.json"))
    assert scores(folder).usable == tuple(expected(QUERY, passage) for passage in PASSAGES)


def test_surrogates_and_nul_do_no_harm(tmp_path) -> None:
    folder = overlap_folder(tmp_path / "m")
    assert scores(folder, ["cat\0sat", "\ud800"], "cat").usable == (8.0, 0.0)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_not_there_is_named(tmp_path, name) -> None:
    folder = overlap_folder(tmp_path / "m")
    (folder / name).unlink()
    with pytest.raises(ConfigError, match=f"{name} is not there; expected a folder with model.onnx and tokenizer.json"):
        reranker(f"onnx:{folder}", Config())


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_no_model_is_an_error(tmp_path, name) -> None:
    folder = overlap_folder(tmp_path / "m")
    (folder / name).write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(ConfigError, match="it cannot be loaded"):
        reranker(f"onnx:{folder}", Config())


@pytest.mark.parametrize("text", ["{", "[1]", "\ufffd", "[" * 100_000])
def test_a_config_that_is_none_is_an_error(tmp_path, text) -> None:
    folder = overlap_folder(tmp_path / "m")
    (folder / "config.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"config\.json .*expected a JSON object"):
        reranker(f"onnx:{folder}", Config())


def test_a_model_that_wants_something_else_is_an_error_that_says_what(tmp_path) -> None:
    with pytest.raises(ConfigError, match=r"has the inputs pixels \(tensor\(float\)\); expected input_ids"):
        reranker(f"onnx:{strange_folder(tmp_path / 'm')}", Config())


def test_a_folder_in_the_home_of_the_user(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    shutil.copytree(overlap_folder(tmp_path / "m"), tmp_path / "copy")
    found = reranker("onnx:~/copy", Config())
    assert found is not None
    assert found.scores("cat", ["dog", "cat"]).usable == (-1.0, 9.0)


def test_a_process_that_used_it_ends_without_a_word(tmp_path) -> None:
    folder = overlap_folder(tmp_path / "m")
    code = f"""
from senno.config import Config
from senno.models.reranking import reranker
print(reranker({f"onnx:{folder}"!r}, Config()).scores("cat", ["dog", "cat"]).usable)
"""
    ran = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, encoding="utf-8")
    assert (ran.stdout, ran.stderr, ran.returncode) == ("(-1.0, 9.0)\n", "", 0)
