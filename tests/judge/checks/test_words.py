"""Required phrases and forbidden words."""

from __future__ import annotations

from typing import Any

import pytest

from senno.judge.checks import CheckResult, parse_check, run_check


def forbidden(text: str, *words: str, **options: Any) -> CheckResult:
    return run_check(parse_check("x", {"type": "forbidden_words", "words": list(words), **options}, "f"), text)


def contains(text: str, *phrases: str, **options: Any) -> CheckResult:
    return run_check(parse_check("x", {"type": "contains", "phrases": list(phrases), **options}, "f"), text)


FIRES = [
    # word, text, what is shown of the original
    ("garantito", "Un rendimento garantito.", "garantito"),
    ("garantito", "UN RENDIMENTO GARANTITO!", "GARANTITO"),
    ("garantito", "non-garantito", "garantito"),
    ("garantito", "«garantito»", "garantito"),
    ("garantito", "garantito", "garantito"),
    ("garantito", "ｇａｒａｎｔｉｔｏ", "ｇａｒａｎｔｉｔｏ"),
    ("garantito", "garan\u00adtito", "garan\u00adtito"),
    ("garantito", "garan\u200btito", "garan\u200btito"),
    ("investimento", "l'investimento", "investimento"),
    ("investimento", "l’investimento", "investimento"),
    ("l'investimento", "L’INVESTIMENTO sicuro", "L’INVESTIMENTO"),
    ("l’investimento", "dell' l'investimento", "l'investimento"),
    ("perché", "perche\u0301 no", "perche\u0301"),
    ("perche\u0301", "PERCHÉ NO", "PERCHÉ"),
    ("città", "Citta\u0300: Roma", "Citta\u0300"),
    ("straße", "DIE STRASSE", "STRASSE"),
    ("strasse", "die Straße", "Straße"),
    ("fine", "\ufb01ne", "\ufb01ne"),
    ("senza rischi", "senza\n   rischi", "senza\n   rischi"),
    ("senza rischi", "senza\u00a0rischi", "senza\u00a0rischi"),
    ("no-risk", "a no\u2011risk deal", "no\u2011risk"),
    ("C++", "in C++.", "C++"),
    ("100%", "al 100%!", "100%"),
    (".NET", "in .NET", ".NET"),
    ("保証", "元本保証付き", "保証"),
    ("テスト", "これはテストです", "テスト"),
    ("AI", "生成AIは", "AI"),
    ("รับประกัน", "เรารับประกันเงินคืน", "รับประกัน"),
    ("보장", "원금 보장 상품", "보장"),
    ("гарантия", "ГАРАНТИЯ!", "ГАРАНТИЯ"),
    ("ΟΔΟΣ", "η οδος", "οδος"),
    ("👍", "ok 👍🏽", "👍🏽"),
    ("don", "I don't", "don"),
    ("user_id", "the user_id is", "user_id"),
]
SILENT = [
    ("garantito", "Il garantitore."),
    ("garantito", "autogarantito"),
    ("garantito", "garantito_1"),
    ("garantito", "garantito2"),
    ("garantito", "garantitò"),
    ("garantito", "garantito\u0301"),
    ("perche", "perché"),
    ("città", "cittadina"),
    ("invest", "l'investimento"),
    ("rischio", "rischioso"),
    ("senza rischi", "senza altri rischi"),
    ("senza rischi", "senza rischiare"),
    ("보장", "보장은"),
    ("user", "user_id"),
    ("hat", "that"),
    ("a", "à"),
]


@pytest.mark.parametrize(("word", "text", "shown"), FIRES, ids=[ascii(case[:2]) for case in FIRES])
def test_a_forbidden_word_fires(word: str, text: str, shown: str) -> None:
    result = forbidden(text, word)

    assert not result.passed
    assert shown in [s.text for s in result.spans]


@pytest.mark.parametrize(("word", "text"), SILENT, ids=ascii)
def test_a_forbidden_word_does_not_fire(word: str, text: str) -> None:
    assert forbidden(text, word) == CheckResult(True, "none of the forbidden words is there")


def test_as_a_substring_it_fires_inside_words() -> None:
    result = forbidden("Il GARANTITORE", "garantito", substring=True)

    assert [(s.start, s.end, s.text) for s in result.spans] == [(3, 12, "GARANTITO")]


def test_case_can_matter() -> None:
    assert forbidden("us and them", "US", case_sensitive=True).passed
    assert not forbidden("the ＵＳ", "US", case_sensitive=True).passed


def test_every_place_is_shown_in_the_order_of_the_text() -> None:
    result = forbidden("Sicuro? Garantito e sicuro.", "garantito", "sicuro")

    assert [s.text for s in result.spans] == ["Sicuro", "Garantito", "sicuro"]
    assert result.detail == "forbidden: 'Sicuro', 'Garantito', 'sicuro'"


def test_the_longest_of_two_phrases_at_one_place_is_shown() -> None:
    assert [s.text for s in forbidden("rendimento garantito", "rendimento", "rendimento garantito").spans] == [
        "rendimento garantito"
    ]


def test_spans_are_offsets_in_the_original_after_ligatures_and_marks() -> None:
    text = "\ufb01ne e\u0301 \U0001f600 garantito"

    (place,) = forbidden(text, "garantito").spans

    assert text[place.start : place.end] == "garantito"


def test_all_phrases_must_be_there_and_the_missing_ones_are_named() -> None:
    result = contains("Indichi l’importo.", "l'importo", "codice fiscale")

    assert not result.passed
    assert result.detail == "missing: 'codice fiscale'"
    assert [s.text for s in result.spans] == ["l’importo"]


def test_what_is_missing_has_no_span() -> None:
    assert contains("", "a") == CheckResult(False, "'a' is not there")
    assert contains("b", "a", "c") == CheckResult(False, "none of 'a', 'c' is there")


def test_any_phrase_may_be_enough() -> None:
    result = contains("Il Rimborso.", "storno", "rimborso", match="any")

    assert result.passed
    assert result.detail == "found 'rimborso'"
    assert not contains("Il pagamento.", "storno", "rimborso", match="any").passed


def test_a_phrase_is_required_as_a_word_unless_it_says_substring() -> None:
    assert not contains("rimborsato", "rimborsa").passed
    assert contains("rimborsato", "rimborsa", substring=True).passed


def test_only_the_first_place_of_a_required_phrase_is_shown() -> None:
    assert [s.start for s in contains("no, no, no", "no").spans] == [0]
