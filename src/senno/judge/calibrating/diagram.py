"""The reliability diagram: what was said against what was true, one panel a question, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from senno.judge.calibrating.calibrated import Calibrated
from senno.stats import NotMeasured, ReliabilityBin, rate
from senno.text import one_line

_SIDE = 200
_LEFT, _TOP, _BELOW, _RIGHT = 58, 64, 88, 14
_BARS = 34
_WIDTH = _LEFT + _SIDE + _RIGHT
_HEIGHT = _TOP + _SIDE + _BELOW
_A_ROW = 3

# Colours hold on a light and on a dark page; a renderer without media queries (PNG) draws the light one.
_STYLE = """
.page{fill:#ffffff}.ink{fill:#1f2328}.soft{fill:#59636e}.line{stroke:#c4cad1;fill:none}.axis{stroke:#59636e;fill:none}
.mark{fill:#0b62c4}.reach{stroke:#0b62c4}.bar{fill:#9fb8d6}
@media (prefers-color-scheme:dark){.page{fill:#12161c}.ink{fill:#e6e9ed}.soft{fill:#9aa4af}.line{stroke:#3a424c}
.axis{stroke:#9aa4af}.mark{fill:#6cb0ff}.reach{stroke:#6cb0ff}.bar{fill:#37537a}}
text{font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;font-size:11px}
"""


def reliability_svg(found: Sequence[Calibrated]) -> str:
    """One panel for each target whose probability was measured: points near the diagonal can be believed.

    A point is a bin of equally many cases: its mean probability, and the share of it that was truly so, with Wilson's
    95 % interval. Bars below are the numbers of cases, by probability. A target without enough cases has a panel that
    says so.
    """
    shown = [each for each in found if not each.target.is_check]
    columns = max(1, min(_A_ROW, len(shown)))
    rows = max(1, -(-len(shown) // _A_ROW))
    width, height = columns * _WIDTH, rows * _HEIGHT
    panels = "".join(
        f'<g transform="translate({n % _A_ROW * _WIDTH} {n // _A_ROW * _HEIGHT})">{_panel(each)}</g>'
        for n, each in enumerate(shown)
    )
    nothing = "" if shown else _text(_WIDTH / 2, _HEIGHT / 2, "no question with a probability", "soft", "middle")
    said = "; ".join(_said(each) for each in shown) or "nothing was measured"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}"><title>Reliability diagram</title><desc>{_safe(said)}</desc><style>{_STYLE}</style>'
        f'<rect class="page" width="{width}" height="{height}"/>{panels}{nothing}</svg>\n'
    )


def _panel(found: Calibrated) -> str:
    parts = [
        _text(_LEFT, 18, one_line(found.target.name, 30), "ink", weight="600"),
        _text(_LEFT, 34, _head(found), "soft"),
        _text(_LEFT, 50, _bins(found), "soft"),
    ]
    parts.append(f'<rect class="line" x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}"/>')
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(_text(_LEFT - 6, _y(tick) + 4, f"{tick:g}", "soft", "end"))
        parts.append(_text(_x(tick), _TOP + _SIDE + _BARS + 16, f"{tick:g}", "soft", "middle"))
    if not found.bins:
        reason = found.ece.reason if isinstance(found.ece, NotMeasured) else ""
        parts += [
            _text(_LEFT + _SIDE / 2, _TOP + _SIDE / 2 + 14 * n, line, "soft", "middle")
            for n, line in enumerate(_wrapped(reason, 32))
        ]
    else:
        parts.append(f'<path class="axis" stroke-dasharray="3 3" d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}"/>')
        parts += [_point(each) for each in found.bins]
        parts.append(_counts(found))
    middle = _LEFT + _SIDE / 2
    parts.append(_text(middle, _HEIGHT - 20, "probability that was answered", "soft", "middle"))
    parts.append(
        f'<text class="soft" text-anchor="middle" transform="translate(12 {_TOP + _SIDE / 2}) rotate(-90)">'
        "share that was truly so</text>"
    )
    return "".join(parts)


def _point(of: ReliabilityBin) -> str:
    found = rate(round(of.observed * of.n), of.n)
    assert not isinstance(found, NotMeasured)
    x, low, high = _x(of.predicted), _y(found.interval.low), _y(found.interval.high)
    told = f"{of.n} cases: said {of.predicted:.2f}, true {of.observed:.2f}"
    return (
        f'<g><title>{told}</title><path class="reach" stroke-width="1.5" d="M{x:.1f} {low:.1f}V{high:.1f}"/>'
        f'<circle class="mark" cx="{x:.1f}" cy="{_y(of.observed):.1f}" r="3.5"/></g>'
    )


def _counts(found: Calibrated) -> str:
    """How many cases got which probability, in tenths."""
    counts = [0] * 10
    for each in found.target.seen:
        counts[min(9, int(each.p * 10))] += 1
    most, base = max(counts), _TOP + _SIDE + _BARS
    parts: list[str] = []
    for n, count in enumerate(counts):
        if count:
            height = max(1.0, (_BARS - 12) * count / most)
            x = _x(n / 10)
            parts.append(
                f'<rect class="bar" x="{x + 1:.1f}" y="{base - height:.1f}" width="{_SIDE / 10 - 2:.1f}" '
                f'height="{height:.1f}"/>'
            )
            parts.append(_text(x + _SIDE / 20, base - height - 2, str(count), "soft", "middle", size=8))
    return "".join(parts)


def _head(found: Calibrated) -> str:
    error = "" if isinstance(found.ece, NotMeasured) else f" · ECE {found.ece.value:.3f}"
    score = "" if isinstance(found.brier, NotMeasured) else f" · Brier {found.brier.value:.3f}"
    return f"n {found.n}{error}{score}"


def _bins(found: Calibrated) -> str:
    sizes = sorted(each.n for each in found.bins)
    if not sizes:
        return ""
    of = str(sizes[0]) if sizes[0] == sizes[-1] else f"{sizes[0]} to {sizes[-1]}"
    return f"{len(sizes)} bin{'s' if len(sizes) > 1 else ''} of {of} cases"


def _said(found: Calibrated) -> str:
    points = ", ".join(f"said {b.predicted:.2f} true {b.observed:.2f} of {b.n}" for b in found.bins)
    return f"{one_line(found.target.name, 60)}, {_head(found)}: {points or 'too few cases'}"


def _wrapped(text: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(text, width)


def _x(share: float) -> float:
    return _LEFT + share * _SIDE


def _y(share: float) -> float:
    return _TOP + (1 - share) * _SIDE


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start", weight: str = "400", size: int = 11) -> str:
    return (
        f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}" style="font-weight:{weight};'
        f'font-size:{size}px">{_safe(text)}</text>'
    )


def _safe(text: str) -> str:
    # What XML cannot hold was made visible by `one_line`; these two no text may carry either.
    return escape(text).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
