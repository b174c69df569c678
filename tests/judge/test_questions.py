import pytest

from senno.errors import FileFormatError
from senno.judge.questions import parse_question
from senno.models import Choice, Noul, Score

ASK = {"instructions": "Is it so?"}
CRITERIA = {"true": "it is", "false": None}


@pytest.mark.parametrize(
    ("data", "question"),
    [
        ({"type": "noul", **ASK}, Noul("Is it so?")),
        ({"type": "noul", **ASK, "criteria": CRITERIA}, Noul("Is it so?", "it is", None)),
        ({"type": "noul", **ASK, "criteria": {True: "it is", False: "not"}}, Noul("Is it so?", "it is", "not")),
        ({"type": "noul", "instructions": {"about": "x"}}, Noul({"about": "x"})),
        ({"type": "score", **ASK, "criteria": ["low", "high"]}, Score("Is it so?", ("low", "high"))),
        (
            {"type": "choice", **ASK, "criteria": {"b": None, "a": "an a"}},
            Choice("Is it so?", {"b": None, "a": "an a"}),
        ),
        ({"type": "noul", **ASK, "label": "x", "severity": 1, "_why": [], "weight": {}}, Noul("Is it so?")),
    ],
)
def test_a_question_is_read_and_its_notes_are_not_part_of_it(data, question):
    assert parse_question("q", data, "c.json").question == question


def test_options_keep_their_order():
    data = {"type": "choice", **ASK, "criteria": {"z": None, "a": None, "m": None}}
    asked = parse_question("q", data, "c.json").question
    assert isinstance(asked, Choice)
    assert list(asked.options) == ["z", "a", "m"]


@pytest.mark.parametrize(
    ("data", "top"),
    [
        ({"type": "noul"}, 1),
        ({"type": "score", "criteria": ["a", "b", "c"]}, 2),
        ({"type": "choice", "criteria": {"a": None, "b": None}}, 1),
    ],
)
def test_the_top_of_a_scale_is_its_highest_level(data, top):
    assert parse_question("q", {**ASK, **data}, "c.json").top == top


LEVELS = "a list of 2 to 10 levels"
WRONG = [
    ({"type": "noul"}, "q.instructions", "found nothing"),
    ({"type": "noul", "instructions": ""}, "q.instructions", "the question, as text"),
    ({"type": "noul", "instructions": ["x"]}, "q.instructions", "found a list"),
    ({"type": "noul", **ASK, "criteria": []}, "q.criteria", "found a list"),
    ({"type": "noul", **ASK, "criteria": {"yes": "x"}}, "q.criteria.yes", "unknown side"),
    ({"type": "noul", **ASK, "criteria": {"true": 1}}, "q.criteria.true", "found a number"),
    ({"type": "noul", **ASK, "criteria": {1: "x"}}, "q.criteria", "the key 1 is a number"),
    ({"type": "noul", **ASK, "critera": {}}, "q.critera", "'criteria'"),
    ({"type": "noul", "instruction": "x"}, "q.instruction", "'instructions'"),
    ({"type": "noul", **ASK, "higher_is_better": "no"}, "q.higher_is_better", "true or false"),
    ({"type": "score", **ASK}, "q.criteria", LEVELS),
    ({"type": "score", **ASK, "criteria": ["one"]}, "q.criteria", "found 1 levels"),
    ({"type": "score", **ASK, "criteria": ["x"] * 11}, "q.criteria", "found 11 levels"),
    ({"type": "score", **ASK, "criteria": ["low", " "]}, "q.criteria.1", "the level, as text"),
    ({"type": "score", **ASK, "criteria": {"0": "low"}}, "q.criteria", "found a mapping"),
    ({"type": "choice", **ASK}, "q.criteria", "found nothing"),
    ({"type": "choice", **ASK, "criteria": {"a": None}}, "q.criteria", "found 1 options"),
    ({"type": "choice", **ASK, "criteria": dict.fromkeys(map(str, range(256)))}, "q.criteria", "found 256 options"),
    ({"type": "choice", **ASK, "criteria": {"a": 1, "b": None}}, "q.criteria.a", "found a number"),
]


@pytest.mark.parametrize(("data", "key", "said"), WRONG)
def test_a_wrong_question_is_refused_with_file_and_key(data, key, said):
    with pytest.raises(FileFormatError) as refused:
        parse_question("q", data, "c.json")
    assert refused.value.where == f"c.json: {key}"
    assert said in str(refused.value)


def test_what_code_reads_beside_the_question_is_part_of_what_is_asked():
    read = parse_question("q", {"type": "noul", **ASK, "critical": True, "over_parts": "min"}, "f")

    assert (read.critical, read.over_parts, read.higher_is_better) == (True, "min", True)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("critical", 1, "f: q.critical: found a number; expected true or false"),
        ("over_parts", "mean", 'f: q.over_parts: found \'mean\'; expected "max" or "min"'),
    ],
)
def test_what_code_reads_beside_the_question_is_held_to_what_it_may_be(key, value, said):
    with pytest.raises(FileFormatError) as refused:
        parse_question("q", {"type": "noul", **ASK, key: value}, "f")

    assert str(refused.value) == said
