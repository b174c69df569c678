"""Lessons from elsewhere: Reflexion run logs, mem0 exports, JSON Lines. Read as drafts; the store takes them in."""

from senno.lessons.importing.found import Bad, Found, Unusable
from senno.lessons.importing.jsonl import from_jsonl
from senno.lessons.importing.mem0 import from_mem0
from senno.lessons.importing.reflexion import from_reflexion

__all__ = ["Bad", "Found", "Unusable", "from_jsonl", "from_mem0", "from_reflexion"]
