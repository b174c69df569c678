"""LangGraph: the loop as a graph whose nodes call the model directly; with a checkpointer, each state is kept."""

# pyright: basic
# LangGraph has no type stubs, and its own annotations are partial.

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, cast

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from engine_loops.loop.models import Films
from engine_loops.script import Script
from engine_loops.task import (
    ACTOR,
    CRITIC,
    CURATOR,
    State,
    Update,
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


class LangGraph:
    """Args:
    script: the model.
    checkpointer: where each state is kept; `None`: nowhere.
    """

    def __init__(self, script: Script, checkpointer: SqliteSaver | None = None) -> None:
        self._threads = count()
        self._graph = graph(script).compile(checkpointer=checkpointer)

    async def run(self) -> list[str]:
        # The graph's own `invoke`, not `ainvoke`: the faster of the two.
        config: Any = {"configurable": {"thread_id": str(next(self._threads))}}
        return titles(cast("State", self._graph.invoke(start(), config)))


@contextmanager
def saver(path: Path, synchronous: str) -> Generator[SqliteSaver]:
    """A checkpointer, with SQLite's `FULL` (its own default) or `NORMAL`."""
    # As `SqliteSaver.from_conn_string` opens it.
    with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        yield SqliteSaver(connection)


def graph(script: Script) -> StateGraph[Any, Any, Any, Any]:
    def actor(state: State) -> Update:
        return proposed(Films.model_validate_json(script.ask(ACTOR, actor_input(state).model_dump_json())))

    def critic(state: State) -> Update:
        critique = Critique.model_validate_json(script.ask(CRITIC, critic_input(state).model_dump_json()))
        return criticised(state, critique)

    def curator(state: State) -> Update:
        return curated(Wording.model_validate_json(script.ask(CURATOR, curator_input(state).model_dump_json())))

    made: StateGraph[Any, Any, Any, Any] = StateGraph(State)
    made.add_node("actor", actor)
    made.add_node("critic", critic)
    made.add_node("curator", curator)
    made.add_edge(START, "actor")
    made.add_edge("actor", "critic")
    made.add_conditional_edges("critic", lambda state: "curator" if over(state) else "actor", ["actor", "curator"])
    made.add_edge("curator", END)
    return made
