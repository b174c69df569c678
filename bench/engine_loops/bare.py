"""The floor: the loop in plain Python, the model called directly, its answers validated by Pydantic. No record."""

from __future__ import annotations

from engine_loops.loop.models import Films
from engine_loops.script import Script
from engine_loops.task import (
    ACTOR,
    CRITIC,
    CURATOR,
    actor_input,
    critic_input,
    criticised,
    curated,
    curator_input,
    over,
    proposed,
    start,
    titles,
)
from senno.loop import Critique, Wording


class Bare:
    def __init__(self, script: Script) -> None:
        self._script = script

    async def run(self) -> list[str]:
        ask, state = self._script.ask, start()
        while not over(state):
            films = Films.model_validate_json(ask(ACTOR, actor_input(state).model_dump_json()))
            state.update(proposed(films))
            critique = Critique.model_validate_json(ask(CRITIC, critic_input(state).model_dump_json()))
            state.update(criticised(state, critique))
        wording = Wording.model_validate_json(ask(CURATOR, curator_input(state).model_dump_json()))
        state.update(curated(wording))
        return titles(state)
