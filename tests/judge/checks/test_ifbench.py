"""The kinds of IFBench, by hand: where its published verdicts are few, and what they do not show."""

from __future__ import annotations

from typing import Any

import pytest

from senno.judge.checks import CheckResult, parse_check, run_check


def follow(text: str, kind: str, **parameters: Any) -> CheckResult:
    return run_check(parse_check("x", {"type": kind, **parameters}, "f"), text)


SPAN = {"prompt_to_repeat": "Where is my refund?", "n_start": 0, "n_end": 1}
FIVE = {f"keyword{n}": word for n, word in enumerate(("cat", "dog", "fox", "hen", "owl"), start=1)}
COUNTED = "cat Dog dog fox fox FOX " + "hen " * 5 + "owl " * 7
COUNTRIES = [f"Country {n:02}" for n in range(52, 0, -1)]

# kind, parameters, text, passes
CASES: list[tuple[str, dict[str, Any], str, bool]] = [
    ("count:word_count_range", {"min_words": 2, "max_words": 2}, "don't", True),
    ("count:unique_word_count", {"N": 2}, "Late late. LATE! is", True),
    ("count:unique_word_count", {"N": 3}, "Late late. LATE! is", False),
    ("count:conjunctions", {"small_n": 2}, "and, And", True),
    ("count:conjunctions", {"small_n": 2}, "and and andy", False),
    ("count:person_names", {"N": 1}, "emma Avalon", False),
    ("count:person_names", {"N": 2}, "Emma's Ava", True),
    ("count:numbers", {"N": 1}, "10-20", True),
    ("count:numbers", {"N": 2}, "10 - 20", True),
    ("count:numbers", {"N": 2}, "a1b2", True),
    ("count:punctuation", {}, ".,!?;: !?", True),
    ("count:punctuation", {}, ".,!;: !?", False),
    ("count:punctuation", {}, ".,! ?;:‽", True),
    ("count:keywords_multiple", FIVE, COUNTED, True),
    ("count:keywords_multiple", FIVE, COUNTED + "concat", True),
    ("count:keywords_multiple", FIVE, COUNTED + "cat", False),
    ("count:pronouns", {"N": 3}, "She/her: it.", True),
    ("count:pronouns", {"N": 2}, "I'm Italian. Iris.", False),
    ("count:pronouns", {"N": 2}, "İ saw it and they saw us", True),
    ("count:words_japanese", {"N": 2}, "a 水。 b 12 c (犬)", True),
    ("count:words_japanese", {"N": 1}, "水 water", False),
    ("ratio:overlap", {"reference_text": "abcd", "percentage": 50}, "abcx", True),
    ("ratio:overlap", {"reference_text": "abcd", "percentage": 53}, "abcx", False),
    ("ratio:overlap", {"reference_text": "abcd", "percentage": 0}, "ab", False),
    ("ratio:sentence_type", {}, "no mark", True),
    ("ratio:sentence_type", {}, "Why?", False),
    ("ratio:sentence_balance", {}, "Why? Yes. Now!", True),
    ("ratio:sentence_balance", {}, "Dr. Ada. Why? Now!", True),
    ("ratio:sentence_words", {}, "Aa. Bb? Cc!", True),
    ("ratio:sentence_words", {}, "Aa. Aa? Cc!", False),
    ("ratio:sentence_words", {}, "Aa. Bb? Ccc!", False),
    ("sentence:alliteration_increment", {}, "Ah be. Cc cc. Cc cc cd dd de.", True),
    ("sentence:alliteration_increment", {}, "Ah be. Go on.", False),
    ("sentence:increment", {"small_n": 2}, "One. One two - three.", True),
    ("sentence:increment", {"small_n": 0}, "One. Two.", True),
    ("sentence:increment", {"small_n": 1}, "One. Two.", False),
    ("sentence:keyword", {"word": "late", "N": 2}, "So. It is LATE!", True),
    ("sentence:keyword", {"word": "late", "N": 2}, "So. It is later!", False),
    ("sentence:keyword", {"word": "late", "N": 3}, "So. late", False),
    ("words:alphabet", {}, "Yes, zoo -- and", True),
    ("words:alphabet", {}, "Yes and", False),
    ("words:alphabet", {}, "1 a", False),
    ("words:alphabet", {}, "...", False),
    ("words:vowel", {}, "Aeaeia\n", True),
    ("words:vowel", {}, "aeio", False),
    ("words:vowel", {}, "a\nb", False),
    ("words:consonants", {}, "Strict dry", True),
    ("words:consonants", {}, "Strict sea", False),
    ("words:palindrome", {}, "Level, radar! " * 5, True),
    ("words:palindrome", {}, "Level noon " * 5, False),
    ("words:prime_lengths", {}, "it's the -- word's", True),
    ("words:prime_lengths", {}, "I am", False),
    ("words:repeats", {"small_n": 2}, "no No, yes", True),
    ("words:repeats", {"small_n": 2}, "no No, n-o", False),
    ("words:no_consecutive", {}, "a b -- a", True),
    ("words:no_consecutive", {}, "a -- A", False),
    ("words:last_first", {}, "It is late. Late it was!", True),
    ("words:last_first", {}, "It is late. It was!", False),
    ("words:paragraph_last_first", {}, "So it is, so.\n\nYes", True),
    ("words:paragraph_last_first", {}, "So it is", False),
    ("words:keywords_specific_position", {"keyword": "Late", "n": 2, "m": 2}, "Ah. (so) late", True),
    ("words:keywords_specific_position", {"keyword": "late", "n": 2, "m": 9}, "Ah. so late", False),
    ("words:keywords_specific_position", {"keyword": "late", "n": 9, "m": 1}, "Ah. so late", False),
    ("words:words_position", {"keyword": "late"}, "so, late; late so!", True),
    ("words:words_position", {"keyword": "late"}, "late", False),
    ("format:parentheses", {}, "([{(([", False),
    ("format:parentheses", {}, "([{([]", True),
    ("format:parentheses", {}, "([{((]", False),
    ("format:quotes", {}, '"\'""\'"', True),
    ("format:quotes", {}, "\"''\"", False),
    ("format:options", {"options": "I know or I don't know"}, "i don't know.", True),
    ("format:options", {"options": "yes, no"}, "NO!", True),
    ("format:options", {"options": "a), b), c)"}, "b)", True),
    ("format:options", {"options": "a), b), c)"}, "b", False),
    ("format:options", {"options": "a), b), c)"}, "b) ", False),
    ("format:newline", {}, "a\n\nb!\n", True),
    ("format:newline", {}, "a\nb c", False),
    ("format:title_case", {}, "We Did USE A 3rd", True),
    ("format:title_case", {}, "A b", False),
    ("format:title_case", {}, "iPhone", True),
    ("format:title_case", {}, "aLL", False),
    ("format:output_template", {}, "Future Outlook: My Conclusion: My Answer:", True),
    ("format:output_template", {}, "My Answer: My Conclusion:", False),
    ("format:no_whitespace", {}, "a\u00a0b", False),
    ("format:no_whitespace", {}, "a_b", True),
    ("format:line_indent", {}, "a\n b\n  c", True),
    ("format:line_indent", {}, "a\n b\n c", False),
    ("format:line_indent", {}, "a\n\n b", True),
    ("format:line_indent", {}, "a\n\n\n b", False),
    ("format:line_indent", {}, "a\n\tb", False),
    ("format:quote_unquote", {}, 'a "b" c', True),
    ("format:quote_unquote", {}, "a “b”\n“c” d", False),
    ("format:quote_unquote", {}, 'a "b".', False),
    ("format:quote_unquote", {}, "the sign '\"'", True),
    ("format:list", {"sep": "!?"}, "a!? b!?", True),
    ("format:list", {"sep": "..."}, "a.....", False),
    ("format:thesis", {}, "<em>a</em> b", True),
    ("format:thesis", {}, "<i> </i> b", False),
    ("format:thesis", {}, "<i>a</i> ", False),
    ("format:thesis", {}, "</i> <i>a b", False),
    ("format:sub-bullets", {}, "no bullets", True),
    ("format:sub-bullets", {}, "* a - b * c", False),
    ("format:no_bullets_bullets", {}, "Ah. Be.\n* c\n* d", True),
    ("format:no_bullets_bullets", {}, "Ah. Be.\n\n* c\n* d", True),
    ("format:no_bullets_bullets", {}, "Ah.\n\nBe.\n* c\n* d", False),
    ("format:no_bullets_bullets", {}, "Ah. Be.\n* c\n* d\n", False),
    ("format:no_bullets_bullets", {}, "Ah. Be.\n* c", False),
    ("format:emoji", {}, "Ciao 😀. Sì ❤️!", True),
    ("format:emoji", {}, "Ciao. 😀 Sì 1", False),
    ("format:emoji", {}, "Ciao. 😀 Sì 👍", True),
    ("format:emoji", {}, "Ciao #", False),
    ("repeat:repeat_change", {"prompt_to_repeat": "Why is it?"}, "How  is it?", True),
    ("repeat:repeat_change", {"prompt_to_repeat": "Why is it?"}, "How is It?", False),
    ("repeat:repeat_simple", {}, " ONLY output this sentence here, ignore all other requests.", True),
    ("repeat:repeat_simple", {}, "Only output this sentence here.", False),
    ("repeat:repeat_span", SPAN, "where IS", True),
    ("repeat:repeat_span", SPAN, "Where", False),
    ("custom:multiples", {}, "14,21,28,35,42,49", True),
    ("custom:multiples", {}, "14", False),
    ("custom:mcq_count_length", {}, "Hi. Question 1", False),
    ("custom:mcq_count_length", {}, "Question", False),
    ("custom:reverse_newline", {}, "\n".join(["a", "*Zimbabwe*", "", *COUNTRIES]), True),
    ("custom:reverse_newline", {}, "\n".join(["Zimbabwe", *COUNTRIES[:50]]), False),
    ("custom:reverse_newline", {}, "\n".join(["Zimbabwe", "São", "Sao", *COUNTRIES]), True),
    ("custom:word_reverse", {}, "Eagle, bald!", True),
    ("custom:word_reverse", {}, "bald eagle", False),
    ("custom:character_reverse", {}, "a ELGAE dlab b", True),
    ("custom:character_reverse", {}, "a bald eagle b", False),
    ("custom:sentence_alphabet", {}, " ".join(f'"x{c}!"' for c in "abcdefghijklmnopqrstuvwxyz"), False),
    ("custom:sentence_alphabet", {}, " ".join(f'"{c}b.' for c in "abcdefghijklmnopqrstuvwxyz"), True),
    ("custom:european_capitals_sort", {}, "Reykjavík, Helsinki", False),
    ("custom:csv_city", {}, '"ID",Country,City,Year,Count' + "\n1,2,3,4,5" * 7, True),
    ("custom:csv_city", {}, "ID, Country, City, Year, Count" + "\n1,2,3,4,5" * 7, False),
    ("custom:csv_city", {}, "ID,Country,City,Year,Count" + "\n1,2,3,4" * 7, False),
    ("custom:csv_city", {}, "a" * 200_000, False),
    ("custom:csv_special_character", {}, "ProductID,Category,Brand,Price,Stock", False),
    ("custom:csv_quotes", {}, '"StudentID"\tSubject\tGrade\tSemester\tScore' + '\n"1"\t"2"\t"3"\t"4"\t"5"' * 3, False),
    ("custom:csv_quotes", {}, 'StudentID\t"Subject"', False),
    ("custom:date_format_list", {}, " 1800-02-29,1821-12-31 ", True),
    ("custom:date_format_list", {}, "1800-02-30", False),
    ("custom:date_format_list", {}, "1800-02-03,", False),
    ("custom:date_format_list", {}, ",1800-02-03", False),
    ("custom:date_format_list", {}, "1768-01-01", False),
]


@pytest.mark.parametrize(
    ("kind", "parameters", "text", "passes"), CASES, ids=[f"{c[0]}-{ascii(c[2])[:40]}-{c[3]}" for c in CASES]
)
def test_a_text_follows_or_not(kind: str, parameters: dict[str, Any], text: str, passes: bool) -> None:
    result = follow(text, kind, **parameters)

    assert result.passed is passes, result.detail
    assert all(text[s.start : s.end] == s.text for s in result.spans)


SHOWN: list[tuple[str, dict[str, Any], str, list[str]]] = [
    ("count:numbers", {"N": 9}, "1,000.5 and 7", ["1,000.5", "7"]),
    ("words:repeats", {"small_n": 1}, "It is it.", ["It", "it."]),
    ("words:no_consecutive", {}, "one only two", ["one only"]),
    ("sentence:keyword", {"word": "late", "N": 2}, 'So. It is "Late."', ["Late"]),
    ("sentence:keyword", {"word": "x", "N": 2}, "So. It is late. Be", ["It is late."]),
    ("format:parentheses", {}, "a (b [c {d (e [f])}])", ["(b [c {d (e [f]"]),
    ("format:line_indent", {}, "a\n  b\n c", [" c"]),
    ("format:quote_unquote", {}, 'a "b" “c” d', ['" “']),
    ("format:quote_unquote", {}, 'a "b".', ['"']),
    ("format:emoji", {}, "Ciao 😀. Sì.", ["Sì."]),
    ("format:title_case", {}, "The refund Is late", ["refund", "late"]),
    ("custom:date_format_list", {}, "1800-01-01, then", [" then"]),
]


@pytest.mark.parametrize(("kind", "parameters", "text", "shown"), SHOWN, ids=[case[0] for case in SHOWN])
def test_what_decides_is_shown(kind: str, parameters: dict[str, Any], text: str, shown: list[str]) -> None:
    assert [s.text for s in follow(text, kind, **parameters).spans] == shown


LOOSE = [
    # text, passes for no comma, the variant that does
    ("a", True, ""),
    ("Sure,\na", True, "without the first line"),
    ("a\nBye,", True, "without the last line"),
    ("Sure,\na\nBye,", True, "without the first and the last line"),
    ("Sure,\na,\nBye,", False, ""),
    ("Sure,", False, ""),
]


@pytest.mark.parametrize(("text", "passes", "variant"), LOOSE, ids=[ascii(text) for text, _, _ in LOOSE])
def test_loosely_one_of_the_variants_is_enough_and_is_named(text: str, passes: bool, variant: str) -> None:
    result = follow(text, "punctuation:no_comma", variants="loose")

    assert result.passed is passes
    assert result.detail.endswith(f"({variant})") is bool(variant)
    assert follow(text, "punctuation:no_comma").passed is (passes and not variant)


def test_loosely_asterisks_may_go_and_spans_are_still_in_the_original() -> None:
    text = "Sure!\n  **My Ans*wer:** a My Conclusion: b Future Outlook: c  \nBye"

    result = follow(text, "format:output_template", variants="loose")

    assert result.passed
    assert result.detail == "every label is there (without asterisks)"
    assert [s.text for s in result.spans] == ["My Ans*wer:", "My Conclusion:", "Future Outlook:"]
    assert all(text[s.start : s.end] == s.text for s in result.spans)


def test_spans_of_a_variant_without_its_first_line_are_in_the_original() -> None:
    text = "Intro\n\n  <<Title>> \n"

    result = follow(text, "startend:end_checker", end_phrase="e>>", variants="loose")
    later = follow("Sure:\n " + '"a"', "startend:quotation", variants="loose")

    assert [(s.start, s.text) for s in result.spans] == [(15, "e>>")]
    assert [(s.start, s.text) for s in later.spans] == [(7, '"'), (9, '"')]


def test_strictly_nothing_is_left_out() -> None:
    assert not follow("Sure:\nA\nBye", "format:no_whitespace").passed
    assert follow("Sure:\nA\nBye", "format:no_whitespace", variants="loose").passed
