from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from openai_server import Behaviour, OpenAIServer, Recorded, answers, completion, status
from senno.models import Message, Request

EXAMPLE = Path(__file__).parents[2] / "examples" / "finance"
JUDGE = "jev-1.13.0"


@pytest.fixture(name="law", scope="session")
def _law() -> ModuleType:
    """The example's scripted models."""
    spec = importlib.util.spec_from_file_location("finance_scripted", EXAMPLE / "scripted.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(name="finance")
def _finance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Copies the example into a folder of its own and gives the tune file; keys of the file may be changed."""

    def copy(language: str = "en", scenarios: int | None = None, **changes: str) -> Path:
        folder = tmp_path / "finance"
        if not folder.exists():
            shutil.copytree(EXAMPLE, folder)
            (tmp_path / "senno.toml").write_text("", encoding="utf-8")
            monkeypatch.chdir(tmp_path)
        file = folder / language / "tune.toml"
        text = file.read_text(encoding="utf-8")
        for key, value in changes.items():
            lines = [f"{key} = {value}" if line.partition(" =")[0] == key else line for line in text.splitlines()]
            assert lines != text.splitlines() or f"{key} = {value}" in lines, key
            text = "\n".join(lines) + "\n"
        file.write_text(text, encoding="utf-8")
        if scenarios is not None:
            path = file.with_name("scenarios.jsonl")
            kept = path.read_text(encoding="utf-8").splitlines()[:scenarios]
            path.write_text("\n".join(kept) + "\n", encoding="utf-8")
        return file

    return copy


class LawServer(OpenAIServer):
    """The example's models over the wire: `#assistant`, `#rewriter` (OpenAI's chat), and a judge over System One."""

    def __init__(self, law: ModuleType, *behaviours: Behaviour) -> None:
        super().__init__(*behaviours)
        self.law = law
        self.judge_model = JUDGE
        self.before: Callable[[int, Recorded], Behaviour | None] = lambda number, request: None
        """May put something else in the place of an answer, by the number of the request."""

    def next(self, request: Recorded) -> Behaviour:
        with self._arrived:
            self.requests.append(request)
            number = len(self.requests)
            self._arrived.notify_all()
        instead = self.before(number, request)
        if instead is not None:
            return instead
        return self._judged(request) if request.path.endswith("/systemone") else self._written(request)

    def _judged(self, request: Recorded) -> Behaviour:
        text = request.body["state"]["text"]
        given = {name: {"type": "noul", "noul": self.law.seen(name, text)} for name in request.body["questions"]}
        usage = {"input_tokens": 100, "output_tokens": 5}
        return answers({"model": self.judge_model, "answers": given, "usage": usage})

    def _written(self, request: Recorded) -> Behaviour:
        told = {each["role"]: each["content"] for each in request.body["messages"]}
        if request.body["model"] == "assistant":
            text = self.law.written(told["system"], told["user"], request.body["seed"])
            return answers(completion(text, model="assistant-1"))
        if request.body["model"] != "rewriter":
            return status(404, f"no model {request.body['model']}")
        schema = request.body["response_format"]["json_schema"]["schema"]
        edits = self.law.Rewriter()._edits(Request(told["system"], (Message("user", told["user"]),), schema=schema))
        return answers(completion(json.dumps(edits), model="rewriter-1"))

    def flags(self) -> list[str]:
        """The models as flags of the command."""
        url = self.url
        return [
            "--answer-model", f"{url}#assistant", "--rewrite-model", f"{url}#rewriter",
            "--judge-model", f"systemone:{url}#{JUDGE}",
        ]  # fmt: skip


@pytest.fixture(name="server")
def _server(law: ModuleType) -> Any:
    with LawServer(law) as server:
        yield server


@pytest.fixture(name="plain_law")
def _plain_law(law: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A law under which an improvement is plain to see on a dozen scenarios."""
    sure = {name: law.Law(law.LAWS[name].cues, 0.0, 1.0) for name in ("tone_fits", "numeric_example")}
    monkeypatch.setattr(law, "LAWS", {**law.LAWS, **sure})
    monkeypatch.setattr(law, "IDLE_SHARE", 0.0)
    return law
