"""`senno tune` as its user meets it."""

from __future__ import annotations

import json
import re

import pytest

from command_line import _senno  # noqa: F401 - the fixture
from openai_server import answers, completion


@pytest.fixture
def file(finance, plain_law):
    return finance(scenarios=14, rounds="2", answers="1")


@pytest.fixture
def tuned(senno, file, law):
    """A tuning that found a better prompt, and what was printed."""
    return senno("tune", file, "--json", "--quiet").json


@pytest.fixture(autouse=True)
def _plain_models(finance):
    """The models of the example are Python beside the tune file: the law of these tests is written there."""
    script = finance().parents[1] / "scripted.py"
    text = script.read_text(encoding="utf-8").replace("IDLE_SHARE = 0.3", "IDLE_SHARE = 0.0")
    text = re.sub(r'(Law\(\("plain words", "parole semplici"\)), 0.45, 0.92', r"\1, 0.0, 1.0", text)
    text = re.sub(r'(Law\(\("numeric example", "esempio numerico"\)), 0.30, 0.95', r"\1, 0.0, 1.0", text)
    script.write_text(text, encoding="utf-8")


def test_a_tuning_runs_with_no_key(senno, file) -> None:
    ran = senno("tune", file)
    assert ran.code == 0
    assert "better on the training part" in ran.out
    assert "held out (looked at once): no measurable difference: +" in ran.out, "four scenarios cannot tell"
    assert re.search(r"\d+ calls \(answer \d+, judge \d+, rewrite 2\)", ran.out)
    assert "incumbent p" in ran.err


def test_json_is_one_object_with_all_of_it(tuned) -> None:
    assert (tuned["outcome"], tuned["exit_code"]) == ("better", 0)
    assert set(tuned["versions"]) >= {tuned["start"], tuned["best"]}
    look = tuned["rounds"][0]["looks"][0]
    assert look["acceptance"]["k"] == 2
    assert look["acceptance"]["control"]["repeats"] == 3
    assert tuned["held_out"]["touches"] == 1


def test_the_exit_code_says_what_was_found(senno, finance) -> None:
    assert senno("tune", finance(scenarios=3, rounds="1"), "--quiet").code == 3
    assert senno("tune", finance(scenarios=3), "--quiet", "--max-calls", "5").code == 4
    assert senno("tune", "nowhere.toml").code == 2


def test_a_prompt_whose_every_change_is_worse_is_a_no(senno, file) -> None:
    script = file.parents[1] / "scripted.py"
    text = script.read_text(encoding="utf-8")
    script.write_text(
        re.sub(r'(Law\(\("[^)]*"\)), 0.0, 1.0', r"\1, 1.0, 0.0", text).replace("IDLE_SHARE = 0.0", "IDLE_SHARE = -1"),
        encoding="utf-8",
    )
    rules = 'helps = [(failures[0], _RULES[language][name]) for name in ("tone_fits", "numeric_example")]'
    text = re.sub(r"helps = \[.*\]", rules, script.read_text(encoding="utf-8"))
    script.write_text(text, encoding="utf-8")
    ran = senno("tune", file, "--quiet")
    assert ran.code == 1, ran.out
    assert "worse: nothing that was tried is better" in ran.out


def test_a_plan_calls_nobody(senno, file, server) -> None:
    """Complaints 7 and 9: what it will take is said before the first call."""
    ran = senno("tune", "plan", file, *server.flags())
    assert ran.code == 0
    assert "the smallest true difference that is found four times in five" in ran.out
    assert "price not known" in ran.out
    assert not server.requests
    assert senno("tune", "plan", file, "--json").json["train"] == 10


def test_a_plan_says_how_many_candidates_a_budget_buys(senno, file) -> None:
    """Complaint 7."""
    assert "the budget buys 0 of 2 candidates" in senno("tune", "plan", file, "--max-calls", "61").out
    assert "the budget buys 1 of 2 candidates" in senno("tune", "plan", file, "--max-calls", "90").out


@pytest.mark.parametrize("language", ["en", "it"])
def test_what_was_foreseen_is_what_it_took(senno, finance, language) -> None:
    """Complaint 9: the estimate against what was spent."""
    file = finance(language, scenarios=14, rounds="2", answers="1")
    plan = senno("tune", "plan", file, "--json").json
    used = senno("tune", file, "--json", "--quiet").json["used"]["all"]["calls"]
    assert plan["least"]["calls"] - 20 <= used <= plan["most"]["calls"]


def test_a_plan_for_scenarios_that_are_still_to_be_made(senno, file) -> None:
    text = file.read_text(encoding="utf-8").replace('file = "scenarios.jsonl"', 'brief = "brief.md"\ncount = 20')
    file.write_text(text, encoding="utf-8")
    plan = senno("tune", "plan", file, "--json").json
    assert plan["train"] + plan["test"] == 20
    assert not plan["warnings"]


def test_after_a_run_the_plan_knows_the_spread(senno, file, tuned) -> None:
    assert senno("tune", "plan", file, "--json").json["sd_measured"] is True


def test_the_second_look_at_a_held_out_part_is_refused(senno, file, tuned) -> None:
    ran = senno("tune", file)
    assert ran.code == 2
    assert f"run {tuned['run']} looked at the held-out part" in ran.err
    again = senno("tune", file, "--touch-again", "--json", "--quiet").json
    assert again["held_out"]["touches"] == 2


def test_history_lists_runs_and_shows_one(senno, tuned) -> None:
    listed = senno("tune", "history", "--json").json["runs"]
    assert [each["run"] for each in listed] == [tuned["run"]]
    assert tuned["run"] in senno("tune", "history").out
    one = senno("tune", "history", "last", "--json").json
    assert one["versions"][0]["id"] == tuned["start"]
    assert "better: the incumbent from here on" in senno("tune", "history", tuned["run"][-4:]).out


def test_two_runs_of_one_version_are_two(senno, file, tuned) -> None:
    """The same prompt in two runs is two measurements, side by side."""
    other = senno("tune", file, "--touch-again", "--json", "--quiet").json
    shown = senno("tune", "show", tuned["start"], "--json").json
    assert [each["run"] for each in shown["runs"]] == [other["run"], tuned["run"]]
    told = senno("tune", "compare", f"{tuned['run']}/start", f"{other['run']}/start", "--json").json
    assert told["diff"] == ""
    assert told["acceptance"]["outcome"] == "no measurable difference"


def test_show_has_text_scores_and_answers(senno, tuned) -> None:
    out = senno("tune", "show", "best", "--answers").out
    assert "Give one numeric example" in out or "Use plain words" in out
    assert "en-01 (" in out
    assert senno("tune", "show", tuned["best"][:5], "--json", "--answers").json["runs"][0]["answers"]


def test_compare_shows_what_changed_and_what_it_did(senno, tuned) -> None:
    ran = senno("tune", "compare", "start", "best")
    assert f"+++ tone ({tuned['best']})" in ran.out
    assert "second against first, as one look: better" in ran.out
    told = senno("tune", "compare", "start", "best", "--json").json
    assert len(told["scenarios"]) == 10


def test_export_gives_the_prompt_as_plain_text(senno, tuned, tmp_path) -> None:
    """Complaint 20: what comes out can be used anywhere."""
    text = senno("tune", "export").out
    assert "{{profile}}" in text
    assert text == senno("tune", "export", tuned["best"]).out
    assert senno("tune", "export", "best", "-o", tmp_path / "p.md").code == 0
    assert (tmp_path / "p.md").read_text(encoding="utf-8") == text
    assert senno("tune", "export", "start", "--part", "tone").out == "Be brief and professional.\n"
    assert "did you mean 'tone'" in senno("tune", "export", "start", "--part", "tune").err


def test_resume_of_a_stopped_run_goes_on(senno, file, tuned) -> None:
    stopped = senno("tune", file, "--touch-again", "--max-calls", "30", "--quiet")
    assert "Go on where it stopped: senno tune resume" in stopped.out
    assert "is used up by what it did; raise it" in senno("tune", "resume").err
    gone_on = senno("tune", "resume", "--max-calls", "5000", "--json", "--quiet").json
    assert gone_on["best"] == tuned["best"]


@pytest.mark.parametrize("command", ["history", "show best", "compare a b", "report", "export", "resume"])
def test_without_a_tuning_each_command_says_so(senno, finance, command) -> None:
    finance()
    ran = senno("tune", *command.split())
    assert ran.code == 2
    assert "no ledger here yet" in ran.err or "no tuning in this ledger yet" in ran.err


def test_names_that_mean_nothing_are_refused(senno, tuned) -> None:
    assert "no version 'pzzz'" in senno("tune", "show", "pzzz").err
    assert "may mean" in senno("tune", "show", "p").err
    assert "no run 'zzzz'" in senno("tune", "report", "zzzz").err


def test_the_page_is_whole_and_safe(senno, file, finance, tmp_path) -> None:
    """Scenarios, answers and prompts are text, whatever they say."""
    path = file.with_name("scenarios.jsonl")
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    hostile = {**json.loads(first), "text": "<script>alert(1)</script>\u202egnp.exe"}
    path.write_text("\n".join([json.dumps(hostile), *rest]) + "\n", encoding="utf-8")
    page = tmp_path / "page.html"
    assert senno("tune", file, "--quiet", "--html", page).code == 0
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "\u202e" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert 'class="band"' in text
    assert "The final figure" in text
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text


@pytest.mark.parametrize("calls", [1, 40, 65, 90])
def test_a_page_of_a_run_that_stopped_is_made_too(senno, file, tmp_path, calls) -> None:
    senno("tune", file, "--quiet", "--max-calls", calls)
    ran = senno("tune", "report", "-o", tmp_path / "page.html")
    assert ran.code == 0, ran.err
    assert "undecided" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_scenarios_are_made_from_a_brief(senno, file, server) -> None:
    text = file.read_text(encoding="utf-8").replace('file = "scenarios.jsonl"', 'brief = "brief.md"\ncount = 12')
    file.write_text(text, encoding="utf-8")

    def makes(number, request):
        if request.body.get("model") != "rewriter" or "test cases" not in request.body["messages"][0]["content"]:
            return None
        cases = [{"text": f"Question {n}, {number}?", "profile": f"person {n}", "stratum": "x"} for n in range(8)]
        return answers(completion(json.dumps({"scenarios": cases}), model="maker"))

    server.before = makes
    ran = senno("tune", file, *server.flags(), "--json", "--quiet")
    assert ran.json["used"]["scenarios"]["calls"] == 2
    assert ran.json["rounds"][0]["score"]["asked"] == 9 * 3


def test_a_maker_that_makes_nothing_new_is_an_error(senno, file, server) -> None:
    text = file.read_text(encoding="utf-8").replace('file = "scenarios.jsonl"', 'brief = "brief.md"\ncount = 12')
    file.write_text(text, encoding="utf-8")
    case = {"text": "The same?", "profile": "one", "stratum": "x"}
    server.before = lambda number, request: answers(completion(json.dumps({"scenarios": [case]}), model="maker"))
    ran = senno("tune", file, *server.flags(), "--quiet")
    assert ran.code == 4
    assert "1 of 12 scenarios made" in ran.err


def test_help_imports_no_model(senno) -> None:
    ran = senno("tune", "--help")
    assert ran.code == 0
    assert "held-out part" in ran.out


def test_what_a_model_in_python_prints_is_no_part_of_the_result(senno, file) -> None:
    script = file.parents[1] / "scripted.py"
    script.write_text(script.read_text(encoding="utf-8") + '\nprint("loaded")\n', encoding="utf-8")
    assert senno("tune", file, "--json", "--quiet").json["outcome"] == "better"
