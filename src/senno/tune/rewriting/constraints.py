"""What a rewrite may not do to a prompt, and which of it a given prompt breaks. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from senno.errors import ConfigError
from senno.text import exact

if TYPE_CHECKING:
    from senno.tune.version import Version

Kind = Literal["keep", "forbid", "variables", "leak", "anchor", "part", "check", "empty", "characters"]
"""What an edit was dropped for: a constraint (the first four), or because it cannot be done as it stands."""


@dataclass(frozen=True, slots=True)
class Constraints:
    """What holds for every version. Enforced in code, whatever the rewriter was told."""

    keep: tuple[str, ...] = ()
    """Phrases that must stand in the prompt, letter for letter (white space and the form of Unicode aside)."""
    forbid: tuple[str, ...] = ()
    """Words and phrases that must not stand in it, as the check `forbidden_words` finds them."""
    variables: tuple[str, ...] = ()
    """Names of `{{name}}` that must stay."""
    max_change: float = 0.35
    """Share of the words of a prompt that one rewrite may change, in (0, 1]."""
    leak_words: int = 6
    """So many words of a scenario in a row, new in the prompt, are a leak."""


@dataclass(frozen=True, slots=True)
class Broken:
    """One constraint that a prompt breaks."""

    kind: Kind
    what: str
    """In words, with the phrase, the word or the name."""


def broken(version: Version, constraints: Constraints, start: Version | None = None) -> tuple[Broken, ...]:
    """What of the constraints a version breaks; size and leaks are looked at elsewhere.

    Args:
        version: looked at.
        constraints: of the tuning.
        start: what it was made from: a variable that is not in it is one that nobody fills.
    """
    text = version.text
    plain = exact(text)
    lost = [phrase for phrase in constraints.keep if exact(phrase) not in plain]
    found = [Broken("keep", f"the phrase {phrase!r} must stay") for phrase in lost]
    found += [Broken("forbid", f"{word!r} is forbidden in the prompt") for word in _forbidden(text, constraints.forbid)]
    there = version.variables()
    found += [Broken("variables", f"{{{{{name}}}}} must stay") for name in constraints.variables if name not in there]
    if start is not None:
        new = sorted(there - start.variables())
        found += [Broken("variables", f"{{{{{name}}}}} is new, and nothing fills it") for name in new]
        if "{{part:" in text and "{{part:" not in start.text:
            found.append(Broken("variables", "a part cannot hold a part: {{part:…}} stands in the template alone"))
    return tuple(found)


def check_start(version: Version, constraints: Constraints) -> None:
    """Refuse to start from a prompt that breaks the constraints itself.

    Raises:
        ConfigError: it does; every fault is named.
    """
    faults = broken(version, constraints)
    if faults:
        named = "; ".join(f"{fault.kind}: {fault.what}" for fault in faults)
        raise ConfigError(
            f"the prompt to start from breaks its own constraints ({named}); "
            "mend the prompt, or [constraints] and prompt.variables of the tune file"
        )


def _forbidden(text: str, words: tuple[str, ...]) -> list[str]:
    """The forbidden words that are there, as they are written there."""
    if not words:
        return []
    from senno.judge.checks import parse_check, run_check

    entry: Mapping[str, Any] = {"type": "forbidden_words", "words": list(words)}
    result = run_check(parse_check("forbid", entry, "[constraints]"), text)
    return list(dict.fromkeys(span.text for span in result.spans))
