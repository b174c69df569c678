"""Readings over the parts of a change."""

from pathlib import Path

from senno.gate.combined import combined
from senno.judge import Reading, parse_check_file

CHECKS = parse_check_file(
    {
        "risky": {"type": "noul", "instructions": "Is it risky?"},
        "docs_only": {"type": "noul", "instructions": "Is it docs?", "over_parts": "min"},
        "kind": {"type": "choice", "instructions": "What?", "criteria": {"none": None, "fix": None}},
    },
    "checks.json",
    Path(),
)


def part(risky=0.1, docs_only=0.9, fix=0.2):
    return {
        "risky": Reading(risky, share=risky),
        "docs_only": Reading(docs_only, share=docs_only),
        "kind": Reading(max(fix, 1 - fix), {"none": 1 - fix, "fix": fix}),
    }


def test_the_largest_answer_counts_or_the_smallest_as_the_question_says_and_the_part_is_told():
    whole = combined(CHECKS, [part(), part(risky=0.8, docs_only=0.2), part(risky=0.3)])

    assert {name: (each.reading.value, each.part) for name, each in whole.items() if name != "kind"} == {
        "risky": (0.8, 1),
        "docs_only": (0.2, 1),
    }


def test_each_option_of_a_choice_has_its_own_largest_probability():
    whole = combined(CHECKS, [part(fix=0.9), part(fix=0.1)])["kind"]

    assert whole.reading.options == {"none": 0.9, "fix": 0.9}
    assert whole.part is None


def test_a_part_without_an_answer_leaves_the_whole_without_one():
    parts = [part(risky=0.8), {**part(), "risky": Reading(missing="timed out", failed=True)}]

    whole = combined(CHECKS, parts)["risky"].reading

    assert (whole.value, whole.failed) == (None, True)
    assert whole.missing == "part 2 of 2: timed out"
