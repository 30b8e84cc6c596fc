"""Opens voices as users have them. Recognised by content: a protobuf (`.onnx`, `.aivmx`), a zstd archive (`.sbv2`), safetensors
(`.safetensors`, `.aivm`), or a folder or zip that holds one of them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.common.errors import VoiceError
from app.common.language import localize
from app.voices.containers.checkpoints import Checkpoint, find_checkpoints
from app.voices.containers.container_facts import ContainerFacts
from app.voices.containers.container_recognition import ContainerFormat, recognise_container
from app.voices.containers.onnx_metadata import read_onnx_info
from app.voices.containers.voice_file_sources import PreparedSource, VoiceSource, create_file_source
from app.voices.prepared_voice import Voice
from app.voices.required_bert import SBV2_BERT_ID
from app.voices.untrusted.regular_file import is_folder, is_regular_file
from app.voices.voice_manifest import MANIFEST_NAME

__all__ = ["SBV2_BERT_ID", "ContainerFacts", "VoiceSource", "open_voice_source", "read_source_facts", "read_voice_source"]


class _CollectionSource(VoiceSource):
    """A folder or zip that holds one voice, which is found when it is needed."""

    container: ContainerFormat | None = None

    def __init__(self, path: Path, first_files: Sequence[Path] = ()) -> None:
        super().__init__(path, first_files)
        self._inner: VoiceSource | None = None

    def read_format(self) -> str:
        """Return the format of the voice inside."""
        with self._open_inner() as (inner, _):
            return inner.read_format()

    def forget_contents(self) -> None:
        """Drop the voice that was found, too."""
        super().forget_contents()
        self._inner = None

    def _parse_facts(self) -> ContainerFacts:
        with self._open_inner() as (inner, _):
            return inner.read_facts()

    def build_voice(self) -> Voice:
        with self._open_inner() as (inner, kept):
            voice = inner.build_voice()
            if kept:
                return voice
            return replace(voice, graphs={name: _load_whole_graph(graph) for name, graph in voice.graphs.items()}, path=self.path)

    @contextmanager
    def _open_inner(self) -> Iterator[tuple[VoiceSource, bool]]:
        """Open the one voice inside, and yield whether it lies there for good; files unpacked from a zip are removed afterwards."""
        if self._inner is not None:
            yield self._inner, True
            return
        with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as scratch:
            inner = _require_single_checkpoint(self.path, find_checkpoints(self.path, Path(scratch), container=self.container))
            kept = not inner.path.is_relative_to(scratch)
            if kept:
                self._inner = inner
            yield inner, kept


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
