import json
from decimal import Decimal
from pathlib import Path

import pytest

from senno.judge import AskedQuestion
from senno.models import Budget, Noul, Price
from senno.stats import detectable_difference
from senno.tune import (
    JudgeFiles,
    PromptFiles,
    Scenario,
    ScenarioFiles,
    Sizes,
    Split,
    TuneModels,
    TuneSpec,
    Version,
    hold_out,
    plan_tuning,
    sizes_of,
)
from senno.tune.reach import scenarios_needed, smallest_difference
from senno.tune.rewriting import Constraints

SIZES = Sizes(system=300, message=50, answer=400, judge_calls=3, judge_in=1500, judge_out=3)
PRICES = {
    "a": Price(Decimal(1), Decimal(2)),
    "j": Price(Decimal("0.1"), Decimal(0)),
    "r": Price(Decimal(10), Decimal(20)),
}


def spec(**more):
    values = {
        "name": "t",
        "prompt": PromptFiles({"prompt": Path("p.md")}),
        "scenarios": ScenarioFiles(Path("s.jsonl")),
        "judge": JudgeFiles(Path("c.json"), Path("p.json")),
        "models": TuneModels("a", "j", "r"),
        "constraints": Constraints(),
        "budget": Budget(),
        **more,
    }
    return TuneSpec(**values)


def scenarios(count, profile=None):
    return [Scenario(f"s{n}", f"text {n}", {}, profile(n) if profile else None) for n in range(count)]


def plan(asked=None, count=10, sizes=SIZES, prices=PRICES, sd=None, all_=None):
    every = all_ or scenarios(count)
    return plan_tuning(asked or spec(), every, hold_out(every, 0.3, 1), sizes, prices, sd)


def test_the_calls_of_each_phase():
    """Complaint 9: a formula of the budget that forgot half of it. Here it is the sum of what the phases do."""
    found = plan()
    answered = 1 + 3
    assert [(p.name, p.least.calls, p.most.calls) for p in found.phases] == [
        ("the incumbent, for the noise floor", 3 * 7 * answered, 3 * 7 * answered),
        ("rewrites", 8, 8),
        ("candidates", 8 * 7 * answered, 8 * 7 * answered),
        ("what was found better, answered afresh", 0, 8 * 3 * 7 * answered),
        ("the held-out part, once", 0, 2 * 3 * 3 * answered),
    ]
    assert found.least.calls == sum(p.least.calls for p in found.phases)
    assert found.most.calls == sum(p.most.calls for p in found.phases)
    assert (found.train, found.test, found.looks, found.bought) == (7, 3, 8, None)


def test_more_answers_and_repeats_cost_more():
    found = plan(spec(answers=2, repeats=5, rounds=2, candidates=3))
    assert [p.least.calls for p in found.phases] == [5 * 14 * 4, 6, 6 * 14 * 4, 0, 0]


def test_scenarios_from_a_brief_are_a_phase():
    found = plan(spec(scenarios=ScenarioFiles(brief=Path("b.md")), models=TuneModels("a", "j", "r", "s")))
    assert found.phases[0].name == "scenarios, from the brief"
    assert found.phases[0].least.calls == 1
    assert found.unpriced == ("s",)


def test_money_is_known_or_unknown_and_never_zero_for_want_of_a_price():
    """Complaints 10 and 8: the rewriter's own spending counts, and an unknown price is not 0."""
    found = plan()
    answers, judged = 7 * (3 + 8) * (350 * 1 + 400 * 2), 7 * (3 + 8) * Decimal(150)
    rewrites = 8 * ((300 + 1500) * 10 + 800 * 20)
    assert found.least.cost == (answers + judged + rewrites) / Decimal(1_000_000)
    assert found.unpriced == ()
    unknown = plan(prices={"a": PRICES["a"]})
    assert unknown.least.cost is None
    assert unknown.unpriced == ("j", "r")


@pytest.mark.parametrize(
    ("budget", "bought"),
    [
        (Budget(calls=84 + 8 * 29), 8),
        (Budget(calls=84 + 29), 1),
        (Budget(calls=84 + 28), 0),
        (Budget(calls=10), 0),
        (Budget(calls=10_000), 8),
        (Budget(calls=84 + 8 * 29, tokens=1), 0),
        (Budget(cost=Decimal("0.10")), 1),
        (Budget(seconds=5.0), None),
    ],
)
def test_how_many_candidates_the_budget_buys(budget, bought):
    """Complaint 7: a budget of 8 calls on a set of 6 rows bought one proposal, and the tool said "done"."""
    found = plan(spec(budget=budget))
    assert found.bought == bought
    warned = any("the budget buys" in warning for warning in found.warnings)
    assert warned == (bought is not None and bought < 8)


def test_a_cost_budget_without_prices_cannot_be_said():
    assert plan(spec(budget=Budget(cost=Decimal(1))), prices={}).bought is None


def test_what_it_can_see_is_said_before_it_is_paid_for():
    guessed, measured = plan(), plan(sd=0.1)
    assert (guessed.sd, guessed.sd_measured) == (0.2, False)
    assert (measured.sd, measured.sd_measured) == (0.1, True)
    assert guessed.detectable is not None
    assert measured.detectable == pytest.approx(guessed.detectable / 2)
    assert plan(count=100).detectable < guessed.detectable
    assert list(guessed.needed) == ["0.05", "0.1", "0.2"]
    assert guessed.needed["0.05"] > guessed.needed["0.1"] > guessed.needed["0.2"]


def test_fewer_looks_see_a_smaller_difference():
    assert plan(spec(rounds=2), count=30).detectable < plan(spec(rounds=20), count=30).detectable


def test_an_incumbent_that_never_moves_breaks_nothing():
    found = plan(sd=0.0)
    assert found.detectable is None
    assert found.needed == {}


def test_what_speaks_against_the_scenarios_is_said():
    few = plan(count=7)
    assert few.detectable is None
    assert any("no difference, however large" in warning for warning in few.warnings)
    of_three = plan(all_=scenarios(30, lambda n: f"p{n % 4}"))
    assert of_three.train_clusters < 6
    assert of_three.detectable is None
    twice = plan(all_=[*scenarios(20), Scenario("again", "text 3")])
    assert any("2 scenarios say the same as another" in warning for warning in twice.warnings)
    near = [Scenario(f"s{n}", f"I have {n} euros and want to invest them for my children") for n in range(20)]
    assert any("are near to one of the training part" in warning for warning in plan(all_=near).warnings)


def test_sizes_are_estimated_from_what_is_there():
    start = Version({"a": "You help {{profile}}." * 10})
    some = [Scenario("a", "x" * 70, {"profile": "y" * 35}), Scenario("b", "x" * 70, {"profile": "y" * 35})]
    questions = {f"q{n}": AskedQuestion(Noul("Is it so?")) for n in range(3)}
    together = sizes_of(start, some, questions, together=True)
    each = sizes_of(start, some, questions, together=False, samples=5)
    assert (together.judge_calls, each.judge_calls) == (1, 15)
    assert together.message == 20
    assert together.system == 60 + 10
    assert each.judge_in > together.judge_in > together.answer
    assert sizes_of(start, some, {}, together=False).judge_calls == 0


def test_a_plan_is_json():
    told = json.loads(json.dumps(plan().to_json()))
    assert told["least"]["calls"] == plan().least.calls
    assert isinstance(told["least"]["cost"], str)
    assert json.loads(json.dumps(plan(prices={}).to_json()))["least"]["cost"] is None


def test_the_smallest_difference_is_that_of_the_statistics_for_many():
    assert smallest_difference(0.2, 2000, 2000, 0.05) == pytest.approx(detectable_difference(0.2, 2000), rel=0.01)
    assert smallest_difference(0.2, 60, 5, 0.05) is None


@pytest.mark.parametrize(("sd", "apart", "a_cluster"), [(0.2, 0.1, 1), (0.2, 0.5, 1), (0.1, 0.01, 3), (0.3, 0.05, 1.5)])
def test_the_scenarios_needed_are_enough_and_one_percent_fewer_are_not(sd, apart, a_cluster):
    n = scenarios_needed(sd, apart, 0.05, a_cluster)
    enough = smallest_difference(sd, n, max(6, int(n / a_cluster)), 0.05)
    assert enough is not None
    assert enough <= apart * 1.0001
    fewer = int(n * 0.97) - 1
    if fewer / a_cluster > 6:
        less = smallest_difference(sd, fewer, int(fewer / a_cluster), 0.05)
        assert less is not None
        assert less > apart


def test_a_split_is_taken_as_it_is():
    every = scenarios(12)
    found = plan_tuning(spec(), every, Split(("s0", "s1"), ("s2",), 1), SIZES, PRICES)
    assert (found.train, found.test) == (2, 1)
