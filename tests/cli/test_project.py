"""`senno init`, `senno config`, `senno doctor`."""

import pytest

KEY = "SENNO_CALLS_TIMEOUT"


def test_init_writes_a_file_that_sets_nothing_and_names_every_key(senno, machine):
    before = senno("config", "show", "--json").json["settings"]
    ran = senno("init")
    assert (ran.code, ran.out) == (0, "")
    after = senno("config", "show", "--json").json["settings"]
    assert {k: v["value"] for k, v in after.items()} == {k: v["value"] for k, v in before.items()}
    text = (machine / "senno.toml").read_text()
    assert all(key.rpartition(".")[2] in text for key in before)


def test_init_leaves_a_file_that_is_there_as_it_is(senno, machine):
    (machine / "senno.toml").write_text("# mine\n")
    ran = senno("init")
    assert (ran.code, "was left as it is" in ran.err) == (2, True)
    assert (machine / "senno.toml").read_text() == "# mine\n"


def test_init_may_be_tried_dry(senno, machine):
    ran = senno("init", "--dry-run")
    assert (ran.code, ran.out.startswith("# senno.toml")) == (0, True)
    assert not list(machine.iterdir())


def test_each_setting_says_where_it_comes_from_and_the_nearer_place_wins(senno, machine, monkeypatch, tmp_path):
    def holds():
        told = senno("config", "show", "--origin", "--json").json["settings"]["calls.timeout"]
        return told["value"], told["origin"]

    assert holds() == (120.0, "default")
    user = tmp_path / "home" / "config" / "senno" / "config.toml"
    user.parent.mkdir(parents=True)
    user.write_text("[calls]\ntimeout = 1\n")
    assert holds() == (1.0, str(user))
    (machine / "senno.toml").write_text("[calls]\ntimeout = 2\n")
    assert holds() == (2.0, str(machine / "senno.toml"))
    monkeypatch.setenv(KEY, "3")
    assert holds() == (3.0, f"${KEY}")


def test_a_flag_wins_over_all(senno, machine, monkeypatch):
    monkeypatch.setenv("SENNO_BUDGET_SECONDS", "1000")
    (machine / "senno.toml").write_text("[budget]\nseconds = 2000\n")
    ran = senno("run", "movies", "1 film about boxing", "--max-seconds", "0.000001", "--json")
    assert "budget of 1e-06 seconds" in ran.json["error"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[modles]\n", "did you mean 'models'"),
        ('[models]\ntxet = "x"\n', "did you mean 'text'"),
        ("[calls]\ntimeout = -1\n", "calls.timeout"),
        ('[prices]\n"x" = { inptu = 1, output = 1 }\n', "did you mean 'input'"),
        ("[models\n", "line 1"),
        ("models = 1\n", "models"),
    ],
)
def test_a_wrong_settings_file_stops_every_command_and_names_its_place(senno, machine, text, said):
    (machine / "senno.toml").write_text(text)
    for command in (("config", "show"), ("run", "movies", "x"), ("runs", "list"), ("loops", "list")):
        ran = senno(*command)
        assert (ran.code, ran.out) == (2, "")
        assert str(machine / "senno.toml") in ran.err
        assert said in ran.err
    doctor = senno("doctor", "--json")
    assert doctor.code == 2
    assert next(c for c in doctor.json["checks"] if c["what"] == "settings")["state"] == "wrong"


@pytest.mark.parametrize("name", ["SENNO_MODEL_TEXT", "SENNO_PRICES", "SENNO_MODELS_ROLES"])
def test_a_variable_that_is_no_setting_is_told(senno, monkeypatch, name):
    monkeypatch.setenv(name, "x")
    assert f"{name} is set and is no setting" in senno("config", "show").err
    doctor = senno("doctor", "--json")
    assert (doctor.code, [c["state"] for c in doctor.json["checks"] if name in c["detail"]]) == (2, ["wrong"])


def test_doctor_finds_nothing_wrong_on_a_fresh_machine_and_says_what_is_missing(senno):
    ran = senno("doctor", "--json")
    assert ran.code == 0
    told = {c["what"]: (c["state"], c["detail"]) for c in ran.json["checks"]}
    assert told["model that writes"] == ("none", "set models.text, or pass --model")
    assert told["ledger"][0] == "none"
    assert told["loop movies"][0] == "ok"
    assert told["$OPENAI_API_KEY"] == ("none", "needed for openai: models")
    assert "senno init" in told["settings"][1]


def test_doctor_sees_keys_without_showing_them(senno, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    ran = senno("doctor")
    assert ran.code == 0
    assert "sk-very-secret" not in ran.out
    assert "$OPENAI_API_KEY" in ran.out


@pytest.mark.parametrize("file", ["senno.toml", "pyproject.toml"])
def test_doctor_names_the_settings_file_the_ledger_and_a_broken_loop(senno, machine, file):
    (machine / file).write_text("" if file == "senno.toml" else "[tool.senno]\n")
    senno("run", "movies", "1 film about boxing")
    senno("loops", "new", "mine")
    (machine / "loops" / "mine" / "roles.py").write_text("def x(:\n")
    ran = senno("doctor", "--json")
    told = {c["what"]: (c["state"], c["detail"]) for c in ran.json["checks"]}
    assert told["settings"] == ("ok", str(machine / file))
    assert told["ledger"][0] == "ok"
    assert "last run" in told["ledger"][1]
    assert (ran.code, told["loop mine"][0]) == (2, "wrong")
    assert "roles.py:1" in told["loop mine"][1]
