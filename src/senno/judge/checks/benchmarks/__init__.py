"""The kinds of IFEval and IFBench that need no trained model, under their own ids and parameters.

Sources: google-research/instruction_following_eval and allenai/IFBench, whose rules are followed and whose code is
not taken. All 25 kinds of IFEval are here, and those of IFBench but three: `ratio:stop_words` depends on a list that
differs between releases of NLTK, `words:start_verb` on a part-of-speech tagger, `words:odd_even_syllables` on a
dictionary of syllables.
"""

from senno.judge.checks.benchmarks import (
    ifbench_counts,
    ifbench_custom,
    ifbench_format,
    ifbench_quotes,
    ifbench_repeat,
    ifbench_sentences,
    ifbench_words,
    ifeval_counts,
    ifeval_form,
    ifeval_words,
)
from senno.judge.checks.benchmarks.spec import BenchmarkSpec

BENCHMARK_KINDS: tuple[type[BenchmarkSpec], ...] = (
    *ifeval_words.KINDS,
    *ifeval_counts.KINDS,
    *ifeval_form.KINDS,
    *ifbench_counts.KINDS,
    *ifbench_words.KINDS,
    *ifbench_sentences.KINDS,
    *ifbench_format.KINDS,
    *ifbench_quotes.KINDS,
    *ifbench_repeat.KINDS,
    *ifbench_custom.KINDS,
)

__all__ = ["BENCHMARK_KINDS"]
