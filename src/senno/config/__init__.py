"""The configuration: read once, each value with where it came from."""

from senno.config.loading import NOT_SETTINGS, Loaded, example, known_keys, load, user_folder, variable
from senno.config.sections import (
    Budget,
    Calls,
    Config,
    LessonRules,
    Lessons,
    Models,
    Paths,
    Price,
    Recall,
)

__all__ = [
    "NOT_SETTINGS",
    "Budget",
    "Calls",
    "Config",
    "LessonRules",
    "Lessons",
    "Loaded",
    "Models",
    "Paths",
    "Price",
    "Recall",
    "example",
    "known_keys",
    "load",
    "user_folder",
    "variable",
]
