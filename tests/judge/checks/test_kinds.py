"""Every kind, through its own description."""

from __future__ import annotations

from typing import Any

import pytest

from senno.judge.checks import CheckContext, KindInfo, kinds, parse_check, run_check

ALL = kinds()
EDGES = ["", " ", " \n\t ", "\n", "a", "*", '"', "é", "\ud800", "👍🏽", "ﬁ", "中文", "．", "a\u0301", "\u00ad"]


def named(kind: KindInfo) -> str:
    return kind.name


def test_there_are_ten_general_kinds_25_of_ifeval_and_55_of_ifbench() -> None:
    general = [kind.name for kind in ALL if not kind.aliases]

    assert len(general) == 10
    assert len(ALL) == 10 + 25 + 55


def test_no_two_kinds_share_a_name_or_an_alias() -> None:
    names = [name for kind in ALL for name in (kind.name, *kind.aliases)]

    assert len(names) == len(set(names))
    assert all(":" in alias for kind in ALL for alias in kind.aliases)


@pytest.mark.parametrize("kind", ALL, ids=named)
def test_the_example_passes_and_fails_as_it_says(kind: KindInfo) -> None:
    spec = parse_check("example", kind.example.check, "checks.json")

    passed = run_check(spec, kind.example.passes)
    failed = run_check(spec, kind.example.fails)

    assert passed.passed
    assert not failed.passed
    assert passed.detail
    assert failed.detail


@pytest.mark.parametrize("kind", ALL, ids=named)
def test_name_and_alias_mean_the_same_kind(kind: KindInfo) -> None:
    specs = [parse_check("x", {**kind.example.check, "type": t}, "f") for t in (kind.name, *kind.aliases)]

    assert len({type(spec) for spec in specs}) == 1


@pytest.mark.parametrize("kind", ALL, ids=named)
def test_kinds_and_parameters_are_described(kind: KindInfo) -> None:
    assert kind.summary.endswith(".")
    assert "\n" not in kind.summary
    for parameter in kind.parameters:
        assert parameter.description
        assert not parameter.expects.startswith("<")
        assert "typing" not in parameter.expects
        assert parameter.required == (parameter.name in kind.example.check and parameter.default is None) or (
            not parameter.required
        )


@pytest.mark.parametrize("kind", ALL, ids=named)
def test_required_parameters_are_required(kind: KindInfo) -> None:
    required = [parameter.name for parameter in kind.parameters if parameter.required]

    for name in required:
        with pytest.raises(Exception, match=rf"checks\.json: x\.{name}: it is missing; expected "):
            parse_check("x", {k: v for k, v in kind.example.check.items() if k != name}, "checks.json")


@pytest.mark.parametrize("text", EDGES, ids=ascii)
@pytest.mark.parametrize("kind", [k for k in ALL if "langu" not in k.name and "english" not in k.name], ids=named)
def test_edge_texts_give_a_result_with_spans_of_the_text(kind: KindInfo, text: str) -> None:
    spec = parse_check("x", kind.example.check, "f")

    result = run_check(spec, text)

    assert isinstance(result.passed, bool)
    assert all(text[s.start : s.end] == s.text for s in result.spans)


@pytest.mark.parametrize("text", ["", "  \n "], ids=ascii)
@pytest.mark.parametrize("kind", [k for k in ALL if k.aliases], ids=named)
def test_an_empty_text_follows_no_instruction_of_a_benchmark(kind: KindInfo, text: str) -> None:
    for variants in ("strict", "loose"):
        spec = parse_check("x", {**kind.example.check, "variants": variants}, "f")

        assert not run_check(spec, text).passed


def test_the_context_is_optional() -> None:
    check: dict[str, Any] = {"type": "contains", "phrases": ["a"]}

    assert run_check(parse_check("x", check, "f"), "a") == run_check(parse_check("x", check, "f"), "a", CheckContext())
