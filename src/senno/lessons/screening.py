"""What is looked at before a lesson is stored: is it whole, does it say anything, is it new, does it keep a secret."""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, cast

from senno.errors import ConfigError, LessonRefused
from senno.ledger import redact, secrets_of
from senno.lessons.body import answer_text
from senno.lessons.generic import gives_no_reason, is_generic
from senno.lessons.lesson import HEADINGS, OUTCOMES, Deprecation, Draft, well_formed
from senno.lessons.likeness import contained, near

RECALLED_MARK = "<senno:"
"""Every block of recalled lessons has marks that begin so; no lesson may: else what was recalled is learned again."""

COPIED = 0.5
"""A draft of which this share of its runs of five words was just recalled is a copy."""

TOLD_AGAIN = 0.7
"""A rule of which this share of its runs of five words stands above it says nothing more."""


def screened(draft: Draft, recalled: Sequence[str] = ()) -> Draft:
    """The draft as it may be stored: texts well formed, secrets redacted.

    Args:
        draft: as its writer gave it.
        recalled: the texts of the lessons that were shown to the writer before the task.

    Raises:
        ConfigError: a field holds what it cannot hold.
        LessonRefused: it teaches nothing; `reason` says why.
    """
    _check_fields(draft)
    secrets = secrets_of(os.environ)
    clean = replace(
        draft, **{field.name: cleaned(field.name, getattr(draft, field.name), secrets) for field in fields(draft)}
    )
    if not clean.task_id:
        raise ConfigError("task_id: empty; expected the id of the task that taught the lesson")
    _refuse_empty(clean)
    _refuse_generic(clean)
    _refuse_copy(clean, recalled)
    return clean


def cleaned(name: str, value: Any, secrets: Mapping[str, str] | None = None) -> Any:
    """The value of a field as it may be stored: texts well formed, secrets redacted, each item of a list once.

    Args:
        name: of the field.
        value: as its writer gave it.
        secrets: of this process (`secrets_of`); `None`: they are looked up.
    """
    if value == "":
        return value
    if isinstance(value, str):
        return redact(answer_text(value) if name in ("what", "why", "rule") else well_formed(value), secrets)
    if isinstance(value, (tuple, list)):
        texts = (redact(well_formed(item), secrets) for item in cast("Sequence[str]", value))
        return tuple(dict.fromkeys(text for text in texts if text))
    if isinstance(value, Deprecation):
        return replace(value, reason=cleaned("reason", value.reason, secrets), by=cleaned("by", value.by, secrets))
    return value


def _check_fields(draft: Draft) -> None:
    if draft.outcome not in OUTCOMES:
        raise ConfigError(f"outcome: {draft.outcome!r}; expected {' or '.join(OUTCOMES)}")
    if draft.language not in HEADINGS:
        raise ConfigError(f"language: {draft.language!r}; expected {' or '.join(HEADINGS)}")
    confidence = draft.confidence_at_start
    if confidence is not None and not (math.isfinite(confidence) and 0 <= confidence <= 1):
        raise ConfigError(f"confidence_at_start: {confidence}; expected a number from 0 to 1")
    if draft.created_at is not None and draft.created_at.utcoffset() is None:
        raise ConfigError(f"created_at: {draft.created_at} has no time zone; expected an aware moment")


def _refuse_empty(draft: Draft) -> None:
    for key, heading in zip(("what", "why", "rule"), HEADINGS[draft.language], strict=True):
        if not any(c.isalnum() for c in getattr(draft, key)):
            raise LessonRefused("empty", f"{key} has no words; expected an answer to {heading!r}")
    if near(draft.why, draft.what) or gives_no_reason(draft.why):
        raise LessonRefused("no_reason", "why names no cause; expected what made it happen, not that it happened")


def _refuse_generic(draft: Draft) -> None:
    if contained(draft.rule, [draft.what, draft.why]) >= TOLD_AGAIN:
        raise LessonRefused(
            "generic", "the rule tells again what happened, or why; expected what to do, and when, the next time"
        )
    if is_generic(draft.rule):
        raise LessonRefused(
            "generic", "the rule fits any task; expected what to do, and when, so that another agent could act on it"
        )


def _refuse_copy(draft: Draft, recalled: Sequence[str]) -> None:
    text = "\n".join((draft.what, draft.why, draft.rule))
    if RECALLED_MARK in f"{draft.task}\n{text}".casefold():
        raise LessonRefused("copy", f"it holds the mark {RECALLED_MARK!r} of a recalled block; take that block out")
    share = contained(text, list(recalled)) if recalled else 0.0
    if share >= COPIED:
        raise LessonRefused("copy", f"{share:.0%} of it was just recalled; expected what this task taught beside that")


# No letter before (`\b` sees no boundary beside CJK), and no word that makes it the contrary (`never show a password`).
_BEGINS = r"(?<![a-z0-9])(?<!never )(?<!not )(?<!n't )(?<!non )(?<!mai )"
_SOME = r"\s(?:\w{1,40}\s){0,4}"
_INJECTIONS = tuple(
    re.compile(pattern.replace("^^", _BEGINS).replace(" … ", _SOME))
    for pattern in (
        r"^^(?:ignore|disregard|forget|override|bypass) … (?:instructions?|rules|prompts?|guidelines|messages)",
        r"^^(?:ignora|dimentica|scavalca|non segui)(?:re|te)? … (?:istruzioni|regole|indicazioni|prompt)",
        r"^^(?:ignora|olvida|ignorez|oubliez|ignoriere|vergiss) … (?:instrucciones|reglas|instructions|anweisungen)",
        r"(?:忽略|无视|忘记)[^\n]{0,12}(?:指令|指示|规则|提示)",
        r"^^(?:you are now|from now on,? you|act as (?:an? )?(?:admin|root|system|developer)|new instructions?:)",
        r"^^(?:d'ora in poi (?:sei|devi|tu)|adesso sei|ora sei un|nuove istruzioni:)",
        r"^^(?:reveal|print|repeat|show|leak|send) … (?:system prompt|api keys?|secrets?|passwords?|credentials)",
        r"^^(?:rivela|mostra|stampa|invia) … (?:prompt di sistema|chiavi|segreti|password|credenziali)",
        r"^^(?:do not|don't|never) (?:tell|inform|mention (?:this|it) to|warn|alert) (?:the )?(?:user|human|operator)",
        r"^^non (?:dire|dirlo|avvisare|informare) (?:nulla )?(?:al)?l'(?:utente|operatore)",
        r"^^(?:curl|wget)\s[^\n|]{1,200}\|\s?(?:ba|z)?sh(?![a-z])",
        r"<\|?/?(?:im_start|im_end|system|assistant|endoftext|start_header_id)\|?>",
        r"\[/?(?:inst|system)\]",
        r"(?m:^[#\s*>-]{0,8}(?:system|developer)(?: (?:prompt|message))?\s?:)",
    )
)
_HIDDEN = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]")


def injection_in(text: str) -> str | None:
    """The words of `text` that read like an instruction to whoever reads it; `None`: none were found.

    A list of known turns of phrase in a few languages: what it misses is data all the same, and is quoted as data.
    Letters that nobody sees, and full width ones, do not hide a phrase.
    """
    plain = unicodedata.normalize("NFKC", _HIDDEN.sub("", text)).casefold()
    for pattern in _INJECTIONS:
        match = pattern.search(plain)
        if match:
            return " ".join(match[0].split())[:80]
    return None
