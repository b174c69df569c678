"""A Python function of the user's as a check."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from senno.judge.checks.result import CheckContext, CheckError, CheckResult
from senno.judge.checks.spec import CheckSpec, Example
from senno.threads import as_failure, told


class CallableCheck(CheckSpec):
    """A Python function says whether the text passes.

    `package.module:function` is imported; `file.py:function` is a file, relative to the file of checks. The
    function is called with the text, and with the `CheckContext` too if it takes two arguments. It returns a
    bool, a bool and a sentence, or a `CheckResult`. It runs in this process with all its rights. Where it raises,
    or returns anything else, the check is an error, not a failure.
    """

    type: Literal["callable"]
    function: Annotated[str, Field(pattern=r"^[^:]*[\w)]:[^\W\d]\w*$")]
    """`module:function` or `path/to/file.py:function`."""
    runs_code: ClassVar[bool] = True
    example: ClassVar[Example] = Example({"type": "callable", "function": "builtins:bool"}, "anything", "")

    def examine(self, text: str, context: CheckContext) -> CheckResult:
        """Call it."""
        function = self._function(context.folder)
        try:
            returned = function(text, context) if _takes_two(function) else function(text)
        except CheckError:
            raise
        except (Exception, SystemExit) as error:
            raise CheckError(f"{self.function} raised {told(as_failure(error))}") from error
        return self._result(returned)

    def _function(self, folder: Path) -> Callable[..., object]:
        source, _, name = self.function.rpartition(":")
        try:
            module = _from_file(folder, source) if source.endswith(".py") else importlib.import_module(source)
        except (Exception, SystemExit) as error:
            raise CheckError(f"{self.function} cannot be loaded: {told(as_failure(error))}") from error
        function = getattr(module, name, None)
        if not callable(function):
            what = "there is none" if function is None else f"found a {type(function).__name__}"
            raise CheckError(f"{self.function}: expected a function named {name!r} in {source}, {what}")
        return function

    def _result(self, returned: object) -> CheckResult:
        match returned:
            case CheckResult():
                return returned
            case bool():
                return CheckResult(returned, f"{self.function} returned {returned}")
            case (bool() as passed, str() as detail):
                return CheckResult(passed, detail)
            case _:
                found = type(returned).__name__
                raise CheckError(
                    f"{self.function} returned a {found}; expected a bool, (bool, sentence) or CheckResult"
                )


def _from_file(folder: Path, source: str) -> ModuleType:
    file = (folder / source).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise ImportError(f"{file} is outside {folder.resolve()}, the folder of the file of checks")
    return _load(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _load(file: Path, mtime_ns: int) -> ModuleType:  # noqa: ARG001  (a file that was edited is another one)
    name = f"senno_check_{file.stem}_{abs(hash(file))}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and pickles of the file look their module up by name.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return False
    positional = [p for p in parameters if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}]
    return sum(p.default is p.empty for p in positional) >= 2
