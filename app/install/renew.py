"""Prepares a voice of the library once more, from itself: one that an earlier version added gets what this version makes of voices."""

from __future__ import annotations

from app.install.confined import prepare_voice_confined
from app.install.library import Installed, Wishes, add_voice, user_voices
from app.install.licence import Ask
from app.install.prepared import Prepare
from app.install.upkeep import own_voice
from app.progress import Report, unreported
from app.voices.library import installed_voices


def renew_voice(wanted: str, ask: Ask, report: Report = unreported, *, prepare: Prepare = prepare_voice_confined) -> Installed:
    """Id, name, card and licence stay; until the new voice is complete and proved, the old one is there.

    Args:
        wanted: id or name.

    Raises:
        VoiceError: there is no such voice, it ships with the program, or it cannot be prepared.
        OutputFileError: the disk is full or cannot be written.
    """
    return add_voice(own_voice(wanted).path, Wishes(ask, update=True), report, prepare=prepare)


def renewable() -> list[str]:
    """Ids of all voices that the user has added."""
    return [voice.manifest.id for voice in installed_voices([user_voices()])]
