from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from senno.judge.checkfile import parse_check_file
from senno.judge.measuring import Measured, Void, policy_digest, question_digest, question_digests, standing
from senno.judge.policy import Policy, PolicyVerdict, Rule
from senno.ledger import Measurement
from senno.models import Choice, Noul, Score
from senno.stats import NotMeasured

AT = datetime(2026, 12, 1, tzinfo=UTC)


def asked(**wordings):
    data = {name: {"type": "noul", "instructions": wording} for name, wording in wordings.items()}
    return parse_check_file(data, "c", Path()).questions


def measured(model="jev-1.13.0", days=0, **wordings):
    return Measurement("measure", model, question_digests(asked(**wordings)), None, AT + timedelta(days=days), {})


NOW = asked(tone="Does it fit?", risk="Is there a risk?")


@pytest.mark.parametrize(
    ("past", "model", "expected", "told"),
    [
        ([], "jev-1.13.0", NotMeasured, "never measured: tone, risk"),
        ([measured(tone="Does it fit?")], "jev-1.13.0", NotMeasured, "never measured: risk"),
        ([measured(tone="Does it fit?", risk="Is there a risk?")], "jev-1.13.0", Measured, ""),
        ([measured(tone="Does it fit?", risk="Is there a risk?")], "jev-1.14.0", Void, "jev-1.13.0 was measured on"),
        (
            [measured(tone="Does it fit ?", risk="Is there a risk?")],
            "jev-1.13.0",
            Void,
            "tone: its wording has changed",
        ),
        ([measured(tone="Does it fit?", risk="Is there a risk?")], None, NotMeasured, "no version"),
        ([measured(risk="Is there a risk?"), measured(tone="Does it fit?")], "jev-1.13.0", Measured, ""),
        (
            [measured("jev-1.14.0", 1, tone="Does it fit?"), measured(tone="Does it fit?", risk="Is there a risk?")],
            "jev-1.13.0",
            Measured,
            "",
        ),
    ],
)
def test_a_measurement_holds_for_its_version_and_its_wording_alone(past, model, expected, told):
    found = standing(past, model, NOW)
    assert isinstance(found, expected)
    assert told in getattr(found, "reason", "")


def test_the_newest_that_holds_is_the_one_that_is_named():
    old, new = measured(tone="?"), measured(days=2, tone="?")
    assert standing([new, old], "jev-1.13.0", asked(tone="?")).by == {"tone": new}
    assert isinstance(standing([new], "jev-1.13.0", {}), NotMeasured)


QUESTIONS = [
    Noul("a"),
    Noul("a", "t"),
    Noul("a", None, "t"),
    Noul("a", "t", "f"),
    Noul({"question": "a"}),
    Score("a", ("x", "y")),
    Score("a", ("y", "x")),
    Choice("a", {"x": None, "y": None}),
    Choice("a", {"y": None, "x": None}),
    Choice("a", {"x": "y", "y": None}),
    Noul("a "),
]


def test_every_byte_of_a_question_and_the_order_of_its_options_is_in_its_digest():
    assert len({question_digest(question) for question in QUESTIONS}) == len(QUESTIONS)
    assert question_digest(Noul("a")) == question_digest(Noul("a"))
    assert question_digest(Noul("\ud800 é"))


def test_every_threshold_is_in_the_digest_of_a_policy():
    policy = Policy(
        (PolicyVerdict("A", (Rule("q", "gte", 0.5, None, (Rule("r", "lt", 0.1),)),)), PolicyVerdict("B", ()))
    )
    held = replace(policy.verdicts[0].rules[0], unless=(Rule("r", "lt", 0.2),))
    others = [
        replace(policy, verdicts=(replace(policy.verdicts[0], rules=(held,)), policy.verdicts[1])),
        replace(policy, verdicts=(replace(policy.verdicts[0], match="all"), policy.verdicts[1])),
        replace(policy, weights={"q": 1.0}),
    ]
    assert len({policy_digest(each) for each in (policy, *others)}) == 4
    assert policy_digest(policy) == policy_digest(replace(policy, model="jev-1.13.0"))
