import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.tune.rewriting import Constraints, Edit, Guard, apply_edits
from senno.tune.version import Version

RULES = "Be brief.\nSay hello.\nThis is no advice."
START = Version({"rules": RULES, "tone": "Warm."}, "{{part:tone}}\n--\n{{part:rules}}")


def guard(constraints: Constraints | None = None, scenarios: tuple[str, ...] = ()) -> Guard:
    return Guard(constraints or Constraints(), scenarios, ("tone", "sum"))


def edit(op: str, anchor: str = "", text: str = "", part: str = "rules", failure: str = "tone") -> Edit:
    return Edit(op, part, anchor, text, failure)


@pytest.mark.parametrize(
    ("one", "after"),
    [
        (edit("replace", "Say hello.", "Greet."), "Be brief.\nGreet.\nThis is no advice."),
        (edit("replace", "brief", "short"), "Be short.\nSay hello.\nThis is no advice."),
        (edit("replace", "brief.\n Say  hello", "kind. Greet"), "Be kind. Greet.\nThis is no advice."),
        (edit("add", "Say hello.", "Give a number."), "Be brief.\nSay hello.\nGive a number.\nThis is no advice."),
        (edit("add", "Say", "loudly"), "Be brief.\nSay loudly hello.\nThis is no advice."),
        (edit("add", "", "Give a number."), f"{RULES}\nGive a number."),
        (edit("delete", "Say hello.\n"), "Be brief.\nThis is no advice."),
        (edit("rewrite", "", "Only this."), "Only this."),
        (edit("rewrite", "", "\nOnly\r\nthis: 👩🏽‍💻.\n"), "Only\nthis: 👩🏽‍💻."),
    ],
)
def test_an_edit_does_what_its_operation_says(one, after):
    applied = apply_edits(START, [one], guard())
    assert applied.parts == {"rules": after, "tone": "Warm."}
    assert (applied.edits, applied.dropped) == ((one,), ())


@pytest.mark.parametrize(
    ("one", "kind", "why"),
    [
        (edit("replace", "Say goodbye.", "x"), "anchor", "does not stand in the part of the prompt"),
        (edit("replace", "e", "x"), "anchor", "stands 4 times"),
        (edit("delete", ""), "anchor", "quotes no text"),
        (edit("add", "", "  "), "empty", "puts nothing"),
        (edit("add", "", "Be\u202e kind."), "characters", "direction marks"),
        (edit("add", "", "Be \ud800 kind."), "characters", "halves of pairs"),
        (edit("rewrite", "", "Be\x00 kind."), "characters", "control characters"),
        (edit("add", "", "x", part="style"), "part", "'style'; it has rules, tone"),
        (edit("add", "", "x", failure="charm"), "check", "'charm' did not fail; what failed: tone, sum"),
    ],
)
def test_an_edit_that_cannot_be_done_is_dropped_with_the_reason_and_the_others_are_applied(one, kind, why):
    good = edit("add", "", "Give a number.")
    applied = apply_edits(START, [one, good], guard())
    assert applied.edits == (good,)
    assert [(drop.edit, drop.kind) for drop in applied.dropped] == [(one, kind)]
    assert why in applied.dropped[0].why


@pytest.mark.parametrize(
    ("one", "constraints", "kind"),
    [
        (edit("add", "", "Add case studies or real testimonials."), Constraints(forbid=("testimonials",)), "forbid"),
        (edit("delete", "This is no advice."), Constraints(keep=("This is no advice.",)), "keep"),
        (edit("rewrite", "", "Greet, and be brief."), Constraints(keep=("This is no advice.",)), "keep"),
        (edit("add", "", "Speak to {{name}}."), Constraints(), "variables"),
        (edit("delete", "Warm.", part="tone"), Constraints(keep=("Warm.",)), "keep"),
    ],
)
def test_advice_against_a_constraint_is_dropped_and_recorded_and_the_rest_is_taken(one, constraints, kind):
    """The source's judge advised "add real testimonials" to a prompt with a mandatory disclaimer."""
    good = edit("add", "", "Give a number.", failure="sum")
    applied = apply_edits(START, [one, good], guard(constraints))
    assert applied.edits == (good,)
    assert [(drop.edit, drop.kind) for drop in applied.dropped] == [(one, kind)]


def test_a_required_variable_cannot_be_edited_away():
    start = Version({"rules": "Speak to {{profile}}. Be brief."})
    applied = apply_edits(start, [edit("replace", "{{profile}}", "them")], guard(Constraints(variables=("profile",))))
    assert [drop.kind for drop in applied.dropped] == ["variables"]


def test_a_text_of_a_scenario_is_not_carried_into_the_prompt():
    """Complaint group 22."""
    said = "I would like to double ten thousand euros in a year"
    applied = apply_edits(START, [edit("add", "", f"If asked «{said}», refuse.")], guard(scenarios=(said,)))
    assert [drop.kind for drop in applied.dropped] == ["leak"]
    assert applied.edits == ()


def test_edits_that_only_together_hold_a_constraint_are_taken_together():
    moved = [edit("delete", "This is no advice."), edit("add", "", "This is no advice.", part="tone")]
    applied = apply_edits(START, moved, guard(Constraints(keep=("This is no advice.",))))
    assert (applied.edits, applied.dropped) == (tuple(moved), ())


def test_each_edit_finds_what_the_ones_before_it_left():
    edits = [edit("replace", "Be brief.", "Be kind."), edit("replace", "Be kind.", "Be wise.")]
    assert apply_edits(START, edits, guard()).parts["rules"].startswith("Be wise.")


def test_a_prompt_is_not_edited_away():
    start = Version({"rules": "Be brief."})
    assert [drop.kind for drop in apply_edits(start, [edit("delete", "Be brief.")], guard()).dropped] == ["empty"]


_TEXT = st.text(alphabet="ab .\n{}\\é", max_size=12)


@given(
    _TEXT,
    st.lists(
        st.builds(edit, st.sampled_from(["replace", "add", "delete", "rewrite"]), _TEXT, _TEXT), min_size=1, max_size=4
    ),
)
def test_whatever_is_proposed_the_constraints_hold_and_each_edit_is_applied_or_dropped(part, edits):
    keep = "No advice."
    applied = apply_edits(Version({"rules": f"{part}{keep}"}), edits, guard(Constraints(keep=(keep,), forbid=("aa",))))
    held = applied.parts["rules"]
    assert not applied.edits or (" ".join(keep.split()) in " ".join(held.split()) and "aa" not in held.split())
    assert len(applied.edits) + len(applied.dropped) == len(edits)
