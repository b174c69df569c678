"""The hold-out: scenarios told apart into train and test, once, by a recorded seed. By shuffle, never by position.

What hangs together stays on one side: the scenarios of a profile, and those that say the same.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from senno.errors import ConfigError
from senno.tune.scenarios import Scenario, twins
from senno.tune.words import runs

_RUN = 3
"""Words that must follow one another to count as shared."""
_NEAR = 0.5
"""Share of a scenario's runs that another must have, to be reported as near to it."""


@dataclass(frozen=True, slots=True)
class NearPair:
    """A test scenario, and the train scenario that is most like it."""

    train: str
    test: str
    overlap: float
    """Of the shorter one's runs of three words, the share that the other has too: 1 where it stands in it whole."""


@dataclass(frozen=True, slots=True)
class Split:
    """Which scenarios the rewriter may learn from, and which the final figure is taken on."""

    train: tuple[str, ...]
    test: tuple[str, ...]
    """Never shown to the rewriter."""
    seed: int
    near: tuple[NearPair, ...] = ()
    """Test scenarios that a train scenario gives away in part; the most alike first."""


def clusters(scenarios: Sequence[Scenario]) -> Mapping[str, str]:
    """Scenario id to what it hangs together with: its profile, and whatever says the same as one of that profile.

    A scenario without a profile stands by itself.
    """
    root: dict[str, str] = {}

    def top(name: str) -> str:
        while (above := root.setdefault(name, name)) != name:
            name = above
        return name

    for each in scenarios:
        mine = top(f"id:{each.id}")
        if each.profile is not None:
            root[mine] = top(f"profile:{each.profile}")
    for group in twins(scenarios):
        first = top(f"id:{group[0]}")
        for other in group[1:]:
            root[top(f"id:{other}")] = first
    return {each.id: top(f"id:{each.id}") for each in scenarios}


def hold_out(scenarios: Sequence[Scenario], test_share: float, seed: int) -> Split:
    """Tell train and test apart.

    The order of the file has no say: the clusters are sorted by name, then shuffled. Each stratum gives its share to
    the test; a cluster counts to the stratum that most of its scenarios are of.

    Args:
        scenarios: all of them.
        test_share: of the scenarios, in (0, 1); each side gets one cluster at least.
        seed: of the shuffle.

    Raises:
        ConfigError: the share is none, or there are fewer than three clusters.
    """
    if not 0 < test_share < 1:
        raise ConfigError(f"scenarios.test is {test_share}; expected a share between 0 and 1, such as 0.3")
    belongs = clusters(scenarios)
    units: dict[str, list[Scenario]] = {}
    for each in scenarios:
        units.setdefault(belongs[each.id], []).append(each)
    if len(units) < 3:
        raise ConfigError(
            f"{len(scenarios)} scenarios of {len(units)} profiles (or texts) that stand by themselves; expected three "
            "at least: two to compare versions on, and one for the final figure. Add scenarios, or give them profiles "
            "of their own"
        )
    test = _drawn(units, test_share, random.Random(seed))  # noqa: S311 - a repeatable draw
    train_ids = tuple(each.id for each in scenarios if belongs[each.id] not in test)
    test_ids = tuple(each.id for each in scenarios if belongs[each.id] in test)
    by_id = {each.id: each for each in scenarios}
    return Split(train_ids, test_ids, seed, near_pairs([by_id[i] for i in train_ids], [by_id[i] for i in test_ids]))


def _drawn(units: Mapping[str, list[Scenario]], share: float, chance: random.Random) -> set[str]:
    """The clusters of the test: from each stratum what brings the test nearest to its share of what was seen."""
    strata: dict[str, list[str]] = {}
    for name in sorted(units):
        kinds = Counter(each.stratum or "" for each in units[name])
        strata.setdefault(min(kinds, key=lambda kind: (-kinds[kind], kind)), []).append(name)
    order: list[str] = []
    for stratum in sorted(strata):
        names = strata[stratum]
        chance.shuffle(names)
        order.extend(names)
    # Walked stratum after stratum, a share that one stratum could not give is carried over to the next.
    test: set[str] = set()
    seen = taken = 0
    for name in order:
        size = len(units[name])
        seen += size
        if taken + size / 2 <= share * seen:
            test.add(name)
            taken += size
    return _neither_empty(test, order, chance, units)


def _neither_empty(
    test: set[str], order: Sequence[str], chance: random.Random, units: Mapping[str, list[Scenario]]
) -> set[str]:
    """Two clusters at least are compared on, and one at least is held out."""
    if not test:
        least = min(len(units[name]) for name in order)
        test.add(chance.choice([name for name in order if len(units[name]) == least]))
    while len(order) - len(test) < 2:
        most = max(len(units[name]) for name in test)
        test.remove(chance.choice([name for name in order if name in test and len(units[name]) == most]))
    return test


def near_pairs(train: Sequence[Scenario], test: Sequence[Scenario]) -> tuple[NearPair, ...]:
    """For each test scenario that has one: the train scenario most like it, by runs of three words.

    A text of fewer words is one run. Works by letter in scripts that put no spaces between words.
    """
    holders: dict[tuple[str, ...], list[int]] = {}
    sizes: list[int] = []
    for place, each in enumerate(train):
        own = _runs(each.text)
        sizes.append(len(own))
        for run in own:
            holders.setdefault(run, []).append(place)
    found: list[NearPair] = []
    for each in test:
        own = _runs(each.text)
        shared: Counter[int] = Counter()
        for run in own:
            shared.update(holders.get(run, ()))
        nearest = max(shared, key=lambda place: (shared[place] / min(sizes[place], len(own)), -place), default=None)
        if nearest is not None and (overlap := shared[nearest] / min(sizes[nearest], len(own))) >= _NEAR:
            found.append(NearPair(train[nearest].id, each.id, overlap))
    return tuple(sorted(found, key=lambda pair: (-pair.overlap, pair.test)))


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    return runs(text, _RUN)
