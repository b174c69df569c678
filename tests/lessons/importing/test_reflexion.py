"""Run logs of Reflexion as drafts."""

import json
from pathlib import Path

import pytest

from senno.lessons.importing import Bad, from_reflexion

RAW = Path(__file__).parents[3].parent / "shared" / "data" / "reflexion" / "raw"

CAUSE = "I searched for the wrong person."
RULE = "Next time I will look up who heads the department first."
HOTPOTQA = f"""
########################################
BEGIN TRIAL 2
Trial summary: Correct: 1, Incorrect: 1, Halted: 0
#######################################
------------- BEGIN CORRECT AGENTS -------------

Question: Who leads the party?You have attempted to answer following question before and failed. The following \
reflection(s) give a plan to avoid failing. Use them.
Reflections:
- {CAUSE} {RULE}
- I looped.\u2028I should stop after two tries.
Thought 1: Search.
Action 1: Finish[X]
Observation 1: Answer is CORRECT
Correct answer: X

Question: Who was first?
Thought 1: Reflections: are not in this one.
- a list
Correct answer: Y

------------- BEGIN INCORRECT AGENTS -----------

Solve a question answering task by having a Thought.
You have attempted to answer following question before and failed. The following reflection(s) give a plan.
Reflections:
- {CAUSE} {RULE}

Relevant Context: A text.
Question: What is the mascot?
Thought: None.
Correct answer: The Bears
"""


def trial(folder, number, **memories):
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"name": name, "memory": memory, "is_success": not memory} for name, memory in memories.items()]
    (folder / f"env_results_trial_{number}.json").write_text(json.dumps(rows), encoding="utf-8")


def programming(file, *rows):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def drafts(path, department=""):
    return [one for one in from_reflexion(path, department) if not isinstance(one, Bad)]


def bad(path):
    return [one for one in from_reflexion(path, "") if isinstance(one, Bad)]


def test_a_memory_that_grows_gives_each_reflection_once(tmp_path):
    trial(tmp_path / "alfworld", 0, env_0=[], env_1=[f" {CAUSE} {RULE}"])
    trial(tmp_path / "alfworld", 2, env_0=[], env_1=[f" {CAUSE} {RULE}", f"{CAUSE} {RULE}", " I forgot the key."])
    found = drafts(tmp_path)
    assert [(one.task_id, one.why, one.rule) for one in found] == [
        ("alfworld/env_1", CAUSE, RULE),
        ("alfworld/env_1", "The log gives no cause beside the rule.", "I forgot the key."),
    ]
    assert {(one.outcome, one.task_type) for one in found} == {("failure", "alfworld")}


def test_trials_are_read_in_the_order_of_their_numbers(tmp_path):
    for number in (10, 9, 2):
        trial(tmp_path, number, env_0=[f"Trial {number} taught that."])
    assert [one.rule for one in drafts(tmp_path)] == [f"Trial {number} taught that." for number in (2, 9, 10)]


def test_base_runs_show_memories_of_another_run_and_are_left_out(tmp_path):
    trial(tmp_path / "base_run_logs", 0, env_1=[RULE])
    assert list(from_reflexion(tmp_path, "")) == []


def test_the_suite_is_that_of_the_nearest_folder(tmp_path):
    trial(tmp_path / "webshop_runs" / "alfworld" / "logs", 0, env_0=[RULE])
    trial(tmp_path / "webshop_runs" / "reflexion_run_logs_1", 0, env_0=[RULE])
    assert [one.task_id for one in drafts(tmp_path)] == ["alfworld/env_0", "webshop/env_0"]


@pytest.mark.parametrize(
    ("name", "file", "suite", "task_id", "model"),
    [
        ("HumanEval/0", "x_gpt-4_pass_at_k_1_py.jsonl", "humaneval", "humaneval/HumanEval/0", "gpt-4"),
        ("HumanEval_0_has_close_elements", "x.jsonl", "humaneval", "humaneval/HumanEval/0", ""),
        ("mbpp_3_is_not_prime", "x_gpt-3.5-turbo_y.jsonl", "mbpp", "mbpp/mbpp_3_is_not_prime", "gpt-3.5-turbo"),
        ("two-sum", "leetcode-hard-py.jsonl", "leetcode", "leetcode/two-sum", ""),
        ("two-sum", "own.jsonl", "programming", "programming/two-sum", ""),
    ],
)
def test_a_programming_task_is_one_under_all_its_names(tmp_path, name, file, suite, task_id, model):
    key = "task_id" if "/" in name else "name"
    programming(tmp_path / file, {key: name, "prompt": "def f(): ...", "is_solved": False, "reflections": [RULE]})
    (draft,) = drafts(tmp_path)
    assert (draft.task_type, draft.task_id, draft.model_used, draft.task) == (suite, task_id, model, "def f(): ...")


def test_rows_without_reflections_give_nothing_and_are_not_bad(tmp_path):
    programming(
        tmp_path / "x.jsonl", {"name": "a", "is_solved": True}, {"code": "", "reward": False}, {"reflections": []}
    )
    assert list(from_reflexion(tmp_path, "")) == []


@pytest.mark.parametrize(
    "row", [{"reflections": [RULE]}, {"name": "a", "reflections": "text"}, {"name": "a", "reflections": [RULE, 7]}]
)
def test_a_row_that_is_no_task_is_named(tmp_path, row):
    programming(tmp_path / "x.jsonl", {"name": "b", "reflections": [RULE]}, row)
    (found,) = bad(tmp_path)
    assert found.where == f"{tmp_path / 'x.jsonl'}:2"
    assert len(drafts(tmp_path)) == 1


def test_reflections_in_logs_of_hotpotqa_belong_to_their_questions(tmp_path):
    file = tmp_path / "100_questions_7_trials.txt"
    file.write_text(HOTPOTQA, encoding="utf-8", newline="")
    found = drafts(file)
    assert [(one.task, one.rule) for one in found] == [
        ("Who leads the party?", RULE),
        ("Who leads the party?", "I should stop after two tries."),
        ("What is the mascot?", RULE),
    ]
    assert found[0].task_id == found[1].task_id != found[2].task_id
    assert {one.task_type for one in found} == {"hotpotqa"}
    file.write_text(HOTPOTQA.replace("\n", "\r\n"), encoding="utf-8", newline="")
    assert [one.id for one in drafts(tmp_path)] == [one.id for one in found]


@pytest.mark.parametrize("name", ["dicts.joblib", "run.pkl", "RUN.PICKLE"])
def test_a_pickle_is_never_read(tmp_path, name):
    (tmp_path / name).write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")
    (found,) = bad(tmp_path)
    assert "a pickle can run anything" in found.problem


def test_a_folder_may_hold_anything_else_and_a_file_that_was_named_may_not(tmp_path):
    for name in ("README.md", "prompt.txt", "data.csv"):
        (tmp_path / name).write_text("text", encoding="utf-8")
    assert list(from_reflexion(tmp_path, "")) == []
    for name in ("README.md", "prompt.txt", "data.csv"):
        assert len(bad(tmp_path / name)) == 1


def test_a_damaged_trial_hinders_no_other(tmp_path):
    trial(tmp_path, 0, env_0=[RULE])
    (tmp_path / "env_results_trial_1.json").write_text("[{", encoding="utf-8")
    (tmp_path / "env_results_trial_2.json").write_text(
        json.dumps([{"name": "env_0"}, 7, {"name": "env_1", "memory": [RULE, None, " "]}]), encoding="utf-8"
    )
    assert [one.task_id for one in drafts(tmp_path)] == ["alfworld/env_0", "alfworld/env_1"]
    assert [one.where.rpartition("trial_")[2] for one in bad(tmp_path)] == [
        "1.json",
        "2.json[0]",
        "2.json[1]",
        "2.json[2]",
        "2.json[2]",
    ]


def test_31_the_same_logs_under_another_name_are_the_same_lessons(tmp_path):
    trial(tmp_path / "alfworld_a", 0, env_0=[f"{CAUSE} {RULE}"])
    trial(tmp_path / "alfworld_b", 3, env_0=[f"{CAUSE} {RULE} "])
    assert len({one.id for one in drafts(tmp_path)}) == 1


@pytest.mark.skipif(not RAW.exists(), reason="the recorded runs are not here")
def test_the_published_logs_are_read_whole():
    found = list(from_reflexion(RAW, ""))
    assert [one for one in found if isinstance(one, Bad)] == []
    of = {suite: sum(one.task_type == suite for one in found) for suite in ("alfworld", "humaneval")}
    assert of == {"alfworld": 149, "humaneval": 366}
    assert all(one.rule for one in found)
