"""Before a merge: a diff, judged by detectors, closed questions and a policy of lanes. Code decides."""

from senno.gate.agent_hook import HookAnswer, answered, git_aliases, staged_by
from senno.gate.diff import Diff, parse_diff, read_base, read_staged
from senno.gate.engine import run_gate
from senno.gate.origins import FOLDER, Held, Language, held, shipped
from senno.gate.record import Overridden, asked_in, override, refused_run
from senno.gate.result import GateResult, Override
from senno.gate.rules import Rules, RuleText, parse_rules
from senno.gate.run import GateOptions, gate_change, gate_change_sync
from senno.gate.sarif import to_sarif
from senno.gate.setting_up import HOOK, WORKFLOW, Written, set_up
from senno.gate.shell import GitCommand, commands_in
from senno.gate.work_tree import WorkTree

__all__ = [
    "FOLDER",
    "HOOK",
    "WORKFLOW",
    "Diff",
    "GateOptions",
    "GateResult",
    "GitCommand",
    "Held",
    "HookAnswer",
    "Language",
    "Overridden",
    "Override",
    "RuleText",
    "Rules",
    "WorkTree",
    "Written",
    "answered",
    "asked_in",
    "commands_in",
    "gate_change",
    "gate_change_sync",
    "git_aliases",
    "held",
    "override",
    "parse_diff",
    "parse_rules",
    "read_base",
    "read_staged",
    "refused_run",
    "run_gate",
    "set_up",
    "shipped",
    "staged_by",
    "to_sarif",
]
