from __future__ import annotations

import sys
from pathlib import Path

import pytest

from senno.errors import ConfigError, MissingExtra
from senno.models import TextModel, same_model, text_model
from senno.models.names import ollama_url

KEYS = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"), "k")


@pytest.mark.parametrize(
    "name",
    [
        "anthropic:claude-sonnet-4-5",
        "openai:gpt-4o",
        "openrouter:openai/gpt-4o",
        "ollama:llama3.2:1b",
        "http://127.0.0.1:8089/v1#local",
        "https://models.example.com/v1",
        "HTTP://[::1]:8089/v1/#a#b",
    ],
)
def test_a_name_makes_a_model_that_keeps_it(name) -> None:
    model = text_model(name, KEYS)
    assert isinstance(model, TextModel)
    assert model.name == name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("antropic:claude", "unknown provider 'antropic'; did you mean 'anthropic'?"),
        ("bedrock:claude", "unknown provider 'bedrock'; expected one of anthropic:MODEL, openai:MODEL"),
        ("gpt-4o", "it names no provider; expected one of anthropic:MODEL"),
        ("", "it names no provider"),
        ("url:x", "unknown provider 'url'"),
        ("openai:", "it names no model; expected openai:MODEL"),
        ("http://", "expected http(s)://HOST/v1#MODEL"),
        ("http://host:port/v1", "not a URL"),
        ("http://[::1/v1", "not a URL"),
        ("https://host/v1?key=x", "no query"),
        ("https://user:secret@host/v1", "holds a user or a password"),
        ("ollama:\udcff", "model 'ollama:\\udcff': it holds characters that no name has"),
        ("http://127.0.0.1:1/v1#a\ud800", "it holds characters that no name has"),
        ("gguf:a\0.gguf", "it holds characters that no name has"),
        ("openai:gpt\x1b[2J", "it holds characters that no name has"),
    ],
)
def test_a_name_that_says_nothing_is_an_error_that_helps(name, said) -> None:
    with pytest.raises(ConfigError) as caught:
        text_model(name, KEYS)
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("openai:gpt-4o", "OPENAI_API_KEY"),
        ("openrouter:openai/gpt-4o", "OPENROUTER_API_KEY"),
    ],
)
@pytest.mark.parametrize("environ", [{}, {"ANTHROPIC_API_KEY": "", "OPENAI_API_KEY": "", "OPENROUTER_API_KEY": ""}])
def test_a_missing_key_names_its_variable(name, variable, environ) -> None:
    with pytest.raises(ConfigError, match=f"set the environment variable {variable}"):
        text_model(name, environ)


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("anthropic:claude-sonnet-4-5", "anthropic", "anthropic"),
        ("openai:gpt-4o", "openai", "openai"),
        ("openrouter:openai/gpt-4o", "openai", "openai"),
        ("ollama:llama3.2", "openai", "openai"),
        ("http://127.0.0.1:1/v1", "openai", "openai"),
        ("google:gemini-2.5-flash", "google", "google"),
        ("mistral:mistral-large-latest", "mistralai", "mistral"),
        ("groq:llama-3.3-70b-versatile", "groq", "groq"),
    ],
)
def test_a_missing_package_names_its_extra(monkeypatch, name, package, extra) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    environ = {**KEYS, "GEMINI_API_KEY": "k", "MISTRAL_API_KEY": "k", "GROQ_API_KEY": "k"}
    with pytest.raises(MissingExtra, match=rf"pip install 'senno\[{extra}\]'"):
        text_model(name, environ)


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({}, "http://localhost:11434/v1"),
        ({"OLLAMA_HOST": "0.0.0.0"}, "http://localhost:11434/v1"),
        ({"OLLAMA_HOST": "192.168.1.5:9000"}, "http://192.168.1.5:9000/v1"),
        ({"OLLAMA_HOST": "https://box.example.com"}, "https://box.example.com:11434/v1"),
        ({"OLLAMA_HOST": "http://[::1]:11434"}, "http://[::1]:11434/v1"),
        ({"OLLAMA_BASE_URL": "http://box:1/v1/", "OLLAMA_HOST": "other"}, "http://box:1/v1"),
    ],
)
def test_where_ollama_is(environ, url) -> None:
    assert ollama_url(environ) == url


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("openai:gpt-4o", "openai:gpt-4o"),
        ("openai:gpt-4o", " OpenAI:GPT-4o"),
        ("openai:gpt-4o", "openai:gpt-4o-2024-08-06"),
        ("anthropic:claude-3-5-sonnet-latest", "anthropic:claude-3-5-sonnet-20241022"),
        ("openai:gpt-4o", "openrouter:openai/gpt-4o"),
        ("anthropic:claude-sonnet-4-5", "openrouter:anthropic/claude-sonnet-4.5"),
        ("openrouter:qwen/qwen3:free", "openrouter:qwen/qwen3:free"),
        ("openrouter:openai/gpt-4o:nitro", "openai:gpt-4o"),
        ("ollama:llama3.2", "ollama:llama3.2:latest"),
        ("ollama:llama3.2", "http://127.0.0.1:11434/v1#llama3.2"),
        ("http://127.0.0.1:8089/v1#a", "http://localhost:8089/v1/#a"),
        ("http://127.0.0.1:8089/v1", "http://127.0.0.1:8089/v1#a"),
        ("https://host/v1#a", "https://host:443/v1#a"),
        ("ollama:llama3.2", "http://localhost:11434/v1#llama3.2:latest"),
        ("openai:gpt-4o", "https://api.openai.com/v1#gpt-4o"),
        ("openai:gpt-4o", "https://API.openai.com.:443/v1/#gpt-4o-2024-08-06"),
        ("openai:gpt-4o", "https://api.openai.com/v1"),
        ("anthropic:claude-sonnet-4-5", "https://api.anthropic.com/v1#claude-sonnet-4-5"),
        ("mistral:mistral-large-latest", "https://api.mistral.ai/v1#mistral-large"),
        ("groq:llama-3.3-70b-versatile", "https://api.groq.com/openai/v1#llama-3.3-70b-versatile"),
        ("openai:gpt-4o", "https://openrouter.ai/api/v1#openai/gpt-4o"),
        ("openrouter:qwen/qwen3", "https://openrouter.ai/api/v1#qwen/qwen3"),
        *(
            ("http://127.0.0.1:8089/v1#a", f"http://{host}:8089/v1#a")
            for host in ("localhost.", "LOCALHOST", "a.localhost", "[::1]", "[::]", "[::ffff:127.0.0.1]", "127.0.0.53")
        ),
        *(
            ("http://127.0.0.1:8089/v1#a", f"http://{host}:8089/v1#a")
            for host in ("2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "１２７.0.0.1")
        ),
        ("http://10.0.0.1/v1#a", "http://167772161/v1#a"),
        ("http://[2001:db8::1]/v1#a", "http://[2001:0db8:0:0::1]/v1#a"),
        *(
            ("http://127.0.0.1:8089/v1#a", f"http://127.0.0.1:8089{path}#a")
            for path in ("//v1", "/%761", "/v1//", "/./v1", "/x/../v1")
        ),
        ("gguf:models/../a.gguf", "gguf:./a.gguf"),
    ],
)
def test_two_names_of_one_model(monkeypatch, a, b) -> None:
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    monkeypatch.delenv("OLLAMA_BASE_URL", raising=False)
    assert same_model(a, b)
    assert same_model(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("openai:gpt-4o", "openai:gpt-4o-mini"),
        ("openai:gpt-4o", "anthropic:gpt-4o"),
        ("http://127.0.0.1:8089/v1#a", "http://127.0.0.1:8089/v1#b"),
        ("http://127.0.0.1:8089/v1", "http://127.0.0.1:8090/v1"),
        ("http://127.0.0.1:8089/v1#a", "http://10.0.0.1:8089/v1#a"),
        ("http://127.0.0.1:8089/v1#a", "http://127.0.0.1:8089/v2#a"),
        ("http://10.0.0.1/v1#a", "http://10.0.0.2/v1#a"),
        ("openai:gpt-4o", "https://api.openai.com.example.com/v1#gpt-4o"),
        ("openai:gpt-4o", "https://api.openai.com/v1#gpt-4o-mini"),
        ("ollama:llama3.2", "http://localhost:11434/v1#llama3.2:1b"),
        ("ollama:llama3.2", "ollama:llama3.2:1b"),
        ("gguf:a.gguf", "gguf:b.gguf"),
        ("jev:jev-1.13.0", "jev:jev-1.14.0"),
    ],
)
def test_two_names_of_two_models(a, b) -> None:
    assert not same_model(a, b)


@pytest.mark.parametrize("name", ["http://[::1/v1", "http://host:port/v1", "http://", "gguf:\0", "ollama:\ud800"])
def test_a_name_that_cannot_be_read_is_compared_to_none(name) -> None:
    with pytest.raises(ConfigError):
        same_model(name, "openai:gpt-4o")


def test_a_link_to_a_file_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    (tmp_path / "link.gguf").symlink_to(tmp_path / "a.gguf")
    assert same_model(f"gguf:{tmp_path}/a.gguf", f"gguf:{tmp_path}/link.gguf")
