import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from senno.errors import ConfigError
from senno.tune import Scenario, clusters, hold_out


def some(count, profile=None, stratum=None, prefix="s"):
    return [
        Scenario(
            f"{prefix}{n}",
            f"question number {n} about {prefix}",
            {},
            profile(n) if profile else None,
            stratum(n) if stratum else None,
        )
        for n in range(count)
    ]


def test_ten_scenarios_are_seven_and_three():
    found = hold_out(some(10), 0.3, 1)
    assert (len(found.train), len(found.test), found.seed) == (7, 3, 1)


def test_the_position_has_no_say():
    """Complaint 32: a positional split made most of the overfitting."""
    scenarios = some(40)
    there, back = hold_out(scenarios, 0.3, 1), hold_out(scenarios[::-1], 0.3, 1)
    assert set(there.test) == set(back.test)
    assert set(there.test) != {s.id for s in scenarios[-12:]}
    tests = {hold_out(scenarios, 0.3, seed).test for seed in range(20)}
    assert len(tests) == 20


def test_each_stratum_gives_its_share():
    """Complaint 32: shuffled, and stratified."""
    scenarios = some(60, stratum=lambda n: "rare" if n % 6 == 0 else "usual")
    for seed in range(10):
        test = set(hold_out(scenarios, 0.3, seed).test)
        assert len(test) == 18
        assert sum(s.id in test for s in scenarios if s.stratum == "rare") == 3


def test_a_profile_is_never_on_both_sides():
    scenarios = some(30, profile=lambda n: f"p{n % 7}")
    for seed in range(20):
        found = hold_out(scenarios, 0.3, seed)
        of = {s.id: s.profile for s in scenarios}
        assert not {of[i] for i in found.train} & {of[i] for i in found.test}


def test_what_says_the_same_is_never_on_both_sides():
    """A scenario that stands twice would be learnt on one side and examined on the other."""
    scenarios = [*some(9), *(Scenario(f"again{n}", f"question  number {n} about s") for n in range(9))]
    for seed in range(20):
        found = hold_out(scenarios, 0.3, seed)
        assert {i.removeprefix("again").removeprefix("s") for i in found.train}.isdisjoint(
            i.removeprefix("again").removeprefix("s") for i in found.test
        )
        assert found.near == ()


def test_clusters_are_profiles_and_whatever_says_the_same():
    scenarios = [
        Scenario("a", "x", {}, "p"),
        Scenario("b", "y", {}, "p"),
        Scenario("c", "y"),
        Scenario("d", "y", {"tone": "kind"}),
        Scenario("e", "z"),
    ]
    found = clusters(scenarios)
    assert found["a"] == found["b"]
    assert found["c"] == found["a"]
    assert len({found["a"], found["d"], found["e"]}) == 3


def test_a_scenario_is_not_of_the_profile_that_has_its_name():
    found = clusters([Scenario("saver", "x"), Scenario("b", "y", {}, "saver")])
    assert found["saver"] != found["b"]


def test_three_rows_are_two_and_one():
    found = hold_out(some(3), 0.3, 1)
    assert (len(found.train), len(found.test)) == (2, 1)


@pytest.mark.parametrize(
    "scenarios", [[], some(1), some(2), some(50, profile=lambda _: "one"), some(50, profile=lambda n: f"p{n % 2}")]
)
def test_too_few_that_stand_by_themselves_are_refused_with_what_is_needed(scenarios):
    with pytest.raises(ConfigError, match="expected three at least"):
        hold_out(scenarios, 0.3, 1)


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, float("nan")])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(ConfigError, match="expected a share between 0 and 1"):
        hold_out(some(10), share, 1)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 2)), min_size=3, max_size=40),
    st.floats(0.01, 0.99),
    st.integers(0, 99),
)
def test_any_split_is_disjoint_whole_and_has_both_sides(rows, share, seed):
    """Complaint 23: validation and training shared a row by an index that was one off."""
    scenarios = [Scenario(f"s{n}", f"text {n}", {}, f"p{p}", f"k{k}") for n, (p, k) in enumerate(rows)]
    if len({p for p, _ in rows}) < 3:
        return
    found = hold_out(scenarios, share, seed)
    assert set(found.train).isdisjoint(found.test)
    assert {*found.train, *found.test} == {s.id for s in scenarios}
    assert found.test
    assert len({clusters(scenarios)[i] for i in found.train}) >= 2
    assert hold_out(scenarios, share, seed) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "I am 34 and want to invest 10,000 euros for my pension",
            "I am 35 and want to invest 10,000 euros for my pension",
        ),
        ("Ho 34 anni e vorrei investire i miei risparmi", "HO 34 ANNI, e vorrei investire i miei risparmi domani"),
        ("我今年三十四岁，想投资一万欧元", "我今年三十五岁，想投资一万欧元"),
        ("มีเงินเก็บอยากลงทุนระยะยาว", "มีเงินเก็บอยากลงทุนระยะสั้น"),
    ],
)
def test_a_near_duplicate_across_the_split_is_reported(one, other):
    scenarios = [Scenario("a", one), Scenario("b", other), *some(8, prefix="other")]
    reported = 0
    for seed in range(12):
        found = hold_out(scenarios, 0.3, seed)
        across = ("a" in found.test) != ("b" in found.test)
        pairs = [{pair.train, pair.test} for pair in found.near]
        assert ({"a", "b"} in pairs) == across
        reported += across
    assert reported


def test_texts_that_have_little_in_common_are_not_reported():
    scenarios = [
        Scenario("a", "How do I pay off a mortgage early without a fine?"),
        Scenario("b", "Should I buy gold now that the price is falling?"),
        Scenario("c", "What is an exchange traded fund, in plain words?"),
        Scenario("d", "Can a pension be paid out before I am sixty?"),
    ]
    assert hold_out(scenarios, 0.3, 1).near == ()


def test_three_thousand_scenarios_of_one_template_are_told_apart():
    scenarios = [
        Scenario(f"s{n}", f"I am {n} years old and I have {n * 7} euros to invest for my children") for n in range(3000)
    ]
    found = hold_out(scenarios, 0.3, 1)
    assert (len(found.train), len(found.test)) == (2100, 900)
    assert len(found.near) == 900
