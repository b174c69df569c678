"""A diagram as a file: SVG as it is, PNG by resvg."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path

from senno.errors import ConfigError, MissingExtra
from senno.files import write_text

_ZOOM = 2.0
"""PNG pixels for each unit of the SVG."""


def check_picture(path: Path) -> None:
    """Refuse a picture that could not be written, before anything is judged.

    Raises:
        ConfigError: its name ends neither in `.svg` nor in `.png`.
        MissingExtra: PNG, and resvg is not installed.
    """
    kind = path.suffix.lower()
    if kind not in (".svg", ".png"):
        raise ConfigError(f"{path}: a diagram is an .svg or a .png; expected a name that ends so")
    if kind == ".png" and importlib.util.find_spec("resvg_py") is None:
        raise MissingExtra("a diagram as PNG", "plots")


def write_picture(path: Path, svg: str) -> None:
    """Write a diagram, whole or not at all.

    Raises:
        ConfigError: as `check_picture`, or the place cannot be written.
        MissingExtra: as `check_picture`.
    """
    check_picture(path)
    if path.suffix.lower() == ".svg":
        write_text(path, svg)
        return
    from resvg_py import svg_to_bytes

    data = svg_to_bytes(svg_string=svg, zoom=_ZOOM, sans_serif_family="DejaVu Sans")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror or error})") from None
