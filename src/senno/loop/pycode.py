"""Python of the user's, named in a loop file as `file.py:name`, and its functions as tools of a model.

A loop's Python runs with the rights of whoever runs the loop, as any program does: run loops that you trust.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, PydanticUserError, create_model

from senno.errors import FileFormatError
from senno.files import is_file, kind_of
from senno.models import Tool
from senno.text import did_you_mean
from senno.threads import as_failure, told


class Folder:
    """The Python files of one loop, importable by each other as `from .other import name`."""

    def __init__(self, path: Path, where: str) -> None:
        self._path = path.resolve()
        self._where = where
        digest = hashlib.sha256(str(self._path).encode("utf-8", "surrogateescape")).hexdigest()[:12]
        self._package = f"_senno_loop_{digest}"

    def load(self, key: str, reference: object) -> Any:
        """What `file.py:name` names.

        Raises:
            FileFormatError: at `key`: not of that form, outside the folder, not there, or it does not import.
        """
        at = f"{self._where}: {key}"
        if not isinstance(reference, str) or reference.count(":") != 1:
            raise FileFormatError(at, f"found {reference!r}", "file.py:name, beside the loop file")
        file, _, name = reference.partition(":")
        module = self._module(at, file)
        if not name or not hasattr(module, name):
            names = [n for n in vars(module) if not n.startswith("_")]
            raise FileFormatError(
                at, f"{file} has no {name!r}", "a name that it defines", did_you_mean(name, names)[2:]
            )
        return getattr(module, name)

    def _module(self, at: str, file: str) -> types.ModuleType:
        stem, dot, suffix = file.rpartition(".")
        if (dot, suffix) != (".", "py") or not stem.isidentifier():
            raise FileFormatError(at, f"found {file!r}", "a .py file in the folder of the loop file")
        path = (self._path / file).resolve()
        if path.parent != self._path:
            raise FileFormatError(at, f"{file} is a link to {path}", "a .py file in the folder of the loop file")
        if not is_file(path):
            near = did_you_mean(file, (p.name for p in self._path.glob("*.py")))[2:]
            raise FileFormatError(at, f"{path} is not there", "a .py file beside the loop file", near)
        self._make_package()
        full = f"{self._package}.{path.stem}"
        try:
            with redirect_stdout(sys.stderr):  # what it prints is no part of any answer
                return importlib.import_module(full)
        except (Exception, SystemExit) as error:
            sys.modules.pop(full, None)
            line = _line_in(error, path)
            raise FileFormatError(
                f"{path}{line}", f"importing it failed: {told(as_failure(error))}", "a module that imports"
            ) from error

    def _make_package(self) -> None:
        if self._package not in sys.modules:
            package = types.ModuleType(self._package)
            package.__path__ = [str(self._path)]
            sys.modules[self._package] = package
            importlib.invalidate_caches()


def _line_in(error: BaseException, path: Path) -> str:
    if isinstance(error, SyntaxError) and error.lineno:
        return f":{error.lineno}"
    lines = [t.tb_lineno for t in _frames(error) if t.tb_frame.f_code.co_filename == str(path)]
    return f":{lines[-1]}" if lines else ""


def _frames(error: BaseException) -> list[types.TracebackType]:
    frames: list[types.TracebackType] = []
    trace = error.__traceback__
    while trace:
        frames.append(trace)
        trace = trace.tb_next
    return frames


@dataclass(frozen=True, slots=True)
class PythonTool:
    """A function that a model may call. Its arguments are validated against its annotations."""

    tool: Tool
    arguments: type[BaseModel]
    function: Callable[..., Any]

    def call(self, arguments: Mapping[str, Any]) -> Any:
        """Run it.

        Raises:
            ValidationError: the arguments are not those of the function.
        """
        valid = self.arguments.model_validate(dict(arguments))
        return self.function(**{name: getattr(valid, name) for name in self.arguments.model_fields})


def python_tool(function: object, at: str) -> PythonTool:
    """A function as a tool: its name, its docstring, its annotated parameters.

    Raises:
        FileFormatError: it is no function, has no docstring, or a parameter without annotation.
    """
    if not inspect.isfunction(function):
        raise FileFormatError(at, f"found {kind_of(function)}", "a function")
    described = inspect.getdoc(function)
    if not described:
        raise FileFormatError(
            at, f"{function.__name__} has no docstring", "one that tells the model what the tool does"
        )
    try:
        parameters = inspect.signature(function, eval_str=True).parameters
    except Exception as error:  # noqa: BLE001 - an annotation in quotes is Python, and may raise anything
        problem = f"{function.__name__}: its annotations do not evaluate ({type(error).__name__}: {error})"
        raise FileFormatError(at, problem, "name: type for each parameter") from None
    fields: dict[str, Any] = {}
    for name, parameter in parameters.items():
        if parameter.annotation is inspect.Parameter.empty or parameter.kind in (
            inspect.Parameter.VAR_POSITIONAL,
            inspect.Parameter.VAR_KEYWORD,
        ):
            raise FileFormatError(at, f"the parameter {name!r} has no annotation", "name: type for each parameter")
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[name] = (parameter.annotation, default)
    try:
        arguments = create_model(f"{function.__name__}_arguments", __config__=ConfigDict(extra="forbid"), **fields)
        schema = arguments.model_json_schema()
    except (PydanticUserError, TypeError, ValueError) as error:
        raise FileFormatError(at, str(error).splitlines()[0], "parameters with types that JSON can carry") from None
    return PythonTool(Tool(function.__name__, described, schema), arguments, function)
