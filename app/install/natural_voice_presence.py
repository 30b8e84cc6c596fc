"""Knows whether the natural voice is there, and whether the user removed it. Every start asks, so it imports little."""

from __future__ import annotations

import contextlib
from pathlib import Path

from app.common.files.paths import find_data_dir, list_voice_dirs
from app.voices.installed_voices import list_installed_voices
from app.voices.prepared_voice import Voice
from app.voices.voice_labels import NATURAL_VOICE_ID


def find_natural_voice() -> Voice | None:
    """Return the natural voice where it is installed or ships with the program."""
    return next((voice for voice in list_installed_voices(list_voice_dirs()) if voice.manifest.id == NATURAL_VOICE_ID), None)


def _find_removal_note() -> Path:
    return find_data_dir() / "natural_voice.removed"


def is_natural_voice_removed() -> bool:
    """Return whether the user removed the voice, so that it must not come back by itself."""
    return _find_removal_note().exists()


def remember_removal() -> None:
    """Remember that the user removed the voice; where the disk refuses, it comes back at the next start."""
    with contextlib.suppress(OSError):
        _find_removal_note().touch()


def forget_removal() -> None:
    """Forget that the user removed the voice."""
    with contextlib.suppress(OSError):
        _find_removal_note().unlink(missing_ok=True)
