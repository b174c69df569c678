"""One tree of errors. A message says what was wrong, where, what was expected and what to do."""

from __future__ import annotations


class SennoError(Exception):
    """Any failure that senno reports on purpose.

    `exit_code` is what the command line exits with: 2 usage or config, 3 undecided, 4 could not
    (provider, infrastructure).
    """

    exit_code = 4


class ConfigError(SennoError):
    """A file, a key, a name or an argument of the user's is wrong. Nothing was started."""

    exit_code = 2


class FileFormatError(ConfigError):
    """A file of the user's does not say what it must.

    Args:
        where: the file, and after it the key or the line (`checks.json: tone.criteria`, `loop.yaml:12`).
        problem: what is wrong there.
        expected: what was expected there.
        hint: what to do, where that is more than writing what was expected.
    """

    def __init__(self, where: str, problem: str, expected: str, hint: str = "") -> None:
        self.where = where
        self.problem = problem
        self.expected = expected
        self.hint = hint
        super().__init__(f"{where}: {problem}; expected {expected}" + (f". {hint}" if hint else ""))


class MissingExtra(ConfigError):
    """A model needs a package that an extra of senno brings and that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra {extra!r}: pip install 'senno[{extra}]'")


class SameModelError(ConfigError):
    """Author and judge are one model, and the config does not allow that."""


class BudgetExceeded(SennoError):
    """A call was refused, or cut short, because a budget is used up.

    Args:
        kind: `tokens`, `cost`, `seconds` or `calls`.
        whose: the run, or one role of it.
        limit: the budget, in tokens, US dollars, seconds or calls.
        spent: what was spent, and what the refused call was expected to add.
    """

    def __init__(self, kind: str, whose: str, limit: object, spent: object) -> None:
        self.kind = kind
        self.whose = whose
        super().__init__(f"the budget of {limit} {kind} for {whose} is used up ({spent}); raise it, or ask for less")


class ModelError(SennoError):
    """A call to a model failed for good: every attempt is in the ledger.

    Args:
        model: the name as the user wrote it.
        problem: what the last attempt ended with.
        attempts: how many were made.
    """

    def __init__(self, model: str, problem: str, attempts: int = 1) -> None:
        self.model = model
        self.problem = problem
        self.attempts = attempts
        tries = "" if attempts == 1 else f" (after {attempts} attempts)"
        super().__init__(f"{model}: {problem}{tries}")


class MalformedAnswer(SennoError):
    """A model answered, but not in the form asked for, and went on doing so when it was told."""


class LedgerError(SennoError):
    """The ledger cannot be read or written."""


class LessonRefused(SennoError):
    """A lesson was not stored: it teaches nothing, or it is already there.

    Args:
        reason: `empty`, `no_reason`, `generic`, `copy` (of what was recalled) or `same_reason` (a retry that failed as
            before).
        problem: what is wrong with it, and what would be stored.
    """

    exit_code = 1

    def __init__(self, reason: str, problem: str) -> None:
        self.reason = reason
        super().__init__(f"lesson refused ({reason}): {problem}")
