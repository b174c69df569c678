from hypothesis import given
from hypothesis import strategies as st

from senno.tune.rewriting import measure
from senno.tune.rewriting.change import ALWAYS

LONG = "\n".join(f"Rule {n}: say word{n} and then word{n + 1} again." for n in range(100))


def test_a_word_replaced_counts_once_and_a_line_broken_anew_counts_nothing():
    assert measure("be brief and kind", "be brief and wise", 0.5).changed == 1
    assert measure("be brief\nand kind", "be brief and kind", 0.5).changed == 0
    assert measure(LONG, LONG, 0.5).changed == 0


def test_a_share_of_the_prompt_may_change_and_a_few_words_of_any_prompt():
    assert measure("You help.", "You help." + " more" * ALWAYS, 0.1).too_much is False
    assert measure("You help.", "You help." + " more" * (ALWAYS + 1), 0.1).too_much is True
    third = LONG.splitlines()[33:]
    assert measure(LONG, "\n".join(third), 0.35).too_much is False
    assert measure(LONG, "\n".join(third), 0.3).too_much is True


def test_words_of_a_script_without_spaces_are_counted_by_letter():
    assert measure("你好。", "你好。请给出一个数字", 0.1).changed == 7


@given(st.text(), st.text())
def test_the_change_is_the_same_both_ways_and_none_from_a_text_to_itself(old, new):
    assert measure(old, old, 0.5).changed == 0
    assert measure(old, new, 0.5).changed == measure(new, old, 0.5).changed
