"""Knows whether the natural voice is there, and whether it may be prepared by itself. Every start asks, so it imports little."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from app.common.files.paths import find_data_dir, find_resources_dir, list_voice_dirs
from app.voices.installed_voices import list_installed_voices
from app.voices.prepared_voice import Voice
from app.voices.voice_labels import NATURAL_VOICE_ID

NATURAL_VOICE_VARIABLE = "KOEBAKO_NATURAL_VOICE"
"""With the value `off` the voice is prepared by request alone."""


def is_prepared_by_request_alone() -> bool:
    """Return whether the environment forbids to prepare the voice with nobody asking for it."""
    return os.environ.get(NATURAL_VOICE_VARIABLE, "").casefold() == "off"


def find_natural_voice() -> Voice | None:
    """Return the natural voice where it is installed or ships with the program."""
    return _find_natural_voice_among(list_voice_dirs())


def find_shipped_natural_voice() -> Voice | None:
    """Return the natural voice that ships with the program, which the user's own may hide, if it is of this version's recipe or a newer one."""
    voice = _find_natural_voice_among([find_resources_dir() / "voices"])
    return None if voice is None or voice.manifest.is_outdated else voice


def _find_natural_voice_among(folders: Sequence[Path]) -> Voice | None:
    return next((voice for voice in list_installed_voices(folders) if voice.manifest.id == NATURAL_VOICE_ID), None)


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
