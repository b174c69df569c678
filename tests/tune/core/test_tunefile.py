from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.errors import ConfigError, FileFormatError
from senno.models import Budget
from senno.tune import TuneModels, load_tune, tunefile, unknown_must
from senno.tune.rewriting import Constraints

LEAST = """
[tune]
name = "finance"
[prompt]
file = "prompt.md"
[scenarios]
file = "scenarios.jsonl"
[judge]
checks = "checks.json"
policy = "policy.json"
"""


def written(folder, text):
    path = folder / "tune.toml"
    path.write_bytes(text.encode("utf-8"))
    return path


def test_the_least_file_has_the_defaults(tmp_path):
    spec = load_tune(written(tmp_path, LEAST))
    assert (spec.name, spec.seed, spec.rounds, spec.candidates, spec.repeats, spec.answers) == (
        "finance",
        1,
        8,
        1,
        3,
        1,
    )
    assert (spec.target, spec.strategy, spec.alpha, spec.looks) == (None, "hill-climb", 0.05, 8)
    assert spec.prompt.parts == {"prompt": tmp_path / "prompt.md"}
    assert (spec.scenarios.file, spec.scenarios.test) == (tmp_path / "scenarios.jsonl", 0.3)
    assert (spec.judge.checks, spec.judge.must, spec.judge.min_scored) == (tmp_path / "checks.json", (), 0.95)
    assert (spec.models, spec.constraints, spec.budget) == (TuneModels(), Constraints(), Budget())


def test_everything_that_can_be_said(tmp_path):
    """Complaint 33: a byte order mark and Windows line ends are no fault."""
    text = """\ufeff[tune]
name = "finance"
seed = 7
rounds = 3
candidates = 2
repeats = 5
answers = 2
target = 0.9
strategy = "gepa"
alpha = 0.1
[prompt]
parts = { system = "system.md", tone = "tone.md" }
template = "template.md"
variables = ["profile"]
[scenarios]
brief = "brief.md"
count = 20
test = 0.25
cluster = "persona"
stratify = "lang"
[judge]
checks = "c.json"
policy = "p.json"
must = ["disclaimer"]
min_scored = 0.9
[models]
answer = "openai:gpt-5"
judge = "typesafe:jev-1.14"
rewrite = "anthropic:x"
scenarios = "openai:gpt-5"
allow_same_model = true
[constraints]
keep = ["Non è una consulenza"]
forbid = ["garantito"]
max_change = 0.5
leak_words = 5
[budget]
tokens = 100000
cost = 0.50
seconds = 600.0
calls = 400
""".replace("\n", "\r\n")
    spec = load_tune(written(tmp_path, text))
    assert (spec.looks, spec.strategy, spec.target, spec.answers) == (6, "gepa", 0.9, 2)
    assert list(spec.prompt.parts) == ["system", "tone"]
    assert (spec.scenarios.brief, spec.scenarios.count, spec.scenarios.cluster) == (
        tmp_path / "brief.md",
        20,
        "persona",
    )
    assert spec.models == TuneModels("openai:gpt-5", "typesafe:jev-1.14", "anthropic:x", "openai:gpt-5", True)
    assert spec.constraints == Constraints(("Non è una consulenza",), ("garantito",), ("profile",), 0.5, 5)
    assert spec.budget == Budget(100000, Decimal("0.5"), 600.0, 400)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            'name = "finance"',
            'name = "finance"\nround = 3',
            "tune.round: unknown key 'round'; expected",
        ),
        ('name = "finance"', 'name = "finance"\nround = 3', "did you mean 'rounds'?"),
        ("[judge]", "[juge]\nx = 1\n[judge]", "juge: unknown key 'juge'"),
        ("[judge]", "[juge]\nx = 1\n[judge]", "did you mean 'judge'?"),
        ('name = "finance"', "", "tune.name: this key is missing"),
        (
            'name = "finance"',
            'name = "finance"\nrepeats = 2',
            "tune.repeats: found 2; expected greater",
        ),
        ('name = "finance"', 'name = "finance"\nseed = "7"', "tune.seed: found '7'; expected a whole number"),
        ('name = "finance"', 'name = "finance"\nseed = true', "tune.seed: found True; expected a whole number"),
        ('name = "finance"', 'name = "finance"\nalpha = nan', "tune.alpha"),
        ('name = "finance"', 'name = "finance"\ntarget = 9.4', "tune.target: found 9.4"),
        ('name = "finance"', 'name = "finance"\nstrategy = "miprov2"', "tune.strategy: found 'miprov2'"),
        ('file = "prompt.md"', "", "prompt: neither file nor parts, or both"),
        ('file = "prompt.md"', 'file = "p.md"\nparts = { a = "a.md" }', "prompt: neither file nor parts, or both"),
        ('file = "prompt.md"', "parts = {}", "prompt.parts: no part"),
        ('file = "prompt.md"', 'parts = { "a b" = "a.md" }', "found the name 'a b'"),
        ('file = "prompt.md"', 'file = "p.md"\ntemplate = "t.md"', "a template without parts"),
        ('file = "scenarios.jsonl"', "", "scenarios: neither file nor brief, or both"),
        ('file = "scenarios.jsonl"', 'file = "s.jsonl"\nbrief = "b.md"', "scenarios: neither file nor brief, or both"),
        ('file = "scenarios.jsonl"', 'file = "s.jsonl"\ncount = 10', "a count beside a file"),
        ('file = "scenarios.jsonl"', 'file = "s.jsonl"\ntest = 1.0', "scenarios.test: found 1.0"),
        ('checks = "checks.json"', "", "judge.checks: this key is missing"),
        ('policy = "policy.json"', 'policy = "p.json"\nmust = "disclaimer"', "judge.must: found 'disclaimer'"),
        ("[judge]", "[budget]\ncalls = 0\n[judge]", "budget.calls"),
        ("[judge]", "[budget]\ncost = nan\n[judge]", "budget.cost"),
        ("[judge]", '[budget]\ncost = "a lot"\n[judge]', "budget.cost: found 'a lot'"),
        ("[judge]", "[budget]\ncost = -1\n[judge]", "budget.cost"),
        ("[judge]", '[constraints]\nkeep = [" "]\n[judge]', "constraints.keep: an empty text in the list"),
        ("[judge]", "[constraints]\nmax_change = 2\n[judge]", "constraints.max_change"),
        ("[judge]\n", "judge = 3\n", ""),
        ("[tune]", "[tune", "expected valid TOML"),
    ],
)
def test_what_is_wrong_is_named_with_its_key(tmp_path, old, new, told):
    assert old in LEAST
    with pytest.raises(FileFormatError) as raised:
        load_tune(written(tmp_path, LEAST.replace(old, new, 1)))
    assert told in str(raised.value)
    assert str(tmp_path / "tune.toml") in str(raised.value)


def test_a_section_that_is_no_table_is_said(tmp_path):
    with pytest.raises(FileFormatError, match=r"models: found text; expected a table of keys"):
        load_tune(written(tmp_path, f'models = "gpt"\n{LEAST}'))


def with_parts(folder, template, **parts):
    for name, text in parts.items():
        (folder / f"{name}.md").write_bytes(text.encode("utf-8"))
    (folder / "template.md").write_text(template, encoding="utf-8")
    files = ", ".join(f'{name} = "{name}.md"' for name in parts)
    return load_tune(
        written(folder, LEAST.replace('file = "prompt.md"', f'parts = {{ {files} }}\ntemplate = "template.md"'))
    )


def test_the_start_is_read_the_same_on_every_system(tmp_path):
    spec = with_parts(
        tmp_path, "{{part:rules}}\n{{part:tone}}\n", rules="Never\r\npromise.\r\n", tone="\ufeffBe kind.\n"
    )
    start = spec.prompt.read()
    assert start.parts == {"rules": "Never\npromise.", "tone": "Be kind."}
    assert start.render({}) == "Never\npromise.\nBe kind."
    assert (start.parent, start.origin) == (None, "start")


def test_a_part_without_a_place_in_the_template_is_refused_at_the_start(tmp_path):
    """The source's optimizer rewrote rules and tone that never arrived, and nothing said so for a year."""
    spec = with_parts(tmp_path, "You are kind. {{part:rules}}", rules="Never promise.", tone="Be kind.")
    with pytest.raises(ConfigError, match="the part 'tone' has no place in the template"):
        spec.prompt.read()
    spec = with_parts(tmp_path, "{{part:rule}}", rules="Never promise.")
    with pytest.raises(ConfigError, match="did you mean 'rules'"):
        spec.prompt.read()


def test_a_blank_prompt_is_refused(tmp_path):
    (tmp_path / "prompt.md").write_text(" \n", encoding="utf-8")
    with pytest.raises(ConfigError, match="the file is blank"):
        load_tune(written(tmp_path, LEAST)).prompt.read()


def test_a_must_that_is_no_check_is_refused(tmp_path):
    with pytest.raises(FileFormatError, match=r"unknown check 'disclamer'.*did you mean 'disclaimer'"):
        unknown_must(("disclamer",), ("disclaimer", "tone"), tmp_path / "tune.toml")
    unknown_must(("tone",), ("disclaimer", "tone"), tmp_path / "tune.toml")


KEYS = st.sampled_from(["tune", "prompt", "scenarios", "judge", "models", "budget", "name", "file", "cost", "x"])
ODD = (
    *('"a"', "1", "-1", "0.5", "true", "nan", "inf", "[]", '["a"]', "[1]", "1979-05-27"),
    *('"\\u0000"', "{ a = 1 }", '{ a = "b" }', "9" * 99),
)
VALUES = st.recursive(
    st.none() | st.sampled_from(ODD),
    lambda inner: st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(each)}" for key, each in value.items()) + " }"
    return value or '""'


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_a_table_of_anything_is_an_error_of_ours(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("t")
    text = "\n".join(f"{key} = {toml(value)}" for key, value in table.items())
    with pytest.raises(ConfigError, match=r"tune\.toml"):
        load_tune(written(folder, text))


@pytest.mark.parametrize("section", ["tune", "prompt", "scenarios", "judge", "models", "constraints", "budget"])
def test_an_odd_value_of_any_key_is_taken_or_an_error_that_names_it(tmp_path, section):
    """Complaint 15: a value that is none of the kinds expected crashed the loop, much later."""
    head, _, rest = LEAST.partition(f"[{section}]\n")
    own, mark, tail = rest.partition("[")
    for key in tunefile._SECTIONS[section].model_fields:
        for odd in ODD:
            others = [line for line in own.splitlines() if not line.startswith(f"{key} =")]
            text = "\n".join([head, f"[{section}]", f"{key} = {odd}", *others, mark + tail])
            try:
                load_tune(written(tmp_path, text))
            except FileFormatError as error:
                assert section in error.where, (key, odd)  # noqa: PT017 - both ends are fine, each in its way
