import re
from decimal import Decimal
from pathlib import Path

import pytest

from senno import config
from senno.errors import ConfigError, FileFormatError


@pytest.fixture(name="load")
def _load(tmp_path):
    """`config.load` in an empty project, with no variable and no file of the user's."""

    def load(toml=None, *, environ=None, flags=None, user=None, name="senno.toml", start=None):
        project = tmp_path / "project"
        (project / "a" / "b").mkdir(parents=True, exist_ok=True)
        if toml is not None:
            (project / name).write_text(toml)
        user_file = tmp_path / "config.toml"
        if user is not None:
            user_file.write_text(user)
        return config.load(project / (start or ""), environ=environ or {}, flags=flags, user_file=user_file)

    return load


VARIABLE, SET = "$SENNO_CALLS_TIMEOUT", {"SENNO_CALLS_TIMEOUT": "3"}
ORDER = {
    "default": ({}, 120.0, "default"),
    "user": ({"user": "[calls]\ntimeout = 1"}, 1.0, "config.toml"),
    "project": ({"user": "[calls]\ntimeout = 1", "toml": "[calls]\ntimeout = 2"}, 2.0, "senno.toml"),
    "variable": ({"toml": "[calls]\ntimeout = 2", "environ": SET}, 3.0, VARIABLE),
    "empty variable": ({"toml": "[calls]\ntimeout = 2", "environ": {"SENNO_CALLS_TIMEOUT": ""}}, 2.0, "senno.toml"),
    "flag": ({"environ": SET, "flags": {"calls.timeout": 4}}, 4.0, "flag"),
    "no flag": ({"environ": SET, "flags": {"calls.timeout": None}}, 3.0, VARIABLE),
}  # fmt: skip


@pytest.mark.parametrize(("given", "value", "origin"), ORDER.values(), ids=ORDER)
def test_the_nearer_place_wins_and_the_origin_says_which(load, given, value, origin):
    loaded = load(**given)
    assert loaded.config.calls.timeout == value
    assert loaded.origin["calls.timeout"].endswith(origin)


def test_the_nearest_file_upwards_holds_and_alone(load, tmp_path):
    (tmp_path / "senno.toml").write_text("[calls]\nattempts = 9\n")
    loaded = load("[calls]\ntimeout = 2\n", start="a/b")
    assert (loaded.config.calls.timeout, loaded.config.calls.attempts) == (2.0, 4)
    assert loaded.project == tmp_path / "project"


def test_a_table_in_pyproject_counts_and_one_of_another_tool_does_not(load, tmp_path):
    (tmp_path / "senno.toml").write_text("")
    other = load("[tool.ruff]\nline-length = 1\n", name="pyproject.toml")
    assert other.file == tmp_path / "senno.toml"
    own = load("[tool.senno.calls]\ntimeout = 2\n", name="pyproject.toml")
    assert (own.config.calls.timeout, own.file) == (2.0, tmp_path / "project" / "pyproject.toml")


WRONG = {
    "unknown section": ("[modles]\n", "senno.toml: modles: unknown section", "did you mean 'models'?"),
    "unknown key": ("[calls]\ntimout = 1\n", "senno.toml: calls.timout: unknown key", "did you mean 'timeout'?"),
    "another kind": ('[calls]\ntimeout = "soon"\n', "senno.toml: calls.timeout: found 'soon'", ""),
    "out of range": ("[calls]\nattempts = 0\n", "senno.toml: calls.attempts: found 0", ""),
    "infinite price": ('[prices]\n"x" = { input = inf, output = 1 }\n', "senno.toml: prices.x.input", ""),
    "negative price": ('[prices]\n"x" = { input = -1, output = 1 }\n', "senno.toml: prices.x.input: found -1", ""),
    "half a price": ('[prices]\n"x" = { input = 1 }\n', "senno.toml: prices.x.output: this key is missing", ""),
    "misspelt price": ('[prices]\n"x" = { input = 1, outptu = 1 }\n', "prices.x.outptu: unknown key", "'output'"),
    "a section that is none": ("calls = 3\n", "senno.toml: calls: found a number", ""),
    "a role that is a number": ("[models.roles]\ncritic = 3\n", "senno.toml: models.roles.critic: found 3", ""),
    "no TOML": ("[calls\n", "senno.toml: Expected", "line 1"),
    "twice": ("[calls]\ntimeout = 1\ntimeout = 2\n", "senno.toml", "line 3"),
    "too deep": ("a = " + "[" * 50_000, "senno.toml: nested too deeply", ""),
    "nobody's home": ('[paths]\nledger = "~nobody-here/x"\n', "senno.toml: ", "~nobody-here"),
}  # fmt: skip


@pytest.mark.parametrize(("toml", "said", "also"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_is_refused_with_file_and_key(load, toml, said, also):
    with pytest.raises(FileFormatError) as refused:
        load(toml)
    assert said in str(refused.value)
    assert also in str(refused.value)


@pytest.mark.parametrize("toml", ["[tool]\nsenno = 3\n", "tool = 3\n", "[tool.senno]\ncalls = 1\n", "[tool\n"])
def test_a_pyproject_of_an_odd_form_is_an_error_or_nobodys(load, toml):
    if toml == "tool = 3\n":
        assert load(toml, name="pyproject.toml").file is None
        return
    with pytest.raises(FileFormatError, match=r"pyproject\.toml"):
        load(toml, name="pyproject.toml")


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"SENNO_CALLS_TIMEOUT": "soon"}, "$SENNO_CALLS_TIMEOUT"),
        ({"SENNO_MODELS_ALLOW_SAME_MODEL": "perhaps"}, "$SENNO_MODELS_ALLOW_SAME_MODEL"),
        ({"SENNO_BUDGET_COST": "-1"}, "$SENNO_BUDGET_COST"),
        ({"SENNO_BUDGET_CALLS": "1.5"}, "$SENNO_BUDGET_CALLS"),
    ],
)
def test_a_wrong_variable_is_refused_by_its_name(load, environ, said):
    with pytest.raises(ConfigError) as refused:
        load(environ=environ)
    assert said in str(refused.value)


def test_variables_that_are_no_setting_are_told_and_secrets_are_none(load):
    environ = dict.fromkeys(("SENNO_API_KEY", "SENNO_MODEL_TEXT", "SENNO_PRICES", "OTHER", "SENNO_CALLS_TIMEOUT"), "1")
    assert load(environ=environ).strangers == ("SENNO_MODEL_TEXT", "SENNO_PRICES")


def test_paths_are_relative_to_the_file_that_says_so(load, tmp_path):
    loaded = load('[paths]\nledger = "x/l.db"\nloops = "mine"\n', start="a/b")
    assert (loaded.ledger, loaded.loops) == (tmp_path / "project/x/l.db", tmp_path / "project/mine")
    assert load(start="a/b", environ={"SENNO_PATHS_LEDGER": "l.db"}).ledger == Path("l.db")


def test_the_ledger_is_in_the_project_or_in_the_users_folder(load, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert load().ledger == tmp_path / "data" / "senno" / "ledger.db"
    assert load("").ledger == tmp_path / "project" / ".senno" / "ledger.db"


def test_a_project_file_may_be_read_as_it_was(load, tmp_path):
    file = tmp_path / "project" / "senno.toml"
    load("[calls]\ntimeout = 5\n")
    asked = {"environ": {}, "user_file": tmp_path / "none"}

    was = config.load(file.parent, **asked, instead={file: "[calls]\ntimeout = 7\n"})
    was_not_there = config.load(file.parent, **asked, instead={file: None})

    assert (was.config.calls.timeout, was.file) == (7, file)
    assert (was_not_there.config.calls.timeout, was_not_there.file) == (120, None)


def test_money_is_exact(load):
    loaded = load('[budget]\ncost = 0.1\n[prices]\n"x" = { input = 0.15, output = 0.6 }\n')
    assert loaded.config.budget.cost == Decimal("0.1")
    assert (loaded.config.prices["x"].input, loaded.config.prices["x"].output) == (Decimal("0.15"), Decimal("0.6"))


def test_the_example_names_every_key_and_says_the_defaults(load):
    lines = config.example().splitlines()
    settings = [line[2:] if re.match(r'# ([a-z_]+|"[^"]+") = ', line) else line for line in lines]
    named = [line.split(" = ")[0] for line in settings if not line.startswith("#")]
    assert {key.rpartition(".")[2] for key in config.known_keys()} - {"prices"} <= set(named)
    loaded = load("\n".join(line for line in settings if "an example" not in line and "://" not in line))
    assert loaded.config.calls == config.Config().calls
    assert loaded.config.models == config.Config().models


def test_what_the_example_gives_as_an_example_can_be_taken_in(load):
    lines = config.example().splitlines()
    settings = [line[2:] if re.match(r'# ([a-z_]+|"[^"]+") = ', line) else line for line in lines]
    loaded = load("\n".join(settings))
    assert (loaded.config.budget.calls, loaded.config.budget.cost, len(loaded.config.prices)) == (
        40,
        Decimal("0.50"),
        1,
    )
