import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.errors import ConfigError
from senno.tune import Version, diff, fill

RULES = Version({"system": "You are a helper for {{profile}}.", "rules": "Never promise."})


def test_the_id_is_of_the_text_alone():
    again = Version(dict(RULES.parts), parent="p123", origin="gepa")
    assert again.id == RULES.id
    assert again == RULES
    assert re.fullmatch(r"p[0-9a-f]{12}", RULES.id)


def test_an_id_does_not_change_from_one_release_to_the_next():
    assert Version({"a": "è", "b": "x"}, "{{part:a}} {{part:b}}").id == "p7d0b47d54feb"


@pytest.mark.parametrize(
    "other",
    [
        Version({**RULES.parts, "rules": "Never  promise."}),
        Version(dict(reversed(RULES.parts.items()))),
        Version(RULES.parts, "{{part:system}} {{part:rules}}"),
    ],
)
def test_any_change_of_what_is_sent_is_another_version(other):
    assert other.id != RULES.id


def test_a_template_that_says_what_the_order_says_is_the_same_version():
    assert Version(RULES.parts, "{{part:system}}\n\n{{part:rules}}").id == RULES.id


def test_parts_and_variables_make_the_system_prompt():
    assert RULES.render({"profile": "a saver"}) == "You are a helper for a saver.\n\nNever promise."
    assert RULES.variables() == {"profile"}
    placed = Version(RULES.parts, "# Rules\n{{ part:rules }}\n{{part:system}} {{ tone }}")
    assert placed.render({"profile": "x", "tone": "kind"}) == "# Rules\nNever promise.\nYou are a helper for x. kind"
    assert placed.placed() == ("rules", "system")
    assert placed.variables() == {"profile", "tone"}


def test_a_value_is_text_whatever_it_says():
    """What a scenario says is never a template: it could show another part, or ask for more."""
    hostile = "{{part:rules}} {{profile}} {{secret}} \\1 \\g<0>"
    assert Version({"a": "[{{profile}}]"}).render({"profile": hostile}) == f"[{hostile}]"


def test_a_variable_without_a_value_is_refused_with_what_there_is():
    with pytest.raises(ConfigError, match=r"the prompt has \{\{profile\}\}.*it has: profil\); did you mean 'profil'"):
        RULES.render({"profil": "x"})
    with pytest.raises(ConfigError, match="it has: none"):
        fill("{{x}}", {})


def test_a_part_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match="did you mean 'rules'"):
        Version({"rules": "x"}, "{{part:rule}}").render({})


def test_braces_that_name_nothing_stay():
    text = 'Answer as {"a": {"b": 1}}, or {{ two words }}, or {{}}.'
    assert Version({"a": text}).render({}) == text


def test_a_diff_is_by_part():
    new = Version({**RULES.parts, "rules": "Never promise.\nSay it plainly."})
    told = diff(RULES, new)
    assert f"--- rules ({RULES.id})" in told
    assert "+Say it plainly." in told
    assert "system" not in told
    assert diff(RULES, RULES) == ""


def test_a_diff_shows_a_part_that_came_and_one_that_went():
    told = diff(Version({"a": "x"}), Version({"b": "y"}))
    assert "-x" in told
    assert "+y" in told
    assert "(template)" in told


@given(st.dictionaries(st.from_regex(r"[a-zé]{1,5}", fullmatch=True), st.text(), min_size=1), st.text())
def test_rendering_never_fills_twice_and_ids_are_stable(parts, value):
    version = Version({name: text.replace("{", "(") for name, text in parts.items()} | {"last": "{{v}}"})
    assert version.render({"v": value}).endswith(value)
    assert version.id == Version(dict(version.parts)).id
