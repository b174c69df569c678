"""Phrases looked for in a text, as words or as substrings."""

from __future__ import annotations

from functools import lru_cache

import regex

from senno.judge.checks.reading import Reading, fold

# Scripts written without spaces between words. An edge of a phrase in one of them has no boundary to be held to.
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\uff70\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
_LETTER = rf"[\w--[{UNSPACED}]]"
_STARTS_WITH_LETTER = regex.compile(_LETTER, regex.V1)
_ENDS_WITH_LETTER = regex.compile(rf"{_LETTER}\Z", regex.V1)


@lru_cache(maxsize=256)
def phrase_pattern(phrases: tuple[str, ...], substring: bool, case_sensitive: bool) -> regex.Pattern[str]:
    """What finds any of `phrases` in a text folded by `fold`; the longest where several start at one place.

    As a word (`substring=False`): where the phrase begins or ends with a letter, digit or underscore, no such
    character may stand beside it. So `garantito` is not in `garantitore`, `investimento` is in
    `l'investimento`, `garantito` is in `non-garantito`, `C++` is found as it is. White space in a phrase stands
    for any white space. In scripts without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese,
    Tibetan) there is no boundary to see: there a phrase is found wherever its characters are.
    """
    folded = {fold(phrase.strip(), case_sensitive).text for phrase in phrases}
    bodies = [_body(text, substring) for text in sorted(folded, key=len, reverse=True)]
    return regex.compile("|".join(bodies), regex.V1)


def _body(text: str, substring: bool) -> str:
    literal = r"\s+".join(regex.escape(word, special_only=True, literal_spaces=True) for word in text.split())
    if substring:
        return literal
    before = rf"(?<!{_LETTER})" if _STARTS_WITH_LETTER.match(text) else ""
    after = rf"(?!{_LETTER})" if _ENDS_WITH_LETTER.search(text) else ""
    return f"{before}{literal}{after}"


def find_phrases(
    text: str, phrases: tuple[str, ...], *, substring: bool = False, case_sensitive: bool = False
) -> tuple[Reading, list[tuple[int, int]]]:
    """The folded text, and where in it the phrases stand."""
    reading = fold(text, case_sensitive)
    pattern = phrase_pattern(phrases, substring, case_sensitive)
    return reading, [match.span() for match in pattern.finditer(reading.text)]
