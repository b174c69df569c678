"""A version of a prompt: named parts, and how they make the system prompt. Its id is a hash of its text."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from senno.errors import ConfigError
from senno.text import did_you_mean

_PART = re.compile(r"\{\{\s*part:\s*([^\s{}]+)\s*\}\}")
_VARIABLE = re.compile(r"\{\{\s*([\w.-]+)\s*\}\}")


@dataclass(frozen=True, slots=True)
class Version:
    """A prompt as it is tried."""

    parts: Mapping[str, str]
    """Name to text, in the order in which they are joined where there is no template."""
    template: str = ""
    """The system prompt with `{{part:rules}}` where a part stands; empty: the parts, joined by blank lines."""
    parent: str | None = field(default=None, compare=False)
    """The id of the version it was made from; no part of its own id."""
    origin: str = field(default="start", compare=False)
    """Who made it: `start`, `rewrite`, `gepa`, …; no part of its id."""

    @property
    def layout(self) -> str:
        """The template, or the one that the order of the parts stands for."""
        return self.template or "\n\n".join(f"{{{{part:{name}}}}}" for name in self.parts)

    @property
    def id(self) -> str:
        """`p` and 12 hex digits of the SHA-256 of its parts and their layout, as canonical JSON."""
        told = {"parts": dict(self.parts), "template": self.layout}
        canonical = json.dumps(told, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return "p" + hashlib.sha256(canonical.encode("ascii")).hexdigest()[:12]

    @property
    def text(self) -> str:
        """The system prompt with its variables open.

        Raises:
            ConfigError: the template names a part that there is not.
        """

        def part(found: re.Match[str]) -> str:
            name = found[1]
            if name not in self.parts:
                hint = did_you_mean(name, self.parts)
                raise ConfigError(f"the template has {found[0]}; expected a part: {', '.join(self.parts)}{hint}")
            return self.parts[name]

        return _PART.sub(part, self.layout)

    def placed(self) -> tuple[str, ...]:
        """The names of the parts in the order in which the layout has them, as often as it has them."""
        return tuple(_PART.findall(self.layout))

    def variables(self) -> frozenset[str]:
        """The names that have to be filled: `{{profile}}`."""
        return frozenset(_VARIABLE.findall(self.text))

    def render(self, variables: Mapping[str, str]) -> str:
        """The system prompt as it is sent. A variable's value is text, whatever it says: nothing in it is filled again.

        Raises:
            ConfigError: a variable has no value.
        """
        return fill(self.text, variables)


def fill(text: str, variables: Mapping[str, str]) -> str:
    """`text` with each `{{name}}` replaced by its value, once.

    Raises:
        ConfigError: a name has no value.
    """

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in variables:
            have = ", ".join(variables) or "none"
            hint = did_you_mean(name, variables)
            raise ConfigError(f"the prompt has {found[0]}, and a scenario has no such variable (it has: {have}){hint}")
        return variables[name]

    return _VARIABLE.sub(value, text)


def diff(old: Version, new: Version) -> str:
    """What changed, as a unified diff by part; empty where nothing did."""
    names = list(dict.fromkeys((*old.parts, *new.parts)))
    pieces = [(name, old.parts.get(name, ""), new.parts.get(name, "")) for name in names]
    pieces.append(("(template)", old.layout, new.layout))
    told: list[str] = []
    for name, before, after in pieces:
        lines = difflib.unified_diff(
            before.splitlines(), after.splitlines(), f"{name} ({old.id})", f"{name} ({new.id})", lineterm=""
        )
        told.extend(lines)
    return "\n".join(told)
