"""The texts that are judged again and again: JSON Lines, or a folder of text files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from senno.errors import ConfigError, FileFormatError
from senno.files import read_text
from senno.judge.json_lines import JsonLine, json_lines
from senno.models import Json

_SUFFIXES = {".txt", ".md"}
_KEYS = ("id", "text", "state", "item", "group")


@dataclass(frozen=True, slots=True)
class Text:
    """One text, or one state, to be judged."""

    id: str
    item: str
    """The scenario that it answers: where several texts answer one, decode noise can be told from judge noise."""
    text: str
    state: Json = None
    """What the questions are asked about; `None`: `{"text": text}`."""
    group: str | None = None
    """A measurement is made of each group too: texts of one kind may be noisier than those of another."""


def load_texts(path: Path) -> tuple[Text, ...]:
    """The texts in a file of JSON Lines (`{"id", "text"}` or `{"id", "state"}`; `item`, `group`), or in a folder.

    Of a folder, the files that end in `.txt` or `.md`, by name, subfolders not; the name is the id.

    Raises:
        ConfigError: it cannot be read, or there is no text in it.
        FileFormatError: a line is not as said, or an id stands twice.
    """
    found = tuple(_of_folder(path) if path.is_dir() else _of_lines(path))
    if not found:
        wanted = "files that end in .txt or .md" if path.is_dir() else 'lines such as {"id": …, "text": …}'
        raise ConfigError(f"{path}: no text in it; expected {wanted}")
    return found


def _of_folder(path: Path) -> Iterator[Text]:
    try:
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in _SUFFIXES and file.is_file())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror or error})") from None
    for file in files:
        yield Text(file.name, file.name, read_text(file))


def _of_lines(path: Path) -> Iterator[Text]:
    seen: dict[str, str] = {}
    for line in json_lines(path):
        text = _text(line)
        if text.id in seen:
            raise FileFormatError(line.where, f"the id {text.id!r} stands at {seen[text.id]} too", "an id of its own")
        seen[text.id] = line.where
        yield text


def _text(line: JsonLine) -> Text:
    line.refuse_other_keys(_KEYS)
    values = line.values
    if ("text" in values) == ("state" in values):
        raise FileFormatError(line.where, "neither text nor state, or both", "one of the two")
    id_ = line.text("id")
    item = line.text("item") if "item" in values else id_
    group = line.text("group") if "group" in values else None
    if "text" in values:
        return Text(id_, item, line.text("text", may_be_empty=True), group=group)
    state = values["state"]
    if state is None:
        raise FileFormatError(f"{line.where}: state", "found nothing", "what the questions are asked about")
    of_state = cast("dict[str, Any]", state).get("text") if isinstance(state, dict) else state
    return Text(id_, item, of_state if isinstance(of_state, str) else "", cast("Json", state), group)
