"""Finds every voice in a file, a folder or a zip, so that the user can choose. Nothing but headers is read."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.common.errors import VoiceError
from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.voices.containers.container_recognition import ContainerFormat, recognise_container
from app.voices.containers.unsupported_formats import NON_MODEL_KINDS, UnsupportedFormatError
from app.voices.containers.voice_file_sources import PreparedSource, VoiceSource, create_file_source
from app.voices.containers.voice_suffixes import VOICE_SUFFIXES
from app.voices.containers.voice_zip import unpack_voice_files
from app.voices.untrusted.regular_file import is_folder, is_regular_file, measure_file, open_regular_file
from app.voices.untrusted.unpack_budget import UnpackBudget
from app.voices.untrusted.voice_limits import (
    MAX_ARCHIVE_DEPTH,
    MAX_ARCHIVED_CHECKPOINTS,
    MAX_CHECKPOINTS,
    MAX_FOLDER_DEPTH,
    MAX_ZIP_ENTRIES,
)
from app.voices.voice_manifest import MANIFEST_NAME


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One voice that can be opened.

    Attributes:
        source: its file, or the folder of a prepared voice.
        format: aivmx, aivm, onnx, safetensors, sbv2, or prepared.
        label: its name inside the folder or zip it was found in.
    """

    source: VoiceSource
    format: str
    label: str

    @property
    def path(self) -> Path:
        """Return its file or folder."""
        return self.source.path


def find_checkpoints(path: Path, temporary_folder: Path | None, *, container: ContainerFormat | None = None) -> list[Checkpoint]:
    """Return the voices in a file, folder or zip, in natural order; at least one.

    Args:
        temporary_folder: folder for what has to be unpacked; without one, zips are not looked into.
        container: what a file was recognised as, where that was done already.

    Raises:
        VoiceError: there is none. What is there instead is named.
    """
    search = _CheckpointSearch(temporary_folder)
    try:
        if is_folder(path):
            search.search_folder(path)
        else:
            search.search_file(path, container or recognise_container(path))
        if not search.found:
            raise min(search.refused, key=lambda item: item[:2])[2] if search.refused else _build_no_voice_error(path)
    except BaseException:
        search.remove_unpacked_files()
        raise
    return sorted(search.found, key=lambda item: _build_natural_sort_key(item.label))


def _build_natural_sort_key(label: str) -> list[tuple[int, str]]:
    """Return a key that sorts e100 before e1000."""
    return [(int(digits or 0), text) for digits, text in re.findall(r"([0-9]*)([^0-9]*)", label)]


class _CheckpointSearch:
    """A search for voices: those found so far, and the reasons why other files were not taken."""

    def __init__(self, temporary_folder: Path | None) -> None:
        self._scratch = temporary_folder
        self._made: list[Path] = []
        self._left = MAX_ZIP_ENTRIES
        self._looks_left = MAX_CHECKPOINTS
        self.found: list[Checkpoint] = []
        self.refused: list[tuple[bool, bool, VoiceError]] = []

    def search_folder(self, folder: Path) -> None:
        """Search a folder; open its zips only if it holds nothing else."""
        zips = [(path, label) for path, label in self._iterate_files(folder, "", 0) if self._inspect_file(path, label)]
        if zips and not self.found:
            budget = UnpackBudget(folder.name, sum(_read_file_size(path) for path, _ in zips))
            for path, label in zips:
                self._search_zip(path, f"{label}/", budget, 1)

    def search_file(self, path: Path, container: ContainerFormat) -> None:
        """Inspect a file that the user named, and report any kind of content."""
        if container == "zip":
            self._search_zip(path, "", UnpackBudget(path.name, _read_file_size(path)), 1)
        else:
            self._add_voice_file(path, container, sanitise_short_text(path.name))

    def remove_unpacked_files(self) -> None:
        """Remove all unpacked files."""
        for folder in self._made:
            shutil.rmtree(folder, ignore_errors=True)

    def _iterate_files(self, folder: Path, prefix: str, depth: int) -> Iterator[tuple[Path, str]]:
        """Yield the files below a folder with their labels. Links to files are followed, links to folders are not: they may lead in circles."""
        if is_regular_file(folder / MANIFEST_NAME):
            self.found.append(Checkpoint(PreparedSource(folder), "prepared", sanitise_short_text(prefix.rstrip("/") or folder.name)))
            return
        for path in self._list_folder(folder):
            label = prefix + path.name
            if is_regular_file(path):
                yield path, sanitise_short_text(label)
            elif depth < MAX_FOLDER_DEPTH and is_folder(path) and not path.is_symlink():
                yield from self._iterate_files(path, f"{label}/", depth + 1)

    def _list_folder(self, folder: Path) -> list[Path]:
        try:
            with os.scandir(folder) as entries:
                listed = [folder / entry.name for _, entry in zip(range(self._left + 1), entries, strict=False)]
        except OSError as exc:
            unread = localize(f"フォルダーを読み込めません: {folder}", f"This folder cannot be read: {folder}")
            self._note_refusal(VoiceError(unread, f"({describe_reason(exc)})"), folder)
            return []
        self._left -= len(listed)
        if self._left < 0:
            raise VoiceError(
                localize(f"ファイルが多すぎます: {folder}", f"There are too many files in {folder}"),
                localize("声のファイルを直接選んでください。", "Choose the voice file itself."),
            )
        return sorted(listed)

    def _inspect_file(self, path: Path, label: str) -> bool:
        """Note a voice, or the reason why a file is none; return True for a zip, which is put off."""
        try:
            if path.name.casefold() == "oto.ini":
                raise UnsupportedFormatError("utau", path.parent.name)
            container = recognise_container(path)
            if container == "zip":
                return True
            self._looks_left -= 1
            if self._looks_left >= 0:
                self._add_voice_file(path, container, label)
        except VoiceError as exc:
            self._note_refusal(exc, path)
        return False

    def _add_voice_file(self, path: Path, container: ContainerFormat, label: str) -> None:
        """Add a voice; raise VoiceError if a file is no voice or damaged, as far as its headers show."""
        source = create_file_source(path, container)
        self.found.append(Checkpoint(source, source.read_format(), label))
        if len(self.found) > 1:
            # The headers of hundreds would fill the memory; only a voice that is alone is read on at once.
            self.found[0].source.forget_contents()
            source.forget_contents()

    def _note_refusal(self, reason: VoiceError, path: Path) -> None:
        """Note why a file is no voice. A file named like a voice comes first, and "is something else" comes before "cannot be read"."""
        called = path.name.casefold().endswith(VOICE_SUFFIXES)
        foreign = isinstance(reason, UnsupportedFormatError)
        if called or not isinstance(reason, UnsupportedFormatError) or reason.kind not in NON_MODEL_KINDS:
            self.refused.append((not called, not foreign, reason))

    def _search_zip(self, path: Path, prefix: str, budget: UnpackBudget, depth: int) -> None:
        """Search a zip, and zips inside it if it holds nothing else."""
        if self._scratch is None:
            return
        self._looks_left = min(self._looks_left, MAX_ARCHIVED_CHECKPOINTS)
        try:
            folder = self._create_folder(self._scratch)
            unpacked = unpack_voice_files(path, folder, budget)
        except VoiceError as exc:
            self._note_refusal(exc, path)
            return
        prepared = {item.path.parent: item.name for item in unpacked if item.path.name == MANIFEST_NAME}
        for place, name in prepared.items():
            self.found.append(
                Checkpoint(PreparedSource(place), "prepared", sanitise_short_text(prefix + (name.rpartition("/")[0] or path.stem)))
            )
        rest = [item for item in unpacked if prepared.keys().isdisjoint(item.path.parents)]
        zips = [item for item in rest if self._inspect_file(item.path, sanitise_short_text(prefix + item.name))]
        if zips and not self.found and depth >= MAX_ARCHIVE_DEPTH:
            self._note_refusal(_build_too_deep_error(zips[0].name), path)
        for item in zips if not self.found and depth < MAX_ARCHIVE_DEPTH else ():
            self._search_zip(item.path, f"{prefix}{item.name}/", budget, depth + 1)

    def _create_folder(self, temporary_folder: Path) -> Path:
        try:
            folder = Path(tempfile.mkdtemp(prefix="zip-", dir=temporary_folder))
        except OSError as exc:
            raise VoiceError(
                localize(f"展開先に書き込めません: {temporary_folder}", f"Cannot unpack into {temporary_folder}"),
                f"({describe_reason(exc)})",
            ) from exc
        self._made.append(folder)
        return folder


def _read_file_size(path: Path) -> int:
    with open_regular_file(path) as file:
        return measure_file(file)


def _build_too_deep_error(name: str) -> VoiceError:
    shown = sanitise_short_text(name)
    return VoiceError(
        localize(f"zip の中の zip の階層が深すぎます: {shown}", f"Zips are nested too deeply: {shown}"),
        localize("展開して、中の声を選んでください。", "Unpack them and choose the voice inside."),
    )


def _build_no_voice_error(path: Path) -> VoiceError:
    return VoiceError(
        localize(f"Style-Bert-VITS2 の声が含まれていません: {path}", f"No Style-Bert-VITS2 voice was found in {path}"),
        localize(
            ".aivmx、.aivm、.safetensors、.onnx、.sbv2 のいずれかと、その設定を含むものを選んでください。",
            "Choose one that contains an .aivmx, .aivm, .safetensors, .onnx or .sbv2 file and its settings.",
        ),
    )
