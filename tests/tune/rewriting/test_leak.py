"""Complaint group 22 (gepa #261): a prompt that copies words and user names out of the training data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.tune.rewriting import guarded, leaked
from senno.tune.scenarios import Scenario

START = "You answer questions about money. Always say that past returns are no promise of future ones."
CASES = {
    "en": "I have ten thousand euros and would like to double them in one year without any risk.",
    "it": "Ho diecimila euro e vorrei raddoppiarli in un anno senza correre alcun rischio.",
    "de": "Ich habe zehntausend Euro und möchte sie in einem Jahr ohne Risiko verdoppeln.",
    "el": "Έχω δέκα χιλιάδες ευρώ και θέλω να τα διπλασιάσω σε έναν χρόνο χωρίς ρίσκο.",
    "ar": "لدي عشرة آلاف يورو وأريد مضاعفتها في سنة واحدة دون أي مخاطرة.",
    "hi": "मेरे पास दस हज़ार यूरो हैं और मैं उन्हें एक साल में बिना जोखिम दोगुना करना चाहता हूँ।",
    "zh": "我有一万欧元，想在一年内无风险地翻倍，应该怎么办？",
    "th": "ฉันมีเงินหนึ่งหมื่นยูโรและอยากเพิ่มเป็นสองเท่าภายในหนึ่งปี",
}


@pytest.mark.parametrize("language", CASES)
def test_a_scenario_copied_into_the_prompt_is_caught_in_any_language(language):
    text = CASES[language]
    assert leaked(START, f"{START}\nExample: {text}", [text], 6)
    assert leaked(START, f"{START}\nexample: {text.upper()}", [text], 6)


@pytest.mark.parametrize("language", CASES)
def test_a_general_rule_is_no_leak(language):
    assert leaked(START, f"{START}\nName the risk of what is asked about, with one number.", [CASES[language]], 6) == ()


def test_what_the_prompt_said_before_is_no_leak():
    scenario = "Is it true that past returns are no promise of future ones?"
    assert leaked(START, f"{START} Be brief.", [scenario], 6) == ()
    assert leaked("You help.", START, [scenario], 6)


def test_as_many_words_in_a_row_as_the_constraint_says_and_no_fewer():
    case = "alpha beta gamma delta epsilon zeta eta theta"
    assert leaked("", "x alpha beta gamma delta epsilon y", [case], 6) == ()
    assert leaked("", "x beta gamma delta epsilon zeta eta y", [case], 6) == ("beta gamma delta epsilon zeta eta",)


def test_a_few_letters_of_a_script_without_spaces_are_no_run_of_words():
    assert leaked("", "请说明想在一年内无风险的人", [CASES["zh"]], 6) == ()


@pytest.mark.parametrize(("text", "caught"), [("Sell my old car", True), ("Hello there", False), ("", False)])
def test_a_short_scenario_is_looked_for_whole_if_it_has_three_words(text, caught):
    assert bool(leaked("", f"When asked: {text}. Answer.", [text], 6)) is caught


@pytest.mark.parametrize(
    ("scenario", "name"),
    [
        ("My account is anna_92, please help", "anna_92"),
        ("write to a.rossi@example.com today", "a.rossi@example.com"),
        ("my IBAN is IT60X0542811101000000123456, is it safe", "IT60X0542811101000000123456"),
        ("I was left 33845 euros by an aunt", "33845"),
        ("hello, I am Anna Rossi and I save", "Anna Rossi"),
    ],
)
def test_a_name_of_a_scenario_is_caught_by_itself(scenario, name):
    assert leaked(START, f"{START} Think of {name}.", [scenario], 6) == (name,)
    assert leaked(f"{START} {name}", f"{START} Think of {name}.", [scenario], 6) == ()


@pytest.mark.parametrize("text", ["10000", "2000000", "in 2026", "Euro", "Rossi"])
def test_round_numbers_years_and_single_words_are_of_everyone(text):
    scenario = f"we have {text} and {text} more, said Rossi about the Euro"
    assert leaked(START, f"{START} Such as {text}.", [scenario], 6) == ()


def test_what_fills_a_variable_is_guarded_too():
    texts = guarded([Scenario("s", "What now?", {"profile": "a nurse who saves for her first small flat"})])
    assert leaked("", "Think of a nurse who saves for her first small flat", texts, 6)


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=100))
def test_nothing_leaks_that_was_there_before(old, more, scenario):
    assert leaked(old + more, old + more, [scenario], 6) == ()
