"""The entry point: commands loaded when they are called, errors as one line and an exit code."""

from __future__ import annotations

import importlib
import io
import sys
import traceback
from typing import Any, cast

import click

from senno.errors import SennoError

# Name → (module, what it does). The texts stand here so that `senno --help` imports no command.
COMMANDS = {
    "run": ("senno.cli.run", "Run a loop on a request: actor ⇄ critic, until code is satisfied."),
    "runs": ("senno.cli.runs", "What was run: list, show, export."),
    "loops": ("senno.cli.loops", "Loops: list them, draw one, begin a new one."),
    "lessons": ("senno.cli.lessons", "Lessons: what agents wrote down after a task: add, list, show, verify, export."),
    "recall": ("senno.cli.recall", "The lessons of similar past tasks, as a block for the prompt."),
    "reindex": ("senno.cli.lessons_index", "Make the index of the lessons again: all of it is derived."),
    "import": ("senno.cli.imports", "Take in lessons from elsewhere: Reflexion logs, mem0, JSON Lines."),
    "mcp": (
        "senno.cli.mcp",
        "Serve lessons and gate to an agent over MCP: recall, record_outcome, reflect, gate_diff.",
    ),
    "judge": ("senno.cli.judge", "Judge a text: checks, closed questions, policy → verdict."),
    "tune": ("senno.cli.tune", "Tune a prompt: scenarios, verdicts, rewrites, acceptance on evidence."),
    "gate": ("senno.cli.gate", "Judge a diff before it is merged: detectors, closed questions, lanes."),
    "init": ("senno.cli.project", "Write a commented senno.toml here."),
    "config": ("senno.cli.project", "Show the settings that hold here, and where each comes from."),
    "doctor": ("senno.cli.project", "What is set up, what is missing, and how to add it."),
}

_FUNCTIONS = {"import": "import_"}
"""Commands whose function cannot have their name."""

INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group whose commands are imported when one of them is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[cmd_name][0])
        return cast("click.Command", getattr(module, _FUNCTIONS.get(cmd_name, cmd_name)))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; click itself would exit with 1 where the reader of our output went away."""
        from senno.cli.output import reader_may_leave

        with reader_may_leave():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """From `COMMANDS`, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 fine · 1 the answer is no · 2 usage or config · 3 undecided · 4 could not · 130 interrupted.",
)
@click.version_option(package_name="senno", prog_name="senno")
def cli() -> None:
    """Senno makes LLM agents better by hindsight, and proves it.

    A model writes, a model reads, code decides. Try it with no key:

        senno run movies "3 films about cryptography"
    """


def main() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that is not UTF-8 gets escapes for what it cannot show: "?" is a mark with a meaning here.
            stream.reconfigure(errors="backslashreplace")
    try:
        code: Any = cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except SennoError as error:
        from senno.text import shown

        click.echo(f"senno: {shown(str(error))}", err=True)
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("senno: interrupted; what was recorded is kept: senno runs list", err=True)
        code = INTERRUPTED
    except Exception:  # noqa: BLE001 - a fault of senno's own: Python would exit with 1, which says "the answer is no"
        traceback.print_exc()
        code = SennoError.exit_code
    sys.exit(code if isinstance(code, int) else 0)
