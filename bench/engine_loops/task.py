"""The loop as plain functions, for the engines that have none of their own: values in, values out."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

from engine_loops.loop.models import Films
from senno.loop import ActorInput, CriticInput, Critique, CuratedItem, CuratorInput, NumberedItem, OpenFinding, Wording

FOLDER = Path(__file__).parent / "loop"
REQUEST = "7 films in which cryptography is central to the plot, and the protagonist understands it"
WANTED = 7
ROUNDS = 3
CHECKS = ["EXISTS", "YEAR", "CRITERIA FIT"]
ACTOR, CRITIC, CURATOR = (
    (FOLDER / f"{role}.md").read_text(encoding="utf-8") for role in ("actor", "critic", "curator")
)


class State(TypedDict):
    """What a run knows. JSON values only: LangGraph's checkpoints hold it as it is."""

    round: int
    accepted: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    do_not_repeat: list[str]
    proposed: list[dict[str, Any]]
    answer: dict[str, Any]


class Update(TypedDict, total=False):
    """What a step changes in it."""

    round: int
    accepted: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    do_not_repeat: list[str]
    proposed: list[dict[str, Any]]
    answer: dict[str, Any]


def start() -> State:
    return State(round=0, accepted=[], findings=[], do_not_repeat=[], proposed=[], answer={})


def actor_input(state: State) -> ActorInput:
    return ActorInput(
        original=REQUEST,
        request={"request": REQUEST},
        wanted=WANTED - len(state["accepted"]),
        accepted=state["accepted"],
        findings=[OpenFinding.model_validate(each) for each in state["findings"]],
        do_not_repeat=state["do_not_repeat"],
    )


def proposed(films: Films) -> Update:
    return Update(proposed=[film.model_dump() for film in films.films])


def critic_input(state: State) -> CriticInput:
    items = [NumberedItem(number=n, item=item) for n, item in enumerate(state["proposed"], 1)]
    return CriticInput(original=REQUEST, request={"request": REQUEST}, checks=CHECKS, items=items)


def criticised(state: State, critique: Critique) -> Update:
    accepted = list(state["accepted"])
    findings: list[dict[str, Any]] = []
    for entry in critique.items:
        item = state["proposed"][entry.number - 1]
        why = [f"{f.check}: {f.status} ({f.explanation})" for f in entry.checks if f.status != "pass"]
        if why:
            findings.append({"item": item, "state": "refused", "why": why})
        else:
            accepted.append(item)
    refused = [f"{each['item']['title']} ({each['item']['year']})" for each in findings]
    return Update(
        round=state["round"] + 1,
        accepted=accepted,
        findings=findings,
        do_not_repeat=state["do_not_repeat"] + refused,
    )


def over(state: State) -> bool:
    return state["round"] >= ROUNDS or len(state["accepted"]) >= WANTED


def curator_input(state: State) -> CuratorInput:
    items = [CuratedItem(number=n, item=item, state="accepted") for n, item in enumerate(state["accepted"], 1)]
    missing = WANTED - len(items)
    return CuratorInput(original=REQUEST, request={"request": REQUEST}, items=items, missing=missing, stop="rounds")


def curated(wording: Wording) -> Update:
    return Update(answer=wording.model_dump())


def titles(state: State) -> list[str]:
    return [item["title"] for item in state["accepted"]]
