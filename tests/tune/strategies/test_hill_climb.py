import asyncio

import pytest

import prompt_law
from prompt_law import RULES, START, Evaluations, Gate, answer, edit, fixing, state
from senno.errors import MalformedAnswer
from senno.models import ScriptedText
from senno.tune.rewriting import Rejected
from senno.tune.rewriting.rewriter import TRIES
from senno.tune.strategies import strategy_named
from senno.tune.trial import Trial
from senno.tune.version import Version


def proposed(replies, where=None, gate=None):
    strategy = strategy_named("hill-climb", ScriptedText("scripted:rewriter", replies))
    evaluate = Evaluations()
    found = asyncio.run(strategy.propose(where or state(), calls=gate or Gate(), evaluate=evaluate))
    assert evaluate.asked == []
    return found


def test_the_incumbent_is_rewritten_from_what_it_failed_most():
    (one,) = proposed([fixing])
    assert RULES["greets"] in one.version.text
    assert (one.version.parent, one.refused) == (START.id, None)


def test_each_candidate_of_a_round_is_shown_the_ones_before_it_and_they_differ():
    """Complaint group 27 (opik #3869): the last two trials were of the same prompt."""
    gate = Gate()
    first = answer(edit(text=RULES["greets"]))
    second = answer(edit(text=RULES["numbers"], failure="numbers"))
    one, two = proposed([first, first, second], state(count=2), gate)
    assert one.version.id != two.version.id
    assert "it was proposed in this round already" in gate.requests[1].messages[0].text
    why = "it was proposed in this round already; propose something else"
    assert two.notes == (f"refused: it makes the same prompt as {one.version.id}, tried before ({why})",)


def test_what_was_rejected_before_is_shown_and_is_not_proposed_again():
    """Complaint group 24 (gepa #379)."""
    gate = Gate()
    tried = Version({"prompt": f"{START.text}\n{RULES['greets']}"})
    where = state(
        known={START.id: START, tried.id: tried},
        rejected=(Rejected(tried.id, "add …", "no measurable difference: +0.01 [-0.02, 0.04]"),),
    )
    (one,) = proposed([fixing, answer(edit(text=RULES["source"], failure="source"))], where, gate)
    assert one.version.text.endswith(RULES["source"])
    assert "REJECTED: no measurable difference: +0.01" in gate.requests[0].messages[0].text


def test_a_refused_rewrite_is_a_proposal_without_a_version_that_says_why():
    one, two = proposed([answer(edit(op="delete", anchor="nowhere"))] * TRIES + [fixing], state(count=2))
    assert one.version is None
    assert "'nowhere' does not stand" in one.refused
    assert two.version is not None


def test_a_malformed_rewriter_is_an_error_unless_there_is_a_candidate_already():
    with pytest.raises(MalformedAnswer):
        proposed(["no"] * TRIES, state(count=3))
    one, two = proposed([fixing, *["no"] * TRIES], state(count=3))
    assert one.version is not None
    assert (two.version, "malformed in 3 answers" in two.refused) == (None, True)


def test_nothing_is_proposed_and_nobody_asked_where_nothing_can_be_gained():
    perfect = Trial(START.id, tuple(prompt_law.failed(id_) for id_ in prompt_law.scenarios()))
    assert proposed([], state(trial=perfect)) == ()


def test_no_text_of_a_scenario_that_is_not_in_the_state_reaches_the_rewriter():
    gate = Gate()
    cases = prompt_law.scenarios()
    del cases["s3"]
    held_out = prompt_law.trial(START, ["s0", "s3"])
    proposed([fixing], state(scenarios=cases, trial=held_out, guarded=("Question number 3 of a person",)), gate)
    sent = gate.requests[0].system + gate.requests[0].messages[0].text
    assert "Question number 0" in sent
    assert "Question number 3" not in sent
    assert "answer to s3" not in sent


def test_the_climb_reaches_the_top_of_the_law_and_ends_there():
    version = START
    for _ in RULES:
        (one,) = proposed([fixing], state(incumbent=version))
        version = one.version
    assert all(rule in version.text for rule in RULES.values())
