"""Length, and the units it is measured in."""

from __future__ import annotations

from typing import Any

import pytest

from senno.judge.checks import CheckError, CheckResult, parse_check, run_check

COUNTS = [
    ("characters", "", 0),
    ("characters", "abc", 3),
    ("characters", "e\u0301", 1),
    ("characters", "👨‍👩‍👧 🇮🇹", 3),
    ("characters", "a\r\nb", 3),
    ("words", "", 0),
    ("words", "L'investimento è sicuro — sul serio!", 5),
    ("words", "pre-contratto, 12%", 2),
    ("words", "... - !", 0),
    ("words", "元本保証 AI", 5),
    ("lines", "", 0),
    ("lines", "a\n\n  \nb\n", 2),
    ("paragraphs", "", 0),
    ("paragraphs", "\n\n", 0),
    ("paragraphs", "a\nb\n\nc\n \n\nd\n", 3),
    ("sentences", "", 0),
    ("sentences", "Ciao. Come va? Bene!", 3),
]

SENTENCES: list[tuple[str, list[str]]] = [
    ("Il sig. Rossi ha chiamato. Richiamerà.", ["Il sig. Rossi ha chiamato.", "Richiamerà."]),
    ("Vedi art. 5. Grazie!", ["Vedi art. 5.", "Grazie!"]),
    ("I like art. It is fine.", ["I like art.", "It is fine."]),
    ("Sì, purtroppo... ma arriverà. Punto.", ["Sì, purtroppo... ma arriverà.", "Punto."]),
    ("Wait... What?! No!", ["Wait...", "What?!", "No!"]),
    ("1. Primo.\n2. Secondo.", ["1. Primo.", "2. Secondo."]),
    ("- uno\n- due", ["- uno", "- due"]),
    ("# Titolo\n\nTesto.", ["# Titolo", "Testo."]),
    ("Dr. J. Smith lives in the U.S. He likes it.", ["Dr. J. Smith lives in the U.S.", "He likes it."]),
    (
        "Mele, pere ecc. costano. Mele, pere ecc. Poi basta.",
        ["Mele, pere ecc. costano.", "Mele, pere ecc.", "Poi basta."],
    ),
    ("Costa 1.250,40 euro. Va bene?", ["Costa 1.250,40 euro.", "Va bene?"]),
    ("Disse: «Vengo.» Poi uscì.", ["Disse: «Vengo.»", "Poi uscì."]),
    ('She said "Stop!" and left.', ['She said "Stop!" and left.']),
    ("元本は保証。ご安心を！", ["元本は保証。", "ご安心を！"]),
    ("See example.com. Then call.", ["See example.com.", "Then call."]),
    ("**Nota.** Il testo.", ["**Nota.**", "Il testo."]),
    ("ok", ["ok"]),
    ("?! ...", []),
]


def length(text: str, unit: str, **bounds: Any) -> CheckResult:
    return run_check(parse_check("x", {"type": "length", "unit": unit, **bounds}, "f"), text)


@pytest.mark.parametrize(("unit", "text", "count"), COUNTS, ids=ascii)
def test_units_are_counted(unit: str, text: str, count: int) -> None:
    assert length(text, unit, min=count, max=count).passed
    assert not length(text, unit, min=count + 1).passed


@pytest.mark.parametrize(("text", "expected"), SENTENCES, ids=[ascii(text) for text, _ in SENTENCES])
def test_sentences_end_where_a_reader_sees_it(text: str, expected: list[str]) -> None:
    everything = length(text, "sentences", max=0)
    last = length(text, "sentences", max=max(len(expected) - 1, 0))

    assert everything.detail.startswith(f"sentences: {len(expected)},")
    assert [s.text for s in last.spans] == expected[-1:]
    if expected:
        assert everything.spans[0].text.startswith(expected[0])


def test_what_is_too_much_is_shown() -> None:
    result = length("uno due tre quattro", "words", max=2)

    assert result.detail == "words: 4, asked for at most 2"
    assert [s.text for s in result.spans] == ["tre quattro"]


def test_what_is_too_little_has_no_span() -> None:
    assert length("uno", "words", min=2) == CheckResult(False, "words: 1, asked for at least 2")
    assert length("uno", "words", min=1, max=3) == CheckResult(True, "words: 1, asked for 1 to 3")


@pytest.mark.parametrize("text", ["สวัสดีครับ", "ສະບາຍດີ", "សួស្តី", "မင်္ဂလာပါ"], ids=ascii)
def test_words_of_a_script_without_spaces_cannot_be_counted(text: str) -> None:
    with pytest.raises(CheckError, match="measure the length in characters"):
        length(text, "words", min=1)
    assert length(text, "characters", min=1).passed
