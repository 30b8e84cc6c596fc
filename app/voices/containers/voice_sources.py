"""Opens voices as users have them, and finds every voice in a folder or zip, so that the user can choose; nothing but headers is read for that.

Recognised by content: a protobuf (`.onnx`, `.aivmx`), a zstd archive (`.sbv2`), safetensors (`.safetensors`, `.aivm`), or a folder or zip that holds one of them.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from app.common.errors import VoiceError
from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.voices.containers.container_facts import ContainerFacts
from app.voices.containers.container_recognition import ContainerFormat, recognise_container
from app.voices.containers.onnx_metadata import read_onnx_info
from app.voices.containers.unsupported_formats import NON_MODEL_KINDS, VOICE_SUFFIXES, UnsupportedFormatError
from app.voices.containers.voice_file_sources import PreparedSource, VoiceSource, create_file_source
from app.voices.containers.voice_zip import unpack_voice_files
from app.voices.prepared_voice import MANIFEST_NAME, Voice
from app.voices.required_bert import SBV2_BERT_ID
from app.voices.untrusted import voice_limits
from app.voices.untrusted.regular_file import is_folder, is_regular_file, measure_file, open_regular_file

__all__ = ["SBV2_BERT_ID", "ContainerFacts", "VoiceSource", "open_voice_source", "read_source_facts", "read_voice_source"]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One voice that can be opened; its label is its name inside the folder or zip it was found in."""

    source: VoiceSource
    format: str
    label: str

    @property
    def path(self) -> Path:
        """Return its file or folder."""
        return self.source.path


def find_checkpoints(path: Path, temporary_folder: Path | None, *, container: ContainerFormat | None = None) -> list[Checkpoint]:
    """Return the voices in a file, folder or zip, in natural order; raise VoiceError, which names what is there instead, if there is none.

    Args:
        temporary_folder: folder for what has to be unpacked; without one, zips are not looked into.
        container: what a file was recognised as, where that was done already.
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
    # As e100 comes before e1000.
    return sorted(
        search.found, key=lambda item: [(int(digits or 0), text) for digits, text in re.findall(r"([0-9]*)([^0-9]*)", item.label)]
    )


class _CheckpointSearch:
    """A search for voices: those found so far, and the reasons why other files were not taken."""

    def __init__(self, temporary_folder: Path | None) -> None:
        self._scratch = temporary_folder
        self._unpacked_folders: list[Path] = []
        self._entries_left = voice_limits.MAX_ZIP_ENTRIES
        self._looks_left = voice_limits.MAX_CHECKPOINTS
        self.found: list[Checkpoint] = []
        self.refused: list[tuple[bool, bool, VoiceError]] = []

    def search_folder(self, folder: Path) -> None:
        """Search a folder; open its zips only if it holds nothing else."""
        zips = [(path, label) for path, label in self._iterate_files(folder, "", 0) if self._inspect_file(path, label)]
        if zips and not self.found:
            budget = voice_limits.UnpackBudget(folder.name, sum(_read_file_size(path) for path, _ in zips))
            for path, label in zips:
                self._search_zip(path, f"{label}/", budget, 1)

    def search_file(self, path: Path, container: ContainerFormat) -> None:
        if container == "zip":
            self._search_zip(path, "", voice_limits.UnpackBudget(path.name, _read_file_size(path)), 1)
        else:
            self._add_voice_file(path, container, sanitise_short_text(path.name))

    def remove_unpacked_files(self) -> None:
        for folder in self._unpacked_folders:
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
            elif depth < voice_limits.MAX_FOLDER_DEPTH and is_folder(path) and not path.is_symlink():
                yield from self._iterate_files(path, f"{label}/", depth + 1)

    def _list_folder(self, folder: Path) -> list[Path]:
        try:
            with os.scandir(folder) as entries:
                listed = [folder / entry.name for _, entry in zip(range(self._entries_left + 1), entries, strict=False)]
        except OSError as exc:
            unread = localize(f"フォルダーを読み込めません: {folder}", f"This folder cannot be read: {folder}")
            self._note_refusal(VoiceError(unread, f"({describe_reason(exc)})"), folder)
            return []
        self._entries_left -= len(listed)
        if self._entries_left < 0:
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
        source = create_file_source(path, container)
        self.found.append(Checkpoint(source, source.read_format(), label))
        if len(self.found) > 1:
            # The headers of hundreds would fill the memory; only a voice that is alone is read on at once.
            self.found[0].source.forget_contents()
            source.forget_contents()

    def _note_refusal(self, reason: VoiceError, path: Path) -> None:
        """Note why a file is no voice. A file named like a voice comes first, and "is something else" comes before "cannot be read"."""
        has_voice_name, is_foreign = path.name.casefold().endswith(VOICE_SUFFIXES), isinstance(reason, UnsupportedFormatError)
        if has_voice_name or not isinstance(reason, UnsupportedFormatError) or reason.kind not in NON_MODEL_KINDS:
            self.refused.append((not has_voice_name, not is_foreign, reason))

    def _search_zip(self, path: Path, prefix: str, budget: voice_limits.UnpackBudget, depth: int) -> None:
        """Search a zip, and zips inside it if it holds nothing else."""
        if self._scratch is None:
            return
        self._looks_left = min(self._looks_left, voice_limits.MAX_ARCHIVED_CHECKPOINTS)
        try:
            folder = self._create_folder(self._scratch)
            unpacked = unpack_voice_files(path, folder, budget)
        except VoiceError as exc:
            self._note_refusal(exc, path)
            return
        prepared = {item.path.parent: item.name for item in unpacked if item.path.name == MANIFEST_NAME}
        for place, name in prepared.items():
            label = sanitise_short_text(prefix + (name.rpartition("/")[0] or path.stem))
            self.found.append(Checkpoint(PreparedSource(place), "prepared", label))
        rest = [item for item in unpacked if prepared.keys().isdisjoint(item.path.parents)]
        zips = [item for item in rest if self._inspect_file(item.path, sanitise_short_text(prefix + item.name))]
        if zips and not self.found and depth >= voice_limits.MAX_ARCHIVE_DEPTH:
            shown = sanitise_short_text(zips[0].name)
            too_deep = localize(f"zip の中の zip の階層が深すぎます: {shown}", f"Zips are nested too deeply: {shown}")
            hint = localize("展開して、中の声を選んでください。", "Unpack them and choose the voice inside.")
            self._note_refusal(VoiceError(too_deep, hint), path)
        for item in zips if not self.found and depth < voice_limits.MAX_ARCHIVE_DEPTH else ():
            self._search_zip(item.path, f"{prefix}{item.name}/", budget, depth + 1)

    def _create_folder(self, temporary_folder: Path) -> Path:
        try:
            folder = Path(tempfile.mkdtemp(prefix="zip-", dir=temporary_folder))
        except OSError as exc:
            raise VoiceError(
                localize(f"展開先に書き込めません: {temporary_folder}", f"Cannot unpack into {temporary_folder}"),
                f"({describe_reason(exc)})",
            ) from exc
        self._unpacked_folders.append(folder)
        return folder


def _read_file_size(path: Path) -> int:
    with open_regular_file(path) as file:
        return measure_file(file)


def _build_no_voice_error(path: Path) -> VoiceError:
    return VoiceError(
        localize(f"Style-Bert-VITS2 の声が含まれていません: {path}", f"No Style-Bert-VITS2 voice was found in {path}"),
        localize(
            ".aivmx、.aivm、.safetensors、.onnx、.sbv2 のいずれかと、その設定を含むものを選んでください。",
            "Choose one that contains an .aivmx, .aivm, .safetensors, .onnx or .sbv2 file and its settings.",
        ),
    )


class _CollectionSource(VoiceSource):
    """A folder or zip that holds one voice, which is found when it is needed."""

    container: ContainerFormat | None = None

    def __init__(self, path: Path, first_files: Sequence[Path] = ()) -> None:
        super().__init__(path, first_files)
        self._inner: VoiceSource | None = None

    def read_format(self) -> str:
        with self._open_inner() as (inner, _):
            return inner.read_format()

    def forget_contents(self) -> None:
        super().forget_contents()
        self._inner = None

    def _parse_facts(self) -> ContainerFacts:
        with self._open_inner() as (inner, _):
            return inner.read_facts()

    def build_voice(self) -> Voice:
        with self._open_inner() as (inner, is_permanent):
            voice = inner.build_voice()
            if is_permanent:
                return voice
            return replace(voice, graphs={name: _load_whole_graph(graph) for name, graph in voice.graphs.items()}, path=self.path)

    @contextmanager
    def _open_inner(self) -> Iterator[tuple[VoiceSource, bool]]:
        """Open and yield the one voice inside, and whether its files stay; those unpacked from a zip are removed afterwards."""
        if self._inner is not None:
            yield self._inner, True
            return
        with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as scratch:
            inner = _require_single_checkpoint(self.path, find_checkpoints(self.path, Path(scratch), container=self.container))
            is_permanent = not inner.path.is_relative_to(scratch)
            if is_permanent:
                self._inner = inner
            yield inner, is_permanent


class FolderSource(_CollectionSource):
    """A folder with the files of one voice, or with a zip of them."""

    def _find_files(self) -> list[Path]:
        if self._inner is None:
            self._inner = _require_single_checkpoint(self.path, find_checkpoints(self.path, None))
        return self._inner.list_files()


class ZipSource(_CollectionSource):
    """A zip with one voice."""

    container = "zip"

    def __init__(self, path: Path) -> None:
        super().__init__(path, [path])

    def _find_files(self) -> list[Path]:
        return [self.path]


def open_voice_source(path: Path) -> VoiceSource:
    """Return the source of a prepared folder, an SBV2 folder, any of its containers, or a zip; raise VoiceError if the file is none of them."""
    if is_folder(path):
        return PreparedSource(path) if is_regular_file(path / MANIFEST_NAME) else FolderSource(path)
    container = recognise_container(path)
    return ZipSource(path) if container == "zip" else create_file_source(path, container)


def read_voice_source(path: Path) -> Voice:
    """Return the voice of a source that is needed for nothing else; raise VoiceError if there is none."""
    return open_voice_source(path).load_voice()


def read_source_facts(path: Path) -> ContainerFacts:
    """Return the facts of a source that is needed for nothing else; raise VoiceError if there are none."""
    return open_voice_source(path).read_facts()


def _load_whole_graph(graph: Path | bytes) -> bytes:
    """Return a graph with all its weights as bytes, for its file is about to be removed."""
    from app.voices.prepare.graph_store import load_graph, serialise_graph  # onnx is slow to import

    if isinstance(graph, bytes):
        return graph
    return serialise_graph(load_graph(graph)) if read_onnx_info(graph).outline.external else graph.read_bytes()


def _require_single_checkpoint(path: Path, checkpoints: list[Checkpoint]) -> VoiceSource:
    if len(checkpoints) == 1:
        return checkpoints[0].source
    names = ", ".join(item.label for item in checkpoints[:5])
    raise VoiceError(
        localize(f"声のファイルが {len(checkpoints)} 個あります: {path}", f"There are {len(checkpoints)} voice files: {path}"),
        localize("ファイルを一つ指定してください。", "Specify one file.") + f" ({names})",
    )
