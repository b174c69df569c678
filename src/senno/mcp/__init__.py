"""The MCP server: any agent that speaks MCP recalls lessons, records outcomes and reflects, with no code and no key."""

from senno.mcp.gate_tool import add_gate
from senno.mcp.server import made
from senno.mcp.serving import serve_http, serve_stdio

__all__ = ["add_gate", "made", "serve_http", "serve_stdio"]
