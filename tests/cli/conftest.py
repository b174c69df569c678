import pydantic_ai.models.openai  # noqa: F401 - here, so that loading it counts against no budget of seconds
import pytest

from command_line import _senno  # noqa: F401 - fixtures
from isolation import _machine  # noqa: F401
from openai_server import OpenAIServer


@pytest.fixture
def server():
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def ask(senno, server):
    """Runs the movie finder with every role played by the server; returns what `--json` says, and the exit code."""

    def run(*options, request="1 film about cryptography"):
        return senno("run", "movies", request, "--model", f"{server.url}#m", "--json", *options)

    return run


@pytest.fixture
def record(senno):
    """The newest run as the ledger has it, with its calls."""
    return lambda *options: senno("runs", "show", "last", "--calls", "--json", *options).json
