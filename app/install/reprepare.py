"""Prepares a voice of the library once more, from itself: one that an earlier version added gets what this version makes of voices."""

from __future__ import annotations

from collections.abc import Callable

from app.common.progress import Report, ignore_report
from app.install.manage_voices import find_user_voice
from app.install.natural_voice_install import install_natural_voice
from app.install.preparation_results import PrepareVoice
from app.install.sandboxed_import import prepare_voice_in_sandbox
from app.install.voice_import import ImportOptions, InstallResult, add_voice, find_user_voices_dir
from app.install.voice_licence import AskLicence
from app.voices.installed_voices import list_installed_voices
from app.voices.voice_card_data import read_card
from app.voices.voice_labels import NATURAL_VOICE_ID

RenewVoice = Callable[[str, AskLicence, Report], InstallResult]
"""Prepares the voice of this id or name once more."""


def prepare_voice_again(
    reference: str, ask_licence: AskLicence, report: Report = ignore_report, *, prepare: PrepareVoice = prepare_voice_in_sandbox
) -> InstallResult:
    """Prepare a voice again with its id, name, card and licence; the old one stays until the new one is complete and verified.

    The natural voice is made of its parts again, which are downloaded where they are not installed. A voice of a newer recipe than this
    version's stays as it is.

    Args:
        reference: id or name.

    Raises:
        VoiceError: there is no such voice, it ships with the program, or it cannot be prepared.
        OutputFileError: the disk is full or cannot be written.
    """
    voice = find_user_voice(reference)
    if voice.manifest.id == NATURAL_VOICE_ID:
        return install_natural_voice(None, report, should_update=True)
    if voice.manifest.is_from_newer_version:
        return InstallResult(voice, read_card(voice.path), was_installed=True)
    return add_voice(voice.path, ImportOptions(ask_licence, should_update=True), report, prepare=prepare)


def renew_outdated_voice(
    reference: str, ask_licence: AskLicence, report: Report = ignore_report, *, prepare: PrepareVoice = prepare_voice_in_sandbox
) -> InstallResult:
    """Prepare a voice of an older recipe again as `prepare_voice_again`, from what is on this computer; the natural voice also where it ships.

    Raises:
        VoiceError: there is no such voice, it cannot be prepared, or what it is made of is not here.
        OutputFileError: the disk is full or cannot be written.
    """
    if reference == NATURAL_VOICE_ID:
        return install_natural_voice(None, report, may_download=False)
    return prepare_voice_again(reference, ask_licence, report, prepare=prepare)


def list_user_voice_ids() -> list[str]:
    """Return the ids of all voices that the user has added."""
    return [voice.manifest.id for voice in list_installed_voices([find_user_voices_dir()])]
