"""The command line: thin. It parses, calls, prints; no rule of senno lives here."""

from senno.cli.main import main

__all__ = ["main"]
