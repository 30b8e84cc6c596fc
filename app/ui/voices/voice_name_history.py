"""Remembers names of voices, so that a line whose voice is gone can still show which one it was."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from app.adapters.files.file_lock import lock_path_for_change
from app.common.errors import AppError
from app.common.files.atomic_write import check_version, load_data, save_data
from app.common.files.paths import find_data_dir
from app.common.language import localize
from app.ui.background_thread import BackgroundThread
from app.ui.voices.catalog_voice import CatalogVoice

VOICE_NAMES_VERSION = 1
MAX_KNOWN_NAMES = 1000
MAX_NAME_LETTERS = 200


def build_names_path() -> Path:
    """Return the path of the stored names."""
    return find_data_dir() / "voice_names.json"


class VoiceNameHistory(QObject):
    """The names by id of all voices that were ever installed, written in the background."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._background = BackgroundThread(self, "voice names")
        self._background.failed.connect(_log_error)
        self._names = _read_known_names()
        self._told: dict[str, str] = {}

    def find_name(self, voice_id: str) -> str:
        """Return the last known name of a voice; empty if there is none."""
        return self._names.get(voice_id) or self._told.get(voice_id, "")

    def use_project_names(self, names: dict[str, str]) -> None:
        """Use the names that the open project stores; they count only for voices never installed here, and are not saved."""
        self._told = names

    def remember_voices(self, voices: Iterable[CatalogVoice]) -> None:
        """Remember the names of installed voices."""
        names = {voice.id: voice.name[:MAX_NAME_LETTERS] for voice in voices if voice.id}
        if names.items() <= self._names.items():
            return
        self._names = _merge_names(self._names, names)
        self._background.run_work(lambda: _save_names(names))

    def close(self) -> None:
        """Wait for pending writes."""
        self._background.close(finish=True)


def _read_known_names() -> dict[str, str]:
    failed = localize("声の名前の一覧を読み込めませんでした。", "The list of voice names could not be read.")
    known, error = load_data(build_names_path(), _parse_names, failed)
    if error is not None:
        _log_error(error)
    return known or {}


def _merge_names(known: dict[str, str], names: dict[str, str]) -> dict[str, str]:
    """Merge names; beyond the limit the oldest are dropped."""
    others = [item for item in known.items() if item[0] not in names]
    return dict([*others, *names.items()][-MAX_KNOWN_NAMES:])


def _save_names(names: dict[str, str]) -> None:
    """Add names to the file, which another process may have changed."""
    failed = localize("声の名前の一覧を保存できません", "The list of voice names could not be saved")
    with lock_path_for_change(build_names_path()):
        save_data(build_names_path(), {"version": VOICE_NAMES_VERSION, "names": _merge_names(_read_known_names(), names)}, failed)


def _parse_names(data: Any) -> dict[str, str]:
    names = check_version(data, VOICE_NAMES_VERSION, "names")
    if not all(isinstance(name, str) for name in names.values()):
        raise ValueError("no names")
    return names


def _log_error(error: AppError) -> None:
    """Log the error only, as nothing depends on these names."""
    logging.getLogger("koebako").warning("%s %s", error.message, error.hint)
