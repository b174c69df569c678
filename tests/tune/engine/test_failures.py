"""What fails is an error with its share; what changes in the middle stops the run; budgets hold in each phase."""

from __future__ import annotations

import asyncio
import json

import pytest

from openai_server import answers, completion, status
from senno import config as settings
from senno.errors import ConfigError, SameModelError
from senno.ledger import Ledger
from senno.tune import TuneOptions, load_tuning, resume, tune

ONE_ATTEMPT = "[calls]\nattempts = 1\nconcurrency = 4\n"


@pytest.fixture
def file(finance, plain_law, tmp_path):
    path = finance(scenarios=14, rounds="2", answers="1")
    (tmp_path / "senno.toml").write_text(ONE_ATTEMPT, encoding="utf-8")
    return path


def options(server, **rest):
    flags = server.flags()
    roles = [flag.removeprefix("--").removesuffix("-model") for flag in flags[::2]]
    return TuneOptions(dict(zip(roles, flags[1::2], strict=True)), **rest)


@pytest.fixture
def tuned(file, server, tmp_path):
    def run(**flags):
        loaded = settings.load(flags=flags)
        with Ledger.open(loaded.ledger) as ledger:
            return asyncio.run(tune(file, ledger=ledger, config=loaded.config, options=options(server)))

    return run


def go_on(**flags):
    loaded = settings.load(flags=flags)
    with Ledger.open(loaded.ledger) as ledger:
        return asyncio.run(resume("last", ledger=ledger, config=loaded.config))


def answered(request):
    return request.body.get("model") == "assistant"


def of(request):
    """A number in [0, 1) of its own for each request."""
    import hashlib

    return hashlib.sha256(json.dumps(request.body, sort_keys=True).encode()).digest()[0] / 256


@pytest.mark.parametrize("bad", [lambda: status(500), lambda: answers({"choices": []})])
def test_answers_that_fail_at_random_are_errors_with_their_share(tuned, server, finance, bad) -> None:
    """Complaints 1, 14, 15, 16 and 30: never a zero, never a mean over what is left with nothing said."""
    finance(policy='"policy.json"\nmin_scored = 0.5')
    server.before = lambda number, request: bad() if answered(request) and of(request) < 0.2 else None
    result = tuned()
    assert result.stop == "rounds"
    score = result.rounds[0].score
    assert 0 < score.scored < score.asked
    assert score.verdicts["ERROR"] == score.asked - score.scored
    with Ledger.open(settings.load().ledger) as ledger:
        trial = load_tuning(ledger).trials[result.start, "control"]
    assert {each.score for each in trial.errors} == {None}
    assert all((each.error or "").startswith("no answer: ") for each in trial.errors)
    assert min(each.score for each in trial.scored) > 0.2


def test_judgements_that_fail_are_errors_too(tuned, server, finance) -> None:
    """Complaint 19: what a judge could not say is no score, and says why."""
    finance(policy='"policy.json"\nmin_scored = 0.5')
    server.before = lambda number, request: (
        status(500) if request.path.endswith("/systemone") and of(request) < 0.15 else None
    )
    result = tuned()
    score = result.rounds[0].score
    assert 0 < score.scored < score.asked
    with Ledger.open(settings.load().ledger) as ledger:
        trial = load_tuning(ledger).trials[result.start, "control"]
    assert all("not scored (promises_return: " in (each.error or "") for each in trial.errors)


def test_with_too_few_scored_it_stops_and_says_how_many(tuned, server) -> None:
    server.before = lambda number, request: status(500) if answered(request) and of(request) < 0.3 else None
    result = tuned()
    assert (result.stop, result.outcome, result.exit_code) == ("too_few_scored", "undecided", 4)
    assert "judgements of p1b2a57827233 have a score, and judge.min_scored is 0.95" in result.error


def test_a_failure_is_not_kept_but_the_trial_it_closed_in_is(tuned, server, finance, file) -> None:
    """Complaint 2: a failure is tried again by whoever asks next, and a trial that is over stays what it was."""
    finance(policy='"policy.json"\nmin_scored = 0.5')
    failing = {"on": True}
    server.before = lambda number, request: (
        status(500) if failing["on"] and answered(request) and of(request) < 0.2 else None
    )
    first = tuned()
    failing["on"] = False
    count = len(server.requests)
    again = go_on()
    assert [each.score for each in again.rounds] == [each.score for each in first.rounds]
    assert len(server.requests) == count


@pytest.mark.parametrize("role", ["judge", "answer"])
def test_a_model_that_is_another_version_in_the_middle_stops_the_run(tuned, server, role) -> None:
    changed = {"from": 60}

    def drift(number, request):
        if number < changed["from"]:
            return None
        if role == "judge":
            server.judge_model = "jev-1.14.0"
            return None
        return answers(completion("Ciao.", model="assistant-2")) if answered(request) else None

    server.before = drift
    result = tuned()
    assert (result.stop, result.outcome, result.exit_code) == ("model_changed", "undecided", 4)
    assert {"judge": "jev-1.14.0", "answer": "assistant-2"}[role] in result.error
    changed["from"] = 10**9
    server.judge_model = "jev-1.13.0"
    assert go_on().outcome == "better"


@pytest.mark.parametrize("calls", [1, 20, 61, 70, 140, 200, 250])
def test_a_budget_holds_in_every_phase_and_over_all_roles(tuned, server, calls) -> None:
    """Complaints 8, 10 and 11: one gate, so that the rewriter's calls and the judge's count too."""
    result = tuned(**{"budget.calls": calls})
    assert (result.stop, result.exit_code) == ("budget", 4)
    assert len(server.requests) == calls == result.used["all"]["calls"]
    with pytest.raises(ConfigError, match=r"a budget of run .* is used up by what it did"):
        go_on()
    assert go_on(**{"budget.calls": 5000}).outcome == "better"


def test_gone_on_with_a_larger_budget_it_comes_to_the_same_end(tuned, server, file) -> None:
    whole = tuned()
    requests = len(server.requests)
    loaded = settings.load(flags={"budget.calls": 100})
    with Ledger.open(loaded.ledger) as ledger:
        again = options(server, touch_again=True)
        asyncio.run(tune(file, ledger=ledger, config=loaded.config, options=again))
    result = go_on(**{"budget.calls": 5000})
    assert result.rounds == whole.rounds
    assert len(server.requests) == 2 * requests


@pytest.mark.parametrize(("flag", "value"), [("budget.tokens", 3000), ("budget.seconds", 0.05)])
def test_tokens_and_seconds_are_budgets_too(tuned, server, flag, value) -> None:
    result = tuned(**{flag: value})
    assert result.stop == "budget"
    assert flag.partition(".")[2] in result.error


def test_a_budget_of_money_needs_prices(tuned, server) -> None:
    with pytest.raises(ConfigError, match=r"the price of .* is not known"):
        tuned(**{"budget.cost": "1.0"})
    assert not server.requests


def test_a_budget_of_money_holds(tuned, server, tmp_path) -> None:
    prices = "\n".join(f'"{name}" = {{ input = 1000, output = 1000 }}' for name in server.flags()[1::2])
    (tmp_path / "senno.toml").write_text(f"{ONE_ATTEMPT}\n[prices]\n{prices}\n", encoding="utf-8")
    result = tuned(**{"budget.cost": "1.5"})
    assert result.stop == "budget"
    assert 0 < float(result.used["all"]["cost"]["known"]) <= 1.5


def test_a_judge_that_wrote_is_refused_before_the_first_call(file, server, tmp_path) -> None:
    url = server.url
    for role in ("answer", "rewrite"):
        models = {"answer": f"{url}#a", "rewrite": f"{url}#b", "judge": f"systemone:{url}#j", role: f"{url}#j"}
        with Ledger.open(tmp_path / "l.db") as ledger, pytest.raises(SameModelError):
            asyncio.run(tune(file, ledger=ledger, options=TuneOptions(models)))
    assert not server.requests
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert not ledger.runs(), "nothing was begun"


def test_a_rewriter_that_never_writes_edits_is_an_error_and_not_a_silent_keep(tuned, server) -> None:
    """Complaint 26: the answer is typed, and one that cannot be read is asked for again, within a bound."""
    server.before = lambda number, request: (
        answers(completion("I would rather not.", model="rewriter-1"))
        if request.body.get("model") == "rewriter"
        else None
    )
    result = tuned()
    assert (result.stop, result.outcome, result.exit_code) == ("error", "undecided", 4)
    assert "malformed in 3 answers" in result.error


def test_each_role_is_in_the_ledger_and_so_is_what_was_sent(tuned, server) -> None:
    """Complaint 11: what each role spent can be seen."""
    result = tuned()
    assert set(result.used) == {"answer", "judge", "rewrite", "all"}
    with Ledger.open(settings.load().ledger) as ledger:
        rows = ledger.calls(result.run_id)
        models = load_tuning(ledger).models
    assert len(rows) == len(server.requests) == result.used["all"]["calls"]
    assert models == {"answer": "assistant-1", "judge": "jev-1.13.0"}


def test_what_changed_since_is_named_when_a_run_is_gone_on_with(tuned, file, server) -> None:
    tuned(**{"budget.calls": 30})
    rules = file.with_name("rules.md")
    rules.write_text(rules.read_text(encoding="utf-8") + "Be kind.\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="the prompt changed since run"):
        go_on(**{"budget.calls": 5000})


def test_a_rewriter_that_is_busy_is_asked_again(tuned, server, tmp_path) -> None:
    """Complaint 13: a rate limit in the rewriting costs a wait, and nothing else."""
    (tmp_path / "senno.toml").write_text("[calls]\nattempts = 3\nconcurrency = 4\n", encoding="utf-8")
    busy = []

    def before(number, request):
        if request.body.get("model") == "rewriter" and len(busy) < 2:
            busy.append(number)
            return status(429, headers={"Retry-After": "0"})
        return None

    server.before = before
    result = tuned()
    assert (result.outcome, len(busy)) == ("better", 2)


def test_a_judge_that_fails_for_one_minute_ends_neither_run_nor_score(tuned, server, finance) -> None:
    """Complaint 14: a hiccup is neither the end nor a zero."""
    finance(policy='"policy.json"\nmin_scored = 0.9')
    server.before = lambda number, request: status(503) if 40 <= number < 43 else None
    result = tuned()
    assert result.stop == "rounds"
    assert result.rounds[0].score.asked - result.rounds[0].score.scored <= 3
