"""The MCP server: any agent that speaks MCP recalls lessons, records outcomes and reflects, with no code and no key."""

from senno.mcp.server import made

__all__ = ["made"]
