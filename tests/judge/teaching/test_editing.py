"""The file of checks is edited as text: one criterion is longer, every other character is where it was."""

import difflib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.errors import FileFormatError
from senno.files import parse_mapping
from senno.judge.teaching.editing import criteria_of, taught_text

LINE = "Example: “può, 100%”"


def _changed(old, new):
    lines = difflib.ndiff(old.splitlines(keepends=True), new.splitlines(keepends=True))
    return [line for line in lines if line[0] in "+-"]


JSON = """{ "_note" : [1,  2.50, "\\/"],
  "q": {"type":"noul", "instructions": "Is it?",   "criteria": {
        "true":  "yes it is",
        "false": null },
     "label":"x" },
\t"r": {"type": "score", "instructions": "How?", "criteria": ["low", "high"]},
  "k": {"type": "choice", "instructions": "What?", "criteria": {"none": null, "a b": "is \\"a\\""}},
  "n": {"type": "noul", "instructions": "Is it?"},
  "e": {"type": "noul", "instructions": "Is it?", "criteria": {}},
  "z": {"type": "noul", "instructions": "Is it?", "criteria": null}}
"""


@pytest.mark.parametrize(
    ("question", "key", "value"),
    [
        ("q", "true", f"yes it is\n{LINE}"),
        ("q", "false", LINE),
        ("r", "1", f"high\n{LINE}"),
        ("k", "none", LINE),
        ("k", "a b", f'is "a"\n{LINE}'),
        ("n", "true", LINE),
        ("e", "false", LINE),
        ("z", "false", LINE),
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_one_line_of_json_changes_and_nothing_else_of_it(question, key, value, ends):
    old = JSON.replace("\n", ends)
    new = taught_text(old, "checks.json", question, key, LINE)
    assert criteria_of(json.loads(new)[question])[key] == value
    assert len(_changed(old, new)) == 2
    rest = json.loads(new)
    rest[question] = json.loads(old)[question]
    assert list(rest.items()) == list(json.loads(old).items())
    assert LINE in new


def test_a_file_that_escapes_its_letters_goes_on_doing_so():
    old = '{"q": {"type": "noul", "instructions": "\\u00e8?", "criteria": {"true": "a", "false": "b"}}}'
    new = taught_text(old, "checks.json", "q", "true", LINE)
    assert new.isascii()
    assert json.loads(new)["q"]["criteria"]["true"] == f"a\n{LINE}"


YAML = """# top
q:   # a question
  type: noul
  instructions: "Is it?"
  criteria: # both
    true: yes, it is   # kept
    false: |
      it is not

      at all
    # the end of criteria
  label: x

r: {type: score, instructions: 'How?', criteria: [low, "hi gh"]}
s:
  type: score
  instructions: How?
  criteria:
  - very
    low
  - >-
    very
    high
n:
  type: noul
  instructions: Is it?
o:
  type: noul
  instructions: Is it?
  criteria:
    false:
    true: ~
p:
  type: noul
  instructions: Is it?
  criteria:
    false: no, it is not
k:
  type: choice
  instructions: What?
  criteria: {none: null, 'a b': is a}
"""


@pytest.mark.parametrize(
    ("question", "key", "value", "lines"),
    [
        ("q", "true", f"yes, it is\n{LINE}", 2),
        ("q", "false", f"it is not\n\nat all\n{LINE}\n", 1),
        ("r", "1", f"hi gh\n{LINE}", 2),
        ("s", "0", f"very low\n{LINE}", 3),
        ("s", "1", f"very high {LINE}", 1),
        ("n", "true", LINE, 1),
        ("o", "false", LINE, 2),
        ("o", "true", LINE, 2),
        ("p", "true", LINE, 1),
        ("k", "none", LINE, 2),
        ("k", "a b", f"is a\n{LINE}", 2),
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_yaml_keeps_its_comments_order_and_styles(question, key, value, lines, ends):
    old = YAML.replace("\n", ends)
    new = taught_text(old, "checks.yaml", question, key, LINE)
    assert criteria_of(parse_mapping("checks.yaml", new)[question])[key] == value
    assert len(_changed(old, new)) == lines
    assert {"# top", "# a question", "# both", "# kept", "# the end of criteria"} <= {
        f"#{part}" for line in new.splitlines() for part in line.split("#")[1:]
    }


@pytest.mark.parametrize(
    "text",
    [
        "base: &b {type: noul, instructions: Is it?, criteria: {true: a, false: b}}\nq: *b\n",
        "x: &c {true: a, false: b}\n_: *c\nq: {type: noul, instructions: Is it?, criteria: *c}\n".replace("x:", "_x:"),
        "_b: &b\n  criteria: {true: a, false: b}\nq:\n  <<: *b\n  type: noul\n  instructions: Is it?\n",
    ],
    ids=["alias", "alias of the criteria", "merge key"],
)
def test_what_is_shared_with_another_place_is_refused_and_the_line_told(text):
    with pytest.raises(FileFormatError) as refused:
        taught_text(text, "checks.yaml", "q", "true", LINE)
    assert "q.criteria.true" in str(refused.value)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_SIDE = st.none() | st.text()


@given(
    st.dictionaries(st.text().filter(lambda name: name != "q"), _VALUES, max_size=4),
    _SIDE,
    _SIDE,
    st.sampled_from([None, 1, 4, "\t"]),
    st.booleans(),
    st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"]), min_size=1, max_size=20),
)
def test_any_json_keeps_all_but_the_criterion(others, true, false, indent, escaped, line):
    entry = {"type": "noul", "x": others, "criteria": {"true": true, "false": false}, "instructions": "?"}
    old = json.dumps({**others, "q": entry, "after": others}, indent=indent, ensure_ascii=escaped)
    new = json.loads(taught_text(old, "checks.json", "q", "false", line))
    told = new["q"]["criteria"].pop("false")
    expected = json.loads(old)
    expected["q"]["criteria"].pop("false")
    assert new == expected
    assert told == (f"{false.rstrip()}\n{line}" if false and false.strip() else line)


@given(st.text(), st.text(), st.sampled_from([None, '"', "'", "|", ">"]), st.text(min_size=1, max_size=20))
def test_any_yaml_scalar_is_made_longer_or_refused_and_never_broken(true, false, style, line):
    import io

    from ruamel.yaml import YAML
    from ruamel.yaml.scalarstring import (
        DoubleQuotedScalarString,
        FoldedScalarString,
        LiteralScalarString,
        SingleQuotedScalarString,
    )

    kinds = {
        '"': DoubleQuotedScalarString,
        "'": SingleQuotedScalarString,
        "|": LiteralScalarString,
        ">": FoldedScalarString,
    }
    styled = kinds.get(style, str)(true)
    out = io.StringIO()
    try:
        YAML().dump({"q": {"type": "noul", "criteria": {"true": styled, "false": false}, "z": 1}}, out)
        old = parse_mapping("c.yaml", out.getvalue())
    except Exception:  # noqa: BLE001 - ruamel cannot write every text in every style
        return
    line = " ".join(line.split()) or "x"
    try:
        new = parse_mapping("c.yaml", taught_text(out.getvalue(), "c.yaml", "q", "true", line))
    except FileFormatError:
        return
    assert new["q"]["criteria"]["true"].rstrip().endswith(line)
    assert {**new["q"], "criteria": new["q"]["criteria"]["false"]} == {
        **old["q"],
        "criteria": old["q"]["criteria"]["false"],
    }
