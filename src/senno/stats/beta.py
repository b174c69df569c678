"""The beta distribution, and with it Student's t, F and the binomial: all are its incomplete integral."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from senno.stats.normal import normal_quantile

_TINY = 1e-300
_PRECISION = 1e-15
_MOST_STEPS = 100_000
_MOST_HALVINGS = 1200
"""Down to the smallest number there is."""
_MOST_POWER = 700


def beta_cdf(x: float, a: float, b: float) -> float:
    """The regularized incomplete beta integral I_x(a, b), by Lentz's continued fraction (DLMF 8.17.22).

    Args:
        x: in [0, 1].
        a: above 0.
        b: above 0.

    Raises:
        ValueError: an argument is out of range.
    """
    if not (a > 0 and b > 0 and 0 <= x <= 1):
        raise ValueError(f"I_{x}({a}, {b}) is not defined; expected x in [0, 1], a and b above 0")
    return _beta_cdf(x, 1 - x, a, b)


def _beta_cdf(x: float, rest: float, a: float, b: float) -> float:
    """`rest` is 1 − x, given apart since the difference has lost its digits where x is near 1."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    # There the fraction converges slowly. Turned round once at most: rounded apart, both may lie beyond.
    if x > (a + 1) / (a + b + 2):
        return 1 - _by_fraction(rest, x, b, a)
    return _by_fraction(x, rest, a, b)


def _by_fraction(x: float, rest: float, a: float, b: float) -> float:
    front = math.exp(a * math.log(x) + b * math.log(rest) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b))
    return front / a / _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    c, d, value = 1.0, 0.0, 1.0
    for step in range(_MOST_STEPS):
        m = step // 2
        if step == 0:
            term = 1.0
        elif step % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        if step:
            d = 1 / (1 + term * d or _TINY)
            c = 1 + term / c or _TINY
            value *= c * d
            if abs(c * d - 1) < _PRECISION:
                return value
    raise ArithmeticError(f"I_{x}({a}, {b}) did not converge")


@lru_cache(4096)
def beta_quantile(p: float, a: float, b: float) -> float:
    """The x with I_x(a, b) = p.

    Raises:
        ValueError: p is not in [0, 1], or a or b is not above 0.
    """
    if not 0 <= p <= 1:
        raise ValueError(f"a probability of {p}; expected a number from 0 to 1")
    if p in (0, 1):
        return p
    whole = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)

    def density(x: float) -> float:
        power = (a - 1) * math.log(x) + (b - 1) * math.log1p(-x) + whole
        return math.exp(power) if power < _MOST_POWER else 0.0

    return _crossing(lambda x: beta_cdf(x, a, b) - p, density, 0.0, 1.0, _near(p, a, b))


def student_cdf(t: float, df: float) -> float:
    """P(T ≤ t) of Student's t with `df` degrees of freedom.

    Raises:
        ValueError: df is not above 0.
    """
    if df <= 0:
        raise ValueError(f"{df} degrees of freedom; expected a number above 0")
    if math.isinf(t):
        return 0.0 if t < 0 else 1.0
    whole = df + t * t
    tail = 0.5 * _beta_cdf(df / whole, t * t / whole, df / 2, 0.5)
    return tail if t < 0 else 1 - tail


@lru_cache(4096)
def student_quantile(p: float, df: float) -> float:
    """The t with P(T ≤ t) = p.

    Raises:
        ValueError: p is not between 0 and 1, or df is not above 0.
    """
    if not 0 < p < 1:
        raise ValueError(f"a probability of {p}; expected a number between 0 and 1")
    if p == 0.5:
        return 0.0
    if p > 0.5:
        return -student_quantile(1 - p, df)
    low = -1.0
    while student_cdf(low, df) > p:
        low *= 2
    whole = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2

    def density(t: float) -> float:
        return math.exp(whole - (df + 1) / 2 * math.log1p(t * t / df))

    return _crossing(lambda t: student_cdf(t, df) - p, density, low, 0.0, max(normal_quantile(p), low))


def f_quantile(p: float, df1: float, df2: float) -> float:
    """The F with P(F ≤ f) = p, with `df1` and `df2` degrees of freedom.

    Raises:
        ValueError: p is not in [0, 1), or a number of degrees is not above 0.
    """
    x = beta_quantile(p, df1 / 2, df2 / 2)
    # Where x is near 1, its complement is found from the other side, with all its digits.
    rest = 1 - x if x < 0.5 else beta_quantile(1 - p, df2 / 2, df1 / 2)
    if rest <= 0:
        raise ValueError(f"F at {p} is infinite")
    return df2 * (1 - rest if x >= 0.5 else x) / (df1 * rest)


def binomial_cdf(k: int, n: int, p: float) -> float:
    """P(X ≤ k) of n trials that each succeed with probability p.

    Raises:
        ValueError: n is negative, or p is not in [0, 1].
    """
    if n < 0 or not 0 <= p <= 1:
        raise ValueError(f"{n} trials of probability {p}; expected none or more, and a probability")
    if k < 0 or k >= n:
        return 0.0 if k < 0 else 1.0
    return _beta_cdf(1 - p, p, n - k, k + 1)


def _near(p: float, a: float, b: float) -> float:
    """About where the quantile lies, by the normal distribution of the same mean and spread."""
    mean = a / (a + b)
    return mean + normal_quantile(p) * math.sqrt(mean * (1 - mean) / (a + b + 1))


def _crossing(
    function: Callable[[float], float], slope: Callable[[float], float], low: float, high: float, start: float
) -> float:
    """Where a rising function crosses 0 between two points: Newton's steps, bisection where one leads astray."""
    x = start if low < start < high else (low + high) / 2
    for _ in range(_MOST_HALVINGS):
        value = function(x)
        if value == 0:
            return x
        low, high = (x, high) if value < 0 else (low, x)
        rise = slope(x)
        following = x - value / rise if rise > 0 else high
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - x) <= 4e-16 * abs(x) or following in (low, high):
            return following
        x = following
    return x
