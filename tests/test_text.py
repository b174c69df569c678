import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.text import did_you_mean, folded, one_line, shown


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Cry, the Beloved Country", "cry the beloved country"),
        ("Amélie", "AMELIE"),
        ("Amelie\u0301", "Amélie"),
        ("8½", "8 1/2"),
        ("ﬁlm", "FILM"),
        ("Straße", "STRASSE"),
        ("  a\u00a0 b\n", "a b"),
        ("snake_case", "snake case"),
        ("千と千尋の神隠し", "千と千尋の神隠し "),
    ],
)
def test_two_writings_of_one_name_are_equal_when_folded(one, other):
    assert folded(one) == folded(other) != ""


@pytest.mark.parametrize(("one", "other"), [("Pi", "Phi"), ("Alien", "Aliens"), ("M", "N"), ("千", "万")])
def test_two_names_stay_two(one, other):
    assert folded(one) != folded(other)


@given(st.text())
def test_folding_twice_changes_nothing(text):
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a\x1b[2Jb", "a\ufffd[2Jb"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\tb", "a\tb"),
        ("a\u202eb\u2066c", "a\ufffdb\ufffdc"),
        ("\u061c\u200e\u200f", "\ufffd" * 3),
        ("\x85\x9b\x00\x7f", "\ufffd" * 4),
        ("\ud800", "\ufffd"),
        ("\u2028\u2029", "\ufffd" * 2),
        ("perché 日本 👩‍💻", "perché 日本 👩‍💻"),
    ],
)
def test_shown_replaces_what_a_terminal_would_act_on(text, safe):
    assert shown(text) == safe


@given(st.text(), st.integers(1, 20))
def test_a_limit_is_kept_and_a_cut_is_visible(text, limit):
    cut = one_line(text, limit)
    assert len(cut) <= limit
    assert "\n" not in cut
    if cut.endswith("…") and not text.rstrip().endswith("…"):
        assert len(" ".join(text.split())) > limit


@pytest.mark.parametrize(
    ("word", "known", "said"),
    [("modles", ["models", "calls"], "; did you mean 'models'?"), ("x", ["models"], ""), ("models", [], "")],
)
def test_a_suggestion_is_made_where_one_is_near(word, known, said):
    assert did_you_mean(word, known) == said
