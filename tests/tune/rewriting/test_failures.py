from pathlib import Path

import pytest

import prompt_law
from prompt_law import MEANINGS, START, WEIGHTS
from senno.judge import Reading, parse_check_file
from senno.tune.rewriting import digest, meanings
from senno.tune.rewriting.failures import MOST_ANSWER, MOST_MESSAGE, MOST_NAMES, MOST_TEXTS, shortened
from senno.tune.scenarios import Scenario
from senno.tune.trial import Judged, Trial
from senno.tune.version import Version


def row(scenario: str, *failed: str, answer: str | None = "an answer", error: str | None = None, repeat: int = 0):
    return Judged(scenario, repeat, None if error else 0.5, checks_failed=failed, answer=answer, error=error)


def cases(*ids: str) -> dict[str, Scenario]:
    return {id_: Scenario(id_, f"message of {id_}") for id_ in ids}


def test_failures_are_counted_by_name_and_the_most_frequent_comes_first():
    told = digest(Trial("p", (row("a", "tone"), row("b", "sum", "tone"), row("c", "tone", "tone"))), cases(*"abc"), {})
    assert [(one.name, one.count, one.of) for one in told.failures] == [("tone", 3, 3), ("sum", 1, 3)]
    assert [text.scenario for text in told.texts] == ["a", "b", "c"]
    assert [one.texts for one in told.failures] == [(1, 2, 3), (2,)]


def test_an_answer_that_could_not_be_judged_is_an_error_and_no_failure():
    """Complaint group 1: a failure of the evaluation is never a low score."""
    told = digest(Trial("p", (row("a", "tone"), row("b", "tone", error="500", answer=None))), cases("a", "b"), {})
    assert (told.judged, told.errors, told.failures[0].count) == (1, 1, 1)
    assert [text.scenario for text in told.texts] == ["a"]


def test_a_scenario_of_the_test_part_is_neither_counted_nor_shown():
    told = digest(Trial("p", (row("a", "tone"), row("held out", "tone", "sum"))), cases("a"), {})
    assert [(one.name, one.count) for one in told.failures] == [("tone", 1)]
    assert [text.scenario for text in told.texts] == ["a"]


def test_texts_are_of_different_scenarios_before_a_second_of_any():
    rows = [row("a", "tone", repeat=n) for n in range(5)] + [row("b", "tone")]
    assert [text.scenario for text in digest(Trial("p", tuple(rows)), cases("a", "b"), {}).texts] == ["a", "b", "a"]


def test_the_digest_has_a_bounded_size_whatever_the_trial():
    """Complaint group 25 (textgrad #179): the feedback of 98 samples overflowed the context."""
    names = [f"check{n}" for n in range(40)]
    rows = tuple(row(f"s{n}", *names, answer="x" * 100_000) for n in range(500))
    long = {f"s{n}": Scenario(f"s{n}", "y" * 100_000) for n in range(500)}
    told = digest(Trial("p", rows), long, {})
    assert (len(told.failures), told.untold, len(told.texts)) == (MOST_NAMES, 40 - MOST_NAMES, 3)
    assert all(len(t.answer) < MOST_ANSWER + 60 and len(t.message) < MOST_MESSAGE + 60 for t in told.texts)
    apart = tuple(row(f"s{n}", names[n]) for n in range(40))
    assert len(digest(Trial("p", apart), long, {}).texts) == MOST_TEXTS


def test_where_nothing_failed_the_weakest_readings_are_told_by_what_they_cost():
    whole = Version({"prompt": " ".join(prompt_law.RULES.values())})
    told = digest(prompt_law.trial(whole, ["s0", "s1"]), prompt_law.scenarios(), MEANINGS, WEIGHTS)
    assert [(one.name, one.count) for one in told.failures] == [("greets", 0), ("numbers", 0), ("source", 0)]
    assert told.texts


def test_nothing_is_told_where_nothing_failed_and_nothing_can_be_gained():
    best = Judged("s0", 0, 1.0, readings={"greets": Reading(1.0, share=1.0)}, answer="hello")
    assert digest(Trial("p", (best,)), prompt_law.scenarios(), MEANINGS, WEIGHTS).failures == ()


def test_the_mean_reading_of_a_failure_is_told():
    told = digest(prompt_law.trial(START, ["s0", "s1"]), prompt_law.scenarios(), MEANINGS)
    assert told.failures[0].share == pytest.approx(0.2)


def test_what_a_check_asks_is_told_in_words():
    file = parse_check_file(
        {
            "disclaimer": {"type": "contains", "phrases": ["No advice."]},
            "promises": {
                "type": "noul",
                "instructions": "Is a return promised?",
                "criteria": {"true": "«it grows»", "false": "a scenario"},
                "higher_is_better": False,
            },
            "tone": {"type": "score", "instructions": {"question": "Tone?"}, "criteria": ["cold", "warm"]},
            "kind": {"type": "choice", "instructions": "Which?", "criteria": {"a": None, "b": None}},
        },
        "checks.json",
        Path(),
    )
    assert meanings(file) == {
        "disclaimer": 'contains {"phrases": ["No advice."]}',
        "promises": "Is a return promised? — yes: «it grows» — no: a scenario — lower is better",
        "tone": '{"question": "Tone?"} — levels from low to high: cold; warm — higher is better',
        "kind": "Which? — options: a, b",
    }


def test_what_filled_the_variables_is_shown_with_the_message():
    nurse = {"a": Scenario("a", "What now?", {"profile": "a nurse", "age": "34"})}
    assert (
        digest(Trial("p", (row("a", "tone"),)), nurse, {}).texts[0].message
        == "What now?\n[profile: a nurse]\n[age: 34]"
    )


def test_a_long_text_keeps_its_beginning_and_its_end():
    short = shortened("a" * 500 + "b" * 500, 100)
    assert short.startswith("a" * 66)
    assert short.endswith("b" * 34)
    assert "900 characters left out" in short
