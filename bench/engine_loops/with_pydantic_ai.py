"""Pydantic AI: three agents with structured output, the loop between them by hand. No record."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel
from pydantic_ai import Agent, ModelMessage, ModelResponse, NativeOutput, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

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

Output = TypeVar("Output", bound=BaseModel)


class PydanticAI:
    def __init__(self, script: Script) -> None:
        async def answer(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
            return ModelResponse([TextPart(script.ask())])

        def agent(prompt: str, output: type[Output]) -> Agent[object, Output]:
            return Agent(FunctionModel(answer), output_type=NativeOutput(output), instructions=prompt)

        self._actor = agent(ACTOR, Films)
        self._critic = agent(CRITIC, Critique)
        self._curator = agent(CURATOR, Wording)

    async def run(self) -> list[str]:
        state = start()
        while not over(state):
            films = await self._actor.run(actor_input(state).model_dump_json())
            state.update(proposed(films.output))
            critique = await self._critic.run(critic_input(state).model_dump_json())
            state.update(criticised(state, critique.output))
        wording = await self._curator.run(curator_input(state).model_dump_json())
        state.update(curated(wording.output))
        return titles(state)
