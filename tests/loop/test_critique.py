import pytest

from senno.loop.critique import complete, readings
from senno.loop.values import Critique, Evidence, Finding, ItemCritique, NumberedItem

CHECKS = ("EXISTS", "CRITERIA FIT")
ITEM = NumberedItem(number=1, item={"title": "Pi"}, evidence=[Evidence(id="E1", source="s", says="numbers")])
NOTHING = NumberedItem(
    number=1, item={"title": "Pi"}, evidence=[Evidence(id="E1", source="s", says="not found", supports=False)]
)
UNSUPPORTED = "no source that supports it"
BARE = NumberedItem(number=1, item={"title": "Pi"})


def report(*findings, number=1):
    return Critique(items=[ItemCritique(number=number, checks=list(findings))])


def ok(check, *sources):
    return Finding(check=check, status="pass", sources=list(sources))


@pytest.mark.parametrize(
    ("critique", "item", "statuses", "note"),
    [
        (report(ok("EXISTS", "E1"), ok("CRITERIA FIT", "E1")), ITEM, ["pass", "pass"], ""),
        (report(ok("exists", "E1"), ok("criteria_fit", "E1")), ITEM, ["pass", "pass"], ""),
        (report(ok("EXISTS", "E1")), ITEM, ["pass", "unverified"], "did not report it"),
        (
            report(ok("EXISTS", "E7"), ok("CRITERIA FIT", "E1")),
            ITEM,
            ["unverified", "pass"],
            "which no source returned",
        ),
        (report(ok("EXISTS"), ok("CRITERIA FIT")), BARE, ["unverified"] * 2, UNSUPPORTED),
        (report(ok("EXISTS"), ok("CRITERIA FIT")), ITEM, ["unverified"] * 2, UNSUPPORTED),
        (
            report(ok("EXISTS", "E1"), ok("CRITERIA FIT", "E1")),
            NOTHING,
            ["unverified"] * 2,
            "no source that supports it",
        ),
        (
            report(ok("EXISTS", "E1", "E9"), ok("CRITERIA FIT", "E1")),
            ITEM,
            ["pass", "pass"],
            "which no source returned",
        ),
        (
            report(ok("EXISTS", "E1"), Finding(check="EXISTS\u001b", status="fail"), ok("CRITERIA FIT", "E1")),
            ITEM,
            ["fail", "pass"],
            "the graver one holds",
        ),
        (report(ok("EXISTS", "E1"), ok("CRITERIA FIT", "E1"), ok("MOOD")), ITEM, ["pass", "pass"], "nobody asked for"),
        (report(ok("EXISTS", "E1"), ok("CRITERIA FIT", "E1"), number=4), ITEM, ["unverified"] * 2, "was not given"),
        (
            report(ok("EXISTS", "E1"), Finding(check="EXISTS", status="fail"), ok("CRITERIA FIT", "E1")),
            ITEM,
            ["fail", "pass"],
            "the graver one holds",
        ),
        (Critique(items=[]), ITEM, ["unverified", "unverified"], "did not report it"),
    ],
)
def test_a_report_is_completed_and_a_pass_needs_a_source_that_was_returned(critique, item, statuses, note):
    findings, notes = complete(critique, [item], CHECKS, evidence_expected=True)
    assert [f.status for f in findings[1]] == statuses
    assert [f.check for f in findings[1]] == list(CHECKS)
    assert (note in " ".join(notes)) if note else not notes


def test_where_no_evidence_is_looked_up_a_pass_needs_none():
    findings, notes = complete(report(ok("EXISTS"), ok("CRITERIA FIT")), [BARE], CHECKS, evidence_expected=False)
    assert [f.status for f in findings[1]] == ["pass", "pass"]
    assert not notes


def test_unverified_is_no_value_for_the_policy():
    got = readings(
        [ok("A"), Finding(check="B", status="fail"), Finding(check="C", status="unverified", explanation="?")]
    )
    assert (got["A"].value, got["B"].value, got["C"].value) == (1.0, 0.0, None)
    assert got["C"].missing
    assert not got["C"].failed
