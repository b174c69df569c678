"""Teaching a question: the case it got wrong becomes an example in its criteria. No threshold is ever moved."""

from senno.judge.teaching.outcome import CHANGES, CaseChange, Change, Cut, Outcome, cut_of, judged_again
from senno.judge.teaching.teaching import Teaching, prepare, prepare_labelled
from senno.judge.teaching.writing import write

__all__ = [
    "CHANGES",
    "CaseChange",
    "Change",
    "Cut",
    "Outcome",
    "Teaching",
    "cut_of",
    "judged_again",
    "prepare",
    "prepare_labelled",
    "write",
]
