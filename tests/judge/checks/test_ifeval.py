"""The kinds of IFEval, by hand: it publishes no verdicts."""

from __future__ import annotations

from typing import Any

import pytest

from senno.judge.checks import CheckResult, parse_check, run_check


def follow(text: str, kind: str, **parameters: Any) -> CheckResult:
    return run_check(parse_check("x", {"type": kind, **parameters}, "f"), text)


LESS, LEAST = "less than", "at least"
NTH = "length_constraints:nth_paragraph_first_word"
END = "startend:end_checker"

# kind, parameters, text, passes, the pieces shown (None: not looked at)
CASES: list[tuple[str, dict[str, Any], str, bool, list[str] | None]] = [
    ("keywords:existence", {"keywords": ["refund"]}, "REFUNDED", True, ["REFUND"]),
    ("keywords:existence", {"keywords": ["refund", "late"]}, "refund", False, ["refund"]),
    ("keywords:existence", {"keywords": ["a.b"]}, "axb", False, []),
    ("keywords:existence", {"keywords": ["don't"]}, "don’t", False, []),
    ("keywords:frequency", {"keyword": "an", "frequency": 3, "relation": LEAST}, "banana An", True, ["an", "an", "An"]),
    ("keywords:frequency", {"keyword": " an ", "frequency": 3, "relation": LESS}, "banana", True, ["an", "an"]),
    ("keywords:frequency", {"keyword": "an", "frequency": 2, "relation": LESS}, "banana", False, ["an", "an"]),
    ("keywords:frequency", {"keyword": "x", "frequency": 0, "relation": LEAST}, "a", True, []),
    ("keywords:forbidden_words", {"forbidden_words": ["cat"]}, "A CAT, cats", False, ["CAT"]),
    ("keywords:forbidden_words", {"forbidden_words": ["cat"]}, "concatenate cat_1", True, []),
    ("keywords:forbidden_words", {"forbidden_words": ["C++"]}, "in C++.", False, ["C++"]),
    ("keywords:forbidden_words", {"forbidden_words": ["perché"]}, "perché", False, ["perché"]),
    (
        "keywords:letter_frequency",
        {"letter": "E", "let_frequency": 3, "let_relation": LEAST},
        "See the",
        True,
        ["e", "e", "e"],
    ),
    ("keywords:letter_frequency", {"letter": "#", "let_frequency": 1, "let_relation": LESS}, "# A", False, ["#"]),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 3, "capital_relation": LEAST},
        "I DON'T know.",
        True,
        ["I", "DO", "N'T"],
    ),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 1, "capital_relation": LESS},
        "Know, iPhone X-ray 12.",
        True,
        [],
    ),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": LESS},
        "The GPT-4 (USA).",
        False,
        ["GPT-4", "USA"],
    ),
    ("punctuation:no_comma", {}, "a, b，c", False, [","]),
    ("punctuation:no_comma", {}, "a; b", True, []),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 3, "relation": LESS},
        "One. Two.",
        True,
        ["One.", "Two."],
    ),
    ("length_constraints:number_sentences", {"num_sentences": 3, "relation": LEAST}, "Mr. A. Two?", False, None),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 4, "relation": LEAST},
        "1. One\n2. Two",
        False,
        ["1.", "One\n2.", "Two"],
    ),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 1, "relation": LEAST},
        '"No." She left',
        True,
        ['"No."', "She left"],
    ),
    ("length_constraints:number_words", {"num_words": 3, "relation": LESS}, "don't", True, []),
    ("length_constraints:number_words", {"num_words": 2, "relation": LEAST}, "don't", True, []),
    ("length_constraints:number_words", {"num_words": 1, "relation": LEAST}, "... !", False, []),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "a\n***\nb", True, ["***"]),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "***a***b***", True, ["***", "***", "***"]),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 3}, "a***   ***b", False, ["***", "***"]),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "a\n\nb", False, []),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 1}, "a", True, []),
    (NTH, {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "So"}, 'a\n\n"so, yes', True, ["so"]),
    (NTH, {"num_paragraphs": 2, "nth_paragraph": 1, "first_word": "a"}, " A.b\n\nc", True, ["A"]),
    (NTH, {"num_paragraphs": 3, "nth_paragraph": 1, "first_word": "a"}, "a\n\nb", False, ["a"]),
    (NTH, {"num_paragraphs": 2, "nth_paragraph": 3, "first_word": "a"}, "a\n\na", False, []),
    (NTH, {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "b"}, "a\n\n\n\nb", False, []),
    (NTH, {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "è"}, "È vero", True, ["È"]),
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, "[a] [] [b\n]", True, ["[a]", "[]"]),
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, "[[a] b] [c", False, ["[[a]"]),
    ("detectable_content:number_placeholders", {"num_placeholders": 1}, "a]\n[b\n[c", False, []),
    ("detectable_content:postscript", {"postscript_marker": "P.S."}, "a\n\nP. S. b\nc", True, ["P. S. b"]),
    ("detectable_content:postscript", {"postscript_marker": "P.S."}, "PS b", False, []),
    ("detectable_content:postscript", {"postscript_marker": "P.P.S"}, "p.p. s: b", True, ["p.p. s: b"]),
    ("detectable_content:postscript", {"postscript_marker": "Note*"}, "a note* b", True, ["note* b"]),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, " * a\n\n  - b\n** c", True, ["* a", "- b"]),
    ("detectable_format:number_bullet_lists", {"num_bullets": 1}, "* a\n* b", False, ["* a", "* b"]),
    ("detectable_format:number_bullet_lists", {"num_bullets": 0}, "a - b\n• c", True, []),
    ("detectable_format:constrained_response", {}, "Well. My answer is no.", True, ["My answer is no."]),
    ("detectable_format:constrained_response", {}, "my answer is no.", False, []),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, "*a* **b**", True, ["*a*", "**b**"]),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 1}, "** * a\n* b", False, []),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "Day", "num_sections": 2},
        "Day 1 a Day2",
        True,
        ["Day 1", "Day2"],
    ),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "Day", "num_sections": 2},
        "Day 1 a day 2",
        False,
        ["Day 1"],
    ),
    ("detectable_format:multiple_sections", {"section_spliter": "(", "num_sections": 1}, "(1)", True, ["(1"]),
    ("detectable_format:json_format", {}, ' ```JSON\n{"a": 1}', True, []),
    ("detectable_format:json_format", {}, '{"a": NaN}', True, []),
    ("detectable_format:json_format", {}, 'Here: {"a": 1}', False, []),
    ("detectable_format:title", {}, "a <<< b >>> c", True, ["<<< b >>>"]),
    ("detectable_format:title", {}, "<<>>\n<< >>\n<<a", False, []),
    ("detectable_format:title", {}, ">> <<", False, []),
    ("combination:two_responses", {}, "******a******b******", True, None),
    ("combination:two_responses", {}, "a******b******c", False, ["******", "******"]),
    ("combination:two_responses", {}, "a******\n******b", False, ["******", "******"]),
    ("combination:two_responses", {}, "a\n******\n a", False, ["******"]),
    ("combination:two_responses", {}, "a*****b", False, []),
    ("combination:repeat_prompt", {"prompt_to_repeat": " Why? "}, "\n WHY? So.", True, ["WHY?"]),
    ("combination:repeat_prompt", {"prompt_to_repeat": "Why?"}, "Sure: why?", False, []),
    (END, {"end_phrase": "Bye!"}, 'a bye!" \n', True, ["bye!"]),
    (END, {"end_phrase": "Bye!"}, "Bye! Really.", False, []),
    (END, {"end_phrase": "perché"}, "PERCHÉ", True, ["PERCHÉ"]),
    ("startend:quotation", {}, ' "a" b" ', True, ['"', '"']),
    ("startend:quotation", {}, '"', False, []),
    ("startend:quotation", {}, "“a”", False, []),
]


@pytest.mark.parametrize(
    ("kind", "parameters", "text", "passes", "shown"), CASES, ids=[f"{c[0]}-{c[2]!a}-{c[3]}" for c in CASES]
)
def test_a_text_follows_or_not(
    kind: str, parameters: dict[str, Any], text: str, passes: bool, shown: list[str] | None
) -> None:
    result = follow(text, kind, **parameters)

    assert result.passed is passes, result.detail
    assert shown is None or [s.text for s in result.spans] == shown


def test_every_kind_has_a_text_that_passes_and_one_that_fails() -> None:
    with_language = {"language:response_language", "change_case:english_capital", "change_case:english_lowercase"}
    verdicts = {kind: {passes for k, _, _, passes, _ in CASES if k == kind} for kind, *_ in CASES}

    assert all(seen == {True, False} for seen in verdicts.values())
    assert len(verdicts.keys() | with_language) == 25
