"""Removes, renames and exports voices of the library; at every moment a voice is there whole or not at all."""

from __future__ import annotations

import os
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

from app.adapters.files.part_file import build_write_error
from app.common.errors import InputError, OutputFileError, VoiceError
from app.common.files.atomic_write import move_path, prepare_part_path, remove_path, resolve_symlink
from app.common.files.paths import list_subfolders, list_voice_dirs
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.compose.disk_stores import open_graph_store
from app.install.natural_voice_presence import remember_removal
from app.install.staging_folders import recover_interrupted_moves, remove_folder, sync_files_to_disk
from app.install.voice_identity import list_prepared_files
from app.install.voice_import import find_user_voices_dir
from app.voices.installed_voices import build_unknown_voice_error, find_installed_voice, list_installed_voices, require_installed_voice
from app.voices.prepared_voice import Voice, read_prepared_voice
from app.voices.voice_card_data import read_card
from app.voices.voice_labels import NATURAL_VOICE_ID
from app.voices.voice_manifest import write_manifest

# As in an AIVM manifest.
MAX_VOICE_NAME_CHARS = 80
ZIP_SUFFIX = ".zip"


def remove_voice(reference: str) -> str:
    """Remove an installed voice and the optimised copies of its graphs, and return its id.

    The voice is found by id or name, a damaged one by the name of its folder too.

    Raises:
        VoiceError: there is none, or it ships with the program.
        OutputFileError: its files are in use or protected.
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


def validate_voice_name(name: str) -> str:
    """Return a name in the form that is kept: one line, up to 80 letters. Raise InputError if it is not valid."""
    shown = " ".join(name.split())
    if not shown or len(shown) > MAX_VOICE_NAME_CHARS or not shown.isprintable():
        raise InputError(
            localize("この名前は使えません。", "This name cannot be used."),
            localize(
                f"1〜{MAX_VOICE_NAME_CHARS} 文字の名前を入力してください。", f"Choose a name of 1 to {MAX_VOICE_NAME_CHARS} characters."
            ),
        )
    return shown


def export_voice(reference: str, target: Path, report: Report = ignore_report, *, may_replace: bool = False) -> Path:
    """Copy a prepared voice with its card into a new folder or a `.zip`, which another Koebako can add.

    Args:
        may_replace: a zip that is there already gives way when the new one is complete.

    Raises:
        VoiceError: there is no such voice.
        OutputFileError: the target is there already, or cannot be written.
    """
    voice = require_installed_voice(reference, list_voice_dirs())
    files = list_prepared_files(voice.path, read_card(voice.path))
    target = target.absolute()
    try:
        if not (may_replace and target.suffix.lower() == ZIP_SUFFIX and target.is_file()):
            _check_free(target)
        target = resolve_symlink(target)
        part = prepare_part_path(target)
        try:
            _write_export(files, voice, part, target, report)
        finally:
            remove_path(part)
    except OSError as exc:
        raise build_write_error(target, exc) from exc
    return target


def _write_export(files: list[Path], voice: Voice, part: Path, target: Path, report: Report) -> None:
    if target.suffix.lower() == ZIP_SUFFIX:
        _write_zip(files, voice, part, report)
    else:
        part.mkdir()
        copy_voice_files(voice, part, report)
        sync_files_to_disk(part)
        if target.exists():
            target.rmdir()
    move_path(part, target)


def _check_free(target: Path) -> None:
    """Raise an error unless the target is free; an empty folder may exist."""
    if os.path.lexists(target) and (target.is_symlink() or not target.is_dir() or any(target.iterdir())):
        raise OutputFileError(
            localize(f"すでにあります: {target}", f"This already exists: {target}"),
            localize("別の名前を指定してください。", "Choose another name."),
        )


def _write_zip(files: list[Path], voice: Voice, target: Path, report: Report) -> None:
    """Write a zip with a folder named as the id. Nothing is compressed: weights do not become smaller."""
    with zipfile.ZipFile(target, "x", zipfile.ZIP_STORED) as archive:
        for index, path in enumerate(files):
            report("storing", index / len(files))
            archive.write(path, f"{voice.manifest.id}/{path.relative_to(voice.path).as_posix()}")


def copy_voice_files(voice: Voice, target: Path, report: Report = ignore_report) -> None:
    """Copy a prepared voice with its card into an existing, empty folder; raise OSError if the disk refuses it."""
    files = list_prepared_files(voice.path, read_card(voice.path))
    for index, path in enumerate(files):
        report("storing", index / len(files))
        copy = target / path.relative_to(voice.path)
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, copy)


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
