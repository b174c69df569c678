"""A part of a version that does not reach the model stops the run, by its name."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from senno.errors import ConfigError
from senno.ledger import Ledger
from senno.models import Message, RoleCalls
from senno.tune import TuneOptions, tune


def tuned(file, tmp_path, **rest):
    with Ledger.open(tmp_path / "l.db") as ledger:
        return asyncio.run(tune(file, ledger=ledger, **rest))


@pytest.fixture
def leave_out(monkeypatch):
    """As the source's notebook did: what is sent is made of the first part alone, and nothing says so."""

    def patch(change):
        whole = RoleCalls.complete

        async def complete(self, model, request):
            return await whole(self, model, change(request) if self.role == "answer" else request)

        monkeypatch.setattr(RoleCalls, "complete", complete)

    return patch


def without_rules(request):
    system = request.system.split("\n\n")
    return replace(request, system="\n\n".join(system[:2]))


def test_rules_that_never_reach_the_model_stop_the_run(finance, tmp_path, leave_out) -> None:
    """The source's bug, unseen for a year. Complaints 20 and 21."""
    leave_out(without_rules)
    result = tuned(finance(), tmp_path)
    assert (result.stop, result.outcome, result.exit_code) == ("wiring", "undecided", 2)
    assert "'rules'" in result.error
    assert result.best == result.start


def test_it_is_seen_in_a_later_version_too(finance, tmp_path, leave_out) -> None:
    """The optimizer's own lines get lost, while the prompt to start from arrives whole."""
    start = "Be brief and professional."
    leave_out(lambda request: replace(request, system=request.system.partition(start)[0] + start))
    result = tuned(finance(), tmp_path)
    assert result.stop == "wiring"
    assert "'tone'" in result.error
    assert len(result.versions) == 2


def test_a_scenario_that_is_not_sent_is_seen(finance, tmp_path, leave_out) -> None:
    leave_out(lambda request: replace(request, messages=(Message("user", "Hello."),)))
    assert tuned(finance(), tmp_path).stop == "wiring"


def test_a_template_without_a_place_for_a_part_is_refused_before_the_first_call(finance, tmp_path) -> None:
    file = finance(variables='["profile"]\ntemplate = "template.md"')
    file.with_name("template.md").write_text("{{part:system}}\n{{part:tone}}", encoding="utf-8")
    with pytest.raises(ConfigError, match="the part 'rules' has no place in the template"):
        tuned(file, tmp_path)


def test_a_prompt_with_a_secret_is_refused(finance, tmp_path) -> None:
    file = finance()
    tone = file.with_name("tone.md")
    tone.write_text("Call us with sk-proj-" + "a1B2" * 12, encoding="utf-8")
    with pytest.raises(ConfigError, match="what looks like a secret"):
        tuned(file, tmp_path)


@pytest.mark.parametrize("name", ["text", "scenario"])
def test_a_variable_under_a_name_that_the_judge_has_already_is_refused(finance, tmp_path, name) -> None:
    file = finance()
    path = file.with_name("scenarios.jsonl")
    text = path.read_text(encoding="utf-8").replace('"variables": {', f'"variables": {{"{name}": "x", ', 1)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=f"the variable '{name}' has the name"):
        tuned(file, tmp_path)


def test_a_scenario_that_lacks_a_variable_is_refused_with_its_line(finance, tmp_path) -> None:
    file = finance()
    file.with_name("scenarios.jsonl").write_text('{"text": "a"}\n{"text": "b"}\n{"text": "c"}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"scenarios\.jsonl:1: the prompt has {{profile}}"):
        tuned(file, tmp_path)


def test_policies_without_weights_have_no_score(finance, tmp_path) -> None:
    file = finance()
    policy = file.with_name("policy.json")
    policy.write_text(policy.read_text(encoding="utf-8").replace('"weights"', '"_w"'), encoding="utf-8")
    with pytest.raises(ConfigError, match="no weights, so there is no score"):
        tuned(file, tmp_path)


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        ("../nope.py:assistant", "there is no file"),
        ("../scripted.py:asistant", "did you mean 'assistant'"),
        ("../scripted.py:judge", "expected a senno.models.TextModel"),
        ("../broken.py:assistant", "does not import: ZeroDivisionError"),
        ("../raises.py:make", "it raised RuntimeError: no"),
    ],
)
def test_models_in_python_that_are_none_are_refused(finance, tmp_path, model, problem) -> None:
    file = finance()
    (file.parents[1] / "broken.py").write_text("1 / 0\n", encoding="utf-8")
    (file.parents[1] / "raises.py").write_text("def make():\n    raise RuntimeError('no')\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=problem):
        tuned(file, tmp_path, options=TuneOptions({"answer": model}))
