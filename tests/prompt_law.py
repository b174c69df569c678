"""A prompt whose answers follow a law: each rule that stands in it makes one check pass. Nobody is asked."""

import hashlib
import json
import random
from collections.abc import Mapping, Sequence

from senno.judge import Reading
from senno.models import Reply
from senno.tune.rewriting import Brief, Constraints, digest
from senno.tune.scenarios import Scenario
from senno.tune.strategies import TuneState
from senno.tune.trial import Judged, Trial
from senno.tune.version import Version

RULES = {"greets": "Say hello first.", "numbers": "Give one number.", "source": "Name a source."}
"""Check to the sentence of the prompt that makes it pass."""
WEIGHTS = {"greets": 0.5, "numbers": 0.3, "source": 0.2}
MEANINGS = {"greets": "Does the text greet?", "numbers": "Is there a number?", "source": "Is a source named?"}

START = Version({"prompt": "You answer people.\nBe brief."})


def scenarios(count: int = 6) -> dict[str, Scenario]:
    texts = [f"Question number {n} of a person who would like to know about savings" for n in range(count)]
    return {f"s{n}": Scenario(f"s{n}", text) for n, text in enumerate(texts)}


def judged(version: Version, scenario: str, repeat: int = 0, noise: float = 0.0, seed: int = 0) -> Judged:
    """By the law; `noise` is the standard deviation of the share of each check."""
    chance = random.Random(f"{seed} {version.id} {scenario} {repeat}")
    shares = {
        name: min(1.0, max(0.0, (0.9 if rule in version.text else 0.2) + chance.gauss(0.0, noise)))
        for name, rule in RULES.items()
    }
    score = sum(WEIGHTS[name] * share for name, share in shares.items())
    failed = tuple(name for name, share in shares.items() if share < 0.5)
    readings = {name: Reading(share, share=share) for name, share in shares.items()}
    return Judged(scenario, repeat, score, "KEEP", readings, failed, f"answer to {scenario} by {version.id}")


def failed(scenario: str, repeat: int = 0, why: str = "the server said 500") -> Judged:
    return Judged(scenario, repeat, None, "ERROR", error=why)


def trial(version: Version, ids: Sequence[str], repeats: int = 1, noise: float = 0.0) -> Trial:
    return Trial(version.id, tuple(judged(version, id_, n, noise) for n in range(repeats) for id_ in ids))


class Evaluations:
    """An `Evaluate` by the law that keeps what it was asked."""

    def __init__(self, noise: float = 0.0, repeat: int = 9, broken: Mapping[str, int] | None = None) -> None:
        self.noise = noise
        self.repeat = repeat
        self.left = dict(broken or {})
        """Scenario to how often it fails before it is judged."""
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    async def __call__(self, version: Version, ids: Sequence[str]) -> Trial:
        self.asked.append((version.id, tuple(ids)))
        rows = []
        for id_ in ids:
            if self.left.get(id_, 0) > 0:
                self.left[id_] -= 1
                rows.append(failed(id_, self.repeat))
            else:
                rows.append(judged(version, id_, self.repeat, self.noise))
        return Trial(version.id, tuple(rows))


class Gate:
    """A `Completes` that keeps the requests and the roles."""

    def __init__(self) -> None:
        self.requests = []
        self.roles = []

    async def complete(self, model, request, *, role) -> Reply:
        self.requests.append(request)
        self.roles.append(role)
        return await model.complete(request)


def brief(
    version: Version = START,
    constraints: Constraints | None = None,
    *,
    guarded: tuple[str, ...] = (),
    known: Mapping[str, Version] | None = None,
    rejected=(),
) -> Brief:
    cases = scenarios()
    told = digest(trial(version, list(cases)), cases, MEANINGS, WEIGHTS)
    return Brief(version, told, constraints or Constraints(), guarded, known, rejected)


def state(**changes) -> TuneState:
    cases = changes.pop("scenarios", scenarios())
    incumbent = changes.pop("incumbent", START)
    values = {
        "incumbent": incumbent,
        "trial": trial(incumbent, list(cases), repeats=3),
        "scenarios": cases,
        "known": {incumbent.id: incumbent},
        "constraints": Constraints(),
        "round": 1,
        "rounds_left": 8,
        "count": 1,
        "seed": 1,
        "meanings": MEANINGS,
        "weights": WEIGHTS,
    }
    return TuneState(**{**values, **changes})


def edit(op="add", part="prompt", anchor="", text="", failure="greets", why="it makes answers pass") -> dict:
    return {"op": op, "part": part, "anchor": anchor, "text": text, "failure": failure, "why": why}


def answer(*edits: dict) -> str:
    return json.dumps({"edits": list(edits)}, ensure_ascii=False)


def fixing(request) -> str:
    """What a sensible rewriter answers: a rule for a failure that is told, if it is neither there nor tried already."""
    material = request.messages[0].text
    new = [name for name in RULES if f"- {name}:" in material and RULES[name] not in material]
    if new and len(request.messages) == 1:
        return answer(edit(text=RULES[new[0]], failure=new[0]))
    told = next(name for name in RULES if f"- {name}:" in material)
    return answer(edit(text=f"Be kind ({hash_of(request)}).", failure=told))


def hash_of(request) -> str:
    return hashlib.sha256(repr(request.messages).encode()).hexdigest()[:8]
