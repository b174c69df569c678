"""Recall: the lessons for a task, best first, with why each; and the block for the prompt."""

from senno.lessons.recall.ask import Ask, Rules, department_of, readable, rules_of
from senno.lessons.recall.pipeline import passage, recall
from senno.lessons.recall.result import Place, Recalled, RecalledLesson, Stage, Why, recalled_json

__all__ = [
    "Ask",
    "Place",
    "Recalled",
    "RecalledLesson",
    "Rules",
    "Stage",
    "Why",
    "department_of",
    "passage",
    "readable",
    "recall",
    "recalled_json",
    "rules_of",
]
