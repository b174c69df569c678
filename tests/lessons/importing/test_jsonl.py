"""Rows of JSON Lines as drafts."""

import json
from datetime import UTC, datetime

import pytest

from senno.lessons import Deprecation, Quality
from senno.lessons.importing import Bad, from_jsonl

WHOLE = {
    "task_id": "T-1",
    "what": "The total was wrong.",
    "why": "The header was cut off.",
    "rule": "Read the currency from the header before any sum.",
}
TEXT = "The loop ended one early because the bound was exclusive. Next time I will test the last index."


@pytest.fixture
def read(tmp_path):
    def run(*rows, department="", created_at=None):
        file = tmp_path / "rows.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return list(from_jsonl(file, department, created_at))

    return run


@pytest.mark.parametrize("key", ["reflection", "lesson", "memory", "text", "rule"])
def test_a_free_text_is_parted_into_cause_and_rule_in_its_own_words(read, key):
    (draft,) = read({"task_id": "T-1", key: TEXT})
    assert draft.why == "The loop ended one early because the bound was exclusive."
    assert draft.rule == "Next time I will test the last index."
    assert draft.what == "Not recorded in the log."


def test_a_free_text_in_italian_has_italian_words_for_what_is_missing(read):
    (draft,) = read({"text": "Bisogna leggere la valuta prima di sommare.", "language": "it"})
    assert (draft.what, draft.why) == ("Non registrato nel log.", "Il log non dà una causa oltre alla regola.")
    assert draft.rule == "Bisogna leggere la valuta prima di sommare."


@pytest.mark.parametrize("key", ["task", "task_text", "prompt"])
def test_the_text_of_the_task_is_kept(read, key):
    (draft,) = read({**WHOLE, key: "Sum the invoices"})
    assert draft.task == "Sum the invoices"


@pytest.mark.parametrize(
    ("said", "outcome"),
    [(None, "failure"), ("", "failure"), ("Failed", "failure"), ("ok", "success"), ("partial", "partial")],
)
def test_outcomes_in_other_words_are_read(read, said, outcome):
    (draft,) = read({**WHOLE, "outcome": said})
    assert draft.outcome == outcome


@pytest.mark.parametrize(
    ("at", "moment"),
    [
        ("2026-01-31T09:00:00+03:00", datetime(2026, 1, 31, 6, tzinfo=UTC)),
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        (1_769_850_000, datetime(2026, 1, 31, 9, tzinfo=UTC)),
        (1_769_850_000_000, datetime(2026, 1, 31, 9, tzinfo=UTC)),
        (None, datetime(2020, 1, 1, tzinfo=UTC)),
    ],
)
def test_25_moments_of_every_form_are_in_utc_and_a_row_without_takes_the_given(read, at, moment):
    (draft,) = read({**WHOLE, "created_at": at}, created_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert draft.created_at == moment


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"what": ""}, None),
        ({"what": "", "why": "", "rule": ""}, "no text; expected"),
        ({"rule": 7, "what": 7}, "no text; expected"),
        ({"outcome": "maybe"}, "outcome: 'maybe'; expected success or partial or failure"),
        ({"outcome": ["failure"]}, "outcome:"),
        ({"created_at": "yesterday"}, "created_at: 'yesterday'; expected a moment"),
        ({"created_at": True}, "created_at: True"),
        ({"created_at": 1e300}, "created_at:"),
        ({"confidence_at_start": 1.5}, "confidence_at_start: 1.5; expected a number from 0 to 1"),
        ({"confidence_at_start": float("nan")}, "confidence_at_start: nan"),
        ({"confidence_at_start": "high"}, "confidence_at_start: 'high'"),
        ({"quality": {"specificity": 7}}, "specificity: 7"),
        ({"quality": {"specificity": 1}}, "quality: expected an object"),
        ({"quality": "good"}, "quality: expected an object"),
        ({"tags": "one, two"}, "tags: found text; expected a list of texts"),
        ({"tags": [1]}, "tags:"),
        ({"retrieval_count": -1}, "retrieval_count: -1"),
        ({"retrieval_count": float("inf")}, "retrieval_count: inf"),
        ({"language": ["it"]}, None),
    ],
)
def test_a_value_that_no_lesson_can_hold_makes_a_bad_row(read, wrong, problem):
    found, last = read({**WHOLE, **wrong}, WHOLE)
    assert not isinstance(last, Bad)
    if problem is None:
        assert not isinstance(found, Bad)
    else:
        assert isinstance(found, Bad)
        assert found.where.endswith("rows.jsonl:1")
        assert problem in found.problem


def test_an_id_is_kept_and_a_number_of_a_row_is_none(read):
    own, numbered, other = read({**WHOLE, "id": "example-t-1"}, {**WHOLE, "id": "1"}, {**WHOLE, "id": "1", "why": "X."})
    assert own.id == "example-t-1"
    assert numbered.id.startswith("import-")
    assert numbered.id != other.id


@pytest.mark.parametrize("bad", ["two words", "new\nline-here", "x" * 101, 12345678, "../../etc\x00"])
def test_an_id_that_no_command_could_name_is_replaced(read, bad):
    (draft,) = read({**WHOLE, "id": bad})
    assert draft.id.startswith("import-")


def test_31_an_id_that_is_made_depends_on_the_content_alone(read):
    once = read({"task_id": "T-1", "text": TEXT})
    again = read({}, {"text": TEXT, "task_id": "T-1", "outcome": "failure", "note": "other keys do not matter"})
    assert once[0].id == again[1].id
    assert once[0].id != read({"task_id": "T-2", "text": TEXT})[0].id


def test_what_became_of_a_lesson_elsewhere_comes_with_it(read):
    (draft,) = read(
        {
            **WHOLE,
            "deprecated": {"reason": "obsolete", "by": "anna", "at": "2026-01-31T09:00:00Z"},
            "retrieval_count": 4,
            "last_retrieved": "2026-01-30T09:00:00Z",
            "quality": {"specificity": 1, "actionability": 0.5, "transferability": 0.25, "accuracy": 0},
        }
    )
    assert draft.deprecated == Deprecation("obsolete", "anna", datetime(2026, 1, 31, 9, tzinfo=UTC))
    assert (draft.retrieval_count, draft.last_retrieved) == (4, datetime(2026, 1, 30, 9, tzinfo=UTC))
    assert draft.quality == Quality(1, 0.5, 0.25, 0)


def test_a_row_without_department_takes_the_given(read):
    first, second = read({**WHOLE, "department": "sales"}, WHOLE, department="finance")
    assert (first.department, second.department) == ("sales", "finance")
