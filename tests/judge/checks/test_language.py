"""The language of a text. Needs the extra `language`."""

from __future__ import annotations

import importlib.util

import pytest

from senno.errors import MissingExtra
from senno.judge.checks import CheckError, CheckResult, parse_check, run_check

TEXTS = {
    "en": "Thank you, I will send you the contract tomorrow morning.",
    "it": "Grazie, le invierò il contratto domani mattina.",
    "fr": "Merci, je vous enverrai le contrat demain matin.",
    "es": "Gracias, le enviaré el contrato mañana por la mañana.",
    "de": "Danke, ich schicke Ihnen den Vertrag morgen früh.",
    "pt": "Obrigado, vou enviar-lhe o contrato amanhã de manhã.",
    "pl": "Dziękuję, jutro rano wyślę umowę.",
    "ru": "Все люди рождаются свободными и равными в своём достоинстве и правах.",
    "ja": "明日の朝、契約書をお送りします。",
    "zh": "谢谢，明天早上我会把合同发给您。",
    "hi": "धन्यवाद, मैं आपको कल सुबह अनुबंध भेज दूँगा।",
    "sw": "Asante, nitakutumia mkataba kesho asubuhi.",
}
installed = pytest.mark.skipif(importlib.util.find_spec("py3langid") is None, reason="the extra 'language' is missing")


def language(text: str, code: str) -> CheckResult:
    return run_check(parse_check("x", {"type": "language", "language": code}, "f"), text)


@installed
@pytest.mark.parametrize("code", TEXTS)
def test_a_language_is_recognized(code: str) -> None:
    assert language(TEXTS[code], code).passed
    other = language(TEXTS[code], "it" if code != "it" else "en")
    assert not other.passed
    assert f"the language is {code!r}" in other.detail


@installed
@pytest.mark.parametrize("text", ["", " ", "12345", "!!!", "👍👍", "ok", "\ud800"], ids=ascii)
def test_a_text_that_does_not_tell_its_language_is_an_error(text: str) -> None:
    with pytest.raises(CheckError, match="the language is undetermined"):
        language(text, "en")


@installed
def test_a_language_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(CheckError, match="does not know the language 'xx'"):
        language(TEXTS["en"], "xx")


@installed
def test_capitals_do_not_matter() -> None:
    assert language(TEXTS["it"].upper(), "it").passed


@installed
@pytest.mark.parametrize(
    ("kind", "text", "passes"),
    [
        ("change_case:english_capital", TEXTS["en"].upper(), True),
        ("change_case:english_capital", TEXTS["en"], False),
        ("change_case:english_capital", TEXTS["it"].upper(), False),
        ("change_case:english_capital", "1234", False),
        ("change_case:english_lowercase", TEXTS["en"].lower(), True),
        ("change_case:english_lowercase", TEXTS["en"], False),
        ("change_case:english_lowercase", TEXTS["it"].lower(), False),
    ],
)
def test_english_in_one_case(kind: str, text: str, passes: bool) -> None:
    assert run_check(parse_check("x", {"type": kind}, "f"), text).passed is passes


@installed
def test_the_letters_in_the_wrong_case_are_shown() -> None:
    result = run_check(parse_check("x", {"type": "english_lowercase"}, "f"), "the Refund is Late")

    assert [s.text for s in result.spans] == ["R", "L"]


@installed
def test_loosely_an_introduction_in_another_language_may_be_left_out() -> None:
    text = "Sure! Here is the translation that you asked me to write for you today:\n" + TEXTS["it"]
    check = {"type": "language:response_language", "language": "it"}
    long = text.replace("Sure!", "Sure, with pleasure, I am happy to help you with this request of yours!")

    assert not run_check(parse_check("x", check, "f"), long).passed
    loose = run_check(parse_check("x", {**check, "variants": "loose"}, "f"), long)
    assert loose.passed
    assert loose.detail.endswith("(without the first line)")


@installed
def test_loosely_undetermined_is_an_error_unless_a_variant_passes() -> None:
    check = {"type": "language:response_language", "language": "it", "variants": "loose"}

    with pytest.raises(CheckError, match="undetermined"):
        run_check(parse_check("x", check, "f"), "ok\nok\nok")
    assert run_check(parse_check("x", check, "f"), f"12\n{TEXTS['it']}\n34").passed


@pytest.mark.parametrize("kind", ["language", "response_language", "english_capital", "english_lowercase"])
def test_without_the_extra_the_check_is_refused_when_it_is_read(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        assert name == "py3langid"

    monkeypatch.setattr(importlib.util, "find_spec", absent)
    parameters = {"language": "it"} if "language" in kind else {}

    with pytest.raises(MissingExtra, match=r"pip install 'senno\[language\]'"):
        parse_check("x", {"type": kind, **parameters}, "f")
