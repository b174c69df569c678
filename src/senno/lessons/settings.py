"""What a department's gate and decay go by: `[lessons]`, and over it `[lessons.departments.NAME]`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from senno.config import LessonRules, Lessons
from senno.errors import ConfigError

Preset = Literal["measured", "first", "voice"]

PRESETS: dict[Preset, float] = {"measured": 0.60, "first": 0.85, "voice": 0.70}
"""The threshold of each preset: `measured` once reflection fatigue was measured (−68 % reflections, 94 % of the gain
kept), `first` the one begun with, `voice` for a channel that must answer within a second."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one department; `senno.config.LessonRules` says what each is and gives the defaults."""

    threshold: float
    stated_weight: float
    conflict_weight: float
    novelty: int
    ask_below: float
    decline_below: float
    archive_after_days: int
    archive_idle_days: int
    promote_rule: Literal["lately", "ever"]
    promote_within_days: int
    promote_retrievals: int
    promote_window_days: int
    salience_after_days: int
    echo_shown: int
    protect_recurrences: int


def settings_for(lessons: Lessons, department: str = "") -> Settings:
    """What holds for a department; for one that the config does not name, `[lessons]` itself.

    A preset of the department's own goes before a threshold of `[lessons]`.

    Raises:
        ConfigError: `decline_below` is above `ask_below`.
    """
    own: LessonRules | None = lessons.departments.get(department)
    layers: list[LessonRules] = [lessons] if own is None else [own, lessons]
    values = {field.name: _first_set(layers, field.name) for field in fields(Settings)}
    values["threshold"] = _threshold(layers)
    made = Settings(**values)  # pyright: ignore[reportArgumentType]
    if made.decline_below > made.ask_below:
        where = f"lessons.departments.{department}" if own else "lessons"
        raise ConfigError(
            f"{where}: decline_below is {made.decline_below:g} and ask_below {made.ask_below:g}; expected "
            f"decline_below to be the lower. Set both"
        )
    return made


def _first_set(layers: list[LessonRules], name: str) -> object:
    layer = next((one for one in layers if name in one.model_fields_set), layers[-1])
    return getattr(layer, name)


def _threshold(layers: list[LessonRules]) -> float:
    for layer in layers:
        if layer.threshold is not None:
            return layer.threshold
        if "preset" in layer.model_fields_set:
            return PRESETS[layer.preset]
    return PRESETS[layers[-1].preset]
