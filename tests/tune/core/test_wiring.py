import json

import pytest

from senno.errors import ConfigError
from senno.ledger import redact
from senno.models import Message, Request
from senno.models.record import request_text
from senno.tune import Scenario, Version, Wiring, check_wiring, refuse_same_text, same_text

SCENARIO = Scenario("s1", "I have 10,000 euros. What now?", {"profile": "a saver"})
VERSION = Version({"system": "You help {{profile}}.", "rules": "Never promise a return.", "tone": "Be kind."})


def sent(system, *texts, **more):
    """As the ledger has it: the text of a request, redacted."""
    request = Request(system, tuple(Message("user", text) for text in texts), **more)
    return redact(request_text(request))


def of(system, *texts):
    return check_wiring(VERSION, SCENARIO, sent(system, *(texts or (SCENARIO.text,))))


def test_what_arrives_is_fine():
    assert of(VERSION.render(SCENARIO.variables)) == Wiring()


def test_what_was_added_around_it_is_fine():
    assert of(f"House rules first.\n{VERSION.render(SCENARIO.variables)}\nAnswer in JSON.") == Wiring()


def test_a_system_prompt_that_goes_as_a_message_is_fine():
    assert of("", VERSION.render(SCENARIO.variables), SCENARIO.text) == Wiring()


def test_white_space_and_composition_are_set_aside():
    version = Version({"a": "Caffè  corto.\n\n\nSì."})
    assert check_wiring(version, SCENARIO, sent("Caffe\u0300 corto.\nSi\u0300.", SCENARIO.text)) == Wiring()


def test_rules_that_never_reach_the_model_stop_by_name():
    """The source's bug, and complaints 20 and 21: optimized rules and tone were replaced by old ones, for a year."""
    hard_coded = "You help a saver.\n\nBe careful.\n\nBe formal."
    found = of(hard_coded)
    assert found.missing == ("rules", "tone")
    assert found.problem == (
        f"version {VERSION.id}: the part 'rules' did not reach the model: 'Never promise a return.' is not in what was "
        "sent"
    )


def test_a_part_without_a_place_stops_by_name():
    version = Version(VERSION.parts, "{{part:system}} {{part:rules}}")
    found = check_wiring(version, SCENARIO, sent(version.render(SCENARIO.variables), SCENARIO.text))
    assert found.missing == ("tone",)
    assert found.problem is not None
    assert "no place for the part 'tone'" in found.problem


def test_variables_that_nobody_filled_are_told():
    found = of(VERSION.text)
    assert found.missing == ("system",)
    assert found.problem is not None
    assert "the part 'system' was sent with its variables open" in found.problem


def test_parts_in_another_order_are_told():
    found = of("Be kind. Never promise a return. You help a saver.")
    assert found.missing == ()
    assert found.problem is not None
    assert "not as its template puts them together" in found.problem


def test_a_scenario_that_was_not_asked_is_told():
    found = of(VERSION.render(SCENARIO.variables), "Hello?")
    assert found.problem is not None
    assert "the text of scenario 's1' is in no message" in found.problem


def test_a_secret_in_a_prompt_is_looked_for_as_the_ledger_has_it():
    """The ledger has `[redacted:…]` where the version has a key: that is no part that went missing."""
    key = "sk-proj-" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY" * 2
    version = Version({"a": f'Use "{key}" to log in.', "b": "Be kind."})
    scenario = Scenario("s", f"My key is {key}, is it safe?")
    stored = sent(version.render({}), scenario.text)
    assert key not in stored
    assert check_wiring(version, scenario, stored) == Wiring()


@pytest.mark.parametrize(
    "text", ['quotes " and \\ backslashes\n\ttabs', "emoji 🙂 and \x07 bell", "half \ud83d a pair"]
)
def test_any_text_is_found_in_its_own_request(text):
    version, scenario = Version({"a": text}), Scenario("s", text)
    assert check_wiring(version, scenario, sent(text, text)) == Wiring()


@pytest.mark.parametrize(
    "stored", ["", "no JSON", "[]", "{}", '{"state": {"text": "x"}, "questions": {}}', "[" * 100_000]
)
def test_what_is_no_request_is_said(stored):
    found = check_wiring(VERSION, SCENARIO, stored)
    assert found.problem is not None
    assert "is no request" in found.problem


def test_odd_requests_break_nothing():
    found = check_wiring(
        VERSION, SCENARIO, json.dumps({"system": None, "messages": [1, {"text": None}, {"text": "x"}]})
    )
    assert found.missing == ("system", "rules", "tone")


def test_two_versions_that_send_the_same_stop_by_name():
    """Complaint 27: the last two trials were one prompt."""
    one = Version({"a": "x", "b": "y"}, "{{part:a}}")
    other = Version({"a": "x", "b": "changed"}, "{{part:a}}")
    third = Version({"a": "z"})
    assert one.id != other.id
    assert same_text([one, third, other]) == ((one.id, other.id),)
    with pytest.raises(ConfigError, match=f"versions {one.id} and {other.id} have different ids and send the same"):
        refuse_same_text([one, third, other])
    refuse_same_text([one, one, third])
