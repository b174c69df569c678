"""How the errors of a judge are told on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from senno.cli.output import print_table
from senno.text import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from senno.judge.calibrating import Calibrated, Graded
    from senno.stats import Estimate, NotMeasured

_NONE = "–"


def print_calibration(found: Sequence[Calibrated], graded: Sequence[Graded], kept: dict[str, Any], groups: int) -> None:
    """A row each, then what a row cannot say."""
    columns = ["question", "n", "yes", "accuracy", "sensitivity", "specificity", "Youden's J"]
    print_table("right or wrong", columns, [_decided(each) for each in found], right=("n", "yes"), wrap="question")
    asked = [each for each in found if not each.target.is_check]
    if asked:
        columns = ["question", "Brier", "ECE", "ECE of a perfect judge", "bins of"]
        print_table("the probability", columns, [_believed(each) for each in asked], wrap="question")
    for each in found:
        for line in _lines(each):
            click.echo(shown(f"{each.target.name}: {line}"))
    for each in graded:
        click.echo(shown(f"{each.question}: {_graded(each)}"))
    if groups:
        click.echo(f"cases of one group hang together ({groups} groups): intervals of single cases are too narrow")
    click.echo("intervals are of 95 %. No threshold was changed: it is the cost you accept for an error")
    if kept["kept"] is None:
        click.echo(shown(f"not kept: {kept['not_kept']}"))
    else:
        click.echo(shown(f"kept: holds for {kept['model']} and these questions as they are worded now"))


def _decided(found: Calibrated) -> list[str]:
    from senno.stats import NotMeasured

    share = found.prevalence
    return [
        found.target.name,
        str(found.n),
        _NONE if isinstance(share, NotMeasured) else f"{100 * share.value:.0f} %",
        _told(found.accuracy),
        _told(found.sensitivity),
        _told(found.specificity),
        _told(found.youden),
    ]


def _believed(found: Calibrated) -> list[str]:
    from senno.stats import NotMeasured

    chance = found.by_chance
    by_chance = "" if isinstance(chance, NotMeasured) else f"{chance[0]:.3f}, at most {chance[1]:.3f}"
    sizes = sorted({b.n for b in found.bins})
    bins = f"{len(found.bins)} × {sizes[0]}" + (f"–{sizes[-1]}" if len(sizes) > 1 else "") if sizes else ""
    return [found.target.name, _told(found.brier, 3), _told(found.ece, 3), by_chance, bins]


def _lines(found: Calibrated) -> list[str]:
    from senno.stats import NotMeasured

    target, cut = found.target, found.cut
    of = "the policy's" if cut.of_policy else "for want of a policy's"
    said = [] if target.is_check else [f"yes {'over' if cut.above else 'from'} {cut.value:g} on ({of})"]
    few = dict.fromkeys(
        each.reason
        for each in (found.accuracy, found.sensitivity, found.specificity, found.brier)
        if isinstance(each, NotMeasured) and not (target.is_check and each is found.brier)
    )
    said += few
    said += _proposed(found)
    if found.corrected is not None:
        corrected = found.corrected
        told = corrected.reason if isinstance(corrected, NotMeasured) else f"{_percent(corrected)} (Rogan–Gladen)"
        said.append(f"true rate of the unlabelled: {told}")
    if target.taught:
        said.append(f"{target.taught} cases stand in its criteria, and are no evidence: left out")
    said += [f"{count} cases without an answer: {reason}" for reason, count in target.missing.items()]
    return said


def _proposed(found: Calibrated) -> list[str]:
    from senno.stats import NotMeasured, youden_j

    proposal = found.proposal
    if found.target.is_check or found.target.is_level:
        return []
    if isinstance(proposal, NotMeasured):
        return [f"no threshold proposed: {proposal.reason}"]
    here, there, now = (_told(youden_j(c)) for c in (proposal.found, proposal.checked, proposal.now))
    told = f"proposed {proposal.cut:g}: J {here} where it was chosen, {there} on the other half; "
    return [told + f"{found.cut.value:g} has {now} there (seed {proposal.seed})"]


def _graded(graded: Graded) -> str:
    from senno.judge.calibrating import agreement

    right, kappa = agreement(graded)
    kind = "quadratic " if graded.ordered else ""
    return f"the most probable is right in {_of(right)}; {kind}kappa {_of(kappa)} (n {len(graded.pairs)})"


def _of(value: Estimate | NotMeasured) -> str:
    from senno.stats import NotMeasured

    return value.reason if isinstance(value, NotMeasured) else _told(value)


def _told(value: Estimate | NotMeasured, digits: int = 2) -> str:
    from senno.stats import NotMeasured

    if isinstance(value, NotMeasured):
        return "too few" if "too few" in value.reason else _NONE
    low, high = value.interval.low, value.interval.high
    return f"{value.value:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def _percent(value: Estimate) -> str:
    low, high = 100 * value.interval.low, 100 * value.interval.high
    return f"{100 * value.value:.1f} % ({low:.1f} to {high:.1f} %, of {value.n})"
