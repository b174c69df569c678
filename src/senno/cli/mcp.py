"""`senno mcp`: the MCP server, over stdio or over HTTP on loopback."""

from __future__ import annotations

from pathlib import Path

import click

from senno.cli.output import progress


@click.command()
@click.option("--department", help="Whose agent the client is. Default: lessons.default_department of the config.")
@click.option("--agent", default="", help="The name of the agent.")
@click.option("--http", "port", type=click.IntRange(1, 65535), help="Serve http://127.0.0.1:PORT/mcp, not stdio.")
def mcp(department: str | None, agent: str, port: int | None) -> None:
    """Serve this project to an agent: its lessons (recall, record_outcome, reflect) and its gate (gate_diff).

    \b
    claude mcp add senno -- senno mcp --department finance
    senno mcp --http 8722

    Over stdio unless --http is given, which listens on this machine alone.
    """
    from senno.errors import MissingExtra

    try:
        from senno.mcp import add_gate, made, serve_http, serve_stdio
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in ("mcp", "mcp_types"):
            raise MissingExtra("senno mcp", "mcp") from None
        raise
    from senno.lessons.agent import Lessons

    with Lessons(department=department, agent=agent) as lessons:
        server = made(lessons)
        add_gate(server, Path.cwd())
        if port is None:
            serve_stdio(server)
        else:
            serve_http(server, port, progress)
