"""The judge: deterministic checks, closed questions with a probability, a policy of thresholds. Code decides."""

from senno.judge.checkfile import CheckFile, load_check_file, parse_check_file
from senno.judge.checks import CheckError, CheckResult
from senno.judge.judge import Judge, Judgement, Looked, answer_json, refuse_same_model
from senno.judge.labelled import Case, Expected, append_case, expected_answer, load_labelled
from senno.judge.policy import Policy, PolicyVerdict, Reading, Rule, Verdict, decide
from senno.judge.policyfile import load_policy, parse_policy
from senno.judge.questions import AskedQuestion

__all__ = [
    "AskedQuestion",
    "Case",
    "CheckError",
    "CheckFile",
    "CheckResult",
    "Expected",
    "Judge",
    "Judgement",
    "Looked",
    "Policy",
    "PolicyVerdict",
    "Reading",
    "Rule",
    "Verdict",
    "answer_json",
    "append_case",
    "decide",
    "expected_answer",
    "load_check_file",
    "load_labelled",
    "load_policy",
    "parse_check_file",
    "parse_policy",
    "refuse_same_model",
]
