"""Which language a short text is in, by its function words; several may be as likely, and then none is named."""

from __future__ import annotations

import re
from collections.abc import Iterable

from senno.judge.lint.english import ENGLISH
from senno.judge.lint.italian import ITALIAN
from senno.judge.lint.lexicon import Lexicon

LEXICONS: dict[str, Lexicon] = {"en": ENGLISH, "it": ITALIAN}

# The other languages are here so that they are told apart, not to be read.
_FUNCTION_WORDS = {
    "en": "the is are was were does do did has have this that these those of to and or not it its in on for with an "
    "a be by "
    "what which who how any there from as at if you your would than whether they their about into text",
    "it": "il lo la gli le un uno una di del dello della dei degli delle da dal dalla e è ed che non si in nel "
    "nella con per "
    "su sul sulla questo questa quali quale chi sono ha hanno a al alla ai alle come o se più l dell un all nell "
    "dall sull "
    "testo viene fa ci i cosa",
    "es": "el la los las un una de del y o que no se en con por para su es son este esta como más si al lo le cual "
    "ha texto",
    "fr": "le la les un une des du de et ou que qui ne pas se est sont dans avec pour sur ce cette ces il elle au "
    "aux l d "
    "texte plus en a si",
    "de": "der die das ein eine einen dem den des und oder ist sind nicht mit für auf im in zu von sich wird werden "
    "hat es als "
    "auch ob text wie",
    "pt": "o a os as um uma de do da dos das e ou que não se em no na com por para seu sua é são este esta como "
    "mais ao texto há",
}
_SETS = {code: frozenset(words.split()) for code, words in _FUNCTION_WORDS.items()}
_WORD = re.compile(r"[^\W\d_]+")


def language_of(texts: Iterable[str]) -> str | None:
    """The language of the first of `texts` that shows one (`en`, `it`, or another that is known); `None`: none does.

    Args:
        texts: the narrow text first, then wider ones around it.
    """
    for text in texts:
        words = [word.lower() for word in _WORD.findall(text)]
        hits: dict[str, float] = {code: sum(word in known for word in words) for code, known in _SETS.items()}
        hits["it"] += _vowel_endings(words)  # below 1: it only settles a tie
        most = max(hits.values())
        best = [code for code, count in hits.items() if count == most]
        if most >= 1 and len(best) == 1:
            return best[0]
    return None


def _vowel_endings(words: list[str]) -> float:
    """Half the share of longer words that end as Italian ones do."""
    long = [word for word in words if len(word) > 3]
    return sum(word[-1] in "aio" for word in long) / (2 * len(long)) if long else 0.0
