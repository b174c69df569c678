"""The plan of a tuning, from its files: what it will take and what it can tell."""

from __future__ import annotations

from dataclasses import replace

from senno.config import Config
from senno.ledger import Ledger
from senno.models import ChatDecisions, Price
from senno.tune.plan import Plan, plan_tuning, sizes_of
from senno.tune.preparing import Prepared
from senno.tune.record import load_tuning, measured_sd, tunings
from senno.tune.scenarios import Scenario
from senno.tune.split import hold_out


def foresee(ready: Prepared, config: Config, ledger: Ledger | None = None) -> Plan:
    """The plan of a tuning that was prepared.

    Args:
        ready: what it stands on.
        config: for the user's prices.
        ledger: where an earlier run with the same name may have measured how far answers spread; `None`: nowhere.
    """
    names = ready.cast.names()
    models = replace(
        ready.spec.models,
        answer=names["answer"],
        rewrite=names["rewrite"],
        judge=names.get("judge", ""),
        scenarios=names.get("scenarios", ""),
    )
    spec = replace(ready.spec, models=models, budget=ready.budget)
    scenarios = ready.scenarios or tuple(
        Scenario(f"made-{n}", f"a scenario that is to be made, number {n}", {}, f"profile {n}")
        for n in range(spec.scenarios.count)
    )
    split = hold_out(scenarios, spec.scenarios.test, spec.seed)
    if not ready.scenarios:
        split = replace(split, near=())
    together = not isinstance(ready.cast.judge, ChatDecisions)
    sizes = sizes_of(ready.start, scenarios, ready.checks.questions, together=together)
    prices = {name: Price(price.input, price.output) for name, price in config.prices.items()}
    return plan_tuning(spec, scenarios, split, sizes, prices, _measured(spec.name, ledger))


def _measured(name: str, ledger: Ledger | None) -> float | None:
    for run in tunings(ledger, limit=None) if ledger else ():
        if run.name == name:
            sd = measured_sd(load_tuning(ledger, run.id)) if ledger else None
            if sd:
                return sd
    return None
