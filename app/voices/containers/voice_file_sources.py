"""Sources of voices: a class for each container, made once for a file and handed down. What one reads of its file, it keeps.

Weights are built into the three graphs of a prepared voice; a graph runs whole ("opaque").
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.common.errors import VoiceError
from app.common.language import localize
from app.voices.containers import onnx_metadata
from app.voices.containers.container_facts import ContainerFacts, find_config, find_style_vectors, has_aivm_metadata, read_container_facts
from app.voices.containers.container_recognition import ContainerFormat, require_voice_tensors
from app.voices.containers.sbv2_archive import read_sbv2_archive, require_tar
from app.voices.containers.voice_descriptions import build_manifest
from app.voices.file_fact_cache import combine_digests, compute_file_digest
from app.voices.prepared_voice import MANIFEST_NAME, GraphSources, Voice, check_voice_vectors, map_int8_files, read_prepared_voice
from app.voices.untrusted.regular_file import build_unreadable_error
from app.voices.untrusted.safetensors_file import SafetensorsFile
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME


class VoiceSource(ABC):
    """One voice as a user has it, at `path`; it stands for its files in the state in which they were first looked at."""

    def __init__(self, path: Path, first_files: Sequence[Path] = ()) -> None:
        self.path = path
        self._stamps = {file: _read_file_stamp(file) for file in first_files}
        self._files: list[Path] | None = None
        self._facts: ContainerFacts | None = None

    @abstractmethod
    def read_format(self) -> str:
        """Return the format of the voice; raise VoiceError if the file is no voice or damaged, as far as its headers show."""

    @abstractmethod
    def _find_files(self) -> list[Path]: ...

    @abstractmethod
    def _parse_facts(self) -> ContainerFacts: ...

    @abstractmethod
    def build_voice(self) -> Voice:
        """Load the voice as `load_voice`, but raise MemoryError if there is not enough memory."""

    def list_files(self) -> list[Path]:
        """Return the files that the voice consists of, the voice itself first, to be hashed or copied. A zip is one file, a prepared voice a few."""
        if self._files is None:
            files = self._find_files()
            self._stamps = {file: _read_file_stamp(file) for file in files} | self._stamps
            self._files = files
        return self._files

    def read_facts(self) -> ContainerFacts:
        """Return the facts that the source states about its voice, read without its weights, none of a prepared one; raise VoiceError as for `load_voice`."""
        if self._facts is None:
            self._facts = self._parse_facts()
        return self._facts

    def load_voice(self) -> Voice:
        """Return the voice with its weights as graphs; raise VoiceError if there is none."""
        try:
            return self.build_voice()
        except MemoryError as exc:
            raise VoiceError(
                localize(f"メモリーが足りず、声を開けません: {self.path.name}", f"Not enough memory to open this voice: {self.path.name}"),
                localize("ほかのアプリを閉じてください。", "Close other applications."),
            ) from exc

    def compute_digest(self) -> str:
        """Return the SHA-256 of everything the voice consists of; equal for equal voices, wherever they are and whatever their names."""
        return combine_digests([compute_file_digest(file) for file in self.list_files()])

    def forget_contents(self) -> None:
        """Drop the contents, which are read again when needed: headers of hundreds of voices would fill the memory."""
        self._facts = None

    def require_unchanged(self) -> None:
        """Raise VoiceError if a file was changed or removed since it was first read."""
        for file, stamp in self._stamps.items():
            if _read_file_stamp(file) != stamp:
                raise VoiceError(
                    localize(
                        f"声のファイルが途中で変更されました: {file.name}", f"This voice file was changed while it was in use: {file.name}"
                    ),
                    localize(
                        "ダウンロードやコピーが終わってから、もう一度お試しください。",
                        "Try again when it has been downloaded or copied completely.",
                    ),
                )

    def _create_voice(
        self, graphs: GraphSources, facts: ContainerFacts, speakers: int | None, *, multilingual: bool, margin_frames: int = 16
    ) -> Voice:
        voice_id = str(facts.aivm_manifest["uuid"]) if facts.aivm_manifest else self.compute_digest()[:16]
        manifest = build_manifest(
            self.path, facts, voice_id, tuple(graphs), speakers=speakers, multilingual=multilingual, margin_frames=margin_frames
        )
        voice = Voice(manifest, facts.style_vectors, graphs, self.path)
        check_voice_vectors(voice)
        return voice

    def _create_graph_voice(self, graph: Path | bytes, voice_graph: onnx_metadata.VoiceGraph) -> Voice:
        facts, speakers = self.read_facts(), onnx_metadata.count_speakers(graph, voice_graph, self.path.name)
        if voice_graph.roles is not None:
            from app.voices.prepare.graph_store import load_graph, serialise_graph  # onnx is slow to import
            from app.voices.prepare.source_graphs import rename_to_public_inputs

            graph = serialise_graph(rename_to_public_inputs(load_graph(graph), voice_graph.roles))
        return self._create_voice({"whole": graph}, facts, speakers, multilingual=voice_graph.is_multilingual)


class OnnxSource(VoiceSource):
    """A graph: an `.aivmx`, or an `.onnx` with its settings and style vectors in the same folder."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, [path])
        self._info: onnx_metadata.OnnxFileInfo | None = None
        self._graph: onnx_metadata.VoiceGraph | None = None

    def read_format(self) -> str:
        """Return the format: aivmx or onnx."""
        return "aivmx" if has_aivm_metadata(self._read_graph().metadata) else "onnx"

    def forget_contents(self) -> None:
        """Drop the outline, metadata and facts."""
        super().forget_contents()
        self._info = self._graph = None

    def _find_files(self) -> list[Path]:
        info = self._read_info()
        further = onnx_metadata.list_external_files(self.path, info.outline)
        beside = [] if has_aivm_metadata(info.metadata) else [find_config(self.path), find_style_vectors(self.path)]
        return [self.path, *(item for item in beside if item), *further]

    def _parse_facts(self) -> ContainerFacts:
        # A list of voices needs the metadata alone: an outline of the graph takes a hundred times as long.
        metadata = onnx_metadata.read_onnx_metadata(self.path) if self._info is None else self._info.metadata
        return read_container_facts(self.path, metadata, has_weights=False)

    def build_voice(self) -> Voice:
        voice_graph = self._read_graph()
        onnx_metadata.list_external_files(self.path, voice_graph.outline)
        return self._create_graph_voice(self.path, voice_graph)

    def _read_info(self) -> onnx_metadata.OnnxFileInfo:
        if self._info is None:
            self._info = onnx_metadata.read_onnx_info(self.path)
        return self._info

    def _read_graph(self) -> onnx_metadata.VoiceGraph:
        if self._graph is None:
            self._graph = onnx_metadata.read_voice_graph(self.path, self.path.name, self._read_info())
        return self._graph


class Sbv2Source(VoiceSource):
    """A zstd archive of a graph and its style vectors: an `.sbv2`."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, [path])

    def read_format(self) -> str:
        """Return the format: sbv2."""
        require_tar(self.path)
        return "sbv2"

    def _find_files(self) -> list[Path]:
        return [self.path]

    def _parse_facts(self) -> ContainerFacts:
        return ContainerFacts("sbv2", {}, read_sbv2_archive(self.path, with_graph=False)[1])

    def build_voice(self) -> Voice:
        graph, vectors = read_sbv2_archive(self.path)
        self._facts = ContainerFacts("sbv2", {}, vectors)
        voice_graph = onnx_metadata.read_voice_graph(graph, self.path.name)
        onnx_metadata.refuse_external_data(voice_graph.outline, self.path.name)
        return self._create_graph_voice(graph, voice_graph)


class SafetensorsSource(VoiceSource):
    """Weights: an `.aivm`, or a `.safetensors` with its settings and style vectors in the same folder."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, [path])
        self._metadata: dict[str, str] | None = None
        self._names: list[str] = []

    def read_format(self) -> str:
        """Return the format: aivm or safetensors."""
        return "aivm" if has_aivm_metadata(self._read_voice_metadata()) else "safetensors"

    def forget_contents(self) -> None:
        """Drop the header and facts."""
        super().forget_contents()
        self._metadata = None

    def _find_files(self) -> list[Path]:
        beside = [] if has_aivm_metadata(self._read_metadata()) else [find_config(self.path), find_style_vectors(self.path)]
        return [self.path, *(item for item in beside if item)]

    def _parse_facts(self) -> ContainerFacts:
        return read_container_facts(self.path, self._read_voice_metadata(), has_weights=True)

    def build_voice(self) -> Voice:
        # This imports onnx, which is slow and which prepared voices do not need.
        from app.voices.prepare.weights.weight_graphs import build_voice_graphs

        tensors = self._open_tensors()
        require_voice_tensors(self._names, self.path.name)
        facts = self.read_facts()
        built = build_voice_graphs(facts.config, tensors, facts.config_source)
        graphs: GraphSources = {name: getattr(built, name).SerializeToString() for name in ("prosody", "flow", "decoder")}
        speakers, multilingual = tensors.find_shape("emb_g.weight")[0], "enc_p.ja_bert_proj.weight" in tensors
        voice = self._create_voice(graphs, facts, speakers, multilingual=multilingual, margin_frames=built.margin_frames)
        return replace(voice, manifest=replace(voice.manifest, emoji=built.emoji))

    def _open_tensors(self) -> SafetensorsFile:
        """Open the weights and keep their header only, for a mapped file cannot be moved on Windows."""
        tensors = SafetensorsFile(self.path)
        self._metadata, self._names = tensors.metadata, list(tensors)
        return tensors

    def _read_metadata(self) -> dict[str, str]:
        return self._open_tensors().metadata if self._metadata is None else self._metadata

    def _read_voice_metadata(self) -> dict[str, str]:
        """Return the metadata of a file with the weights of a voice; raise UnsupportedFormatError if it holds others."""
        metadata = self._read_metadata()
        require_voice_tensors(self._names, self.path.name)
        return metadata


class PreparedSource(VoiceSource):
    """A folder of a prepared voice from anywhere, such as an exported one: its graphs must not read files elsewhere."""

    def read_format(self) -> str:
        """Return the format: prepared."""
        return "prepared"

    def _find_files(self) -> list[Path]:
        graphs = sorted({graph for graph in read_prepared_voice(self.path).graphs.values() if isinstance(graph, Path)})
        further = [
            file for graph in graphs for file in onnx_metadata.list_external_files(graph, onnx_metadata.read_onnx_info(graph).outline)
        ]
        return [self.path / MANIFEST_NAME, *graphs, *further, self.path / STYLE_VECTORS_NAME]

    def _parse_facts(self) -> ContainerFacts:
        return ContainerFacts("prepared", {}, read_prepared_voice(self.path).style_vectors)

    def build_voice(self) -> Voice:
        voice = read_prepared_voice(self.path)
        fast = (self.path / file for file in map_int8_files(voice.manifest).values())
        for graph in (*voice.graphs.values(), *(file for file in fast if file.is_file())):
            if isinstance(graph, Path):
                onnx_metadata.list_external_files(graph, onnx_metadata.read_onnx_info(graph).outline)
        return voice


def create_file_source(path: Path, container: ContainerFormat) -> VoiceSource:
    if container == "sbv2":
        return Sbv2Source(path)
    return SafetensorsSource(path) if container == "safetensors" else OnnxSource(path)


def _read_file_stamp(path: Path) -> tuple[int, int, int]:
    """Return identity, size and time of the last change of a file; raise VoiceError if it is gone."""
    try:
        status = path.stat()
    except OSError as exc:
        raise build_unreadable_error(path, exc) from exc
    return status.st_ino, status.st_size, status.st_mtime_ns
