"""Whether the model received what the version says: what was sent, held against the version, part by part. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from senno.errors import ConfigError
from senno.ledger import redact
from senno.text import exact, one_line
from senno.tune.scenarios import Scenario
from senno.tune.version import Version, fill

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Wiring:
    """What of a version, and of a scenario, was not in what was sent."""

    missing: tuple[str, ...] = ()
    """The parts that did not arrive."""
    problem: str | None = None
    """In words, with the version and the part; `None`: all arrived."""


def check_wiring(version: Version, scenario: Scenario, sent: str) -> Wiring:
    """Hold what was sent against what the version says for that scenario.

    The version is rendered as for a call and goes through the ledger's redaction, so that a secret in it is looked
    for as the ledger has it. White space and Unicode composition are set aside.

    Args:
        version: that was to be sent.
        scenario: that it was to be sent for.
        sent: the JSON text of the call in the ledger (`CallRow.sent`): `system` and `messages`.

    Raises:
        ConfigError: the version cannot be rendered for the scenario.
    """
    texts = _texts_of(sent)
    if texts is None:
        return Wiring((), f"what was sent for version {version.id} is no request with a system prompt and messages")
    system, messages = texts
    whole = _as_sent(version.render(scenario.variables))
    everywhere = [system, *messages]
    missing = tuple(name for name in version.parts if name not in version.placed())
    if missing:
        return Wiring(missing, f"version {version.id}: the template has no place for the part {missing[0]!r}")
    if not any(whole in text for text in everywhere):
        return _by_part(version, scenario, everywhere)
    asked = _as_sent(scenario.text)
    if not any(asked in text for text in messages):
        return Wiring((), f"version {version.id}: the text of scenario {scenario.id!r} is in no message that was sent")
    return Wiring()


def same_text(versions: Sequence[Version]) -> tuple[tuple[str, str], ...]:
    """Pairs of versions that differ by their id and send the same: the tuning would compare a prompt with itself.

    The first of each pair is the one that comes first.
    """
    first: dict[str, str] = {}
    pairs: list[tuple[str, str]] = []
    for each in versions:
        earlier = first.setdefault(each.text, each.id)
        if earlier != each.id:
            pairs.append((earlier, each.id))
    return tuple(pairs)


def _by_part(version: Version, scenario: Scenario, everywhere: Sequence[str]) -> Wiring:
    missing: list[str] = []
    told = ""
    for name in dict.fromkeys(version.placed()):
        part = fill(version.parts[name], scenario.variables)
        wanted = _as_sent(part)
        if any(wanted in text for text in everywhere):
            continue
        missing.append(name)
        open_ = _as_sent(version.parts[name])
        unfilled = open_ != wanted and any(open_ in text for text in everywhere)
        told = told or (
            f"the part {name!r} was sent with its variables open"
            if unfilled
            else f"the part {name!r} did not reach the model: {one_line(part, _SHOWN)!r} is not in what was sent"
        )
    told = told or "all its parts were sent, but not as its template puts them together"
    return Wiring(tuple(missing), f"version {version.id}: {told}")


def _as_sent(text: str) -> str:
    """A text as the ledger would have it in a request, with its white space made even."""
    told = json.dumps({"system": text}, ensure_ascii=False)
    return exact(json.loads(redact(told))["system"])


def _texts_of(sent: str) -> tuple[str, list[str]] | None:
    try:
        request: Any = json.loads(sent)
    except (ValueError, RecursionError):
        return None
    if not isinstance(request, dict):
        return None
    fields = cast("dict[str, Any]", request)
    messages = fields.get("messages")
    if not isinstance(messages, list):
        return None
    each = [cast("dict[str, Any]", m).get("text") for m in cast("list[Any]", messages) if isinstance(m, dict)]
    return exact(str(fields.get("system") or "")), [exact(text) for text in each if isinstance(text, str)]


def refuse_same_text(versions: Sequence[Version]) -> None:
    """Refuse two versions that send the same.

    Raises:
        ConfigError: there are two; both are named.
    """
    pairs = same_text(versions)
    if pairs:
        one, other = pairs[0]
        raise ConfigError(
            f"versions {one} and {other} have different ids and send the same system prompt: a part that differs has "
            "no place in the template; give it one ({{part:…}}), or take it out"
        )
