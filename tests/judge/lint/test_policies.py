from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.judge import Case, Reading, decide, load_policy, parse_check_file, parse_policy
from senno.judge.lint import RULES, lint_policy, moved_findings, moved_thresholds, read_linted
from senno.judge.lint.asked import linted_question
from senno.judge.lint.reading import LintedFile
from senno.models import Distribution, Probability

SOURCE = Path(__file__).parents[3] / "src" / "senno"
NOUL = {"type": "noul", "instructions": "Is it so?"}
DATA = {
    "a": NOUL,
    "b": NOUL,
    "c": NOUL,
    "d": {"type": "contains", "phrases": ["x"]},
    "s": {"type": "score", "instructions": "How?", "criteria": ["no", "some", "much"]},
    "k": {"type": "choice", "instructions": "What?", "criteria": {"none": None, "x": None}},
}


def r(check, op, value, **rest):
    return {"check": check, "op": op, "value": value, **rest}


def verdicts(*rows, closing=None):
    made = [
        {"name": f"V{n}", "exit_code": 3, **({"rules": row} if isinstance(row, list) else row)}
        for n, row in enumerate(rows)
    ]
    return {"verdicts": [*made, {"name": "OK", "rules": [], **(closing or {})}]}


def _findings(data, critical=frozenset(), notes=None):
    names = (
        {rule["check"] for v in data["verdicts"] for rule in v["rules"]} | set(critical) | set(data.get("weights", ()))
    )
    held = [u["check"] for v in data["verdicts"] for rule in v["rules"] for u in [rule.get("unless")] if u]
    used = {name: {**DATA[name], **(notes or {}).get(name, {})} for name in DATA if name in {*names, *held}}
    checks = parse_check_file(used, "checks.json", Path())
    policy = parse_policy(data, "policy.json", checks)
    questions = tuple(linted_question(name, used[name], "checks.json") for name in checks.questions)
    return lint_policy(policy, "policy.json", LintedFile("checks.json", questions, checks, frozenset(critical)))


def _found(data, **rest):
    return [(f.rule.id, f.key or f.question) for f in _findings(data, **rest).findings]


FOUND = [
    (
        "a verdict behind a weaker threshold",
        verdicts([r("a", "gte", 0.5)], [r("a", "gte", 0.7)]),
        ("SJ101", "verdicts.1"),
    ),
    ("equal conditions", verdicts([r("a", "gte", 0.5)], [r("a", "gte", 0.5)]), ("SJ101", "verdicts.1")),
    ("gt behind gte", verdicts([r("a", "gte", 0.5)], [r("a", "gt", 0.5)]), ("SJ101", "verdicts.1")),
    ("lt behind lte", verdicts([r("a", "lte", 0.5)], [r("a", "lt", 0.5)]), ("SJ101", "verdicts.1")),
    (
        "all behind one of its rules",
        verdicts([r("a", "gte", 0.5)], {"match": "all", "rules": [r("a", "gte", 0.6), r("b", "gte", 0.6)]}),
        ("SJ101", "verdicts.1"),
    ),
    (
        "all behind a weaker all",
        verdicts(
            {"match": "all", "rules": [r("a", "gte", 0.5), r("b", "gte", 0.5)]},
            {"match": "all", "rules": [r("a", "gte", 0.7), r("b", "gte", 0.5), r("c", "lte", 0.5)]},
        ),
        ("SJ101", "verdicts.1"),
    ),
    (
        "the closing verdict behind two halves",
        verdicts([r("a", "gte", 0.5)], [r("a", "lte", 0.6)]),
        ("SJ101", "verdicts.2"),
    ),
    (
        "the closing verdict behind both values of a check",
        verdicts([r("d", "gte", 1)], [r("d", "lt", 0.5)]),
        ("SJ101", "verdicts.2"),
    ),
    (
        "an option",
        verdicts([r("k", "gte", 0.5, option="x")], [r("k", "gte", 0.6, option="x")]),
        ("SJ101", "verdicts.1"),
    ),
    ("a check at any threshold", verdicts([r("d", "gte", 0.2)], [r("d", "gte", 0.9)]), ("SJ101", "verdicts.1")),
    (
        "one rule of several behind an earlier one",
        verdicts([r("a", "gte", 0.5)], [r("a", "gte", 0.7), r("b", "gte", 0.5)]),
        ("SJ102", "verdicts.1.rules.0"),
    ),
    (
        "a rule that another of its verdict includes",
        verdicts([r("a", "gte", 0.7), r("a", "gte", 0.5)]),
        ("SJ102", "verdicts.0.rules.0"),
    ),
    ("the same rule twice", verdicts([r("a", "gte", 0.7), r("a", "gte", 0.7)]), ("SJ102", "verdicts.0.rules.1")),
    (
        "the middle gets the closing verdict",
        verdicts([r("a", "gte", 0.8)], [r("a", "lte", 0.2)]),
        ("SJ103", "verdicts.0.rules.0"),
    ),
    ("one point gets it", verdicts([r("a", "gt", 0.5)], [r("a", "lt", 0.5)]), ("SJ103", "verdicts.0.rules.0")),
    (
        "all with thresholds that exclude each other",
        verdicts({"match": "all", "rules": [r("a", "gte", 0.8), r("a", "lte", 0.2)]}),
        ("SJ104", "verdicts.0"),
    ),
    (
        "a rule held back wherever it fires",
        verdicts([r("a", "gte", 0.8, unless=r("a", "gte", 0.5))]),
        ("SJ104", "verdicts.0.rules.0"),
    ),
    (
        "two verdicts at one point",
        verdicts([r("a", "gte", 0.5)], [r("a", "lte", 0.5)]),
        ("SJ105", "verdicts.1.rules.0"),
    ),
    ("always", verdicts([r("a", "gte", 0)]), ("SJ107", "verdicts.0.rules.0")),
    ("almost never", verdicts([r("a", "gte", 1)]), ("SJ107", "verdicts.0.rules.0")),
    ("almost never, low", verdicts([r("a", "lte", 0.001)]), ("SJ107", "verdicts.0.rules.0")),
    ("almost never, a score", verdicts([r("s", "gte", 2)]), ("SJ107", "verdicts.0.rules.0")),
    (
        "two verdicts, none for a person",
        verdicts({"rules": [r("a", "gte", 0.5)], "exit_code": 1}),
        ("SJ110", "verdicts.0"),
    ),
    (
        "three questions that stop",
        verdicts({"rules": [r(n, "gte", 0.5) for n in "abc"], "exit_code": 1}),
        ("SJ109", "verdicts.0"),
    ),
]


@pytest.mark.parametrize(("data", "found"), [row[1:] for row in FOUND], ids=[row[0] for row in FOUND])
def test_what_is_wrong_with_a_policy_is_found(data, found):
    assert found in _found(data)


SOUND = [
    ("weaker below stricter", verdicts([r("a", "gte", 0.7)], [r("a", "gte", 0.5)])),
    ("another check", verdicts([r("a", "gte", 0.5)], [r("b", "gte", 0.7)])),
    ("another option", verdicts([r("k", "gte", 0.5, option="x")], [r("k", "gte", 0.6, option="none")])),
    (
        "an earlier rule that may be held back",
        verdicts([r("a", "gte", 0.5, unless=r("b", "gte", 0.5))], [r("a", "gte", 0.7)]),
    ),
    (
        "an earlier verdict that needs more",
        verdicts({"match": "all", "rules": [r("a", "gte", 0.5), r("b", "gte", 0.5)]}, [r("a", "gte", 0.7)]),
    ),
    ("a band", verdicts({"match": "all", "rules": [r("a", "gte", 0.4), r("a", "lte", 0.6)]})),
    (
        "the middle goes to a person",
        verdicts([r("a", "gte", 0.8)], {"rules": [r("a", "lte", 0.2)], "exit_code": 0}, closing={"name": "REVIEW"}),
    ),
    (
        "the middle has a verdict",
        verdicts([r("a", "gte", 0.8)], [r("a", "lte", 0.2)], [r("a", "gt", 0.2)], closing={"exit_code": 3}),
    ),
    ("halves that share no point", verdicts([r("a", "gte", 0.5)], [r("b", "lt", 0.5)])),
    ("a check at 1", verdicts([r("d", "gte", 1)])),
    ("a score inside its range", verdicts([r("s", "gte", 1.5)])),
    (
        "two questions that stop",
        verdicts({"rules": [r("a", "gte", 0.5), r("b", "gte", 0.5)], "exit_code": 1}, [r("c", "gte", 0.5)]),
    ),
    ("many that ask for a person", verdicts([r(n, "gte", 0.5) for n in "abc"])),
]
_BOTH_CLOSED = {"the middle has a verdict"}


@pytest.mark.parametrize(("name", "data"), SOUND, ids=[row[0] for row in SOUND])
def test_a_sound_policy_has_no_finding(name, data):
    found = _found(data)
    assert [f for f in found if not (name in _BOTH_CLOSED and f == ("SJ101", "verdicts.3"))] == []


def test_a_question_that_no_rule_uses_is_told_and_one_with_a_weight_is_not():
    data = {**verdicts([r("a", "gte", 0.5)]), "weights": {"b": 1}}
    checks = parse_check_file(dict.fromkeys("abc", NOUL), "checks.json", Path())
    linted = lint_policy(parse_policy(data, "p", checks), "p", LintedFile("c", (), checks))
    assert [(f.rule.id, f.question) for f in linted.findings] == [("SJ106", "c")]


def test_a_critical_question_that_only_the_closing_verdict_sees_is_an_error():
    data = verdicts([r("a", "gte", 0.5, unless=r("b", "gte", 0.5))])
    assert ("SJ108", "b") in _found(data, critical={"b"})
    assert _found(data, critical={"a"}) == []


def test_a_finding_about_a_question_is_set_aside_by_its_note():
    data = {**verdicts([r("a", "gte", 0.5)]), "weights": {"a": 1}}
    checks = {"a": NOUL, "b": {**NOUL, "_lint": {"ignore": ["SJ106"], "why": "shown to people only"}}}
    read = parse_check_file(checks, "checks.json", Path())
    questions = tuple(linted_question(n, q, "checks.json") for n, q in checks.items())
    linted = lint_policy(parse_policy(data, "p", read), "p", LintedFile("c", questions, read))
    assert (linted.findings, [f.rule.id for f in linted.suppressed]) == ((), ["SJ106"])


_RULE = st.builds(
    r, st.sampled_from("ab"), st.sampled_from(["gte", "gt", "lte", "lt"]), st.sampled_from([0.2, 0.4, 0.5, 0.6, 0.8])
)
_VERDICT = st.builds(
    lambda rules, match: {"rules": rules, "match": match},
    st.lists(_RULE, min_size=1, max_size=3),
    st.sampled_from(["any", "all"]),
)


@given(st.lists(_VERDICT, min_size=1, max_size=4))
def test_a_verdict_that_is_called_unreachable_is_never_given(rows):
    data = verdicts(*rows)
    checks = parse_check_file({"a": NOUL, "b": NOUL}, "checks.json", Path())
    policy = parse_policy(data, "policy.json", checks)
    linted = lint_policy(policy, "policy.json", LintedFile("checks.json", (), checks))
    dead = {int(f.key.split(".")[1]) for f in linted.findings if f.rule.id == "SJ101"}
    grid = [n / 20 for n in range(21)]
    given_ = {decide(policy, {"a": Reading(a), "b": Reading(b)}).name for a in grid for b in grid}
    assert not {policy.verdicts[n].name for n in dead} & given_


@given(
    st.lists(
        st.lists(
            st.builds(r, st.just("a"), st.sampled_from(["gte", "gt", "lte", "lt"]), st.sampled_from([0.2, 0.5, 0.8])),
            min_size=1,
            max_size=2,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_on_one_reading_every_unreachable_verdict_is_called_so(rows):
    data = verdicts(*rows)
    checks = parse_check_file({"a": NOUL}, "checks.json", Path())
    policy = parse_policy(data, "policy.json", checks)
    linted = lint_policy(policy, "policy.json", LintedFile("checks.json", (), checks))
    dead = {int(f.key.split(".")[1]) for f in linted.findings if f.rule.id == "SJ101"}
    reached = {decide(policy, {"a": Reading(n / 20)}).name for n in range(21)}
    assert dead == {n for n, v in enumerate(policy.verdicts) if v.name not in reached}


def test_the_movies_policy_has_no_finding():
    folder = SOURCE / "loop" / "shipped" / "movies"
    file = read_linted(folder / "checks.json")[0]
    policy = load_policy(folder / "policy.json", file.checks, ("EXISTS", "YEAR", "CRITERIA FIT"))
    assert lint_policy(policy, "policy.json", file).findings == ()


CASE = Case("c1", {"a": False}, "text", where="cases.jsonl:1")


def _policy(value, op="gte", **rest):
    checks = parse_check_file({"a": NOUL, "k": DATA["k"]}, "checks.json", Path())
    return parse_policy(verdicts([r(rest.pop("check", "a"), op, value, **rest)]), "policy.json", checks)


@pytest.mark.parametrize(
    ("old", "new", "value", "told"),
    [
        (0.7, 0.75, 0.72, "no longer fires"),
        (0.75, 0.7, 0.72, "now fires"),
        (0.7, 0.75, 0.7, "no longer fires"),
        (0.7, 0.75, 0.75, None),
        (0.7, 0.75, 0.9, None),
        (0.7, 0.75, 0.1, None),
        (0.7, 0.7, 0.7, None),
    ],
)
def test_a_threshold_that_moved_past_a_labelled_case_is_told(old, new, value, told):
    found = list(moved_findings(_policy(old), _policy(new), [CASE], {"c1": {"a": Probability(value)}}, "policy.json"))
    assert [told in f.detail and "c1" in f.detail for f in found] == ([True] if told else [])


def test_a_case_without_prediction_or_label_for_the_question_is_passed_over():
    old, new = _policy(0.7), _policy(0.8)
    assert list(moved_findings(old, new, [CASE], {}, "p")) == []
    assert list(moved_findings(old, new, [Case("c1", {"k": "x"}, "text")], {"c1": {"a": Probability(0.75)}}, "p")) == []


def test_an_op_that_changed_and_an_option_are_compared_too():
    assert [m.new.op for m in moved_thresholds(_policy(0.7), _policy(0.7, "gt"))] == ["gt"]
    old, new = (_policy(v, check="k", option="x") for v in (0.5, 0.6))
    case = Case("c1", {"k": "x"}, "text")
    assert len(list(moved_findings(old, new, [case], {"c1": {"k": Distribution({"x": 0.55, "none": 0.45})}}, "p"))) == 1


def test_every_rule_has_an_id_of_its_own_a_reason_and_an_alternative():
    assert all(
        rule.id == key and rule.why.endswith(".") and rule.instead.endswith((".", ".”", "`."))
        for key, rule in RULES.items()
    )
    assert len({rule.name for rule in RULES.values()}) == len(RULES)
