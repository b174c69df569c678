"""Tune: a better prompt, or the words "no measurable difference"."""

from senno.tune.acceptance import Acceptance, Outcome, Rules, accept
from senno.tune.answering import Purpose
from senno.tune.cast import Cast, Role
from senno.tune.control import Control, Floor, noise_floor
from senno.tune.engine import Watch
from senno.tune.foreseeing import foresee
from senno.tune.page import write_page
from senno.tune.plan import Load, Phase, Plan, Sizes, plan_tuning, sizes_of
from senno.tune.preparing import Prepared, TuneOptions, prepare
from senno.tune.racing import Dropped, blocks, hopeless
from senno.tune.record import Found, KeptAnswer, KeptScenario, Tuning, find_version, load_tuning, tunings
from senno.tune.result import HeldOut, Look, Round, Score, TuneResult, in_words, plain, score_of
from senno.tune.run import resume, tune
from senno.tune.scenarios import Scenario, load_scenarios, twins
from senno.tune.split import NearPair, Split, clusters, hold_out
from senno.tune.stops import ENDED, STOP_WORDS, Stop
from senno.tune.trial import Judged, Trial
from senno.tune.tunefile import (
    JudgeFiles,
    PromptFiles,
    ScenarioFiles,
    TuneModels,
    TuneSpec,
    load_tune,
    unknown_must,
)
from senno.tune.version import Version, diff, fill
from senno.tune.wiring import Wiring, check_wiring, refuse_same_text, same_text

__all__ = [
    "ENDED",
    "STOP_WORDS",
    "Acceptance",
    "Cast",
    "Control",
    "Dropped",
    "Floor",
    "Found",
    "HeldOut",
    "JudgeFiles",
    "Judged",
    "KeptAnswer",
    "KeptScenario",
    "Load",
    "Look",
    "NearPair",
    "Outcome",
    "Phase",
    "Plan",
    "Prepared",
    "PromptFiles",
    "Purpose",
    "Role",
    "Round",
    "Rules",
    "Scenario",
    "ScenarioFiles",
    "Score",
    "Sizes",
    "Split",
    "Stop",
    "Trial",
    "TuneModels",
    "TuneOptions",
    "TuneResult",
    "TuneSpec",
    "Tuning",
    "Version",
    "Watch",
    "Wiring",
    "accept",
    "blocks",
    "check_wiring",
    "clusters",
    "diff",
    "fill",
    "find_version",
    "foresee",
    "hold_out",
    "hopeless",
    "in_words",
    "load_scenarios",
    "load_tune",
    "load_tuning",
    "noise_floor",
    "plain",
    "plan_tuning",
    "prepare",
    "refuse_same_text",
    "resume",
    "same_text",
    "score_of",
    "sizes_of",
    "tune",
    "tunings",
    "twins",
    "unknown_must",
    "write_page",
]
