"""Opens voices as users have them. Recognised by content: a protobuf (`.onnx`, `.aivmx`), a zstd archive (`.sbv2`), safetensors
(`.safetensors`, `.aivm`), or a folder or zip that holds one of them.

Weights are built into the three graphs of a prepared voice; a graph runs whole ("opaque").
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.common.errors import VoiceError
from app.common.language import localize
from app.voices.containers.checkpoints import Checkpoint, find_checkpoints
from app.voices.containers.container_facts import ContainerFacts, has_aivm_metadata, read_container_facts
from app.voices.containers.container_recognition import open_voice_tensors, recognise_container
from app.voices.containers.external_data import list_external_files, refuse_external_data
from app.voices.containers.manifest_builder import build_manifest
from app.voices.containers.model_sidecars import find_config, find_style_vectors
from app.voices.containers.onnx_metadata import read_onnx_info, read_onnx_metadata
from app.voices.containers.sbv2_archive import read_sbv2_archive
from app.voices.containers.voice_graph import VoiceGraph, count_speakers, read_voice_graph
from app.voices.content_digest import combine_digests, compute_file_digest
from app.voices.prepared_voice import STYLE_VECTORS_NAME, GraphSources, Voice, check_voice_vectors, read_prepared_voice
from app.voices.required_bert import SBV2_BERT_ID
from app.voices.untrusted.regular_file import is_folder, is_regular_file
from app.voices.untrusted.safetensors_file import SafetensorsFile
from app.voices.voice_manifest import MANIFEST_NAME, map_int8_files

__all__ = ["SBV2_BERT_ID", "ContainerFacts", "compute_source_digest", "list_source_files", "read_source_facts", "read_voice_source"]


def read_voice_source(path: Path) -> Voice:
    """Return the voice in a prepared folder, an SBV2 folder, any of its containers, or a zip with one of them; raise VoiceError otherwise."""
    try:
        with _open_single_voice(path) as (file, kept):
            voice = _read_prepared_folder(file) if is_folder(file) else _read_container(file)
            if kept:
                return voice
            return replace(voice, graphs={name: _load_whole_graph(graph) for name, graph in voice.graphs.items()}, path=path)
    except MemoryError as exc:
        raise VoiceError(
            localize(f"メモリーが足りず、声を開けません: {path.name}", f"Not enough memory to open this voice: {path.name}"),
            localize("ほかのアプリを閉じてください。", "Close other applications."),
        ) from exc


def _load_whole_graph(graph: Path | bytes) -> bytes:
    """Return a graph with all its weights as bytes, for its file is about to be removed."""
    from app.voices.prepare.graph_store import load_graph, serialise_graph  # onnx is slow to import

    if isinstance(graph, bytes):
        return graph
    return serialise_graph(load_graph(graph)) if read_onnx_info(graph).outline.external else graph.read_bytes()


def _read_prepared_folder(folder: Path) -> Voice:
    """Return the voice in a prepared folder from anywhere, such as an exported voice: its graphs must not read files that lie elsewhere."""
    voice = read_prepared_voice(folder)
    fast = (folder / file for file in map_int8_files(voice.manifest).values())
    for graph in (*voice.graphs.values(), *(file for file in fast if file.is_file())):
        if isinstance(graph, Path):
            list_external_files(graph, read_onnx_info(graph).outline)
    return voice


def read_source_facts(path: Path) -> ContainerFacts:
    """Return the facts that a source states about its voice, read without its weights; raise VoiceError as for `read_voice_source`.

    A prepared voice has none; its manifest says everything.
    """
    with _open_single_voice(path) as (file, _):
        if is_folder(file):
            return ContainerFacts("prepared", {}, read_prepared_voice(file).style_vectors)
        container = recognise_container(file)
        if container == "sbv2":
            return ContainerFacts("sbv2", {}, read_sbv2_archive(file, with_graph=False)[1])
        if container == "safetensors":
            return read_container_facts(file, open_voice_tensors(file).metadata, has_weights=True)
        return read_container_facts(file, read_onnx_metadata(file), has_weights=False)


def list_source_files(path: Path) -> list[Path]:
    """Return the files that a voice consists of, the voice itself first, to be hashed or copied. A zip is one file, a prepared voice a few."""
    if is_folder(path) and is_regular_file(path / MANIFEST_NAME):
        graphs = sorted({graph for graph in read_prepared_voice(path).graphs.values() if isinstance(graph, Path)})
        further = [file for graph in graphs for file in list_external_files(graph, read_onnx_info(graph).outline)]
        return [path / MANIFEST_NAME, *graphs, *further, path / STYLE_VECTORS_NAME]
    if is_folder(path):
        return list_source_files(_require_single_checkpoint(path, find_checkpoints(path, None)))
    container = recognise_container(path)
    if container == "onnx":
        model = read_onnx_info(path)
        embedded, further = has_aivm_metadata(model.metadata), list_external_files(path, model.outline)
    elif container == "safetensors":
        embedded, further = has_aivm_metadata(SafetensorsFile(path).metadata), []
    else:
        return [path]
    beside = [] if embedded else [find_config(path), find_style_vectors(path)]
    return [path, *(item for item in beside if item), *further]


def compute_source_digest(path: Path) -> str:
    """Return the SHA-256 of everything a voice consists of; equal for equal voices, wherever they lie and whatever their names."""
    return combine_digests([compute_file_digest(file) for file in list_source_files(path)])


@contextmanager
def _open_single_voice(path: Path) -> Iterator[tuple[Path, bool]]:
    """Open the one voice that a path leads to, and yield its path and whether it lies there for good; files unpacked from a zip are removed afterwards."""
    if not is_folder(path) and recognise_container(path) != "zip":
        yield path, True
        return
    with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as scratch:
        found = _require_single_checkpoint(path, find_checkpoints(path, Path(scratch)))
        yield found, not found.is_relative_to(scratch)


def _require_single_checkpoint(path: Path, checkpoints: list[Checkpoint]) -> Path:
    if len(checkpoints) == 1:
        return checkpoints[0].path
    names = ", ".join(item.label for item in checkpoints[:5])
    raise VoiceError(
        localize(f"声のファイルが {len(checkpoints)} 個あります: {path}", f"There are {len(checkpoints)} voice files: {path}"),
        localize("ファイルを一つ指定してください。", "Specify one file.") + f" ({names})",
    )


def _read_container(path: Path) -> Voice:
    container = recognise_container(path)
    if container == "sbv2":
        return _read_sbv2_voice(path)
    return _read_safetensors_voice(path) if container == "safetensors" else _read_onnx_voice(path)


def _read_sbv2_voice(path: Path) -> Voice:
    graph, vectors = read_sbv2_archive(path)
    model = read_voice_graph(graph, path.name)
    refuse_external_data(model.outline, path.name)
    return _prepare_onnx_voice(path, graph, model, ContainerFacts("sbv2", {}, vectors))


def _read_onnx_voice(path: Path) -> Voice:
    model = read_voice_graph(path, path.name)
    list_external_files(path, model.outline)
    return _prepare_onnx_voice(path, path, model, read_container_facts(path, model.metadata, has_weights=False))


def _prepare_onnx_voice(path: Path, graph: Path | bytes, voice_graph: VoiceGraph, facts: ContainerFacts) -> Voice:
    speakers = count_speakers(graph, voice_graph, path.name)
    if voice_graph.roles is not None:
        from app.voices.prepare.graph_store import load_graph, serialise_graph  # onnx is slow to import
        from app.voices.prepare.public_inputs import rename_to_public_inputs

        graph = serialise_graph(rename_to_public_inputs(load_graph(graph), voice_graph.roles))
    return _create_voice(path, {"whole": graph}, facts, speakers, multilingual=voice_graph.is_multilingual)


def _read_safetensors_voice(path: Path) -> Voice:
    # This imports onnx, which is slow and which prepared voices do not need.
    from app.voices.prepare.weights.weight_graphs import build_voice_graphs

    tensors = open_voice_tensors(path)
    facts = read_container_facts(path, tensors.metadata, has_weights=True)
    built = build_voice_graphs(facts.config, tensors, facts.config_source)
    graphs: GraphSources = {name: getattr(built, name).SerializeToString() for name in ("prosody", "flow", "decoder")}
    speakers, multilingual = tensors.find_shape("emb_g.weight")[0], "enc_p.ja_bert_proj.weight" in tensors
    voice = _create_voice(path, graphs, facts, speakers, multilingual=multilingual, margin_frames=built.margin_frames)
    return replace(voice, manifest=replace(voice.manifest, emoji=built.emoji))


def _create_voice(
    path: Path, graphs: GraphSources, facts: ContainerFacts, speakers: int | None, *, multilingual: bool, margin_frames: int = 16
) -> Voice:
    voice_id = str(facts.aivm_manifest["uuid"]) if facts.aivm_manifest else compute_source_digest(path)[:16]
    manifest = build_manifest(
        path, facts, voice_id, tuple(graphs), speakers=speakers, multilingual=multilingual, margin_frames=margin_frames
    )
    voice = Voice(manifest, facts.style_vectors, graphs, path)
    check_voice_vectors(voice)
    return voice
