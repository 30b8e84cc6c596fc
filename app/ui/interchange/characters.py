"""Whom the user chose for names of imported files, so that the next import asks no more."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.adapters.files.lock import sole_use
from app.core.project import Character
from app.data_file import load_data, save_data, versioned
from app.errors import AppError
from app.json_text import short_text
from app.language import localized
from app.paths import data_dir

VERSION = 1
MOST = 10_000


def characters_path() -> Path:
    """Where they are kept."""
    return data_dir() / "characters.json"


def load_characters() -> tuple[tuple[Character, ...], AppError | None]:
    """Those chosen so far; a file that cannot be read is kept in a copy and reported."""
    failed = localized("キャラクターと声の対応を読み込めませんでした。", "The voices assigned to characters could not be read.")
    found, error = load_data(characters_path(), _read, failed)
    return found or (), error


def learn_characters(chosen: Iterable[Character]) -> None:
    """Adds choices to the file; those of the same name are replaced, the oldest give way. Raises OutputFileError."""
    failed = localized("キャラクターと声の対応を保存できません", "The voices assigned to characters could not be saved")
    with sole_use(characters_path()):
        known = {character.name: character for character in load_characters()[0]}
        for character in chosen:
            known.pop(character.name, None)
            known[character.name] = character
        kept = list(known.values())[-MOST:]
        data = {"version": VERSION, "characters": {one.name: [one.voice, one.speaker, one.style] for one in kept}}
        save_data(characters_path(), data, failed)


def _read(data: Any) -> tuple[Character, ...]:
    found = []
    for name, who in list(versioned(data, VERSION, "characters").items())[:MOST]:
        voice, speaker, style = who
        found.append(Character(short_text(name), short_text(voice), short_text(speaker), short_text(style)))
    return tuple(found)
