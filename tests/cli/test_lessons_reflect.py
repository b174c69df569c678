"""`senno lessons reflect` and `gaps`, as their user meets them; the model is a server on loopback."""

import json

import pytest

from openai_server import says, status
from senno import config
from senno.ledger import Ledger
from senno.lessons import RecallEvent, Store, WrittenEvent

GOOD = {
    "what": "The total of the Swiss invoices was taken as euro.",
    "why": "The currency stands in the header only, and the header was cut off.",
    "rule": "Read the currency from the header before any sum; where it is missing, ask.",
    "skill_gap": "exchange rate table",
}


@pytest.fixture
def store(machine):
    return Store.open(machine / "memory")


@pytest.fixture
def ended(senno):
    """A task that began and ended, as the log has it."""

    def run(outcome="failure", task_id="T-17", stated="0.8"):
        senno("lessons", "task", task_id, "--type", "reconcile", "--department", "finance", "--stated", stated)
        return senno("lessons", "outcome", task_id, outcome, "--json").json

    return run


@pytest.fixture
def reflect(senno, server, machine):
    """Runs the command; the model says these, one after the other."""
    (machine / "run.log").write_text("Read the table. Summed the rows. Wrong: it was francs.", encoding="utf-8")

    def run(*replies, options=(), task_id="T-17"):
        server.then(*(reply if callable(reply) else says(json.dumps(reply)) for reply in replies))
        model = f"{server.url}#m"
        return senno("lessons", "reflect", task_id, "--transcript", "run.log", "--model", model, *options)

    return run


def test_a_model_writes_the_lesson_of_a_task_that_failed(ended, reflect, store, server):
    begun = ended()
    ran = reflect(GOOD, options=("--task", "Reconcile the invoices", "--json"))
    assert ran.code == 0
    (lesson,) = store.lessons()
    assert ran.json["lesson"]["id"] == lesson.id
    assert (lesson.department, lesson.task_type, lesson.outcome) == ("finance", "reconcile", "failure")
    assert lesson.confidence_at_start == pytest.approx(begun["confidence"])
    assert (lesson.rule, lesson.skill_gap, lesson.task) == (GOOD["rule"], GOOD["skill_gap"], "Reconcile the invoices")
    (event,) = [r.event for r in store.events.read().events if isinstance(r.event, WrittenEvent)]
    assert (event.tokens, event.seconds > 0) == (15, True)
    sent = server.requests[0].body
    assert "francs" in sent["messages"][-1]["content"]


def test_every_try_is_a_row_of_the_ledger_in_the_role_of_reflection(ended, reflect, machine):
    ended()
    reflect({**GOOD, "rule": "Be careful."}, GOOD)
    with Ledger.open(config.load().ledger) as ledger:
        rows = ledger.calls(None)
    assert [row.role for row in rows] == ["reflection", "reflection"]


def test_a_routine_task_is_not_reflected_on_unless_forced(ended, reflect, store, server, machine):
    for number in range(3):
        ended(task_id=f"T-{number}", stated="1")
        reflect(
            {key: f"{value} ({number}{number})" * (number + 1) for key, value in GOOD.items()}, task_id=f"T-{number}"
        )
    assert len(list(store.lessons())) == 3
    for number in range(3, 9):
        ended("success", task_id=f"T-{number}", stated="1")
    asked = len(server.requests)
    ran = reflect(task_id="T-8")
    assert (ran.code, ran.out) == (1, "")
    assert "no reflection: routine" in ran.err
    assert len(server.requests) == asked
    assert (
        reflect({**GOOD, "rule": "Keep a copy of the header of each page."}, task_id="T-8", options=("--force",)).code
        == 0
    )
    assert len(list(store.lessons())) == 4


def test_15_a_copy_of_what_was_shown_is_refused_and_the_reason_is_said(ended, reflect, store, server):
    ended(task_id="T-1")
    reflect(GOOD, task_id="T-1")
    (first,) = store.lessons()
    recall = RecallEvent(
        recall_id="r",
        task_id="T-17",
        task_type="reconcile",
        department="finance",
        agent="",
        lessons=(first.id, "20200101-000000-gone00000000"),
        tokens=1,
        seconds=0.1,
    )
    store.events.append(recall)
    ended()
    ran = reflect(GOOD, GOOD)
    assert ran.code == 1
    assert ran.err.count("was just recalled") == 2
    assert "20200101-000000-gone00000000 was shown for this task and is gone" in ran.err
    assert GOOD["rule"] in server.requests[-1].body["messages"][1]["content"]
    assert len(list(store.lessons())) == 1


def test_a_refusal_is_json_where_that_is_asked_for(ended, reflect):
    ended()
    ran = reflect({**GOOD, "rule": ""}, "nothing", options=("--json",))
    assert ran.code == 1
    assert (ran.json["stored"], len(ran.json["refused"]), ran.json["tokens"]) == (None, 2, 30)


def test_a_lesson_that_is_there_is_not_stored_twice(ended, reflect, store):
    ended(task_id="T-1")
    reflect(GOOD, task_id="T-1")
    ended()
    ran = reflect(GOOD)
    assert (ran.code, len(list(store.lessons()))) == (1, 1)
    assert "nothing written" in ran.err


@pytest.mark.parametrize("task_id", ["T-18", "T-19"])
def test_a_task_without_an_outcome_is_said(senno, reflect, task_id):
    senno("lessons", "task", "T-19", "--type", "x")
    ran = reflect(GOOD, task_id=task_id)
    assert ran.code == 2
    assert f"senno lessons outcome {task_id}" in ran.err


def test_no_model_no_transcript_and_an_empty_one_are_said(senno, ended, machine):
    ended()
    (machine / "run.log").write_text("  \n", encoding="utf-8")
    for options, problem in (
        (("--transcript", "nowhere.log"), "no such file"),
        (("--transcript", "run.log"), "empty"),
        (("--transcript", "-"), "no model is named"),
    ):
        ran = senno("lessons", "reflect", "T-17", *options, stdin=b"It failed since the header was cut.")
        assert ran.code == 2
        assert problem in ran.err


def test_a_provider_that_fails_is_an_error_and_no_lesson(ended, reflect, store):
    ended()
    assert reflect(status(401)).code == 4
    assert list(store.lessons()) == []


def test_what_add_leaves_open_is_taken_from_the_log(senno, ended, store):
    begun = ended()
    answers = [part for key in ("what", "why", "rule") for part in (f"--{key}", GOOD[key])]
    senno("lessons", "add", "--task-id", "T-17", "--outcome", "failure", *answers)
    senno("lessons", "add", "--task-id", "T-17", "--outcome", "success", "--department", "sales", *answers)
    by_department = {lesson.department: lesson for lesson in store.lessons()}
    assert by_department["finance"].task_type == "reconcile"
    assert by_department["finance"].confidence_at_start == pytest.approx(begun["confidence"])
    assert by_department["sales"].confidence_at_start is None


def add(senno, number, gap, department="finance"):
    answers = (
        "--what",
        f"Step {number} went wrong.",
        "--why",
        f"Part {number} was cut.",
        "--rule",
        f"Read part {number}.",
    )
    senno("lessons", "add", "--task-id", f"T-{number}", "--outcome", "failure", "--department", department, *answers,
          "--skill-gap", gap)  # fmt: skip


def test_gaps_are_listed_with_the_lessons_that_ask_for_them(senno, store):
    for number, gap in enumerate(["OCR engine", "exchange rate tool", "a tool for exchange rates"]):
        add(senno, number, gap, "sales" if number == 2 else "finance")
    found = senno("lessons", "gaps", "--json").json["gaps"]
    assert [(len(gap["lessons"]), gap["departments"]) for gap in found] == [(2, ["finance", "sales"]), (1, ["finance"])]
    assert sorted(found[0]["said"]) == ["a tool for exchange rates", "exchange rate tool"]
    table = senno("lessons", "gaps", "--department", "sales", "--weeks", "1")
    assert "exchange rates" in table.out
    assert "OCR" not in table.out


def test_a_store_without_gaps_has_none(senno):
    assert senno("lessons", "gaps", "--json").json["gaps"] == []
