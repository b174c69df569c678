"""Models that follow a known law, so that a tuning runs with no key and its answer is known beforehand.

The assistant writes each trait of a good answer with a chance that hangs on one thing: whether the prompt asks for it.

| trait | the prompt asks for it with | without | with |
| --- | --- | ---: | ---: |
| disclaimer | the disclaimer itself | 0.05 | 1 |
| forbidden word (bad) | "risk-free" among what is never to be written | 0.20 | 0 |
| promise (bad) | "never promise" | 0.12 | 0.02 |
| tone | "plain words" | 0.45 | 0.92 |
| numeric example | "numeric example" | 0.30 | 0.95 |
| personal | "their situation" | 0.50 | 0.95 |
| complete | "next step" | 0.55 | 0.95 |

Each chance but 0 and 1 moves by up to 0.05 with the scenario, never with anything else in the prompt: a sentence that
asks for none of these changes nothing. Chance is drawn from the seed of the request; the judge is right but for a
little noise, which hangs on the text. So the same request gives the same answer, in any process.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from senno.models import Json, Question, Reply, Request, ScriptedDecisions, Usage


@dataclass(frozen=True)
class Law:
    """One trait: what in the prompt asks for it, and how often it is there without and with that."""

    cues: tuple[str, ...]
    without: float
    asked: float


LAWS: Mapping[str, Law] = {
    "disclaimer": Law(("not financial advice", "non una consulenza finanziaria"), 0.05, 1.0),
    "forbidden_words": Law(("risk-free", "senza rischi"), 0.20, 0.0),
    "promises_return": Law(("never promise", "non promettere"), 0.12, 0.02),
    "tone_fits": Law(("plain words", "parole semplici"), 0.45, 0.92),
    "numeric_example": Law(("numeric example", "esempio numerico"), 0.30, 0.95),
    "personal": Law(("their situation", "sua situazione"), 0.50, 0.95),
    "complete": Law(("next step", "passo successivo"), 0.55, 0.95),
}

_ORDER = ("tone_fits", "personal", "numeric_example", "promises_return", "forbidden_words", "complete", "disclaimer")
"""Of the sentences in an answer."""

_SENTENCES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "en": {
        "tone_fits": (
            "Let us take it step by step, in words that anybody follows.",
            "Leverage your liquidity profile.",
        ),
        "personal": ("You say it yourself: {profile}. That is where we begin.", "Everybody's case is different."),
        "numeric_example": ("Say you put {sum} euros a month aside: in a year that is {year} euros.", ""),
        "promises_return": ("With this method your savings grow, you will see.", ""),
        "forbidden_words": ("It is risk-free.", ""),
        "complete": ("This week: open a separate account and set up a first transfer.", "There are several ways."),
        "disclaimer": ("This is general information, not financial advice.", ""),
    },
    "it": {
        "tone_fits": ("Andiamo per gradi, con parole che capiscono tutti.", "Ottimizza il tuo profilo di liquidità."),
        "personal": ("Lo dici tu: {profile}. Partiamo da qui.", "Ogni caso è diverso."),
        "numeric_example": ("Se metti da parte {sum} euro al mese, in un anno sono {year} euro.", ""),
        "promises_return": ("Con questo metodo i tuoi risparmi crescono, vedrai.", ""),
        "forbidden_words": ("È senza rischi.", ""),
        "complete": (
            "Questa settimana: apri un conto separato e imposta un primo versamento.",
            "Ci sono varie strade.",
        ),
        "disclaimer": ("Queste sono informazioni generali, non una consulenza finanziaria.", ""),
    },
}

_RULES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "promises_return": "Never promise a return; call a scenario a scenario, and name its risks.",
        "tone_fits": "Use plain words, and explain each term that is not one.",
        "numeric_example": "Give one numeric example, worked out with the person's own figures.",
        "personal": "Begin from what is particular about their situation.",
        "complete": "End with a next step that can be taken this week.",
    },
    "it": {
        "promises_return": "Non promettere mai un rendimento; chiama ipotesi un'ipotesi, e scrivi i rischi.",
        "tone_fits": "Usa parole semplici, e spiega ogni termine che non lo è.",
        "numeric_example": "Dai un esempio numerico, fatto con le cifre della persona.",
        "personal": "Parti da ciò che ha di particolare la sua situazione.",
        "complete": "Chiudi con un passo successivo che si possa fare questa settimana.",
    },
}

_IDLE: Mapping[str, tuple[str, ...]] = {
    "en": ("Strive for excellence in every answer.", "Think carefully before you write.", "Be helpful at all times."),
    "it": ("Punta all'eccellenza in ogni risposta.", "Rifletti bene prima di scrivere.", "Sii sempre d'aiuto."),
}
"""Rules that change nothing: a tuner must refuse them."""

IDLE_SHARE = 0.3
"""How often the rewriter proposes an idle rule though it knows one that helps."""

_ITALIAN = re.compile(r"rispondi in italiano", re.IGNORECASE)


def chance(*of: object) -> float:
    """A number in [0, 1) that hangs on its arguments alone."""
    digest = hashlib.sha256("\x1f".join(map(str, of)).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / (1 << 56)


def probability(trait: str, prompt: str, scenario: str) -> float:
    """How often the assistant writes a trait under a prompt: the law."""
    law = LAWS[trait]
    level = law.asked if any(cue in prompt.lower() for cue in law.cues) else law.without
    if level in (0.0, 1.0):
        return level
    return min(1.0, max(0.0, level + 0.1 * (chance(trait, scenario) - 0.5)))


def expected_score(prompt: str, scenario: str, weights: Mapping[str, float]) -> float:
    """The score that the law gives a prompt, before the judge's noise."""
    bad = ("forbidden_words", "promises_return")
    chances = {trait: probability(trait, prompt, scenario) for trait in weights}
    return sum(w * (1 - chances[t] if t in bad else chances[t]) for t, w in weights.items())


def written(prompt: str, scenario: str, seed: object) -> str:
    """The answer: for each trait the sentence that shows it, or the one that stands there without it."""
    words = _SENTENCES["it" if _ITALIAN.search(prompt) else "en"]
    monthly = 20 + 10 * int(chance(seed, scenario, "sum") * 30)
    person = re.search(r"(?:person you talk to|persona con cui parli): (.*)", prompt)
    facts = {"sum": monthly, "year": 12 * monthly, "profile": person[1].strip() if person else "…"}
    said = [words[t][0 if chance(seed, scenario, t) < probability(t, prompt, scenario) else 1] for t in _ORDER]
    return " ".join(sentence.format(**facts) for sentence in said if sentence)


def seen(trait: str, text: str) -> float:
    """The judge's probability that a text has a trait: near 0.9 or 0.1, and one time in fifty on the wrong side."""
    there = any(_shown(language[trait][0]).search(text) for language in _SENTENCES.values())
    if chance(text, trait, "slip") < 0.02:
        there = not there
    return round((0.9 if there else 0.1) + 0.16 * (chance(text, trait) - 0.5), 4)


def _shown(sentence: str) -> re.Pattern[str]:
    return re.compile("[^.]*?".join(re.escape(piece) for piece in re.split(r"\{\w+\}", sentence)))


class Assistant:
    """The model under test: `models.answer`.

    Args:
        name: as it stands in the ledger.
        seconds: how long an answer takes.
    """

    def __init__(self, name: str = "scripted.py:assistant", seconds: float = 0.0) -> None:
        self._name, self._seconds = name, seconds
        self._asked: Counter[tuple[str, str]] = Counter()

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    async def complete(self, request: Request) -> Reply:
        """An answer after the law. With no seed in the request, each asking of the same is another draw."""
        scenario = request.messages[-1].text
        self._asked[request.system, scenario] += 1
        seed = self._asked[request.system, scenario] if request.seed is None else request.seed
        if self._seconds:
            await asyncio.sleep(self._seconds)
        return _reply(written(request.system, scenario, seed), request, self._name)


class Rewriter:
    """The model that rewrites: `models.rewrite`. It adds a rule for what fails most, and at times one that is idle."""

    @property
    def name(self) -> str:
        """Its name."""
        return "scripted.py:rewriter"

    async def complete(self, request: Request) -> Reply:
        """Edits, as the request asks for them."""
        return _reply(json.dumps(self._edits(request), ensure_ascii=False), request, self.name)

    def _edits(self, request: Request) -> Json:
        asked: Any = request.schema or {}
        edit = asked["properties"]["edits"]["items"]["properties"]
        shown = request.messages[0].text
        language = "it" if _ITALIAN.search(shown) else "en"
        failures: list[str] = edit["failure"]["enum"]
        helps = [(name, _RULES[language][name]) for name in failures if name in _RULES[language]]
        idle = [(failures[0], text) for text in _IDLE[language]]
        first, then = (idle, helps) if chance(shown, "idle") < IDLE_SHARE else (helps, idle)
        new = [each for each in (*first, *then) if each[1] not in shown]
        name, text = new[0] if new else (failures[0], _IDLE[language][0])
        part: str = edit["part"]["enum"][-1]
        return {"edits": [{"op": "add", "part": part, "anchor": "", "text": text, "failure": name, "why": ""}]}


def _reply(text: str, request: Request, model: str) -> Reply:
    sent = len(request.system) + sum(len(message.text) for message in request.messages)
    return Reply(text, model, usage=Usage(sent // 4, len(text) // 4))


def _judged(state: Json, questions: Mapping[str, Question]) -> dict[str, float]:
    text = str(state["text"]) if isinstance(state, dict) else ""
    return {name: seen(name, text) for name in questions}


def assistant() -> Assistant:
    """`models.answer = "scripted.py:assistant"`."""
    return Assistant()


def rewriter() -> Rewriter:
    """`models.rewrite = "scripted.py:rewriter"`."""
    return Rewriter()


def judge() -> ScriptedDecisions:
    """`models.judge = "scripted.py:judge"`."""
    return ScriptedDecisions("scripted.py:judge", _judged)
