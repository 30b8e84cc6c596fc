"""Finds every voice in a file, a folder or a zip, so that the user can choose. Nothing but headers is read."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.errors import VoiceError
from app.json_text import short_text
from app.language import localized
from app.system_errors import reason_of
from app.voices.containers.facts import is_aivm
from app.voices.containers.foreign import ASIDE, ForeignError
from app.voices.containers.recognition import container_of, tensors_of
from app.voices.containers.sbv2_archive import require_tar
from app.voices.containers.suffixes import VOICE_SUFFIXES
from app.voices.containers.voice_graph import read_voice_graph
from app.voices.containers.zip_source import unpack
from app.voices.manifest import MANIFEST_NAME
from app.voices.untrusted.budget import Budget
from app.voices.untrusted.limits import DEEPEST_ARCHIVE, DEEPEST_FOLDER, MOST_ARCHIVED_CHECKPOINTS, MOST_CHECKPOINTS, MOST_ENTRIES
from app.voices.untrusted.regular_file import is_folder, is_regular, open_regular, size_of


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One voice that can be opened.

    Attributes:
        path: its file, or the folder of a prepared voice.
        format: aivmx, aivm, onnx, safetensors, sbv2, or prepared.
        label: its name inside the folder or zip it was found in.
    """

    path: Path
    format: str
    label: str


def checkpoints(path: Path, scratch: Path | None) -> list[Checkpoint]:
    """The voices in a file, folder or zip, in natural order; at least one.

    Args:
        scratch: folder for what has to be unpacked; without one, zips are not looked into.

    Raises:
        VoiceError: there is none. What is there instead is named.
    """
    search = _Search(scratch)
    try:
        if is_folder(path):
            search.folder(path)
        else:
            search.file(path)
        if not search.found:
            raise min(search.refused, key=lambda item: item[:2])[2] if search.refused else _nothing(path)
    except BaseException:
        search.tidy()
        raise
    return sorted(search.found, key=lambda item: _natural(item.label))


def _natural(label: str) -> list[tuple[int, str]]:
    """A key that sorts e100 before e1000."""
    return [(int(digits or 0), text) for digits, text in re.findall(r"([0-9]*)([^0-9]*)", label)]


class _Search:
    """What was found so far, and why other files were not taken."""

    def __init__(self, scratch: Path | None) -> None:
        self._scratch = scratch
        self._made: list[Path] = []
        self._left = MOST_ENTRIES
        self._looks_left = MOST_CHECKPOINTS
        self.found: list[Checkpoint] = []
        self.refused: list[tuple[bool, bool, VoiceError]] = []

    def folder(self, folder: Path) -> None:
        """Looks into a folder; into its zips only when there is nothing else."""
        zips = [(path, label) for path, label in self._files(folder, "", 0) if self._look(path, label)]
        if zips and not self.found:
            budget = Budget(folder.name, sum(_size(path) for path, _ in zips))
            for path, label in zips:
                self._zip(path, f"{label}/", budget, 1)

    def file(self, path: Path) -> None:
        """Looks at one file, which the user named: whatever it is, is said."""
        if container_of(path) == "zip":
            self._zip(path, "", Budget(path.name, _size(path)), 1)
        else:
            self.found.append(Checkpoint(path, _format_of(path), short_text(path.name)))

    def tidy(self) -> None:
        """Removes everything that was unpacked."""
        for folder in self._made:
            shutil.rmtree(folder, ignore_errors=True)

    def _files(self, folder: Path, prefix: str, depth: int) -> Iterator[tuple[Path, str]]:
        """Files below a folder with their labels. Links to files are followed, links to folders are not: they may lead in circles."""
        if is_regular(folder / MANIFEST_NAME):
            self.found.append(Checkpoint(folder, "prepared", short_text(prefix.rstrip("/") or folder.name)))
            return
        for path in self._listed(folder):
            label = prefix + path.name
            if is_regular(path):
                yield path, short_text(label)
            elif depth < DEEPEST_FOLDER and is_folder(path) and not path.is_symlink():
                yield from self._files(path, f"{label}/", depth + 1)

    def _listed(self, folder: Path) -> list[Path]:
        try:
            with os.scandir(folder) as entries:
                listed = [folder / entry.name for _, entry in zip(range(self._left + 1), entries, strict=False)]
        except OSError as exc:
            unread = localized(f"フォルダーを読み込めません: {folder}", f"This folder cannot be read: {folder}")
            self._refuse(VoiceError(unread, f"({reason_of(exc)})"), folder)
            return []
        self._left -= len(listed)
        if self._left < 0:
            raise VoiceError(
                localized(f"ファイルが多すぎます: {folder}", f"There are too many files in {folder}"),
                localized("声のファイルを直接選んでください。", "Choose the voice file itself."),
            )
        return sorted(listed)

    def _look(self, path: Path, label: str) -> bool:
        """Notes a voice, or the reason why a file is none; True for a zip, which is put off."""
        try:
            if path.name.casefold() == "oto.ini":
                raise ForeignError("utau", path.parent.name)
            if container_of(path) == "zip":
                return True
            self._looks_left -= 1
            if self._looks_left >= 0:
                self.found.append(Checkpoint(path, _format_of(path), label))
        except VoiceError as exc:
            self._refuse(exc, path)
        return False

    def _refuse(self, reason: VoiceError, path: Path) -> None:
        """Notes why a file is no voice. First comes what is called like one, and that it is something else before that it cannot be read."""
        called = path.name.casefold().endswith(VOICE_SUFFIXES)
        foreign = isinstance(reason, ForeignError)
        if called or not isinstance(reason, ForeignError) or reason.kind not in ASIDE:
            self.refused.append((not called, not foreign, reason))

    def _zip(self, path: Path, prefix: str, budget: Budget, depth: int) -> None:
        """Looks into a zip, and into zips inside it when there is nothing else."""
        if self._scratch is None:
            return
        self._looks_left = min(self._looks_left, MOST_ARCHIVED_CHECKPOINTS)
        try:
            folder = self._make_folder(self._scratch)
            unpacked = unpack(path, folder, budget)
        except VoiceError as exc:
            self._refuse(exc, path)
            return
        prepared = {item.path.parent: item.name for item in unpacked if item.path.name == MANIFEST_NAME}
        for place, name in prepared.items():
            self.found.append(Checkpoint(place, "prepared", short_text(prefix + (name.rpartition("/")[0] or path.stem))))
        rest = [item for item in unpacked if prepared.keys().isdisjoint(item.path.parents)]
        zips = [item for item in rest if self._look(item.path, short_text(prefix + item.name))]
        if zips and not self.found and depth >= DEEPEST_ARCHIVE:
            self._refuse(_too_deep(zips[0].name), path)
        for item in zips if not self.found and depth < DEEPEST_ARCHIVE else ():
            self._zip(item.path, f"{prefix}{item.name}/", budget, depth + 1)

    def _make_folder(self, scratch: Path) -> Path:
        try:
            folder = Path(tempfile.mkdtemp(prefix="zip-", dir=scratch))
        except OSError as exc:
            raise VoiceError(
                localized(f"展開先に書き込めません: {scratch}", f"Cannot unpack into {scratch}"), f"({reason_of(exc)})"
            ) from exc
        self._made.append(folder)
        return folder


def _size(path: Path) -> int:
    with open_regular(path) as file:
        return size_of(file)


def _format_of(path: Path) -> str:
    """The format of a voice; VoiceError when a file is no voice or damaged, as far as its headers show."""
    container = container_of(path)
    if container == "safetensors":
        return "aivm" if is_aivm(tensors_of(path).metadata) else "safetensors"
    if container == "sbv2":
        require_tar(path)
        return "sbv2"
    return "aivmx" if is_aivm(read_voice_graph(path, path.name).metadata) else "onnx"


def _too_deep(name: str) -> VoiceError:
    shown = short_text(name)
    return VoiceError(
        localized(f"zip の中の zip の階層が深すぎます: {shown}", f"Zips are nested too deeply: {shown}"),
        localized("展開して、中の声を選んでください。", "Unpack them and choose the voice inside."),
    )


def _nothing(path: Path) -> VoiceError:
    return VoiceError(
        localized(f"Style-Bert-VITS2 の声が含まれていません: {path}", f"No Style-Bert-VITS2 voice was found in {path}"),
        localized(
            ".aivmx、.aivm、.safetensors、.onnx、.sbv2 のいずれかと、その設定を含むものを選んでください。",
            "Choose one that contains an .aivmx, .aivm, .safetensors, .onnx or .sbv2 file and its settings.",
        ),
    )
