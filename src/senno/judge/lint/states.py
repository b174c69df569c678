"""What a state holds: the names of its fields, and which of them carry text of other people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from senno.judge.lint.lexicon import listed
from senno.models import Json
from senno.text import folded

GATE_FIELDS = ("title", "description", "part", "parts", "files", "diff", "omitted")
"""What `senno gate` asks its questions about."""
_OTHERS = listed(
    "diff message messages email mail body comment comments review reviews page html document documents ticket "
    "transcript "
    "chat conversation post posts website webpage web_page attachment user_input user_message input prompt_text "
    "readme "
    "messaggio messaggi commento commenti recensione documento pagina conversazione"
)


@dataclass(frozen=True, slots=True)
class StateFields:
    """The fields that are sent."""

    names: tuple[str, ...]
    """At the top level, in order."""
    inside: frozenset[str] = frozenset()
    """Further names below them."""
    of: str = ""
    """Where this is known from, in words."""

    @property
    def untrusted(self) -> tuple[str, ...]:
        """Those that hold what others wrote, by their name."""
        return tuple(name for name in self.names if folded(name).replace(" ", "_") in _OTHERS)


TEXT_STATE = StateFields(("text",), of="what senno judge run sends")
GATE_STATE = StateFields(GATE_FIELDS, frozenset({"path", "old_path", "status"}), "what senno gate sends")


def fields_of(state: Json, of: str) -> StateFields | None:
    """The fields of a state; `None`: it is bare text (or a list), which has none."""
    if not isinstance(state, Mapping):
        return None
    mapping = cast("Mapping[str, Json]", state)
    return StateFields(tuple(mapping), frozenset(_below(mapping)), of)


def _below(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in cast("Mapping[str, Any]", value).items():
            yield name
            yield from _below(inner)
    elif isinstance(value, (list, tuple)):
        for inner in cast("list[Any]", value):
            yield from _below(inner)
