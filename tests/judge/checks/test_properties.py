"""What holds for any text."""

from __future__ import annotations

import unicodedata
from itertools import groupby
from operator import itemgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from senno.judge.checks import CheckError, CheckSpec, kinds, parse_check, run_check
from senno.judge.checks.benchmarks.punkt import punkt_sentences
from senno.judge.checks.benchmarks.rule_sentences import rule_sentences
from senno.judge.checks.benchmarks.spec import loose_variants
from senno.judge.checks.benchmarks.treebank import treebank_tokens
from senno.judge.checks.reading import fold
from senno.judge.checks.sentences import sentences
from senno.judge.checks.units import UNITS

SPECS = {kind.name: parse_check(kind.name, kind.example.check, "f") for kind in kinds()}

# A first call may load a model or compile patterns.
no_deadline = settings(deadline=None)
# Lone surrogates too: a text that was cut in the middle of a character is still a text.
anything = st.text(st.characters(codec=None), max_size=80)
marks = st.text(st.sampled_from("aB1 .,!?\n\"'“”’*-[]<>(){}`#|_:;\t\u00adé\u0301ß中ｆﬁ\ud800👍🏽<>P.S"), max_size=60)
texts = anything | marks
cased = st.text(
    st.characters(categories=["Lu", "Ll"], max_codepoint=0x52F).filter(
        lambda c: unicodedata.normalize("NFKC", c.casefold()).isalpha()
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@no_deadline
@given(text=texts)
def test_a_check_gives_a_result_or_says_that_it_cannot(spec: CheckSpec, text: str) -> None:
    try:
        result = run_check(spec, text)
    except CheckError:
        return
    assert all(text[s.start : s.end] == s.text for s in result.spans)
    assert all(0 <= s.start <= s.end <= len(text) for s in result.spans)
    assert run_check(spec, text) == result


@pytest.mark.parametrize("name", [kind.name for kind in kinds() if kind.aliases])
@no_deadline
@given(text=texts)
def test_loose_passes_whatever_passes_strictly(name: str, text: str) -> None:
    strict = SPECS[name]
    loose = strict.model_copy(update={"variants": "loose"})
    try:
        passed = run_check(strict, text).passed
        result = run_check(loose, text)
    except CheckError:
        return
    assert result.passed or not passed
    assert all(text[s.start : s.end] == s.text for s in result.spans)


@no_deadline
@given(word=cased, before=cased, after=cased)
def test_a_forbidden_word_never_fires_inside_a_longer_word(word: str, before: str, after: str) -> None:
    spec = parse_check("x", {"type": "forbidden_words", "words": [word]}, "f")

    for text in (before + word, word + after, before + word + after):
        assert run_check(spec, f"- {text}.").passed


@no_deadline
@given(word=cased, before=st.sampled_from(["", " ", "(", "l'", "l’", "non-", "\n", "—", "«"]), after=cased)
def test_a_forbidden_word_always_fires_as_a_word(word: str, before: str, after: str) -> None:
    spec = parse_check("x", {"type": "forbidden_words", "words": [word]}, "f")
    text = f"{before}{word} {after}"

    result = run_check(spec, text)

    assert not result.passed
    assert fold(result.spans[0].text).text == fold(word).text


@no_deadline
@given(word=cased, before=anything, after=anything)
def test_as_a_substring_what_was_put_in_is_found_in_any_text(word: str, before: str, after: str) -> None:
    spec = parse_check("x", {"type": "forbidden_words", "words": [word], "substring": True}, "f")

    assert not run_check(spec, f"{before}\n{word}\n{after}").passed


@no_deadline
@given(text=texts, case_sensitive=st.booleans())
def test_folding_keeps_the_way_back(text: str, case_sensitive: bool) -> None:
    reading = fold(text, case_sensitive)

    places = [reading.span(at, at + 1) for at in range(len(reading.text))]
    assert [p.start for p in places] == sorted(p.start for p in places)
    for place, chars in groupby(zip(places, reading.text, strict=True), key=itemgetter(0)):
        assert text[place.start : place.end] == place.text
        assert fold(place.text, case_sensitive).text == "".join(char for _, char in chars)


@no_deadline
@given(text=texts)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    once = fold(text).text

    assert fold(once).text == once


@no_deadline
@given(text=texts)
def test_units_lie_in_the_text_one_after_another(text: str) -> None:
    for cut in (sentences, punkt_sentences, treebank_tokens, *UNITS.values()):
        try:
            places = cut(text)
        except CheckError:
            continue
        edges = [edge for place in places for edge in place]
        assert edges == sorted(edges)
        assert all(text[start:end].strip() for start, end in places if cut is not UNITS["characters"])


@no_deadline
@given(text=texts)
def test_the_words_of_all_tokens_are_all_that_is_not_white_space(text: str) -> None:
    tokens = "".join(text[start:end] for start, end in treebank_tokens(text))

    assert tokens == "".join(text.split())


@no_deadline
@given(text=texts)
def test_sentences_of_the_benchmarks_lie_in_the_text(text: str) -> None:
    for sentence in rule_sentences(text):
        assert 0 <= sentence.start <= sentence.end <= len(text)
        assert len(sentence.text) <= sentence.end - sentence.start


@no_deadline
@given(text=texts)
def test_there_are_eight_variants_that_know_where_they_come_from(text: str) -> None:
    variants = list(loose_variants(text))
    lines = text.split("\n")

    assert len(variants) == 8
    expected = [text, "\n".join(lines[1:]).strip(), "\n".join(lines[:-1]).strip(), "\n".join(lines[1:-1]).strip()]
    expected += [variant.replace("*", "") for variant in expected]
    assert sorted(reading.text for _, reading in variants) == sorted(expected)
    for _, reading in variants:
        assert all(reading.span(at, at + 1).text == char for at, char in enumerate(reading.text))


GAPS = ["a" + " " * 14_999, "a" + "\n" * 14_999]
PIECES = [
    *"a .[<*\"'`1,中\n\u0301\ud800",
    " \n",
    "!?",
    "- ",
    "1.",
    "e\u0301",
    "👨‍👩‍👧",
    "A. ",
    "\t.",
    "```\n",
    "a.b.",
    *GAPS,
]


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: ascii(piece[:6]))
def test_a_long_text_of_one_thing_is_checked_too(piece: str) -> None:
    text = piece * (30_000 // len(piece))
    for spec in SPECS.values():
        try:
            result = run_check(spec, text)
        except CheckError:
            continue
        assert all(text[s.start : s.end] == s.text for s in result.spans[:10])
