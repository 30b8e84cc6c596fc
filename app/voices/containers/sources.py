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

from app.errors import VoiceError
from app.language import localized
from app.voices.containers.checkpoints import Checkpoint, checkpoints
from app.voices.containers.description import describe
from app.voices.containers.external_data import external_files, refuse_external
from app.voices.containers.facts import Facts, facts_of, is_aivm
from app.voices.containers.onnx_metadata import read_metadata, read_onnx
from app.voices.containers.recognition import container_of, tensors_of
from app.voices.containers.sbv2_archive import read_sbv2
from app.voices.containers.sidecars import config_beside, vectors_beside
from app.voices.containers.voice_graph import VoiceGraph, count_speakers, read_voice_graph
from app.voices.digest import combined, file_digest
from app.voices.manifest import MANIFEST_NAME, fast_files
from app.voices.untrusted.regular_file import is_folder, is_regular
from app.voices.untrusted.safetensors import TensorFile
from app.voices.voice import STYLE_VECTORS_NAME, Graphs, Voice, check_vectors, read_prepared
from app.voices.wanted_bert import SBV2_BERT

__all__ = ["SBV2_BERT", "Facts", "read_facts", "read_source", "source_digest", "source_files"]


def read_source(path: Path) -> Voice:
    """A voice from a prepared folder, an SBV2 folder, any of its containers, or a zip with one of them; VoiceError otherwise."""
    try:
        with _single(path) as (file, kept):
            voice = _prepared(file) if is_folder(file) else _read(file)
            if kept:
                return voice
            return replace(voice, graphs={name: _in_memory(graph) for name, graph in voice.graphs.items()}, path=path)
    except MemoryError as exc:
        raise VoiceError(
            localized(f"メモリーが足りず、声を開けません: {path.name}", f"Not enough memory to open this voice: {path.name}"),
            localized("ほかのアプリを閉じてください。", "Close other applications."),
        ) from exc


def _in_memory(graph: Path | bytes) -> bytes:
    """A graph without its file, which is about to go; weights beside it are taken in."""
    from app.voices.prepare.store import graph_bytes, load_graph  # onnx is slow to import

    if isinstance(graph, bytes):
        return graph
    return graph_bytes(load_graph(graph)) if read_onnx(graph).outline.external else graph.read_bytes()


def _prepared(folder: Path) -> Voice:
    """A prepared folder from anywhere, such as an exported voice: its graphs must not read what lies elsewhere."""
    voice = read_prepared(folder)
    fast = (folder / file for file in fast_files(voice.manifest).values())
    for graph in (*voice.graphs.values(), *(file for file in fast if file.is_file())):
        if isinstance(graph, Path):
            external_files(graph, read_onnx(graph).outline)
    return voice


def read_facts(path: Path) -> Facts:
    """What a source says of its voice, read without its weights; VoiceError as for `read_source`.

    A prepared voice has none; its manifest says everything.
    """
    with _single(path) as (file, _):
        if is_folder(file):
            return Facts("prepared", {}, read_prepared(file).style_vectors)
        container = container_of(file)
        if container == "sbv2":
            return Facts("sbv2", {}, read_sbv2(file, with_graph=False)[1])
        if container == "safetensors":
            return facts_of(file, tensors_of(file).metadata, weights=True)
        return facts_of(file, read_metadata(file), weights=False)


def source_files(path: Path) -> list[Path]:
    """The files that a voice consists of, itself first: what to hash or copy. A zip is one file, a prepared voice a few."""
    if is_folder(path) and is_regular(path / MANIFEST_NAME):
        graphs = sorted({graph for graph in read_prepared(path).graphs.values() if isinstance(graph, Path)})
        further = [file for graph in graphs for file in external_files(graph, read_onnx(graph).outline)]
        return [path / MANIFEST_NAME, *graphs, *further, path / STYLE_VECTORS_NAME]
    if is_folder(path):
        return source_files(_only(path, checkpoints(path, None)))
    container = container_of(path)
    if container == "onnx":
        model = read_onnx(path)
        embedded, further = is_aivm(model.metadata), external_files(path, model.outline)
    elif container == "safetensors":
        embedded, further = is_aivm(TensorFile(path).metadata), []
    else:
        return [path]
    beside = [] if embedded else [config_beside(path), vectors_beside(path)]
    return [path, *(item for item in beside if item), *further]


def source_digest(path: Path) -> str:
    """SHA-256 of everything a voice consists of; equal for equal voices, wherever they lie and whatever they are called."""
    return combined([file_digest(file) for file in source_files(path)])


@contextmanager
def _single(path: Path) -> Iterator[tuple[Path, bool]]:
    """The one voice that a path leads to, and whether it lies there for good; what a zip holds is gone afterwards."""
    if not is_folder(path) and container_of(path) != "zip":
        yield path, True
        return
    with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as scratch:
        found = _only(path, checkpoints(path, Path(scratch)))
        yield found, not found.is_relative_to(scratch)


def _only(path: Path, found: list[Checkpoint]) -> Path:
    if len(found) == 1:
        return found[0].path
    names = ", ".join(item.label for item in found[:5])
    raise VoiceError(
        localized(f"声のファイルが {len(found)} 個あります: {path}", f"There are {len(found)} voice files: {path}"),
        localized("ファイルを一つ指定してください。", "Specify one file.") + f" ({names})",
    )


def _read(path: Path) -> Voice:
    container = container_of(path)
    if container == "sbv2":
        return _from_archive(path)
    return _from_weights(path) if container == "safetensors" else _from_graph(path)


def _from_archive(path: Path) -> Voice:
    graph, vectors = read_sbv2(path)
    model = read_voice_graph(graph, path.name)
    refuse_external(model.outline, path.name)
    return _from_onnx(path, graph, model, Facts("sbv2", {}, vectors))


def _from_graph(path: Path) -> Voice:
    model = read_voice_graph(path, path.name)
    external_files(path, model.outline)
    return _from_onnx(path, path, model, facts_of(path, model.metadata, weights=False))


def _from_onnx(path: Path, graph: Path | bytes, model: VoiceGraph, facts: Facts) -> Voice:
    speakers = count_speakers(graph, model, path.name)
    if model.roles is not None:
        from app.voices.prepare.store import graph_bytes, load_graph  # onnx is slow to import
        from app.voices.prepare.usual_inputs import with_usual_inputs

        graph = graph_bytes(with_usual_inputs(load_graph(graph), model.roles))
    return _voice(path, {"whole": graph}, facts, speakers, multilingual=model.multilingual)


def _from_weights(path: Path) -> Voice:
    from app.voices.prepare.weights.build import graphs_from_weights  # onnx, which prepared voices do not need, is slow to import

    tensors = tensors_of(path)
    facts = facts_of(path, tensors.metadata, weights=True)
    built = graphs_from_weights(facts.config, tensors, facts.place)
    graphs: Graphs = {name: getattr(built, name).SerializeToString() for name in ("prosody", "flow", "decoder")}
    speakers, multilingual = tensors.shape("emb_g.weight")[0], "enc_p.ja_bert_proj.weight" in tensors
    voice = _voice(path, graphs, facts, speakers, multilingual=multilingual, margin_frames=built.margin_frames)
    return replace(voice, manifest=replace(voice.manifest, emoji=built.emoji))


def _voice(path: Path, graphs: Graphs, facts: Facts, speakers: int | None, *, multilingual: bool, margin_frames: int = 16) -> Voice:
    voice_id = str(facts.aivm["uuid"]) if facts.aivm else source_digest(path)[:16]
    manifest = describe(path, facts, voice_id, tuple(graphs), speakers=speakers, multilingual=multilingual, margin_frames=margin_frames)
    voice = Voice(manifest, facts.vectors, graphs, path)
    check_vectors(voice)
    return voice
