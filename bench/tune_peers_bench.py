"""senno's tuner against GEPA and DSPy's MIPROv2, on one scripted task and with the same number of answers.

    python bench/tune_peers_bench.py [seeds]

The task is `examples/finance` in English: an assistant whose answers follow a known law (`scripted.py`), so that the
true score of every prompt is known. Three questions, in one run:

- false winners: the rewriter only adds rules that change nothing; how often is one of them declared the winner?
- true improvements: the rewriter adds rules that help, and idle ones between; how often is the prompt that comes out
  truly better, and by how much?
- overhead: 50 ms a call, 32 at once: how much longer than a bare loop over the same calls?

senno runs first; each peer then gets as many answers as senno asked for with that seed.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import peers
import report

from senno.config import Config, load
from senno.judge import Policy, Reading, decide, load_check_file, load_policy
from senno.judge.checks import run_check
from senno.ledger import Ledger, all_kept
from senno.stats import clopper_pearson
from senno.tune import TuneOptions, load_scenarios, load_tune, tune

PEERS = ("gepa", "dspy", "optuna")
EXAMPLE = Path(__file__).parents[1] / "examples" / "finance"
BETTER_BY = 0.03
"""A prompt whose true score is higher by this is a true improvement; an idle rule changes it by 0."""
LATENCY, SLOTS = 0.05, 32


def law_of(folder: Path) -> ModuleType:
    """The scripted models of a copy of the example."""
    spec = importlib.util.spec_from_file_location(f"law_{abs(hash(folder))}", folder / "scripted.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@dataclass
class Task:
    """The example, in a folder of its own."""

    folder: Path
    law: ModuleType
    policy: Policy
    checks: Any
    start: str
    train: list[Any]

    @classmethod
    def make(cls, folder: Path, idle: float) -> Task:
        shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
        script = folder / "scripted.py"
        script.write_text(
            script.read_text(encoding="utf-8").replace("IDLE_SHARE = 0.3", f"IDLE_SHARE = {idle}"), encoding="utf-8"
        )
        file = folder / "en" / "tune.toml"
        spec = load_tune(file)
        checks = load_check_file(spec.judge.checks)
        assert spec.scenarios.file is not None
        scenarios = load_scenarios(spec.scenarios.file)
        policy = load_policy(spec.judge.policy, checks)
        return cls(folder, law_of(folder), policy, checks, spec.prompt.read().text, list(scenarios))

    def score(self, prompt: str, scenario: Any, seed: object) -> tuple[float, list[str], str]:
        """One answer, judged as senno judges it: score, what failed, the text."""
        system = prompt.replace("{{profile}}", scenario.variables["profile"])
        text = self.law.written(system, scenario.text, seed)
        readings = {name: self._reading(name, text) for name in (*self.checks.checks, *self.checks.questions)}
        score = decide(self.policy, readings).score
        assert score is not None
        failed = [name for name, reading in readings.items() if (reading.share or 0.0) < 0.5]
        return score, failed, text

    def _reading(self, name: str, text: str) -> Reading:
        if name in self.checks.checks:
            value = 1.0 if run_check(self.checks.checks[name], text).passed else 0.0
            return Reading(value=value, share=value)
        yes = self.law.seen(name, text)
        return Reading(value=yes, share=yes if self.checks.questions[name].higher_is_better else 1 - yes)

    def truth(self, prompt: str) -> float:
        """The score that the law gives a prompt, over all scenarios."""
        weights = self.policy.weights
        return statistics.fmean(self.law.expected_score(prompt, each.text, weights) for each in self.train)

    def rewritten(self, prompt: str, failures: Sequence[str], idle: float, chance: random.Random) -> str:
        """What the scripted rewriter makes of a prompt: a rule for what fails most, or an idle one."""
        helps = [self.law._RULES["en"][name] for name in failures if name in self.law._RULES["en"]]
        others = [*self.law._IDLE["en"], *(f"Strive for excellence, as rule {n} says." for n in range(200))]
        first, then = (others, helps) if chance.random() < idle else (helps, others)
        rule = next(each for each in (*first, *then) if each not in prompt)
        return f"{prompt}\n{rule}"


@dataclass(frozen=True)
class Outcome:
    """What one optimizer did with one seed."""

    answers: int
    won: bool
    gain: float


def with_senno(task: Task, seed: int, idle: float) -> Outcome:
    file = task.folder / "en" / "tune.toml"
    text = (EXAMPLE / "en" / "tune.toml").read_text(encoding="utf-8")
    file.write_text(text.replace("seed = 1", f"seed = {seed}"), encoding="utf-8")
    script = (EXAMPLE / "scripted.py").read_text(encoding="utf-8").replace("IDLE_SHARE = 0.3", f"IDLE_SHARE = {idle}")
    first = '("Strive for excellence in every answer.", '
    more = ", ".join(f'"Strive for excellence, as rule {n} says."' for n in range(60))
    (task.folder / "scripted.py").write_text(script.replace(first, f"{first}{more}, "), encoding="utf-8")
    for name in [name for name in sys.modules if name.startswith("_senno_tune_")]:
        del sys.modules[name]
    with tempfile.TemporaryDirectory() as folder, Ledger.open(Path(folder) / "ledger.db") as ledger:
        result = asyncio.run(tune(file, ledger=ledger, config=load(flags={"calls.concurrency": SLOTS}).config))
    assert result.error is None, result.error
    best = result.versions[result.best].text
    gain = task.truth(best) - task.truth(task.start)
    return Outcome(result.used["answer"]["calls"], result.outcome == "better", gain)


def with_gepa(task: Task, seed: int, idle: float, answers: int) -> Outcome:
    import gepa
    from gepa.core.adapter import EvaluationBatch

    chance, asked = random.Random(seed), 0

    class Adapter:
        propose_new_texts = None

        def evaluate(self, batch: Any, candidate: Any, capture_traces: bool = False) -> Any:
            nonlocal asked
            outputs, scores, traces = [], [], []
            for scenario in batch:
                asked += 1
                score, failed, text = task.score(candidate["prompt"], scenario, (seed, asked))
                outputs.append(text)
                scores.append(score)
                traces.append(failed)
            return EvaluationBatch(outputs=outputs, scores=scores, trajectories=traces if capture_traces else None)

        def make_reflective_dataset(self, candidate: Any, eval_batch: Any, components: Any) -> Any:
            del candidate
            return {name: [{"failed": each} for each in eval_batch.trajectories or []] for name in components}

    def proposer(candidate: Any, dataset: Any, components: Any) -> Any:
        del components
        failures = Counter(name for row in dataset["prompt"] for name in row["failed"])
        names = [name for name, _ in failures.most_common()]
        return {"prompt": task.rewritten(candidate["prompt"], names, idle, chance)}

    class Quiet:
        def log(self, message: str) -> None:
            pass

    found = gepa.optimize(
        seed_candidate={"prompt": task.start},
        trainset=task.train,
        valset=task.train,
        adapter=Adapter(),
        custom_candidate_proposer=proposer,
        max_metric_calls=answers,
        seed=seed,
        skip_perfect_score=False,
        logger=Quiet(),
    )
    best = found.best_candidate["prompt"]
    return Outcome(asked, best != task.start, task.truth(best) - task.truth(task.start))


def with_mipro(task: Task, seed: int, idle: float, answers: int) -> Outcome:
    import dspy
    from dspy.teleprompt import MIPROv2
    from dspy.utils import DummyLM

    chance, asked = random.Random(seed), 0
    by_text = {each.text: each for each in task.train}

    class Assistant(dspy.Module):
        """Answers with the scripted assistant under whatever instructions its predictor has."""

        def __init__(self) -> None:
            super().__init__()
            self.answer = dspy.Predict(dspy.Signature("question -> answer", task.start))

        def forward(self, question: str) -> Any:
            nonlocal asked
            asked += 1
            prompt = self.answer.signature.instructions
            score, _, text = task.score(prompt, by_text[question], (seed, asked))
            return dspy.Prediction(answer=text, score=score)

    def proposals() -> Any:
        while True:
            helpful = list(task.law._RULES["en"])
            chance.shuffle(helpful)
            prompt = task.start
            for _ in range(chance.randint(1, 3)):
                prompt = task.rewritten(prompt, helpful, idle, chance)
            yield {"proposed_instruction": prompt}

    def metric(example: Any, made: Any, trace: Any = None) -> float:
        del example, trace
        return made.score

    trials = max(2, answers // len(task.train) - 1)
    examples = [dspy.Example(question=each.text).with_inputs("question") for each in task.train]
    optimizer = MIPROv2(
        metric=metric,
        prompt_model=DummyLM(proposals()),  # pyright: ignore[reportArgumentType]
        task_model=DummyLM([]),
        auto=None,
        num_candidates=8,
        max_bootstrapped_demos=0,
        max_labeled_demos=0,
        seed=seed,
        verbose=False,
    )
    with (
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
    ):
        found = optimizer.compile(
            Assistant(),
            trainset=examples,
            valset=examples,
            num_trials=trials,
            minibatch=False,
            program_aware_proposer=False,
            data_aware_proposer=False,
            tip_aware_proposer=False,
            fewshot_aware_proposer=False,
        )
    best = found.answer.signature.instructions
    return Outcome(asked, best != task.start, task.truth(best) - task.truth(task.start))


def overhead(scenarios: int) -> dict[str, float]:
    """A tuning of one round at 50 ms a call and 32 at once, and a bare loop over the same calls."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        task = Task.make(folder / "finance", 0.3)
        lines = (EXAMPLE / "en" / "scenarios.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        made = [
            {"id": f"s{n}", "text": f"{row['text']} Case {n}.", "profile": f"{row['profile']}, case {n}"}
            for n, row in ((n, rows[n % len(rows)]) for n in range(scenarios))
        ]
        (task.folder / "en" / "scenarios.jsonl").write_text("\n".join(map(json.dumps, made)), encoding="utf-8")
        file = task.folder / "en" / "tune.toml"
        text = file.read_text(encoding="utf-8")
        text = text.replace("rounds = 8", "rounds = 1").replace("answers = 3", "answers = 1")
        file.write_text(text, encoding="utf-8")
        script = task.folder / "scripted.py"
        script.write_text(script.read_text(encoding="utf-8") + _SLOW, encoding="utf-8")
        with Ledger.open(folder / "ledger.db") as ledger:
            config: Config = load(flags={"calls.concurrency": SLOTS}).config
            options = TuneOptions({"answer": "../scripted.py:slow_assistant", "judge": "../scripted.py:slow_judge"})
            began, cpu = time.perf_counter(), time.process_time()
            result = asyncio.run(tune(file, ledger=ledger, config=config, options=options))
            seconds, spent = time.perf_counter() - began, time.process_time() - cpu
            trials = [len(each["rows"]) for each in all_kept(ledger, result.run_id, "trial").values()]
        calls = result.used["answer"]["calls"]
        assert sum(trials) == calls
        began = time.perf_counter()
        asyncio.run(_bare(trials))
        return {"calls": calls * 2, "seconds": seconds, "cpu": spent, "bare": time.perf_counter() - began}


_SLOW = f"""

def slow_assistant() -> Assistant:
    return Assistant(seconds={LATENCY})


class SlowJudge:
    name = "scripted.py:slow_judge"

    async def decide(self, state, questions, *, calls):
        return await judge().decide(state, questions, calls=_Delayed(calls))


class _Delayed:
    def __init__(self, calls):
        self._calls = calls

    async def send(self, outgoing):
        from dataclasses import replace

        async def slow(max_tokens):
            await asyncio.sleep({LATENCY})
            return await outgoing.attempt(max_tokens)

        return await self._calls.send(replace(outgoing, attempt=slow))


def slow_judge() -> SlowJudge:
    return SlowJudge()
"""


async def _bare(trials: Sequence[int]) -> None:
    """The same calls and nothing else: trial after trial, each job an answer and then its judgement."""
    slots = asyncio.Semaphore(SLOTS)

    async def call() -> None:
        async with slots:
            await asyncio.sleep(LATENCY)

    async def worker(jobs: Iterator[int]) -> None:
        for _ in jobs:
            await call()
            await call()

    for jobs in trials:
        queue = iter(range(jobs))
        await asyncio.gather(*(worker(queue) for _ in range(2 * SLOTS)))


def share(outcomes: Sequence[Outcome], counts: Callable[[Outcome], bool]) -> str:
    hits = sum(map(counts, outcomes))
    interval = clopper_pearson(hits, len(outcomes))
    return f"{hits}/{len(outcomes)} ({interval.low:.0%} to {interval.high:.0%})"


def truly(outcome: Outcome) -> bool:
    return outcome.won and outcome.gain > BETTER_BY


def compare(seeds: int) -> tuple[str, dict[str, Any]]:
    optimizers: dict[str, Callable[..., Outcome]] = {}
    if not peers.missing("gepa"):
        optimizers["GEPA"] = with_gepa
    if not peers.missing("dspy", "optuna"):
        optimizers["MIPROv2"] = with_mipro
    found: dict[str, dict[str, list[Outcome]]] = {}
    for question, idle in (("identical", 1.1), ("true", 0.3)):
        with tempfile.TemporaryDirectory() as name:
            task = Task.make(Path(name) / "finance", idle)
            rows = found.setdefault(question, {"senno": [], **{each: [] for each in optimizers}})
            for seed in range(1, seeds + 1):
                ours = with_senno(task, seed, idle)
                rows["senno"].append(ours)
                for each, run in optimizers.items():
                    rows[each].append(run(task, seed, idle, ours.answers))
                last = {each: rows[each][-1] for each in rows}
                print(f"{question} {seed}/{seeds}", last, file=sys.stderr, flush=True)
    table = report.table(
        ["", "false winners", "truly better", "declared better, and is not", "mean true gain", "answers"],
        [
            [
                each,
                share(found["identical"][each], lambda one: one.won),
                share(found["true"][each], truly),
                share(found["true"][each], lambda one: one.won and not truly(one)),
                f"{statistics.fmean(one.gain for one in found['true'][each]):+.3f}",
                f"{statistics.fmean(one.answers for one in found['true'][each]):,.0f}",
            ]
            for each in found["true"]
        ],
    )
    figures = {q: {each: [vars(one) for one in rows] for each, rows in by.items()} for q, by in found.items()}
    return table, figures


def main() -> None:
    if peers.missing(*PEERS):
        peers.run_beside_peers()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    os.environ.setdefault("DSPY_DISABLE_HISTORY", "1")
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    folder = Path(tempfile.mkdtemp())
    os.chdir(folder)
    table, figures = compare(seeds)
    runs = [overhead(600) for _ in range(3)]
    best = min(runs, key=lambda each: each["seconds"] / each["bare"])
    more = best["seconds"] / best["bare"] - 1
    told = (
        f"{seeds} seeds. False winners: rules that change nothing, so that every winner is a false one. Truly better: "
        f"the prompt that comes out scores higher by more than {BETTER_BY} under the law. In brackets: 95 % intervals "
        "(Clopper and Pearson). senno's answers include three repeats of each incumbent, and the held-out part of 7 "
        "scenarios; the peers spend all of theirs on candidates, and see all 24 scenarios."
    )
    settings = (
        "The peers' settings: GEPA's defaults, all scenarios to train and to validate on, the same scripted rewriter, "
        "told what failed; MIPROv2 without demonstrations, eight instructions of one to three rules proposed once, "
        "each trial on all scenarios."
    )
    took = (
        f"Overhead at {1000 * LATENCY:.0f} ms a call, {SLOTS} at once, {best['calls']:,.0f} calls: "
        f"{best['seconds']:.2f} s against {best['bare']:.2f} s for a bare loop over the same calls, trial by trial "
        f"({more:+.1%}; best of {len(runs)}), {1000 * best['cpu'] / best['calls']:.2f} ms of CPU a call."
    )
    lines = [told, "", table, "", settings, "", took]
    missing = peers.missing(*PEERS)
    if missing:
        lines += ["", peers.warning(missing)]
    versions = [each for each in PEERS if each not in missing]
    report.write(
        "tune_peers",
        "The tuner and its peers",
        f"python bench/tune_peers_bench.py {seeds}",
        ["senno", *versions],
        "\n".join(lines),
        {"seeds": seeds, "outcomes": figures, "overhead": runs},
    )


if __name__ == "__main__":
    main()
