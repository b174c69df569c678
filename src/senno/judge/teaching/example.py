"""The line that a case adds to the criteria of a question: short, and marked as a quotation."""

from __future__ import annotations

from senno.errors import ConfigError
from senno.text import one_line

EXCERPT = 160
"""Characters of a case that stand for it in the criteria."""
NOTE = 200
"""Most characters of a note."""

_LABELS = {"it": ("Esempio", "Esempio, citato")}
_QUOTES = str.maketrans({"“": "‘", "”": "’", "„": "‘", "`": "'"})


def example_line(text: str, note: str, language: str | None) -> str:
    """One line: the note where there is one, else the beginning of the text between quotation marks.

    Args:
        text: of the case. What it says is data, here as in the state: quotation marks in it cannot end the quotation.
        note: what the case shows, in the user's words; empty: none.
        language: of the question (`it`, or another: English).

    Raises:
        ConfigError: the note is too long.
    """
    told, quoted = _LABELS.get(language or "", ("Example", "Example, quoted"))
    if note.strip():
        said = one_line(note, NOTE + 1)
        if len(said) > NOTE:
            raise ConfigError(
                f"--note has {len(note)} characters; expected at most {NOTE}: what the case shows, in short"
            )
        return f"{told}: {said}"
    return f"{quoted}: “{one_line(text, EXCERPT).translate(_QUOTES)}”"
