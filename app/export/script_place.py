"""The place of a script is its path from the folder that it is exported to. A project that is moved or cloned together with the folder keeps it."""

from __future__ import annotations

import os
from pathlib import Path, PurePath, PurePosixPath

from app.export.name_pattern import FORBIDDEN_FILE_NAME_CHARS

MAX_PLACE_CHARS = 4_000


def describe_place(script: Path | None, folder: Path) -> str:
    """Return the path of a script relative to the folder, with forward slashes; empty where there is none that holds on every system."""
    if script is None:
        return ""
    try:
        place = PurePath(os.path.relpath(os.path.realpath(script), os.path.realpath(folder))).as_posix()
    except (OSError, ValueError):  # on another drive, for example
        return ""
    return place if is_place(place) else ""


def is_place(text: str) -> bool:
    """Return whether a text can be a place: one that leads to another computer, as a manifest may come from a stranger, is none."""
    parts = text.split("/")
    if len(text) > MAX_PLACE_CHARS or parts[-1] in (".", "..") or any("\ud800" <= letter <= "\udfff" for letter in text):
        return False
    return not any(not part or FORBIDDEN_FILE_NAME_CHARS.search(part) for part in parts)


def is_same_place(one: str, other: str) -> bool:
    """Return whether two places mean one script, which may have become a project since."""
    return bool(one and other) and PurePosixPath(one).with_suffix("") == PurePosixPath(other).with_suffix("")


def is_there(place: str, folder: Path) -> bool:
    """Return whether a script is still at this place."""
    try:
        return (Path(os.path.realpath(folder)) / place).is_file()
    except OSError:
        return False
