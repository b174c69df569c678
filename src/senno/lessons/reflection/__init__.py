"""Reflection: a model of the configuration writes the lesson, by three questions; and what skills were missing."""

from senno.lessons.reflection.gaps import Gap, gaps
from senno.lessons.reflection.questions import Facts
from senno.lessons.reflection.writing import Refused, Written, reflect_with

__all__ = ["Facts", "Gap", "Refused", "Written", "gaps", "reflect_with"]
