"""How confident an agent may be before a task: what it says, weighed with what its history says.

`c = λ·c_v + (1−λ)·c_p`, λ = 0.6: MetaCogAgent (arXiv:2605.17292), section on the self-assessment unit.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Confidence:
    """The confidence before a task, with what it is made of. All on [0, 1]."""

    value: float
    """c."""
    profile: float
    """c_p, from the capability profile of the task type."""
    stated: float | None = None
    """c_v, the agent's own; `None`: it stated none, and c is c_p alone."""

    @property
    def conflict(self) -> float:
        """How far the agent's word and its history are apart: |c_v − c_p|; 0 where it stated nothing."""
        return 0.0 if self.stated is None else abs(self.stated - self.profile)

    def __str__(self) -> str:
        if self.stated is None:
            return f"c={self.value:.2f} (the profile's alone: no confidence was stated)"
        return f"c={self.value:.2f} (stated {self.stated:.2f}, profile {self.profile:.2f})"


def composite(stated: float | None, profile: float, stated_weight: float) -> Confidence:
    """Weigh what the agent states with its profile.

    Args:
        stated: c_v on [0, 1]; `None` where the agent stated none.
        profile: c_p on [0, 1].
        stated_weight: λ on [0, 1].

    Raises:
        ValueError: a number is not on [0, 1]; the message names it.
    """
    for name, number in (("stated confidence", stated), ("profile", profile), ("stated_weight", stated_weight)):
        if number is not None and not 0 <= number <= 1:  # a NaN is not on [0, 1] either
            raise ValueError(f"{name}: found {number}; expected a number from 0 to 1")
    if stated is None:
        return Confidence(profile, profile)
    value = stated_weight * stated + (1 - stated_weight) * profile
    return Confidence(round(value, 9), profile, stated)  # 0.6·0.6 + 0.4·0.6 is to be 0.6, and not below a bar of 0.6
