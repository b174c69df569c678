"""The tuner: answer, judge, rewrite, accept on evidence; the held-out part once, at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from senno.errors import BudgetExceeded, ConfigError, SennoError
from senno.ledger import redact
from senno.stats import Interval
from senno.tune.acceptance import Rules, accept
from senno.tune.answering import Answering, Told
from senno.tune.asking import KeptCalls
from senno.tune.control import Floor, noise_floor
from senno.tune.history import History, digest
from senno.tune.racing import Dropped, blocks, hopeless
from senno.tune.result import HeldOut, Look, Round, Score, TuneResult, in_words, overall, plain, score_of
from senno.tune.rewriting import Rejected, guarded
from senno.tune.scenarios import Scenario
from senno.tune.split import Split, clusters
from senno.tune.stops import ModelChanged, Stop, TooFewScored, WiringBroken
from senno.tune.strategies import Proposal, Strategy, TuneState
from senno.tune.trial import Trial
from senno.tune.tunefile import TuneSpec
from senno.tune.version import Version, diff
from senno.tune.wiring import refuse_same_text

_UNKEEPABLE = "it holds what looks like a secret, which the ledger would not give back"


@dataclass(frozen=True, slots=True)
class Ground:
    """What a tuning stands on: read before the first call."""

    spec: TuneSpec
    start: Version
    scenarios: Mapping[str, Scenario]
    split: Split
    meanings: Mapping[str, str]
    weights: Mapping[str, float]
    touch_again: bool = False
    """Look at a held-out part that another run looked at before."""

    @property
    def held_out(self) -> str:
        """Digest of the held-out part: of what is said in it, in any order."""
        return digest(sorted(self.scenarios[id_].content for id_ in self.split.test))


@dataclass
class Watch:
    """Who is told of progress; by default nobody."""

    say: Callable[[str], None] = lambda _: None
    count: Callable[[str], Told | None] = lambda _: None
    """A counter for a trial of that name."""


@dataclass
class _State:
    """Where the engine stands."""

    incumbent: Version
    known: dict[str, Version]
    rejected: list[Rejected] = field(default_factory=list[Rejected])
    rounds: list[Round] = field(default_factory=list[Round])
    control: list[Trial] = field(default_factory=list[Trial])
    pooled: Trial | None = None
    score: Score | None = None
    floor: Floor | None = None


class Engine:
    """One tuning.

    Args:
        ground: what it stands on.
        history: its memory.
        answering: makes trials.
        calls: the gate to the rewriter.
        strategy: proposes candidates.
        watch: is told of progress.
    """

    def __init__(
        self,
        ground: Ground,
        history: History,
        answering: Answering,
        calls: KeptCalls,
        strategy: Strategy,
        watch: Watch,
    ) -> None:
        self.ground = ground
        self._spec = ground.spec
        self._history, self._answering, self._calls = history, answering, calls
        self._strategy, self._watch = strategy, watch
        self._clusters = clusters(tuple(ground.scenarios.values()))
        judged = ground.spec.judge
        self._rules = Rules(ground.spec.alpha, judged.min_scored, judged.must, ground.spec.seed)
        self._state = _State(ground.start, {})
        self._held_out = HeldOut(None, "no version was found better on the training part, so nobody looked at it")

    async def run(self) -> TuneResult:
        """Tune until a stop reason holds. Failures of senno's tree end it with what was found up to then."""
        try:
            self._know(self.ground.start)
            stop = await self._climb()
            await self._look_at_held_out()
        except BudgetExceeded as error:
            return self.result("budget", str(error))
        except ModelChanged as error:
            return self.result("model_changed", str(error))
        except WiringBroken as error:
            return self.result("wiring", str(error))
        except TooFewScored as error:
            return self.result("too_few_scored", str(error))
        except SennoError as error:
            return self.result("error", str(error))
        return self.result(stop)

    def result(self, stop: Stop, error: str | None = None) -> TuneResult:
        """What has been found up to now."""
        state, start = self._state, self.ground.start
        found = overall(tuple(state.rounds), state.incumbent.id, start.id, self._held_out)
        return TuneResult(
            run_id=self._history.run_id,
            name=self._spec.name,
            outcome="undecided" if error is not None or stop == "interrupted" else found,
            stop=stop,
            start=start.id,
            best=start.id if found == "worse" else state.incumbent.id,
            target=self._spec.target,
            rounds=tuple(state.rounds),
            versions=dict(state.known),
            score=state.score,
            held_out=self._held_out,
            error=error,
        )

    async def _climb(self) -> Stop:
        await self._measure_incumbent()
        for number in range(1, self._spec.rounds + 1):
            if self._target_met():
                return "target"
            proposals = await self._strategy.propose(self._seen(number), calls=self._calls, evaluate=self._evaluate)
            if not proposals:
                return "no_proposal"
            await self._round(number, proposals)
        return "target" if self._target_met() else "rounds"

    def _target_met(self) -> bool:
        target, score = self._spec.target, self._state.score
        return target is not None and score is not None and score.mean is not None and score.mean >= target

    async def _measure_incumbent(self) -> None:
        """The incumbent, answered afresh `repeats` times: what a candidate is compared with, and the noise floor."""
        state, answers = self._state, self._spec.answers
        name = f"{state.incumbent.id}, the incumbent, {self._spec.repeats} times"
        numbers = range(self._spec.repeats * answers)
        pooled = await self._answering.trial(
            state.incumbent, self.ground.split.train, numbers, "control", self._watch.count(name)
        )
        state.control = [
            Trial(pooled.version, tuple(each for each in pooled.judged if each.repeat // answers == repeat))
            for repeat in range(self._spec.repeats)
        ]
        state.pooled, state.score = pooled, score_of(pooled, self._clusters)
        state.floor = noise_floor(state.control, self.ground.split.train, self._spec.seed)
        share = len(pooled.scored) / len(pooled.judged)
        if share < self._spec.judge.min_scored:
            first = next((each.error for each in pooled.judged if each.error), "")
            raise TooFewScored(
                f"{len(pooled.scored)} of {len(pooled.judged)} judgements of {pooled.version} have a score, and "
                f"judge.min_scored is {self._spec.judge.min_scored:g}; the first that has none: {first}"
            )
        self._watch.say(f"incumbent {state.incumbent.id}: {_told(state.score)}")

    def _seen(self, number: int) -> TuneState:
        state, ground = self._state, self.ground
        assert state.pooled is not None
        return TuneState(
            incumbent=state.incumbent,
            trial=state.pooled,
            scenarios={id_: ground.scenarios[id_] for id_ in ground.split.train},
            known=dict(state.known),
            constraints=self._spec.constraints,
            round=number,
            rounds_left=self._spec.rounds - number + 1,
            count=self._spec.candidates,
            seed=self._spec.seed,
            rejected=tuple(state.rejected),
            meanings=ground.meanings,
            guarded=guarded(ground.scenarios.values()),
            weights=ground.weights,
        )

    async def _evaluate(self, version: Version, ids: Sequence[str]) -> Trial:
        """For strategies that search on their own: answers that acceptance does not use."""
        self._know(version)
        return await self._answering.trial(version, ids, range(self._spec.answers), "search")

    async def _round(self, number: int, proposals: Sequence[Proposal]) -> None:
        state = self._state
        assert state.score is not None
        assert state.floor is not None
        incumbent, score, floor = state.incumbent, state.score, state.floor.value
        looks = [await self._look(proposal) for proposal in proposals]
        better = [look for look in looks if look.acceptance and look.acceptance.outcome == "better"]
        best = max(better, key=lambda look: look.acceptance.difference or 0.0) if better else None  # pyright: ignore[reportOptionalMemberAccess]
        promoted = best.version if best else None
        for look in looks:
            if look is not best:
                state.rejected.append(_rejected(look))
        done = Round(number, incumbent.id, score, floor, tuple(looks), promoted)
        state.rounds.append(done)
        self._history.keep("round", f"{number:04}", plain(done))
        if promoted is not None:
            state.incumbent = state.known[promoted]
            await self._measure_incumbent()

    async def _look(self, proposal: Proposal) -> Look:
        """Try a candidate, and hold it against the incumbent."""
        dropped = tuple(map(str, proposal.dropped))
        version, refused = proposal.version, proposal.refused
        if version is not None:
            refused = self._refusal(version)
        if version is None or refused:
            self._watch.say(f"refused: {refused}")
            return Look(None, proposal.attempt, refused or "no version", dropped, proposal.notes)
        state = self._state
        assert state.pooled is not None
        self._know(version)
        attempt = proposal.attempt or diff(state.incumbent, version)
        trial, given_up = await self._race(version)
        look = Look(version.id, attempt, None, dropped, proposal.notes, score_of(trial, self._clusters))
        if given_up is not None:
            self._watch.say(f"candidate {version.id}: {given_up}")
            saved = (given_up.n - given_up.after) * self._spec.answers
            return replace(look, given_up=str(given_up), saved=saved)
        proved = self._answering.proved(version)
        acceptance = accept(state.pooled, trial, state.control, self._clusters, self._rules, self._spec.looks, proved)
        self._watch.say(f"candidate {version.id}: {in_words(acceptance)}")
        return replace(look, acceptance=acceptance)

    def _refusal(self, version: Version) -> str | None:
        if version.id in self._state.known and version.origin != "gepa":
            return f"it is {version.id}, which is known"
        return _UNKEEPABLE if holds_secret(version) else None

    async def _race(self, version: Version) -> tuple[Trial, Dropped | None]:
        """The candidate on the training part, block after block, or as far as it was worth it."""
        state, spec = self._state, self._spec
        assert state.pooled is not None
        assert state.floor is not None
        train = self.ground.split.train
        parts = blocks(train, self._clusters, spec.seed)
        trial = Trial(version.id, ())
        for number, part in enumerate(parts, 1):
            counter = self._watch.count(f"candidate {version.id}, block {number} of {len(parts)}")
            block = await self._answering.trial(version, part, range(spec.answers), "look", counter)
            trial = Trial(version.id, trial.judged + block.judged)
            given_up = hopeless(state.pooled, trial, self._clusters, state.floor, len(train), spec.alpha, spec.looks)
            if given_up is not None:
                return trial, given_up
        return trial, None

    async def _look_at_held_out(self) -> None:
        """The final figure: once, and recorded before anybody looks."""
        state, ground = self._state, self.ground
        if state.incumbent.id == ground.start.id:
            return
        others, allowed = self._history.touch(ground.held_out, again=ground.touch_again)
        if not allowed:
            reason = f"run {others[-1].run_id} looked at it meanwhile; to look too: senno tune resume --touch-again"
            self._held_out = HeldOut(None, reason, touches=len(others))
            return
        answers, test = self._spec.answers, ground.split.test
        numbers = range(self._spec.repeats * answers)
        start = await self._answering.trial(ground.start, test, numbers, "test", self._watch.count("held out, start"))
        best = await self._answering.trial(state.incumbent, test, numbers, "test", self._watch.count("held out, best"))
        control = [
            Trial(start.version, tuple(each for each in start.judged if each.repeat // answers == repeat))
            for repeat in range(self._spec.repeats)
        ]
        proved = self._answering.proved(state.incumbent)
        acceptance = accept(start, best, control, self._clusters, self._rules, 1, proved)
        self._held_out = HeldOut(
            acceptance, "", score_of(start, self._clusters), score_of(best, self._clusters), len(others) + 1
        )
        self._watch.say(f"held out: {in_words(acceptance)}")

    def _know(self, version: Version) -> None:
        known = self._state.known
        if version.id not in known:
            try:
                refuse_same_text([*known.values(), version])
            except ConfigError as error:
                raise WiringBroken(str(error)) from None
            self._history.add_version(version, len(known))
            known[version.id] = version


def holds_secret(version: Version) -> bool:
    """Whether the ledger would keep it otherwise than it is."""
    return any(redact(text) != text for text in (*version.parts.values(), version.template))


def _rejected(look: Look) -> Rejected:
    why = in_words(look.acceptance) if look.acceptance else look.given_up or look.refused or ""
    return Rejected(look.version, look.attempt, why)


def _told(score: Score) -> str:
    spread = score.interval
    interval = f" ({spread.low:.3f} to {spread.high:.3f})" if isinstance(spread, Interval) else ""
    mean = "not scored" if score.mean is None else f"{score.mean:.3f}{interval}"
    return f"score {mean} over {score.n} scenarios, {score.scored} of {score.asked} judgements scored"
