"""The facts that a container states about its voice, read without the weights: settings, style vectors, and the AIVM manifest where there is one.

The files next to a model are `config.json` and the style vectors; names in capitals count as well.
"""

import base64
import binascii
import json
import os
import uuid
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.common.errors import VoiceError
from app.common.files.untrusted_json import parse_json, parse_object, sanitise_long_text
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.voices.containers.container_recognition import RECOGNITION_BYTES, ZIP_MAGICS, read_first_bytes, recognise_foreign_start
from app.voices.containers.unsupported_formats import UNSUPPORTED_FORMATS, UnsupportedFormat
from app.voices.untrusted.regular_file import read_regular_file
from app.voices.untrusted.sbv2_config import SBV2_CONFIG_NAME
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME, parse_npy_vectors, read_style_vectors
from app.voices.untrusted.voice_limits import MAX_STYLE_VECTORS_BYTES, MAX_VOICE_JSON_BYTES, MAX_ZIP_ENTRIES

AIVM_KEYS = ("aivm_manifest", "aivm_hyper_parameters", "aivm_style_vectors")
NANAIRO_ARCHITECTURE = "Style-Bert-VITS2 (Nanairo)"  # no tool writes this name yet: those of today call such a voice JP-Extra
AIVM_ARCHITECTURES = ("Style-Bert-VITS2", "Style-Bert-VITS2 (JP-Extra)", NANAIRO_ARCHITECTURE)

VECTORS_PREFIX = "style_vectors"
VECTORS_SUFFIXES = (".npy", ".json")


@dataclass(frozen=True, slots=True)
class ContainerFacts:
    """The facts that a container states about its voice."""

    kind: str  # aivmx, aivm, onnx, safetensors or sbv2
    config: dict[str, Any]  # SBV2's `config.json`, empty where there is none; `config_source` is where that was read, as people know it
    style_vectors: Float32  # float32 (styles, 256)
    aivm_manifest: dict[str, Any] = field(default_factory=dict)  # its `uuid` in lower case; empty where there is none
    config_source: str = SBV2_CONFIG_NAME


def has_aivm_metadata(metadata: Mapping[str, str]) -> bool:
    """Return whether metadata carry a whole AIVM voice."""
    return all(key in metadata for key in AIVM_KEYS)


def is_nanairo_config(config: Mapping[str, Any]) -> bool:
    """Return whether the settings are those of a Nanairo voice; tools that do not know Nanairo drop the key, but keep the version."""
    data = config.get("data")
    return str(config.get("version", "")).endswith("Nanairo") or (isinstance(data, dict) and data.get("use_nanairo") is True)


def find_config(path: Path) -> Path | None:
    """Return the path of `config.json` in the folder of a model, or None."""
    return next((item for item in _iterate_files(path.parent) if item.name.casefold() == SBV2_CONFIG_NAME), None)


def find_style_vectors(path: Path) -> Path:
    """Return style vectors: named as the model, else `style_vectors.npy` or `.json`, else the only ones; raise VoiceError if unclear."""
    files = {item.name.casefold(): item for item in _iterate_files(path.parent)}
    files = {name: item for name, item in files.items() if name.startswith(VECTORS_PREFIX) and name.endswith(VECTORS_SUFFIXES)}
    stem = path.stem.casefold()
    for name in (f"{VECTORS_PREFIX}_{stem}", f"{VECTORS_PREFIX}_{stem.removeprefix('model_')}", VECTORS_PREFIX):
        for suffix in VECTORS_SUFFIXES:
            if name + suffix in files:
                return files[name + suffix]
    if len(files) == 1:
        return next(iter(files.values()))
    missing = localize(f"「{path.name}」のスタイルのデータが見つかりません。", f"The style vectors of “{path.name}” are missing.")
    unclear = localize(
        f"「{path.name}」に対応するスタイルのデータを特定できません。", f"It is not clear which style vectors belong to “{path.name}”."
    )
    hint = localize(f"同じフォルダーに {STYLE_VECTORS_NAME} を置いてください。", f"Put {STYLE_VECTORS_NAME} beside it.")
    names = ", ".join(sorted(item.name for item in files.values())[:5])
    raise VoiceError(unclear if files else missing, f"{hint} ({names})" if names else hint)


def _iterate_files(folder: Path) -> Iterator[Path]:
    """Yield the first files of a folder; a folder with 100,000 is not listed whole, and one that cannot be listed has none."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for _, entry in zip(range(MAX_ZIP_ENTRIES), entries, strict=False))
    except OSError:
        return
    yield from (folder / name for name in names)


def read_container_facts(path: Path, metadata: Mapping[str, str], *, has_weights: bool) -> ContainerFacts:
    """Return the facts of an AIVM container itself, else of the files next to it; raise VoiceError if one is missing, damaged, unknown."""
    if has_aivm_metadata(metadata):
        manifest, config, vectors = (metadata[key] for key in AIVM_KEYS)
        place = f"{path.name} ({AIVM_KEYS[1]})"
        if len(config) > MAX_VOICE_JSON_BYTES:
            raise build_config_error(place, localize("大きすぎます", "they are too large"))
        settings = _parse_settings(config, path, place, has_weights=has_weights)
        kind = "aivm" if has_weights else "aivmx"
        return ContainerFacts(kind, settings, _decode_embedded_vectors(vectors), _parse_aivm_manifest(manifest, path), place)
    config_path = find_config(path)
    if has_weights and config_path is None:
        raise VoiceError(
            localize(f"「{path.name}」と同じフォルダーに config.json がありません。", f"There is no config.json beside “{path.name}”."),
            localize("声のフォルダー全体をダウンロードしてください。", "Download the whole folder of the voice."),
        )
    settings = {}
    if config_path is not None:
        content = read_regular_file(config_path, MAX_VOICE_JSON_BYTES)
        refuse_foreign_content(config_path, content, ("settings", "text", "project"))
        settings = _parse_settings(content, path, config_path.name, has_weights=has_weights)
    vectors_path = find_style_vectors(path)
    refuse_foreign_content(vectors_path, read_first_bytes(vectors_path, RECOGNITION_BYTES), ("vectors", "settings", "text", "project"))
    kind, config_source = "safetensors" if has_weights else "onnx", config_path.name if config_path else SBV2_CONFIG_NAME
    return ContainerFacts(kind, settings, read_style_vectors(vectors_path), config_source=config_source)


def refuse_foreign_content(path: Path, content: bytes, expected_kinds: Collection[str]) -> None:
    """Raise VoiceError for a file of a voice whose beginning looks like something else than the expected kinds, such as the web page of a failed download."""
    kind = recognise_foreign_start(content[:RECOGNITION_BYTES])
    if content.startswith(ZIP_MAGICS):
        what = UnsupportedFormat("zip（.npz など）", "a zip, such as .npz")
    elif kind is None or kind in expected_kinds:
        return
    else:
        what = UNSUPPORTED_FORMATS["zeros" if kind == "empty" and content else kind]
    raise VoiceError(
        localize(f"「{path.name}」の中身は{what.ja}です。", f"“{path.name}” is {what.en}."),
        localize("このファイルをもう一度ダウンロードしてください。", "Download this file again."),
    )


def _parse_settings(text: str | bytes, path: Path, source_label: str, *, has_weights: bool) -> dict[str, Any]:
    """Return the settings; raise VoiceError for the graph of a Nanairo voice, whose inputs no specification lays down yet."""
    try:
        settings = parse_json(text)
    except ValueError as exc:
        raise build_config_error(source_label, _describe_json_error(exc)) from exc
    if not isinstance(settings, dict):
        raise build_config_error(source_label, localize("JSON のオブジェクトではありません", "not a JSON object"))
    if is_nanairo_config(settings) and not has_weights:
        raise VoiceError(
            localize(
                f"Nanairo の声の ONNX ファイルには対応していません: {path.name}",
                f"ONNX files of Nanairo voices are not supported: {path.name}",
            ),
            localize("同じ声の .safetensors か .aivm を選んでください。", "Choose the .safetensors or .aivm of the same voice."),
        )
    return settings


def _describe_json_error(error: ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return localize("文字コードが UTF-8 ではありません", "the text is not UTF-8")
    if isinstance(error, json.JSONDecodeError):
        return localize(
            f"JSON として正しくありません（{error.lineno} 行目の {error.colno} 文字目）",
            f"this is not valid JSON (line {error.lineno}, column {error.colno})",
        )
    return localize(
        "NaN、大きすぎる数、同じ名前の項目など、使えない値が含まれています",
        "a value is not allowed, such as NaN, a number too large, or a name that occurs twice",
    )


def build_config_error(source_label: str, reason: str) -> VoiceError:
    """Return the error for settings that cannot be read, with the reason in the language of the user."""
    return VoiceError(
        localize(
            f"声の設定（{source_label}）を読み込めません: {reason}。",
            f"The settings of this voice ({source_label}) cannot be read: {reason}.",
        ),
        localize("その箇所を修正するか、声をもう一度ダウンロードしてください。", "Correct that, or download the voice again."),
    )


def build_aivm_manifest_error(path: Path) -> VoiceError:
    """Return the error for an AIVM manifest that cannot be read, or that no voice can have."""
    return VoiceError(
        localize(f"AIVM マニフェストを読み込めません: {path.name}", f"The AIVM manifest of this voice cannot be read: {path.name}"),
        localize("声をもう一度ダウンロードしてください。", "Download the voice again."),
    )


def _parse_aivm_manifest(text: str, path: Path) -> dict[str, Any]:
    """Return the manifest, checked as far as Koebako relies on it."""
    try:
        manifest = parse_object(text)
    except ValueError as exc:
        raise build_aivm_manifest_error(path) from exc
    architecture, version = (manifest.get(key) for key in ("model_architecture", "manifest_version"))
    if architecture not in AIVM_ARCHITECTURES or not str(version).startswith("1."):
        shown = f"{architecture} / {version}"[:80]
        raise VoiceError(
            localize(f"この種類の声「{shown}」には対応していません。", f"Voices of type “{shown}” are not supported."),
            localize("Style-Bert-VITS2 の声を選ぶか、Koebako を更新してください。", "Choose a Style-Bert-VITS2 voice, or update Koebako."),
        )
    try:
        sanitise_long_text(manifest["name"])
        return manifest | {"uuid": str(uuid.UUID(sanitise_long_text(manifest["uuid"])))}
    except (KeyError, ValueError) as exc:
        raise build_aivm_manifest_error(path) from exc


def _decode_embedded_vectors(text: str) -> Float32:
    try:
        if len(text) > 2 * MAX_STYLE_VECTORS_BYTES:
            raise ValueError("too large")
        return parse_npy_vectors(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError) as exc:
        raise VoiceError(
            localize("声に含まれるスタイルのデータを読み込めません。", "The style vectors in this voice cannot be read."),
            localize("声をもう一度ダウンロードしてください。", "Download the voice again."),
        ) from exc
