from __future__ import annotations

import asyncio

import pytest

from openai_server import answers
from senno.errors import ConfigError
from senno.models import Calls, ChatDecisions, Noul, decision_model, same_model
from senno.models.decisions import asked_model
from senno.models.decisions.openai import OpenAIDecisions
from senno.models.decisions.system_one import SystemOne, at_url

KEYS = {"TYPESAFE_API_KEY": "ts", "OPENAI_API_KEY": "oa", "OPENROUTER_API_KEY": "or", "SENNO_API_KEY": "own"}


@pytest.mark.parametrize(
    ("name", "kind", "asked"),
    [
        ("typesafe:jev-1.13.0", SystemOne, "jev-1.13.0"),
        (" typesafe:jev-latest ", SystemOne, "jev-latest"),
        ("systemone:http://127.0.0.1:8000/v1#kev:0.8b", SystemOne, "kev:0.8b"),
        ("systemone:https://openrouter.ai/api/v1#typesafe/jev-1.13", SystemOne, "typesafe/jev-1.13"),
        ("openai-decisions:gpt-6-luna", OpenAIDecisions, "gpt-6-luna"),
        ("openai-decisions:http://h/v1#m", OpenAIDecisions, "m"),
        ("openai:gpt-4o-2024-08-06", ChatDecisions, "gpt-4o-2024-08-06"),
        ("http://127.0.0.1:8000/v1#m", ChatDecisions, "m"),
        ("http://127.0.0.1:8000/v1", ChatDecisions, "http://127.0.0.1:8000/v1"),
        ("ollama:llama3.2:8b", ChatDecisions, "llama3.2:8b"),
    ],
)
def test_a_name_makes_a_model_that_asks_nothing_yet(name, kind, asked) -> None:
    made = decision_model(name, environ=KEYS)
    assert isinstance(made, kind)
    assert (made.name, asked_model(name)) == (name.strip(), asked)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("typesafe:", "it names no model; expected typesafe:MODEL"),
        ("openai-decisions:", "it names no model; expected openai-decisions:MODEL"),
        ("systemone:", "expected http(s)://HOST/v1#MODEL"),
        ("systemone:jev-1.13.0", "expected http(s)://HOST/v1#MODEL"),
        ("systemone:http://h/v1", "expected http(s)://HOST/v1#MODEL"),
        ("systemone:http://#m", "expected http(s)://HOST/v1#MODEL"),
        ("systemone:http://h:port/v1#m", "not a URL"),
        ("systemone:http://h/v1?x=1#m", "no query"),
        ("systemone:http://me:hunter2@h/v1#m", "at h"),
        ("openai-decisions:http://h/v1", "expected http(s)://HOST/v1#MODEL"),
        ("typesafe:jev\x00", "characters that no name has"),
        ("typsafe:jev-1.13.0", "unknown provider 'typsafe'"),
        ("", "it names no provider"),
    ],
)
def test_a_name_that_means_nothing_is_refused(name, said) -> None:
    with pytest.raises(ConfigError) as refused:
        decision_model(name, environ=KEYS)
    assert said in str(refused.value)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "variable"),
    [("typesafe:jev-1.13.0", "TYPESAFE_API_KEY"), ("openai-decisions:gpt-6-luna", "OPENAI_API_KEY")],
)
def test_a_provider_without_its_key_is_refused_with_the_variable(name, variable) -> None:
    with pytest.raises(ConfigError, match=f"set the environment variable {variable}"):
        decision_model(name, environ={key: value for key, value in KEYS.items() if key != variable})


@pytest.mark.parametrize(
    ("url", "environ", "key", "variable"),
    [
        ("http://127.0.0.1:8000/v1#m", KEYS, "own", "SENNO_API_KEY"),
        ("http://127.0.0.1:8000/v1#m", {"TYPESAFE_API_KEY": "ts"}, None, "SENNO_API_KEY"),
        ("https://openrouter.ai/api/v1#m", KEYS, "or", "OPENROUTER_API_KEY"),
        ("https://openrouter.ai/api/v1#m", {"SENNO_API_KEY": "own"}, "own", "SENNO_API_KEY"),
        ("https://openrouter.ai/api/v1#m", {}, None, "OPENROUTER_API_KEY"),
        ("http://openrouter.ai/api/v1#m", KEYS, "own", "SENNO_API_KEY"),
        ("https://openrouter.ai.example/v1#m", KEYS, "own", "SENNO_API_KEY"),
        ("https://API.typesafe.ai/v1#m", KEYS, "ts", "TYPESAFE_API_KEY"),
        ("https://api.openai.com/v1#m", KEYS, "oa", "OPENAI_API_KEY"),
    ],
)
def test_a_providers_key_goes_to_that_provider_alone(url, environ, key, variable) -> None:
    assert at_url(url, environ)[2:] == (key, variable)


@pytest.mark.parametrize(("model", "told"), [("jev-1.13.0", False), ("jev-latest", True), ("kev", True)])
def test_a_name_that_is_not_pinned_is_told_with_each_decision(server, model, told) -> None:
    server.then(answers({"model": model, "answers": {"a": {"type": "noul", "noul": 0.5}}, "usage": {}}))
    made = decision_model(f"systemone:{server.url}#{model}", environ={})
    decision = asyncio.run(Calls().decide(made, "t", {"a": Noul("Is it?")}, role="judge"))
    assert any("no pinned version" in note for note in decision.notes) is told


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("typesafe:jev-1.13.0", "systemone:https://api.typesafe.ai/v1#jev-1.13.0", True),
        ("typesafe:jev-latest", "systemone:https://openrouter.ai/api/v1#~typesafe/jev-latest", True),
        ("openai-decisions:gpt-6-luna", "openai:gpt-6-luna", True),
        ("openai-decisions:https://api.openai.com/v1#gpt-6-luna", "openrouter:openai/gpt-6-luna", True),
        ("systemone:http://127.0.0.1:8000/v1#m", "http://localhost:8000/v1#m", True),
        ("openai-decisions:http://127.0.0.1:8000/v1#m", "http://localhost:8000/v1/#m", True),
        ("typesafe:jev-1.13.0", "typesafe:jev-1.14.0", False),
        ("typesafe:jev-1.13.0", "openai:gpt-6-luna", False),
        ("systemone:http://127.0.0.1:8000/v1#m", "http://localhost:8001/v1#m", False),
        ("systemone:http://127.0.0.1:8000/v1#m", "http://localhost:8000/v1#n", False),
    ],
)
def test_one_model_by_two_routes_is_the_same(a, b, same) -> None:
    assert same_model(a, b) is same_model(b, a) is same
