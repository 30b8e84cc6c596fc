"""Opens voices as users have them. Recognised by content: a protobuf (`.onnx`, `.aivmx`), a zstd archive (`.sbv2`), safetensors
(`.safetensors`, `.aivm`), or a folder that holds one of them.

Weights are built into the three graphs of a prepared voice; a graph runs whole ("opaque").
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.core.types import Float32
from app.errors import VoiceError
from app.language import say
from app.voices.manifest import MANIFEST_NAME, Named, VoiceManifest
from app.voices.onnx_metadata import read_metadata
from app.voices.safetensors import TensorFile
from app.voices.sbv2_archive import ZSTD_MAGIC, read_sbv2
from app.voices.voice import STYLE_VECTORS_NAME, Graphs, Voice, as_style_vectors, check_vectors, read_prepared, read_style_vectors

SBV2_BERT = "deberta-v2-large-japanese-char-wwm"  # every public SBV2 voice was trained with it
AIVM_KEYS = ("aivm_manifest", "aivm_hyper_parameters", "aivm_style_vectors")
SUFFIXES = (".aivmx", ".aivm", ".onnx", ".safetensors", ".sbv2")


def read_source(path: Path) -> Voice:
    """A voice from a prepared folder, an SBV2 folder or any of its containers; VoiceError otherwise."""
    if path.is_dir():
        return read_prepared(path) if (path / MANIFEST_NAME).is_file() else read_source(_only_voice(path))
    if not path.is_file():
        raise VoiceError(
            say(f"声が見つかりません: {path}", f"There is no voice at {path}"),
            say("ファイルの場所を確かめてください。", "Check the path."),
        )
    with path.open("rb") as file:
        start = file.read(16)
    if start[:4] == ZSTD_MAGIC:
        graph, vectors = read_sbv2(path)
        return _voice(path, {"whole": graph}, Facts("sbv2", {}, vectors))
    return _from_weights(path) if start[8:9] == b"{" else _from_graph(path)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a container tells of its voice: SBV2's `config.json`, style vectors, and an AIVM manifest where there is one."""

    kind: str
    config: dict[str, Any]
    vectors: Float32
    aivm: dict[str, Any] = field(default_factory=dict)


def _only_voice(folder: Path) -> Path:
    voices = sorted(item for item in folder.iterdir() if item.suffix.lower() in SUFFIXES)
    if len(voices) == 1:
        return voices[0]
    names = ", ".join(item.name for item in voices[:5])
    raise VoiceError(
        say(
            f"このフォルダーには声のファイルが {len(voices)} 個あります: {folder}", f"This folder holds {len(voices)} voice files: {folder}"
        ),
        say("ファイルを一つ指定してください。", "Name one file.") + (f" ({names})" if names else ""),
    )


def _from_graph(path: Path) -> Voice:
    return _voice(path, {"whole": path}, _facts(path, read_metadata(path), "aivmx", "onnx"))


def _from_weights(path: Path) -> Voice:
    from app.voices.prepare.weights.build import graphs_from_weights  # onnx, which prepared voices do not need, is slow to import

    tensors = TensorFile(path)
    facts = _facts(path, tensors.metadata, "aivm", "safetensors")
    built = graphs_from_weights(facts.config, tensors)
    graphs: Graphs = {name: getattr(built, name).SerializeToString() for name in ("prosody", "flow", "decoder")}
    return _voice(path, graphs, facts, built.margin_frames)


def _facts(path: Path, metadata: Mapping[str, str], embedded: str, beside: str) -> Facts:
    """From the container itself when it is an AIVM one, else from the files beside it."""
    if all(key in metadata for key in AIVM_KEYS):
        manifest, config = (_json(metadata[key], path) for key in AIVM_KEYS[:2])
        return Facts(embedded, config, _embedded_vectors(metadata[AIVM_KEYS[2]]), manifest)
    config_path = path.parent / "config.json"
    try:
        config = _json(config_path.read_text(encoding="utf-8"), config_path) if config_path.is_file() else {}
    except (OSError, UnicodeDecodeError) as exc:
        raise _bad_config(config_path) from exc
    return Facts(beside, config, read_style_vectors(path.parent / STYLE_VECTORS_NAME))


def _json(text: str, path: Path) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise _bad_config(path) from exc
    if not isinstance(value, dict):
        raise _bad_config(path)
    return value


def _bad_config(path: Path) -> VoiceError:
    return VoiceError(
        say(f"声の設定を読めません: {path.name}", f"The settings of this voice cannot be read: {path.name}"),
        say("ファイルが壊れていないか確かめてください。", "Check that the file is complete."),
    )


def _embedded_vectors(text: str) -> Float32:
    try:
        return as_style_vectors(np.load(io.BytesIO(base64.b64decode(text, validate=True)), allow_pickle=False))
    except (binascii.Error, ValueError, EOFError) as exc:
        raise VoiceError(
            say("声に埋め込まれたスタイルのデータを読めません。", "The style vectors inside this voice cannot be read."),
            say("声をもう一度入手してください。", "Get the voice again."),
        ) from exc


def _voice(path: Path, graphs: Graphs, facts: Facts, margin_frames: int = 16) -> Voice:
    config, aivm = facts.config, facts.aivm
    try:
        data = config.get("data", {})
        speakers = tuple(Named(int(number), str(name)) for name, number in data.get("spk2id", {"0": 0}).items())
        styles = tuple(Named(int(number), str(name)) for name, number in data.get("style2id", {}).items())
        manifest = VoiceManifest(
            id=str(aivm.get("uuid") or hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]),
            name=str(aivm.get("name") or config.get("model_name") or path.stem),
            format=facts.kind,
            bert=SBV2_BERT,
            sampling_rate=int(data.get("sampling_rate", 44100)),
            hop_length=int(data.get("hop_length", 512)),
            speakers=speakers,
            styles=styles or tuple(Named(index, f"Style {index}") for index in range(len(facts.vectors))),
            graphs=dict.fromkeys(graphs, path.name),
            margin_frames=margin_frames,
            multilingual=bool(config) and not str(config.get("version", "JP-Extra")).endswith("JP-Extra"),
            add_blank=bool(data.get("add_blank", True)),
            licence=str(aivm.get("license") or ""),
            description=str(aivm.get("description") or ""),
        )
        voice = Voice(manifest, facts.vectors, graphs, path)
        check_vectors(voice)
        voice.traits()  # checks the numbers against each other
    except (AttributeError, TypeError, ValueError) as exc:
        raise _bad_config(path) from exc
    return voice
