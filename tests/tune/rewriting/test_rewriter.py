import asyncio

import pytest

from prompt_law import RULES, START, Gate, answer, brief, edit, fixing
from senno.errors import BudgetExceeded, MalformedAnswer, ModelError
from senno.ledger import Ledger
from senno.models import AttemptFailed, Budget, Calls, Reply, ScriptedText
from senno.tune.rewriting import Constraints, Rejected, rewrite
from senno.tune.rewriting.rewriter import TRIES
from senno.tune.version import Version

GOOD = answer(edit(text=RULES["greets"]))


def made(replies, asked=None, gate=None):
    model = ScriptedText("scripted:rewriter", replies)
    return asyncio.run(rewrite(model, asked or brief(), calls=gate or Gate())), model


def test_a_rewrite_is_a_child_of_the_version_with_the_edits_that_were_applied():
    result, _ = made([fixing])
    assert result.version.parts == {"prompt": f"{START.parts['prompt']}\nSay hello first."}
    assert (result.version.parent, result.version.origin, result.refused) == (START.id, "rewrite", None)
    assert result.attempt == "add in prompt: 'Say hello first.' (for greets)"


def test_advice_against_a_constraint_is_dropped_and_recorded():
    bad = edit(text="Add real testimonials.")
    result, _ = made(
        [answer(bad, edit(text="Say hello first."))], brief(constraints=Constraints(forbid=("testimonials",)))
    )
    assert [drop.kind for drop in result.dropped] == ["forbid"]
    assert (
        "[dropped] add in prompt: 'Add real testimonials.' (for greets): 'testimonials' is forbidden" in result.attempt
    )
    assert "testimonials" not in result.version.text


@pytest.mark.parametrize("malformed", ["I would greet people more warmly.", "", '{"edits": [{"op": "add"'])
def test_a_malformed_answer_is_asked_again_with_what_was_wrong(malformed):
    result, model = made([malformed, GOOD])
    assert result.version is not None
    assert result.notes[0].startswith("malformed answer: ")
    assert "That could not be taken: " in model.requests[1].messages[-1].text


def test_an_answer_that_was_cut_is_told_so():
    _, model = made([Reply('{"edits": [{"op"', "m", finish="length"), GOOD])
    assert "cut off: answer with fewer edits" in model.requests[1].messages[-1].text


def test_answers_that_stay_malformed_are_an_error_with_its_reason_and_no_silent_keep():
    """Complaint groups 26 (AdalFlow #246) and 32 (agentdescent #128: the reflector answered the question instead)."""
    with pytest.raises(
        MalformedAnswer, match=rf"scripted:rewriter.*malformed in {TRIES} answers: it holds no JSON object"
    ):
        made(["Hello! You should save more."] * TRIES)


def test_what_is_refused_every_time_is_refused_with_the_reason_and_is_no_error():
    result, model = made([answer(edit(op="delete", anchor="nowhere"))] * TRIES)
    assert result.version is None
    assert "no edit could be applied" in result.refused
    assert "'nowhere' does not stand in the part of the prompt" in result.refused
    assert len(model.requests) == TRIES


def test_the_context_does_not_grow_with_each_try():
    _, model = made(["no" * 5000, "still no" * 5000, GOOD])
    assert [len(each.messages) for each in model.requests] == [1, 3, 3]


def test_a_rewrite_that_changes_too_much_is_refused():
    long = Version({"prompt": "\n".join(f"Rule {n} says that word{n} comes first." for n in range(60))})
    result, _ = made([answer(edit(op="rewrite", text="Say hello first."))] * TRIES, brief(long))
    assert "changes too much (419 of 420 words changed, 147 allowed)" in result.refused


def test_a_rewrite_that_makes_a_known_prompt_is_refused_and_told_what_became_of_it():
    """Complaint groups 24 and 27 (gepa #379, opik #3869: trials of the same prompt)."""
    known = Version({"prompt": f"{START.text}\nSay  hello first."})
    asked = brief(known={START.id: START, known.id: known}, rejected=(Rejected(known.id, "…", "within the noise"),))
    result, _ = made([GOOD] * TRIES, asked)
    assert result.refused == f"it makes the same prompt as {known.id}, tried before (within the noise)"
    same, _ = made([answer(edit(op="replace", anchor="Be brief.", text="Be  brief."))] * TRIES)
    assert same.refused == "it makes the same prompt as the prompt as it is"


def test_a_part_that_says_the_same_in_other_parts_is_the_same_prompt():
    two = Version({"a": "You answer people.", "b": "Be brief."}, "{{part:a}}\n{{part:b}}")
    known = {START.id: START, two.id: two}
    result, _ = made([answer(edit(op="replace", part="b", anchor="brief", text="kind"))], brief(two, known=known))
    assert result.version is not None
    result, _ = made([answer(edit(op="add", part="b", anchor="brief.", text=" "))] * TRIES, brief(two, known=known))
    assert result.version is None


def test_each_answer_is_a_call_in_the_ledger_under_the_role_and_the_budget(tmp_path):
    """Complaint group 8 (gepa #313): the rewriter's calls were not counted."""

    async def run() -> None:
        with Ledger.open(tmp_path / "senno.db") as ledger:
            calls = Calls(ledger=ledger, budget=Budget(calls=2))
            model = ScriptedText("scripted:rewriter", ["no", "no", "no"])
            with pytest.raises(BudgetExceeded):
                await rewrite(model, brief(), calls=calls)
            rows = [(row.role, row.outcome) for row in ledger.calls(None)]
            assert sorted(rows) == [("rewrite", "ok"), ("rewrite", "ok"), ("rewrite", "refused")]

    asyncio.run(run())


def test_a_model_that_cannot_be_asked_is_an_error():
    async def run():
        model = ScriptedText("scripted:rewriter", [AttemptFailed("401", retry=False)])
        await rewrite(model, brief(), calls=Calls())

    with pytest.raises(ModelError, match="401"):
        asyncio.run(run())


def test_the_same_replies_give_the_same_rewrite():
    replies = ["nonsense", answer(edit(op="delete", anchor="nowhere")), GOOD]
    assert made(replies)[0] == made(replies)[0]
