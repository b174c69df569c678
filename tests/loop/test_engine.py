"""The engine on a small loop: what it keeps, when it stops, what it says of roles that go wrong."""

import json

import pytest

from senno.config import Budget, Config
from senno.errors import ConfigError, LedgerError
from senno.loop import Cast, load_loop
from senno.models import Reply, ScriptedText
from small_loop import described, run, write_loop

ACTOR = {"output": "roles.py:Ideas", "call": "roles.py:own"}
MODEL = {"output": "roles.py:Ideas", "prompt": "actor.md"}


def own(tmp_path, body, *, data=None, imports="", **over):
    """A loop whose actor is a function of that body."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    roles = f"\n\n{imports}\n\n\ndef own(value):\n{lines}\n"
    return write_loop(tmp_path / "small", data or described(roles={"actor": ACTOR}, **over), roles=roles)


def texts(items):
    return [i.value["text"] for i in items]


def ideas(*names):
    return f"return Ideas(ideas=[Idea(text=t) for t in {list(names)!r}])"


def scripted(tmp_path, *replies, **over):
    """A loop whose actor is a model with that script."""
    folder = write_loop(tmp_path / "small", described(roles={"actor": MODEL}, **over), actor__md="Write.")
    return folder, ScriptedText("scripted:actor", replies)


def said(*names):
    return json.dumps({"ideas": [{"text": name} for name in names]})


def test_a_round_that_proposes_only_what_was_refused_ends_the_run_without_progress(tmp_path):
    result, record = run(own(tmp_path, ideas("too long")))
    assert (result.stop, result.exit_code, texts(result.left_out)) == ("no_progress", 1, ["too long"])
    assert [(s.role, s.round) for s in record.steps] == [("actor", 1), ("judge", 1), ("actor", 2)]
    assert any("already judged on the same evidence" in note for note in result.notes)


def test_a_round_that_proposes_nothing_ends_the_run(tmp_path):
    assert run(own(tmp_path, ideas()))[0].stop == "no_progress"


def test_rounds_are_a_bound_and_what_was_accepted_is_kept(tmp_path):
    body = 'n = len(value.do_not_repeat)\nreturn Ideas(ideas=[Idea(text="ok"), Idea(text=f"too long {n}")])'
    result, record = run(own(tmp_path, body, wanted={"default": 2}), rounds=2)
    assert (result.stop, texts(result.accepted), result.missing) == ("rounds", ["ok"], 1)
    assert texts(result.left_out) == ["too long 0", "too long 1"]
    assert max(s.round for s in record.steps) == 2


def test_the_actor_sees_what_is_kept_what_was_wrong_last_and_what_not_to_repeat(tmp_path):
    folder, actor = scripted(
        tmp_path, said("ok", "too long 1"), said("too long 2"), said("too long 3"), wanted={"default": 2}
    )
    run(folder, Cast({"actor": actor}))
    seen = [json.loads(request.messages[0].text) for request in actor.requests]
    assert [s["wanted"] for s in seen] == [2, 1, 1]
    assert [s["accepted"] for s in seen] == [[], [{"text": "ok", "note": ""}], [{"text": "ok", "note": ""}]]
    assert [[f["item"]["text"] for f in s["findings"]] for s in seen] == [[], ["too long 1"], ["too long 2"]]
    assert [s["do_not_repeat"] for s in seen] == [[], ["too long 1"], ["too long 1", "too long 2"]]
    assert seen[1]["findings"][0]["why"][0].startswith("short: fail")


def test_an_accepted_item_cannot_be_altered_by_a_later_round(tmp_path):
    first = json.dumps({"ideas": [{"text": "ok", "note": "first"}]})
    later = json.dumps({"ideas": [{"text": " ok ", "note": "later"}, {"text": "two"}]})
    folder, actor = scripted(tmp_path, first, later, wanted={"default": 2})
    result, _ = run(folder, Cast({"actor": actor}))
    assert [(i.value["text"], i.value["note"]) for i in result.items] == [("ok", "first"), ("two", "")]


def test_more_than_asked_for_is_dropped_and_told_and_an_item_counts_once(tmp_path):
    result, _ = run(own(tmp_path, ideas("a", " a ", "b", "c"), wanted={"default": 2}))
    assert texts(result.items) == ["a", "b"]
    assert result.notes == ("round 1: dropped, more than asked for: c",)


def test_a_text_that_was_mended_by_a_comma_or_its_case_is_another_text(tmp_path):
    assert texts(run(own(tmp_path, ideas("a", "A", "a,"), wanted={"default": 3}))[0].items) == ["a", "A", "a,"]


def test_items_of_marks_alone_are_told_apart(tmp_path):
    assert texts(run(own(tmp_path, ideas("🎉", "🚀"), wanted={"default": 2}))[0].items) == ["🎉", "🚀"]


RAISES = {
    "an error": ('raise ValueError("no luck")', "raised ValueError: no luck"),
    "an exit": ("raise SystemExit(0)", "sys.exit(0)"),
    "a stop": ("raise StopIteration", "StopIteration"),
    "an interrupt of its own": ("raise TimeoutError('slow')", "raised TimeoutError: slow"),
    "nothing": ("return None", "returned no Ideas"),
    "another form": ('return {"ideas": "one"}', "returned no Ideas: ideas"),
    "another model": ("return Idea(text='x')", "returned no Ideas: ideas: Field required"),
    "half a character": ("return Ideas(ideas=[Idea(text='\\ud800')])", "returned no Ideas"),
}


@pytest.mark.parametrize(("body", "told"), RAISES.values(), ids=RAISES)
def test_a_function_that_goes_wrong_is_an_error_of_its_step(tmp_path, body, told):
    result, record = run(own(tmp_path, body))
    assert (result.stop, result.exit_code, result.items) == ("error", 4, ())
    assert told in (result.error or "")
    assert "Actor" in (result.error or "")
    assert record.steps[-1].error == result.error


WEIGHED = """

class Idea(BaseModel):
    text: str
    weight: float


class Ideas(BaseModel):
    ideas: list[Idea]
"""


def test_a_number_that_json_does_not_have_is_refused_and_the_record_is_kept(tmp_path):
    data = described(roles={"actor": {**MODEL}}, reasks=1)
    folder = write_loop(tmp_path / "small", data, roles=WEIGHED, actor__md="Write.")
    script = ['{"ideas": [{"text": "a", "weight": 1e999}]}', '{"ideas": [{"text": "a", "weight": NaN}]}']
    result, record = run(folder, Cast({"actor": ScriptedText("scripted:a", script)}))
    assert (result.stop, record.run.status) == ("error", "ended")
    assert "not JSON compliant" in (result.error or "")


ASYNC = """

async def own(value):
    import asyncio
    await asyncio.sleep(0)
    return {"ideas": [{"text": "a"}]}
"""


def test_an_async_function_and_a_plain_mapping_will_do(tmp_path):
    assert run(write_loop(tmp_path / "small", described(roles={"actor": ACTOR}), roles=ASYNC))[0].satisfied


def test_a_function_that_hangs_is_cut_off_by_the_budget_of_seconds(tmp_path):
    folder = own(tmp_path, "import time\ntime.sleep(3600)")
    config = Config(budget=Budget(seconds=0.2))  # pyright: ignore[reportCallIssue]
    result, record = run(folder, config=config)
    assert (result.stop, result.exit_code) == ("seconds", 1)
    assert "in own" in (record.steps[-1].error or "")


NARROW = """

class Seen(BaseModel):
    wanted: int


def own(value):
    assert set(value.model_dump()) == {"wanted"}
    return Ideas(ideas=[Idea(text="a")])
"""


def test_an_input_model_narrows_what_a_role_sees(tmp_path):
    data = described(roles={"actor": {**ACTOR, "input": "roles.py:Seen"}})
    assert run(write_loop(tmp_path / "small", data, roles=NARROW))[0].satisfied


def test_an_input_model_that_asks_for_more_than_there_is_is_an_error_that_says_so(tmp_path):
    roles = "\n\nclass Seen(BaseModel):\n    mood: str\n\n\ndef own(value):\n    return None\n"
    data = described(roles={"actor": {**ACTOR, "input": "roles.py:Seen"}})
    result, _ = run(write_loop(tmp_path / "small", data, roles=roles))
    assert (result.stop, result.exit_code) == ("error", 4)
    assert "input Seen does not take what the engine gives (ActorInput): mood: Field required" in (result.error or "")


def refining(tmp_path, refine, **over):
    roles = f"\n\ndef refine(value):\n    {refine}\n"
    refiner = {"output": "roles.py:Asked", "call": "roles.py:refine"}
    actor = {"output": "roles.py:Ideas", "call": "roles.py:act"}
    data = described(roles={"refiner": refiner, "actor": actor}, clarify="questions", **over)
    return write_loop(tmp_path / "small", data, roles=roles)


ASKS = "return Asked(questions=['', ' Which? '] if not value.clarifications else [], topic=str(value.clarifications))"


def test_a_question_ends_the_run_where_nobody_can_answer(tmp_path):
    result, record = run(refining(tmp_path, ASKS))
    assert (result.stop, result.exit_code, result.questions) == ("clarify", 3, ("Which?",))
    assert [s.role for s in record.steps] == ["refiner"]


def test_a_question_is_put_to_the_user_and_the_answer_is_used(tmp_path):
    asked = []
    result, record = run(refining(tmp_path, ASKS), ask_user=lambda questions: [asked.append(questions) or "That one"])
    assert (asked, result.stop) == ([("Which?",)], "satisfied")
    assert "That one" in record.steps[1].output["topic"]


def test_a_user_who_does_not_answer_ends_the_run(tmp_path):
    assert run(refining(tmp_path, ASKS), ask_user=lambda _: None)[0].stop == "clarify"


def test_a_refiner_that_goes_on_asking_is_not_heard_for_ever(tmp_path):
    asked = []
    result, _ = run(
        refining(tmp_path, "return Asked(questions=['Why?'])"), ask_user=lambda q: [asked.append(q) or "because"]
    )
    assert (len(asked), result.stop) == (2, "satisfied")
    assert "went on asking" in result.notes[0]


@pytest.mark.parametrize(("count", "wanted"), [(2, 2), (None, 1), (0, 1), (-3, 1), (99, 3)])
def test_how_many_are_wanted_is_read_from_the_request_within_bounds(tmp_path, count, wanted):
    folder = refining(tmp_path, f"return Asked(count={count})", wanted={"field": "count", "default": 1, "most": 3})
    result, _ = run(folder)
    assert (result.wanted, len(result.items)) == (wanted, wanted)
    assert bool(result.notes) is (count == 99)


def curated(tmp_path, body):
    roles = f"\n\ndef word(value):\n    {body}\n"
    data = described(roles={"actor": {**ACTOR, "call": "roles.py:act"}, "curator": {"call": "roles.py:word"}})
    return write_loop(tmp_path / "small", data, roles=roles)


def test_words_on_what_is_not_in_the_answer_are_dropped(tmp_path):
    items = [{"number": n, "text": f"words {n}"} for n in (1, 1, 0, 2)]
    result, _ = run(curated(tmp_path, f"return {{'intro': 'Here:', 'items': {items}}}"))
    assert (result.intro, [i.text for i in result.items]) == ("Here:", ["words 1"])
    assert [note.split(",")[0] for note in result.notes] == [f"the curator wrote of item {n}" for n in (1, 0, 2)]


def test_a_curator_that_fails_costs_its_words_and_nothing_else(tmp_path):
    result, record = run(curated(tmp_path, "raise ValueError('mute')"))
    assert (result.stop, result.exit_code, texts(result.items), result.items[0].text) == ("satisfied", 0, ["one"], "")
    assert "the items stand without its words" in result.notes[0]
    assert record.steps[-1].error


def test_what_a_run_was_made_with_is_in_its_record(tmp_path):
    folder, actor = scripted(tmp_path, said("ok"))
    seen = []
    result, record = run(folder, Cast({"actor": actor}), rounds=7, on_step=seen.append)
    config = record.run.config
    assert (config["models"], config["rounds"], config["names"]) == ({"actor": "scripted:actor"}, 7, {"actor": "Actor"})
    assert config["loop"]["files"].items() <= load_loop(folder).digests.items()
    assert record.run.result == result.to_json()
    assert tuple(seen) == record.steps


def test_an_answer_without_usage_is_not_known_to_be_free(tmp_path):
    folder, actor = scripted(tmp_path, Reply(said("ok"), "m"))
    _, record = run(folder, Cast({"actor": actor}))
    step = record.steps[0]
    assert (step.calls, step.tokens_in, step.tokens_out, step.cost) == (1, None, None, None)


@pytest.mark.parametrize("request_text", ["", " \n", "\ud800"])
def test_a_request_that_is_none_starts_nothing(tmp_path, request_text):
    folder = own(tmp_path, ideas("a"))
    with pytest.raises(ConfigError):
        run(folder, request=request_text)


def test_a_fault_of_the_ledger_is_told_and_not_taken_for_a_result(tmp_path):
    def broken(step):
        raise LedgerError("the disk is full")

    with pytest.raises(LedgerError):
        run(own(tmp_path, ideas("a")), on_step=broken)


CURATE = "\n\ndef curate(value):\n    return {'outro': f'{value.missing} missing'}\n"


def test_where_nothing_was_found_a_function_may_say_so(tmp_path):
    roles = {"actor": {**ACTOR, "call": "roles.py:none"}, "curator": {"call": "roles.py:curate"}}
    none = "\n\ndef none(value):\n    return Ideas(ideas=[])\n"
    result, _ = run(write_loop(tmp_path / "small", described(roles=roles), roles=none + CURATE))
    assert (result.stop, result.outro) == ("no_progress", "1 missing")


def test_where_nothing_was_found_no_model_is_asked_for_words(tmp_path):
    curator = ScriptedText("scripted:curator", ['{"intro": "Two fine ideas."}'])
    roles = {"actor": {**ACTOR, "call": "roles.py:none"}, "curator": {"prompt": "curator.md"}}
    none = "\n\ndef none(value):\n    return Ideas(ideas=[])\n"
    folder = write_loop(tmp_path / "small", described(roles=roles), roles=none, curator__md="Write.")
    result, _ = run(folder, Cast({"curator": curator}))
    assert (result.intro, curator.requests) == ("", [])
