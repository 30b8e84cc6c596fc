"""Removes, renames and exports voices of the library; at every moment a voice is there whole or not at all."""

import os
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.adapters.files.part_file import build_write_error
from app.common.errors import OutputFileError, VoiceError
from app.common.files.paths import list_subfolders, list_voice_dirs
from app.common.files.whole_files import move_path, prepare_part_path, remove_path, resolve_symlink
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.compose.disk_stores import open_graph_store
from app.install.natural_voice import remember_removal
from app.install.natural_voice_install import install_natural_voice
from app.install.sandboxed_import import prepare_voice_in_sandbox
from app.install.staging_folders import recover_interrupted_moves, remove_folder, sync_files_to_disk
from app.install.voice_identity import copy_voice_files, list_prepared_files, validate_voice_name
from app.install.voice_import import ImportOptions, InstallResult, add_voice, find_user_voices_dir
from app.install.voice_licence import AskLicence
from app.voices.installed_voices import build_unknown_voice_error, find_installed_voice, list_installed_voices, require_installed_voice
from app.voices.prepared_voice import PrepareVoice, Voice, read_prepared_voice, write_manifest
from app.voices.voice_card_data import read_card
from app.voices.voice_labels import NATURAL_VOICE_ID

ZIP_SUFFIX = ".zip"

RenewVoice = Callable[[str, AskLicence, Report], InstallResult]  # prepares the voice of this id or name once more


def remove_voice(reference: str) -> str:
    """Remove an installed voice and the optimised copies of its graphs; return its id. Raise VoiceError, OutputFileError if it is in use.

    The voice is found by id or name, a damaged one by the name of its folder too.
    """
    recover_interrupted_moves(find_user_voices_dir())
    by_folder = next((folder for folder in list_subfolders(find_user_voices_dir()) if folder.name == reference), None)
    folder = by_folder or find_user_voice(reference).path
    remove_folder(folder)
    open_graph_store().remove_orphans()
    if folder.name == NATURAL_VOICE_ID:
        remember_removal()
    return folder.name


def rename_voice(reference: str, name: str) -> Voice:
    """Give an installed voice another name, but keep its id; raise the errors of `remove_voice`, and InputError for a name that is not valid."""
    name = validate_voice_name(name)
    voice = find_user_voice(reference)
    try:
        write_manifest(replace(voice.manifest, name=name), voice.path)
    except OSError as exc:
        raise build_write_error(voice.path, exc) from exc
    return read_prepared_voice(voice.path)


def export_voice(reference: str, target: Path, report: Report = ignore_report, *, may_replace: bool = False) -> Path:
    """Copy a prepared voice with its card into a new folder or a `.zip`, which another Koebako can add; raise VoiceError, OutputFileError.

    With `may_replace` an existing zip is replaced when the new one is complete.
    """
    voice = require_installed_voice(reference, list_voice_dirs())
    files = list_prepared_files(voice.path, read_card(voice.path))
    target = target.absolute()
    try:
        may_be_replaced = may_replace and target.suffix.lower() == ZIP_SUFFIX and target.is_file()
        is_taken = os.path.lexists(target) and (target.is_symlink() or not target.is_dir() or any(target.iterdir()))
        if is_taken and not may_be_replaced:
            raise OutputFileError(
                localize(f"すでにあります: {target}", f"This already exists: {target}"),
                localize("別の名前を指定してください。", "Choose another name."),
            )
        target = resolve_symlink(target)
        part_path = prepare_part_path(target)
        try:
            if target.suffix.lower() == ZIP_SUFFIX:
                # In a folder named as the id. Nothing is compressed: weights do not become smaller.
                with zipfile.ZipFile(part_path, "x", zipfile.ZIP_STORED) as archive:
                    for index, path in enumerate(files):
                        report("storing", index / len(files))
                        archive.write(path, f"{voice.manifest.id}/{path.relative_to(voice.path).as_posix()}")
            else:
                part_path.mkdir()
                copy_voice_files(voice, part_path, report)
                sync_files_to_disk(part_path)
                if target.exists():
                    target.rmdir()
            move_path(part_path, target)
        finally:
            remove_path(part_path)
    except OSError as exc:
        raise build_write_error(target, exc) from exc
    return target


def find_user_voice(reference: str) -> Voice:
    """Return an installed voice, by id or name, that may be changed; raise VoiceError if there is none, or if it ships with the program."""
    voice = find_installed_voice(reference, list_voice_dirs())
    if voice is None:
        raise build_unknown_voice_error(reference, [item.manifest for item in list_installed_voices([find_user_voices_dir()])])
    if voice.path.parent != find_user_voices_dir():
        raise VoiceError(
            localize(
                f"「{voice.manifest.name}」は Koebako に付属する声のため、変更できません。",
                f"“{voice.manifest.name}” comes with Koebako and cannot be changed.",
            ),
            localize("変更できるのは、自分で追加した声だけです。", "You can only change voices that you added."),
        )
    return voice


def prepare_voice_again(
    reference: str, ask_licence: AskLicence, report: Report = ignore_report, *, prepare: PrepareVoice = prepare_voice_in_sandbox
) -> InstallResult:
    """Prepare a voice again with its id, name, card and licence; the old one stays until the new one is complete and verified.

    The natural voice is made of its parts again, which are downloaded if they are missing; a voice of a newer recipe stays as it is.
    Raise VoiceError if there is no such voice or it cannot be prepared, OutputFileError if the disk refuses it.
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
    """Prepare a voice of an older recipe again as `prepare_voice_again`, from what is here; the natural voice also where it ships."""
    if reference == NATURAL_VOICE_ID:
        return install_natural_voice(None, report, may_download=False)
    return prepare_voice_again(reference, ask_licence, report, prepare=prepare)


def list_user_voice_ids() -> list[str]:
    """Return the ids of all voices that the user has added."""
    return [voice.manifest.id for voice in list_installed_voices([find_user_voices_dir()])]
