"""Removes, renames and exports voices of the library; at every moment a voice is there whole or not at all."""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

from app.adapters.files.part_file import write_error
from app.data_file import drop, move, part_beside
from app.errors import InputError, OutputFileError, VoiceError
from app.install.identity import prepared_files
from app.install.library import user_voices
from app.install.staging import mend, remove_folder, sync
from app.language import localized
from app.paths import folders_in, voice_dirs
from app.progress import Report, unreported
from app.voices.card import read_card
from app.voices.library import find_installed, installed_voices, unknown_voice
from app.voices.manifest import write_manifest
from app.voices.voice import Voice, read_prepared

LONGEST_NAME = 80  # as in an AIVM manifest
ZIP_SUFFIX = ".zip"


def remove_voice(wanted: str) -> None:
    """Removes an installed voice by id or name, damaged ones by the name of their folder too.

    Raises:
        VoiceError: there is none, or it ships with the program.
        OutputFileError: its files are in use or protected.
    """
    mend(user_voices())
    by_folder = next((folder for folder in folders_in(user_voices()) if folder.name == wanted), None)
    remove_folder(by_folder or own_voice(wanted).path)


def rename_voice(wanted: str, name: str) -> Voice:
    """Gives an installed voice another name; its id stays. Raises as `remove_voice`, InputError for a name that is none."""
    name = checked_name(name)
    voice = own_voice(wanted)
    try:
        write_manifest(replace(voice.manifest, name=name), voice.path)
    except OSError as exc:
        raise write_error(voice.path, exc) from exc
    return read_prepared(voice.path)


def checked_name(name: str) -> str:
    """A name as it is kept: one line, up to 80 letters. Raises InputError."""
    shown = " ".join(name.split())
    if not shown or len(shown) > LONGEST_NAME or not shown.isprintable():
        raise InputError(
            localized("この名前は使えません。", "This name cannot be used."),
            localized(f"1〜{LONGEST_NAME} 文字の名前を入力してください。", f"Choose a name of 1 to {LONGEST_NAME} characters."),
        )
    return shown


def export_voice(wanted: str, target: Path, report: Report = unreported, *, replacing: bool = False) -> Path:
    """Copies a prepared voice with its card into a new folder or a `.zip`, which another Koebako can add.

    Args:
        replacing: a zip that is there already gives way when the new one is complete.

    Raises:
        VoiceError: there is no such voice.
        OutputFileError: the target is there already, or cannot be written.
    """
    voice = find_installed(wanted, voice_dirs())
    if voice is None:
        raise unknown_voice(wanted, [item.manifest for item in installed_voices(voice_dirs())])
    files = prepared_files(voice.path, read_card(voice.path))
    target = target.absolute()
    try:
        if not (replacing and target.suffix.lower() == ZIP_SUFFIX and target.is_file()):
            _check_free(target)
        part = part_beside(target)
        try:
            _write(files, voice, part, target, report)
        finally:
            drop(part)
    except OSError as exc:
        raise write_error(target, exc) from exc
    return target


def _write(files: list[Path], voice: Voice, part: Path, target: Path, report: Report) -> None:
    if target.suffix.lower() == ZIP_SUFFIX:
        _zip(files, voice, part, report)
    else:
        _copy(files, voice, part, report)
        if target.exists():
            target.rmdir()
    move(part, target)


def _check_free(target: Path) -> None:
    """An empty folder may be there, nothing else."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise OutputFileError(
            localized(f"すでにあります: {target}", f"This already exists: {target}"),
            localized("別の名前を指定してください。", "Choose another name."),
        )


def _zip(files: list[Path], voice: Voice, target: Path, report: Report) -> None:
    """Below a folder named as the id. Nothing is packed smaller: weights do not become smaller."""
    with zipfile.ZipFile(target, "x", zipfile.ZIP_STORED) as archive:
        for index, path in enumerate(files):
            report("storing", index / len(files))
            archive.write(path, f"{voice.manifest.id}/{path.relative_to(voice.path).as_posix()}")


def _copy(files: list[Path], voice: Voice, target: Path, report: Report) -> None:
    target.mkdir()
    for index, path in enumerate(files):
        report("storing", index / len(files))
        copy = target / path.relative_to(voice.path)
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, copy)
    sync(target)


def own_voice(wanted: str) -> Voice:
    """An installed voice, by id or name, that may be changed; VoiceError where there is none, or it ships with the program."""
    voice = find_installed(wanted, voice_dirs())
    if voice is None:
        raise unknown_voice(wanted, [item.manifest for item in installed_voices([user_voices()])])
    if voice.path.parent != user_voices():
        raise VoiceError(
            localized(
                f"「{voice.manifest.name}」は Koebako に付属する声のため、変更できません。",
                f"“{voice.manifest.name}” comes with Koebako and cannot be changed.",
            ),
            localized("変更できるのは、自分で追加した声だけです。", "You can only change voices that you added."),
        )
    return voice
