"""A tuning out of the ledger: its versions, rounds, trials and answers, also of one that goes on or was cut off."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from senno.errors import ConfigError
from senno.ledger import Ledger, RunRow, VersionRow, all_kept
from senno.text import did_you_mean
from senno.tune.answering import Purpose, Row
from senno.tune.history import KIND, versions_of
from senno.tune.result import Score, score_of
from senno.tune.spending import used
from senno.tune.trial import Judged, Trial
from senno.tune.version import Version


@dataclass(frozen=True, slots=True)
class KeptScenario:
    """A scenario as the run had it."""

    id: str
    text: str
    profile: str | None
    side: str
    """`train` or `test`."""


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """One answer."""

    version: str
    scenario: str
    repeat: int
    purpose: Purpose
    text: str


@dataclass(frozen=True, slots=True)
class Tuning:
    """All that is known of one run of the tuner."""

    run: RunRow
    versions: tuple[tuple[VersionRow, Version], ...]
    rounds: tuple[Mapping[str, Any], ...]
    """As `TuneResult.to_json` has them."""
    trials: Mapping[tuple[str, Purpose], Trial]
    """Of closed trials, by version and purpose; readings and answers are not in them."""
    scenarios: Mapping[str, KeptScenario]
    clusters: Mapping[str, str]
    answers: tuple[KeptAnswer, ...]
    models: Mapping[str, str]
    """Role to the version that answered."""
    used: Mapping[str, Any]

    @property
    def result(self) -> Mapping[str, Any]:
        """What it came to; empty while it goes on, or where it was cut off."""
        return self.run.result or {}

    @property
    def start(self) -> str | None:
        """The id of the version it began with; `None`: it did not get that far."""
        return self.versions[0][1].id if self.versions else None

    @property
    def best(self) -> str | None:
        """The id of the version to use, as far as it is known."""
        promoted = [each["promoted"] for each in self.rounds if each["promoted"]]
        return self.result.get("best") or (promoted[-1] if promoted else self.start)

    def version(self, id_: str) -> Version:
        """One of its versions."""
        return next(version for _, version in self.versions if version.id == id_)

    def scores(self, id_: str) -> dict[Purpose, Score]:
        """What a version scored, by what it was tried for."""
        found: dict[Purpose, Score] = {}
        for (version, purpose), trial in self.trials.items():
            if version == id_:
                found[purpose] = score_of(trial, self.clusters)
        return found

    def training(self, id_: str) -> Trial | None:
        """The trial of a version on the training part that tells most: as the incumbent, else as a candidate."""
        return self.trials.get((id_, "control")) or self.trials.get((id_, "look"))


def load_tuning(ledger: Ledger, wanted: str = "last") -> Tuning:
    """A run of the tuner.

    Args:
        ledger: where it is.
        wanted: its id, or a part of it that no other run has; `last`: the newest tuning.

    Raises:
        ConfigError: there is no such run, or it is no tuning.
    """
    if wanted == "last":
        newest = ledger.runs(limit=1, kind=KIND)
        if not newest:
            raise ConfigError("no tuning in this ledger yet; a first one makes it: senno tune tune.toml")
        wanted = newest[0].id
    record = ledger.run(wanted)
    if record.run.kind != KIND:
        raise ConfigError(f"run {record.run.id} is of the kind {record.run.kind!r}; expected a tuning")
    id_ = record.run.id
    told = all_kept(ledger, id_, "scenario")
    scenarios = {name: KeptScenario(name, each["text"], each["profile"], each["side"]) for name, each in told.items()}
    return Tuning(
        record.run,
        tuple(versions_of(ledger, id_)),
        tuple(all_kept(ledger, id_, "round").values()),
        _trials(all_kept(ledger, id_, "trial").values()),
        scenarios,
        {name: each.profile or name for name, each in scenarios.items()},
        tuple(_answers(all_kept(ledger, id_, "answer").values())),
        all_kept(ledger, id_, "model"),
        used(ledger, id_),
    )


def tunings(ledger: Ledger, limit: int | None = 20) -> list[RunRow]:
    """Runs of the tuner, newest first."""
    return ledger.runs(limit=limit, kind=KIND)


@dataclass(frozen=True, slots=True)
class Found:
    """A version in a run."""

    tuning: Tuning
    version: Version


def find_version(ledger: Ledger, wanted: str) -> list[Found]:
    """A version in each run that has it, newest run first: two runs of one version are two.

    Args:
        ledger: where they are.
        wanted: the id of a version or the beginning of one, `best` or `start` (of the newest tuning), and before it,
            with a slash, the run: `k3f9/best`, `20261201-0930/p3a`.

    Raises:
        ConfigError: no version is meant, or several are.
    """
    run, slash, name = wanted.rpartition("/")
    if slash or name in ("best", "start"):
        tuning = load_tuning(ledger, run or "last")
        named = {"best": tuning.best, "start": tuning.start}.get(name, name)
        id_ = _one(named or "", [version.id for _, version in tuning.versions], f"run {tuning.run.id}")
        return [Found(tuning, tuning.version(id_))]
    rows = versions_of(ledger)
    id_ = _one(name, [version.id for _, version in rows], "this ledger")
    runs = dict.fromkeys(row.run_id for row, version in rows if version.id == id_)
    found = [load_tuning(ledger, run_id) for run_id in reversed(runs)]
    return [Found(tuning, tuning.version(id_)) for tuning in found]


def _one(wanted: str, ids: Sequence[str], where: str) -> str:
    known = list(dict.fromkeys(ids))
    meant = [id_ for id_ in known if wanted and id_.startswith(wanted)]
    if len(meant) == 1 or wanted in known:
        return wanted if wanted in known else meant[0]
    if meant:
        raise ConfigError(f"{wanted!r} may mean {', '.join(meant[:4])}; give more of it")
    hint = did_you_mean(wanted, known)
    raise ConfigError(f"no version {wanted!r} in {where}{hint}; senno tune history shows what there is")


def measured_sd(tuning: Tuning) -> float | None:
    """Standard deviation of a scenario's difference between two versions, over the candidates that were tried on all.

    `None`: no candidate was.
    """
    found: list[float] = []
    for each in tuning.rounds:
        before = tuning.trials.get((each["incumbent"], "control"))
        for look in each["looks"]:
            after = tuning.trials.get((look["version"], "look"))
            if before is None or after is None or look["acceptance"] is None:
                continue
            was, now = before.by_scenario(), after.by_scenario()
            gaps = [statistics.fmean(now[name]) - statistics.fmean(was[name]) for name in now if name in was]
            if len(gaps) > 1:
                found.append(statistics.stdev(gaps))
    return statistics.fmean(found) if found else None


def _trials(kept: Any) -> dict[tuple[str, Purpose], Trial]:
    found: dict[tuple[str, Purpose], Trial] = {}
    for each in kept:
        key: tuple[str, Purpose] = (each["version"], each["purpose"])
        rows = cast("list[Row]", each["rows"])
        judged = tuple(
            Judged(scenario, repeat, score, verdict, {}, tuple(failed), None, error)
            for scenario, repeat, score, verdict, failed, error in rows
        )
        before = found.get(key)
        found[key] = Trial(key[0], (before.judged if before else ()) + judged)
    return found


def _answers(kept: Any) -> list[KeptAnswer]:
    return [
        KeptAnswer(each["version"], each["scenario"], each["repeat"], each["purpose"], each["text"]) for each in kept
    ]
