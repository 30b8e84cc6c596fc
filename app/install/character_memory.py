"""A memory of the voices that the user chose for names in imported files, so that the next import need not ask."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.adapters.files.file_lock import lock_path_for_change
from app.common.errors import AppError
from app.common.files.atomic_write import check_version, load_data, save_data
from app.common.files.paths import find_data_dir
from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import localize
from app.core.script.project import VoiceAssignment

CHARACTERS_VERSION = 1
MAX_CHARACTERS = 10_000


def locate_characters_file() -> Path:
    """Return the path of the file of remembered characters."""
    return find_data_dir() / "characters.json"


def load_characters() -> tuple[tuple[VoiceAssignment, ...], AppError | None]:
    """Return the remembered characters; a file that cannot be read is copied aside and reported."""
    failed = localize("キャラクターと声の対応を読み込めませんでした。", "The voices assigned to characters could not be read.")
    found, error = load_data(locate_characters_file(), _parse_characters, failed)
    return found or (), error


def remember_characters(chosen: Iterable[VoiceAssignment]) -> None:
    """Add choices to the file, replacing those of the same name and dropping the oldest. Raise OutputFileError."""
    failed = localize("キャラクターと声の対応を保存できません", "The voices assigned to characters could not be saved")
    # Another window may remember characters at the same time; without the lock one of the two changes is lost.
    with lock_path_for_change(locate_characters_file()):
        known = {character.name: character for character in load_characters()[0]}
        for character in chosen:
            # Removed and added again, a choice becomes the newest and is the last to be dropped.
            known.pop(character.name, None)
            known[character.name] = character
        kept = list(known.values())[-MAX_CHARACTERS:]
        data = {"version": CHARACTERS_VERSION, "characters": {one.name: [one.voice, one.speaker, one.style] for one in kept}}
        save_data(locate_characters_file(), data, failed)


def _parse_characters(data: Any) -> tuple[VoiceAssignment, ...]:
    found = []
    for name, who in list(check_version(data, CHARACTERS_VERSION, "characters").items())[:MAX_CHARACTERS]:
        voice, speaker, style = who
        found.append(
            VoiceAssignment(sanitise_short_text(name), sanitise_short_text(voice), sanitise_short_text(speaker), sanitise_short_text(style))
        )
    return tuple(found)
