import pytest

from senno.errors import ConfigError
from senno.tune.rewriting import Constraints, broken, check_start
from senno.tune.version import Version

DISCLAIMER = "This is no financial advice."


def prompt(text: str) -> Version:
    return Version({"prompt": text})


@pytest.mark.parametrize(
    ("text", "constraints", "kinds"),
    [
        (f"Help. {DISCLAIMER}", Constraints(keep=(DISCLAIMER,)), []),
        (f"Help. {DISCLAIMER.replace(' ', chr(10), 1)}", Constraints(keep=(DISCLAIMER,)), []),
        ("Help. This is no financial advise.", Constraints(keep=(DISCLAIMER,)), ["keep"]),
        (DISCLAIMER.lower(), Constraints(keep=(DISCLAIMER,)), ["keep"]),
        ("Cafe\u0301 serves", Constraints(keep=("Caf\u00e9 serves",)), []),
        ("Add real TESTIMONIALS.", Constraints(forbid=("testimonials",)), ["forbid"]),
        ("The garantitore signs.", Constraints(forbid=("garantito",)), []),
        ("rendimento «garantito»", Constraints(forbid=("garantito", "sicuro")), ["forbid"]),
        ("保证收益", Constraints(forbid=("保证",)), ["forbid"]),
        ("For {{profile}} only", Constraints(variables=("profile",)), []),
        ("For {{ profile }} only", Constraints(variables=("profile",)), []),
        ("For everyone", Constraints(variables=("profile",)), ["variables"]),
    ],
)
def test_what_a_prompt_breaks_is_named_by_kind(text, constraints, kinds):
    assert [fault.kind for fault in broken(prompt(text), constraints)] == kinds


def test_a_variable_that_the_prompt_did_not_have_is_one_that_nobody_fills():
    start = prompt("For {{profile}}")
    assert [f.kind for f in broken(prompt("For {{profile}} and {{age}}"), Constraints(), start)] == ["variables"]
    assert broken(prompt("For {{profile}}!"), Constraints(), start) == ()


def test_a_part_cannot_be_put_inside_a_part():
    start = Version({"a": "one", "b": "two"})
    assert [f.kind for f in broken(Version({"a": "{{part:b}}", "b": "two"}), Constraints(), start)] == ["variables"]


def test_a_prompt_that_breaks_its_own_constraints_is_refused_with_every_fault():
    with pytest.raises(ConfigError, match=r"keep: .*no financial.*forbid: 'Guaranteed'.*mend the prompt"):
        check_start(prompt("Guaranteed."), Constraints(keep=(DISCLAIMER,), forbid=("guaranteed",)))
    check_start(prompt(DISCLAIMER), Constraints(keep=(DISCLAIMER,), forbid=("guaranteed",)))
