"""A question as lint looks at it: every text of it with its key, its language, and the rules it sets aside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast

from senno.errors import FileFormatError
from senno.files import kind_of
from senno.judge.lint.language import LEXICONS, language_of
from senno.judge.lint.lexicon import Lexicon
from senno.judge.lint.rules import RULES
from senno.judge.lint.wording import Wording
from senno.text import did_you_mean

Type = Literal["noul", "score", "choice"]


@dataclass(frozen=True)
class LintedQuestion:
    """One question. Not slotted: what is derived from its texts is made once."""

    name: str
    type: Type
    instructions: str
    """Empty: there are none. A mapping's texts, apart."""
    criteria: Mapping[str, str | None] | None
    """By key: `true` and `false`, the options, or the levels from `0`; `None`: there are none."""
    ignored: frozenset[str] = frozenset()
    """Rules that the file sets aside for it."""
    around: str = ""
    """Texts of the same file, to tell the language of a question too short to show it."""

    @cached_property
    def language(self) -> str | None:
        """`en`, `it`, another that is known, or `None`."""
        return language_of((self.instructions, f"{self.instructions} {self._told}", self.around))

    @cached_property
    def lexicon(self) -> Lexicon | None:
        """The word lists of its language; `None`: there are none for it."""
        return LEXICONS.get(self.language or "")

    @cached_property
    def asked(self) -> Wording:
        """The instructions, prepared."""
        return Wording.of(self.instructions, self.lexicon)

    @property
    def _told(self) -> str:
        return " ".join(text for _, text in self.sides())

    def sides(self) -> Iterator[tuple[str, str]]:
        """The criteria that say something, by key."""
        for key, text in (self.criteria or {}).items():
            if text and text.strip():
                yield key, text

    def side(self, key: str) -> str:
        """One criterion; empty: there is none."""
        return ((self.criteria or {}).get(key) or "").strip()


def linted_question(name: str, data: Mapping[str, Any], where: str, around: str = "") -> LintedQuestion:
    """A question of a file, whose form was checked before (`parse_question`).

    Raises:
        FileFormatError: its `_lint` is not `{"ignore": ["SJ004"], "why": "…"}`.
    """
    criteria = data.get("criteria")
    told: dict[str, str | None] | None = None
    if isinstance(criteria, list):
        told = {str(n): level for n, level in enumerate(cast("list[str]", criteria))}
    elif isinstance(criteria, Mapping):
        sides = cast("Mapping[Any, str | None]", criteria)
        told = {(str(key).lower() if isinstance(key, bool) else str(key)): text for key, text in sides.items()}
    ignored = _ignored(data.get("_lint"), f"{where}: {name}._lint")
    return LintedQuestion(name, data["type"], flat(data.get("instructions")), told, ignored, around)


def flat(value: object) -> str:
    """The texts in a value, an empty line between them: instructions may be a mapping."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Mapping):
        return "\n\n".join(filter(None, map(flat, cast("Mapping[str, object]", value).values())))
    if isinstance(value, (list, tuple)):
        return "\n\n".join(filter(None, map(flat, cast("list[object]", value))))
    return ""


def _ignored(note: object, at: str) -> frozenset[str]:
    if note is None:
        return frozenset()
    expected = '{"ignore": ["SJ006"], "why": "…"}'
    if not isinstance(note, Mapping):
        raise FileFormatError(at, f"found {kind_of(note)}", expected)
    values = cast("Mapping[str, object]", note)
    odd = next((key for key in values if key not in ("ignore", "why")), None)
    if odd is not None:
        raise FileFormatError(f"{at}.{odd}", "unknown key", expected, did_you_mean(odd, ("ignore", "why")).lstrip("; "))
    why = values.get("why")
    if not (isinstance(why, str) and why.strip()):
        raise FileFormatError(f"{at}.why", f"found {kind_of(why)}", "why these rules do not hold here, in words")
    ids = values.get("ignore")
    if not isinstance(ids, list) or not ids:
        raise FileFormatError(f"{at}.ignore", f"found {kind_of(ids)}", f"a list of ids, as in {expected}")
    for each in cast("list[object]", ids):
        if each not in RULES:
            hint = did_you_mean(str(each), RULES).lstrip("; ") or "senno judge lint --rules lists them"
            raise FileFormatError(f"{at}.ignore", f"there is no rule {each!r}", "the id of a rule", hint)
    return frozenset(cast("list[str]", ids))
