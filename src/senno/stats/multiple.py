"""Several looks at once: a p that holds for each of them."""

from __future__ import annotations

from collections.abc import Sequence


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """The p of each test, adjusted for all of them (Holm 1979), in the order given.

    Raises:
        ValueError: one is no probability.
    """
    if any(not 0 <= p <= 1 for p in ps):
        raise ValueError("expected probabilities, from 0 to 1")
    adjusted = [0.0] * len(ps)
    most = 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        most = max(most, min(1.0, (len(ps) - rank) * ps[place]))
        adjusted[place] = most
    return tuple(adjusted)
