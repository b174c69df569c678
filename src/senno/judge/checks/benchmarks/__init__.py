"""The kinds of IFEval and IFBench that need no trained model, under their own ids and parameters.

Sources: google-research/instruction_following_eval and allenai/IFBench (both Apache-2.0), whose rules are followed
and whose code is not. Which kinds are here, which are not and why: `design/checks.md`.
"""

from senno.judge.checks.benchmarks import (
    ifbench_counts,
    ifbench_custom,
    ifbench_format,
    ifbench_repeat,
    ifbench_sentences,
    ifbench_words,
    ifeval_structure,
    ifeval_words,
)
from senno.judge.checks.benchmarks.spec import BenchmarkSpec

BENCHMARK_KINDS: tuple[type[BenchmarkSpec], ...] = (
    *ifeval_words.KINDS,
    *ifeval_structure.KINDS,
    *ifbench_counts.KINDS,
    *ifbench_words.KINDS,
    *ifbench_sentences.KINDS,
    *ifbench_format.KINDS,
    *ifbench_repeat.KINDS,
    *ifbench_custom.KINDS,
)

__all__ = ["BENCHMARK_KINDS"]
