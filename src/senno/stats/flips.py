"""How often a repeated answer changes sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from senno.stats.outcome import Estimate, NotMeasured
from senno.stats.proportion import rate


def flipped(repeats: Sequence[Sequence[Hashable]], level: float = 0.95) -> Estimate | NotMeasured:
    """The share of items whose repeats do not all give the same (a side of a threshold, a verdict); Wilson's interval.

    It grows with the number of repeats: compare only where that is the same. `disagreement` does not.

    Args:
        repeats: what each repeat gave, by item; the items that were repeated equally often.
        level: of confidence.

    Raises:
        ValueError: items with different numbers of repeats, or with fewer than two.
    """
    sizes = {len(item) for item in repeats}
    if len(sizes) > 1 or (sizes and sizes < {0, 1}):
        raise ValueError(f"items with {sorted(sizes)} repeats; expected two or more, the same for all")
    return rate(sum(len(set(item)) > 1 for item in repeats), len(repeats), level)


def disagreement(repeats: Sequence[Sequence[Hashable]]) -> float | NotMeasured:
    """The chance that two repeats of one item differ: the mean over items of the share of their pairs that do.

    Items with fewer than two repeats are left out.
    """
    shares = [_unlike(item) for item in repeats if len(item) > 1]
    return sum(shares) / len(shares) if shares else NotMeasured("no item has two repeats")


def _unlike(item: Sequence[Hashable]) -> float:
    n = len(item)
    alike = sum(count * (count - 1) for count in Counter(item).values())
    return 1 - alike / (n * (n - 1))
