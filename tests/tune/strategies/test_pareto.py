"""GEPA's search under our judge, split and budgets. Its own acceptance takes a third of identical prompts as better."""

import asyncio
import pickle
import threading

import pytest

import prompt_law
from prompt_law import RULES, START, Evaluations, Gate, answer, edit, fixing, hash_of, judged, state
from senno.errors import BudgetExceeded, MalformedAnswer, SennoError
from senno.models import ScriptedText
from senno.tune.acceptance import Rules, accept
from senno.tune.rewriting import Constraints
from senno.tune.rewriting.rewriter import TRIES
from senno.tune.scenarios import Scenario
from senno.tune.strategies import strategy_named
from senno.tune.trial import Trial
from senno.tune.version import Version

pytest.importorskip("gepa", reason="the extra 'gepa' is not installed")

SENSIBLE = [fixing] * 100


def proposed(replies, where=None, evaluate=None, gate=None):
    strategy = strategy_named("gepa", ScriptedText("scripted:rewriter", replies))
    return asyncio.run(strategy.propose(where or state(), calls=gate or Gate(), evaluate=evaluate or Evaluations()))


def test_the_best_of_the_search_is_proposed_with_its_lineage():
    (one,) = proposed(SENSIBLE)
    assert all(rule in one.version.text for rule in RULES.values())
    assert one.version.origin == "gepa"
    assert one.version.parent != START.id
    assert one.notes[0] == "GEPA: +0.700 in its search"


def test_the_search_looks_at_no_more_candidates_than_acceptance_is_told():
    evaluate = Evaluations()
    found = proposed(SENSIBLE, state(rounds_left=2), evaluate)
    assert len({version for version, _ in evaluate.asked}) == 3
    assert len(found) == 1


def test_no_more_are_proposed_than_a_round_may_look_at():
    assert len(proposed(SENSIBLE, state(rounds_left=1, count=3))) <= 3
    assert len(proposed(SENSIBLE, state(rounds_left=3, count=1))) == 1


def test_what_gepa_rejected_against_its_parent_is_not_proposed_though_it_is_above_the_incumbent():
    useless = [answer(edit(text=f"Be kind, rule {n}.", failure="numbers")) for n in range(9)]
    where = state(scenarios=prompt_law.scenarios(4), rounds_left=1, count=3)
    (one,) = proposed([fixing, *useless], where)
    assert RULES["greets"] in one.version.text
    assert "Be kind" not in one.version.text


def test_nothing_is_left_after_the_first_round():
    assert proposed([], state(round=2)) == ()


def test_only_training_scenarios_are_evaluated_and_no_answer_is_paid_twice():
    """Complaint group 4 (gepa #453): what was evaluated is evaluated again."""
    evaluate = Evaluations()
    proposed(SENSIBLE, evaluate=evaluate)
    paid = [(version, id_) for version, ids in evaluate.asked for id_ in ids]
    assert len(paid) == len(set(paid))
    assert all(ids for _, ids in evaluate.asked)
    assert {id_ for _, id_ in paid} == set(prompt_law.scenarios())


def test_the_same_state_and_replies_give_the_same_search():
    def run():
        evaluate, gate = Evaluations(noise=0.2), Gate()
        return proposed(SENSIBLE, state(rounds_left=8), evaluate, gate), evaluate.asked, gate.requests

    assert run() == run()


def test_a_failed_answer_counts_for_nothing_and_is_never_a_zero():
    """Complaint group 1 (dspy #7917, gepa's own contract): a failure was a score of 0.0."""
    evaluate = Evaluations(broken={"s1": 1})
    (one,) = proposed(SENSIBLE, evaluate=evaluate)
    assert all(rule in one.version.text for rule in RULES.values())
    assert one.notes[0] == "GEPA: +0.700 in its search"
    assert any("left out: the incumbent was not scored on them" in note for note in one.notes)
    assert any("1 of " in note and "could not be scored, and counted for nothing" in note for note in one.notes)


def test_a_failed_answer_of_a_better_candidate_does_not_make_it_a_worse_one():
    """Complaint group 1: as a score of 0.0 in the minibatch it would outweigh what the others gain."""

    class FailsOnce(Evaluations):
        async def __call__(self, version, ids):
            self.left = dict.fromkeys(ids[:2], 1) if len(ids) == 3 else {}
            return await super().__call__(version, ids)

    (one,) = proposed(
        [answer(edit(text=RULES["source"], failure="source"))], state(rounds_left=1), evaluate=FailsOnce()
    )
    assert RULES["source"] in one.version.text


def test_what_failed_is_asked_again_and_a_candidate_is_compared_where_both_were_scored():
    """Complaint group 2 (gepa #456): a failure was cached."""

    class Flaky(Evaluations):
        async def __call__(self, version, ids):
            self.left = {} if version.id == START.id else {"s2": 1}
            return await super().__call__(version, ids)

    evaluate = Flaky()
    (one,) = proposed(SENSIBLE, evaluate=evaluate)
    assert one.notes[0] == "GEPA: +0.700 in its search"
    asked = [(version, id_) for version, ids in evaluate.asked for id_ in ids]
    assert {id_ for version, id_ in asked if asked.count((version, id_)) > 1} == {"s2"}


def test_where_nothing_could_be_scored_nothing_is_proposed_and_nobody_rewrites():
    (one,) = proposed([], evaluate=Evaluations(broken=dict.fromkeys(prompt_law.scenarios(), 99)))
    assert (one.version, one.refused) == (
        None,
        "GEPA had nothing to search on: the incumbent was scored on no scenario",
    )


def test_a_search_that_finds_nothing_says_so():
    useless = [answer(edit(text=f"Be kind, rule {n}.")) for n in range(8)]
    (one,) = proposed(useless)
    assert (one.version, one.refused) == (None, "GEPA's search found nothing above the incumbent in 8 iterations")
    assert "not better on 3 scenarios" in "\n".join(one.notes)


def test_what_the_search_rejected_is_shown_to_its_next_rewrite():
    """Complaint group 24 (gepa #379)."""
    gate = Gate()
    useless = [answer(edit(text=f"Be kind, rule {n}.")) for n in range(4)]
    proposed(useless, state(rounds_left=4), gate=gate)
    assert "Be kind, rule 2." in gate.requests[3].messages[0].text
    assert set(gate.roles) == {"rewrite"}


def test_the_constraints_hold_in_the_search():
    where = state(constraints=Constraints(keep=("Be brief.",), forbid=("testimonials",)), rounds_left=1)
    (one,) = proposed([answer(edit(op="delete", anchor="Be brief."), edit(text=RULES["greets"]))], where)
    assert "Be brief." in one.version.text
    assert [drop.kind for drop in one.dropped] == ["keep"]


def test_a_rewriter_that_stays_malformed_is_an_error_unless_there_is_a_candidate():
    with pytest.raises(MalformedAnswer):
        proposed(["no"] * TRIES)
    (one,) = proposed([fixing, *["no"] * TRIES])
    assert RULES["greets"] in one.version.text
    assert any("GEPA ended early" in note for note in one.notes)


@pytest.mark.parametrize("after", [1, 2, 4])
def test_a_used_up_budget_ends_the_search_as_what_it_is(after):
    """GEPA logs what its adapter raises and goes on."""

    class Poor(Evaluations):
        async def __call__(self, version, ids):
            if len(self.asked) >= after:
                raise BudgetExceeded("calls", "the run", after, after)
            return await super().__call__(version, ids)

    with pytest.raises(BudgetExceeded):
        proposed(SENSIBLE, evaluate=Poor())


def test_a_fault_in_the_evaluation_is_not_swallowed():
    class Faulty(Evaluations):
        async def __call__(self, version, ids):
            if version.id != START.id:
                raise ZeroDivisionError("of ours")
            return await super().__call__(version, ids)

    with pytest.raises(ZeroDivisionError, match="of ours"):
        proposed(SENSIBLE, evaluate=Faulty())


def test_a_fault_of_gepa_is_an_error_that_names_it(monkeypatch):
    import gepa.strategies.candidate_selector as selector

    def broken(*_):
        raise KeyError("front")

    monkeypatch.setattr(selector, "select_program_candidate_from_pareto_front", broken)
    with pytest.raises(SennoError, match=r"GEPA failed: KeyError: 'front'"):
        proposed(SENSIBLE)


def test_nothing_is_pickled_and_nothing_written(tmp_path, monkeypatch):
    """Complaint group 6 (dspy #9422): no checkpoint, since pickling failed."""

    def refuse(*_, **__):
        raise AssertionError("pickled")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pickle, "dump", refuse)
    monkeypatch.setattr(pickle, "dumps", refuse)
    assert proposed(SENSIBLE)[0].version
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_printed(capsys):
    proposed(SENSIBLE)
    assert capsys.readouterr() == ("", "")


def test_an_interrupted_search_ends_its_thread():
    reached = threading.Event()

    class Slow(Evaluations):
        async def __call__(self, version, ids):
            if version.id != START.id:
                reached.set()
                await asyncio.sleep(3600)
            return await super().__call__(version, ids)

    async def run():
        strategy = strategy_named("gepa", ScriptedText("scripted:rewriter", SENSIBLE))
        task = asyncio.create_task(strategy.propose(state(), calls=Gate(), evaluate=Slow()))
        while not reached.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for thread in threading.enumerate():
            if thread.name.startswith("senno <function _search"):
                await asyncio.to_thread(thread.join, 30)
                assert not thread.is_alive()

    asyncio.run(run())


@pytest.mark.parametrize("count", [1, 2, 3, 4, 250])
def test_any_number_of_scenarios_will_do(count):
    cases = prompt_law.scenarios(count)
    evaluate = Evaluations()
    (one,) = proposed(SENSIBLE, state(scenarios=cases, rounds_left=3), evaluate)
    assert all(rule in one.version.text for rule in RULES.values())
    assert len({id_ for _, ids in evaluate.asked for id_ in ids}) == min(count, 100)


def test_several_parts_and_a_template_are_searched_together():
    start = Version({"rules": "Be brief.", "tone": "Be warm to {{profile}}."}, "{{part:tone}}\n--\n{{part:rules}}")
    cases = {f"s{n}": Scenario(f"s{n}", f"What about number {n}?", {"profile": "nurse"}) for n in range(5)}

    def to_tone(request):
        return fixing(request).replace('"part": "prompt"', '"part": "tone"')

    (one,) = proposed([to_tone] * 4, state(incumbent=start, scenarios=cases, rounds_left=4))
    assert one.version.parts["rules"] == "Be brief."
    assert RULES["greets"] in one.version.parts["tone"]
    assert one.version.template == start.template


def searched_and_accepted(seed: int, replies: list) -> tuple[bool, bool]:
    """Whether GEPA's search came up with a winner, and whether acceptance calls it better; on noisy judgements."""
    noise, cases = 0.25, prompt_law.scenarios(12)

    class Noisy(Evaluations):
        async def __call__(self, version, ids):
            return Trial(version.id, tuple(judged(version, id_, 1000, noise, seed) for id_ in ids))

    control = [Trial(START.id, tuple(judged(START, id_, n, noise, seed) for id_ in cases)) for n in range(3)]
    pooled = Trial(START.id, tuple(row for repeat in control for row in repeat.judged))
    where = state(scenarios=cases, trial=pooled, seed=seed)
    version = proposed(replies, where, Noisy())[0].version
    if version is None:
        return False, False
    fresh = Trial(version.id, tuple(judged(version, id_, 2000, noise, seed) for id_ in cases))
    looks = where.rounds_left * where.count
    return True, accept(pooled, fresh, control, {}, Rules(), looks, True).outcome == "better"


def test_of_prompts_that_are_no_better_gepa_finds_a_winner_most_times_and_acceptance_takes_none_for_better():
    """Complaint group 28 (ai-agents #3475: false accepts of an identical artifact).

    Of 300 such searches GEPA came up with a winner in 239, and one was called better (2.5 % would be 7.5). Of 40 at
    2.5 % each, five or more are called better one time in 300.
    """
    idle = [lambda request: answer(edit(text=f"Be kind, {hash_of(request)}."))] * 100
    winners, better = map(sum, zip(*(searched_and_accepted(seed, idle) for seed in range(40)), strict=True))
    assert winners > 20
    assert better < 5


def test_what_is_better_is_found_by_the_search_and_accepted():
    found = [searched_and_accepted(seed, SENSIBLE) for seed in range(10)]
    assert sum(accepted for _, accepted in found) >= 9
