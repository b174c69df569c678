"""How the noise of a judge is told on a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from senno.cli.output import print_table, progress
from senno.text import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from senno.judge.measuring import Flips, History, Judgings, Noise
    from senno.stats import Estimate, NotMeasured

_NONE = "not measured"
_FEW = 20
"""Texts below which a noise floor is itself mostly noise."""


def print_figures(found: Sequence[Noise], title: str = "") -> None:
    """One row a figure."""
    rows: list[list[str]] = []
    for each in found:
        flips = "; ".join(f"{f.at}: {_percent(f.share)}" for f in each.flips) or "no threshold"
        missing = f", {each.missing} missing" if each.missing else ""
        judged = f"{each.answers} × {each.repeats}{missing}"
        rows.append([each.name, judged, _spread(each), _number(each.sd, 3), _icc(each), _floor(each), flips])
    columns = ["question", "judged", "spread (median, most)", "SD within", "ICC", "p95 A/A", "flips at"]
    print_table(shown(title), columns, rows, right=("SD within", "ICC"), wrap="question")


def print_measured(
    found: Sequence[Noise],
    groups: Mapping[str, Sequence[Noise]],
    verdicts: Flips | None,
    judgings: Judgings,
    kept: dict[str, Any],
) -> None:
    """All that a live measurement found."""
    from senno.stats import NotMeasured

    print_figures(found)
    for group, figures in groups.items():
        print_figures(figures, f"group {group}")
    for each in found:
        sentences(each)
    if verdicts:
        share = verdicts.share
        if isinstance(share, NotMeasured):
            click.echo(f"verdict: flips not measured: {share.reason}")
        else:
            click.echo(
                f"verdict: {_percent(share)} of {share.n} texts did not always get the same "
                f"({100 * share.interval.low:.1f} to {100 * share.interval.high:.1f} %)"
            )
    answered = ", ".join(f"{version} ({count})" for version, count in judgings.versions.items()) or "nobody"
    click.echo(shown(f"answered by {answered}, {'+'.join(judgings.methods) or 'by no method'}"))
    if judgings.stopped:
        progress(f"stopped before the end: {judgings.stopped}")
    if kept["kept"] is None:
        click.echo(shown(f"not kept: {kept['not_kept']}"))
    else:
        click.echo(shown(f"kept: holds for {kept['model']} and these questions as they are worded now"))


def sentences(noise: Noise) -> None:
    """What it means, for one figure."""
    from senno.stats import NotMeasured

    said: list[str] = []
    again, winners, needed = noise.again, noise.winners, noise.needed
    if isinstance(again, NotMeasured):
        said.append(f"noise floor not measured: {again.reason}")
    elif not again.p95:
        said.append(f"two judgings of the same {again.n} texts never differed")
    else:
        p50, p95, p99 = (_to(again.p95, value) for value in (again.p50, again.p95, again.p99))
        said.append(
            f"two judgings of the same {again.n} texts differ by {p50} (median), {p95} (p95), {p99} (p99): "
            f"a difference below {p95} means nothing"
        )
    if not isinstance(winners, NotMeasured) and winners.plain:
        said.append(
            f"of candidates that are no better, {100 * winners.plain:.0f} % would win by the higher mean, and "
            f"{100 * winners.one_draw:.0f} % by a floor drawn once"
        )
    if not isinstance(needed, NotMeasured):
        said.append(
            f"to find a true difference of {needed[0]:.2g} takes {needed[1]} texts, by this noise alone (paired, 5 %, "
            "power 80 %)"
        )
    said += [*_intervals(noise), _decoding(noise), *_left_out(noise)]
    for line in said:
        click.echo(shown(f"{noise.name}: {line}"))
    click.echo()


def _intervals(noise: Noise) -> list[str]:
    from senno.stats import NotMeasured

    said = [f"flips at {f.at}: {_share(f.share)}" for f in noise.flips]
    icc = noise.icc_one
    if not isinstance(icc, NotMeasured):
        said.append(
            f"ICC {icc.value:.2f} ({icc.interval.low:.2f} to {icc.interval.high:.2f}): the share that is no noise"
        )
    drawn_from = noise.answers - noise.left_out
    if 0 < drawn_from < _FEW:
        said.append(f"all of this is from {drawn_from} texts: too few to rely on, {_FEW} or more are better")
    return said


def _decoding(noise: Noise) -> str:
    from senno.stats import NotMeasured

    parts = noise.components
    named = (("items", parts.item), ("generation", parts.generation), ("judge", parts.judge))
    told = ", ".join(f"{name} {_variance(value)}" for name, value in named)
    text = f"variance: {told}"
    if isinstance(parts.judge, NotMeasured) and not isinstance(parts.within_item, NotMeasured):
        text += f" (generation and judge together {_variance(parts.within_item)})"
    if not isinstance(noise.fresh, NotMeasured):
        p95 = _to(noise.fresh.p95, noise.fresh.p95)
        text += f"; answered anew and judged once, the mean of {noise.fresh.n} moves by {p95} (p95)"
    return text


def _left_out(noise: Noise) -> list[str]:
    said: list[str] = []
    if noise.left_out:
        said.append(f"{noise.left_out} of {noise.answers} have fewer than two values, and are left out")
    if noise.incomplete - noise.left_out > 0:
        said.append(f"{noise.incomplete} of {noise.answers} lack a value, and are left out of the flips")
    said += [f"failed {count} times: {reason}" for reason, count in noise.failures.items()]
    return said


def print_history(history: History) -> None:
    """A history read again."""
    from senno.stats import NotMeasured

    by_version = history.by_version
    rows = [
        [version, ", ".join(f"{score:.2f}" for score in scores), f"{history.repeated[version]:.2f}"]
        if len(scores) > 1
        else [version, f"{scores[0]:.2f}", ""]
        for version, scores in by_version.items()
    ]
    print_table("", ["version", "scores", "moved, unchanged"], rows)
    floor, explained, expected = history.floor, history.explained, history.expected
    click.echo(f"the scores of {len(by_version)} versions climb by {history.climb:.2f}")
    if isinstance(floor, NotMeasured) or isinstance(explained, NotMeasured):
        click.echo("the noise was not measured: no version was scored again with another result")
        return
    click.echo(f"one version, unchanged, moved by {floor:.2f}")
    click.echo(f"the noise explains {100 * explained:.0f} % of the climb")
    repeated = len(history.repeated)
    if not isinstance(expected, NotMeasured):
        click.echo(
            f"a guess, from {repeated} version{'s' if repeated > 1 else ''} scored again: two scores of one version "
            f"may lie {expected:.2f} apart (19 times in 20). Judge one version three times or more"
        )


def _spread(noise: Noise) -> str:
    from senno.stats import NotMeasured

    if isinstance(noise.spread, NotMeasured):
        return _NONE
    median, most = noise.spread
    return f"{_to(most, median)}, {_to(most, most)}"


def _icc(noise: Noise) -> str:
    from senno.stats import NotMeasured

    return _NONE if isinstance(noise.icc_one, NotMeasured) else f"{noise.icc_one.value:.2f}"


def _floor(noise: Noise) -> str:
    from senno.stats import NotMeasured

    again = noise.again
    return _NONE if isinstance(again, NotMeasured) else f"{_to(again.p95, again.p95)} (n = {again.n})"


def _percent(share: Estimate | NotMeasured) -> str:
    from senno.stats import NotMeasured

    return _NONE if isinstance(share, NotMeasured) else f"{100 * share.value:.1f} %"


def _share(share: Estimate | NotMeasured) -> str:
    from senno.stats import NotMeasured

    if isinstance(share, NotMeasured):
        return f"{_NONE}: {share.reason}"
    low, high = 100 * share.interval.low, 100 * share.interval.high
    return f"{_percent(share)} of {share.n} texts fell on both sides ({low:.1f} to {high:.1f} %)"


def _number(value: float | NotMeasured, digits: int) -> str:
    from senno.stats import NotMeasured

    return _NONE if isinstance(value, NotMeasured) else f"{value:.{digits}f}"


def _variance(value: float | NotMeasured) -> str:
    """An estimate below 0 is that of a component too small to be seen."""
    from senno.stats import NotMeasured

    if isinstance(value, NotMeasured):
        return _NONE
    return f"none seen ({value:.2g})" if value < 0 else _to(10 * value, value)


def _to(scale: float, value: float) -> str:
    """A number in as many digits as one of that size needs: two from 0.1 on, one more for each tenth of it."""
    digits = 2 if scale >= 0.1 or scale <= 0 else min(8, 1 - math.floor(math.log10(scale)))
    return f"{value:.{digits}f}"
