"""What voices were called, so that a line whose voice has gone can still say which one it was."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from app.adapters.files.lock import sole_use
from app.data_file import load_data, save_data, versioned
from app.errors import AppError
from app.language import localized
from app.paths import data_dir
from app.ui.background import BackgroundThread
from app.ui.voices.catalog_voice import CatalogVoice

VERSION = 1
MOST_NAMES = 1000
LONGEST_NAME = 200


def names_path() -> Path:
    """Where they are kept."""
    return data_dir() / "voice_names.json"


class VoiceNames(QObject):
    """Names of all voices that were ever here, by id; written in the background."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._background = BackgroundThread(self, "voice names")
        self._background.failed.connect(_note)
        self._names = _known_names()
        self._told: dict[str, str] = {}

    def find(self, voice: str) -> str:
        """What a voice was called; empty where nobody knows."""
        return self._names.get(voice) or self._told.get(voice, "")

    def take(self, names: dict[str, str]) -> None:
        """What the open project calls its voices: believed where we never met them, and not kept."""
        self._told = names

    def learn(self, voices: Iterable[CatalogVoice]) -> None:
        """Remembers the names of voices that are here now."""
        names = {voice.id: voice.name[:LONGEST_NAME] for voice in voices if voice.id}
        if names.items() <= self._names.items():
            return
        self._names = _with(self._names, names)
        self._background.run(lambda: _keep(names))

    def close(self) -> None:
        """Waits for what is being written."""
        self._background.close(finish=True)


def _known_names() -> dict[str, str]:
    failed = localized("声の名前の一覧を読み込めませんでした。", "The list of voice names could not be read.")
    known, error = load_data(names_path(), _read, failed)
    if error is not None:
        _note(error)
    return known or {}


def _with(known: dict[str, str], names: dict[str, str]) -> dict[str, str]:
    """The oldest give way."""
    others = [item for item in known.items() if item[0] not in names]
    return dict([*others, *names.items()][-MOST_NAMES:])


def _keep(names: dict[str, str]) -> None:
    """Adds to what is in the file, which another program may have changed."""
    failed = localized("声の名前の一覧を保存できません", "The list of voice names could not be saved")
    with sole_use(names_path()):
        save_data(names_path(), {"version": VERSION, "names": _with(_known_names(), names)}, failed)


def _read(data: Any) -> dict[str, str]:
    names = versioned(data, VERSION, "names")
    if not all(isinstance(name, str) for name in names.values()):
        raise ValueError("no names")
    return names


def _note(error: AppError) -> None:
    """Nothing depends on these names: it is enough that the log says so."""
    logging.getLogger("koebako").warning("%s %s", error.message, error.hint)
