"""What a container says of its voice, read without the weights: settings, style vectors, and the AIVM manifest where there is one."""

from __future__ import annotations

import base64
import binascii
import json
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core.types import Float32
from app.errors import VoiceError
from app.json_text import long_text, parse_json, parse_object
from app.language import localized
from app.voices.containers.foreign import KINDS, Foreign
from app.voices.containers.recognition import START_BYTES, ZIP_MAGICS, kind_of_start, read_start
from app.voices.containers.sidecars import config_beside, vectors_beside
from app.voices.untrusted.limits import LARGEST_JSON_BYTES, LARGEST_VECTORS_BYTES
from app.voices.untrusted.regular_file import read_regular
from app.voices.untrusted.settings import CONFIG_NAME
from app.voices.untrusted.style_vectors import read_style_vectors, vectors_from_npy

AIVM_KEYS = ("aivm_manifest", "aivm_hyper_parameters", "aivm_style_vectors")
NANAIRO = "Style-Bert-VITS2 (Nanairo)"  # no tool writes this yet: those of today call such a voice JP-Extra
ARCHITECTURES = ("Style-Bert-VITS2", "Style-Bert-VITS2 (JP-Extra)", NANAIRO)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a container says of its voice.

    Attributes:
        kind: aivmx, aivm, onnx, safetensors or sbv2.
        config: SBV2's `config.json`, empty where there is none.
        place: where that was read, as people know it.
        vectors: style vectors, float32 (styles, 256).
        aivm: the AIVM manifest, its `uuid` in lower case; empty where there is none.
    """

    kind: str
    config: dict[str, Any]
    vectors: Float32
    aivm: dict[str, Any] = field(default_factory=dict)
    place: str = CONFIG_NAME


def is_aivm(metadata: Mapping[str, str]) -> bool:
    """True when metadata carry a whole AIVM voice."""
    return all(key in metadata for key in AIVM_KEYS)


def is_nanairo(config: Mapping[str, Any]) -> bool:
    """True when the settings are those of a Nanairo voice; tools that do not know it drop the key, but keep the version."""
    data = config.get("data")
    return str(config.get("version", "")).endswith("Nanairo") or (isinstance(data, dict) and data.get("use_nanairo") is True)


def facts_of(path: Path, metadata: Mapping[str, str], *, weights: bool) -> Facts:
    """From the container itself when it is an AIVM one, else from the files beside it.

    Args:
        weights: the container holds weights, not a graph.

    Raises:
        VoiceError: something is missing or damaged, or the voice is of an architecture that we do not know.
    """
    if is_aivm(metadata):
        manifest, config, vectors = (metadata[key] for key in AIVM_KEYS)
        place = f"{path.name} ({AIVM_KEYS[1]})"
        if len(config) > LARGEST_JSON_BYTES:
            raise bad_config(place, localized("大きすぎます", "they are too large"))
        settings = _settings(config, path, place, weights=weights)
        return Facts("aivm" if weights else "aivmx", settings, _embedded_vectors(vectors), _aivm(manifest, path), place)
    config_path = config_beside(path)
    if weights and config_path is None:
        raise VoiceError(
            localized(f"「{path.name}」と同じフォルダーに config.json がありません。", f"There is no config.json beside “{path.name}”."),
            localized("声のフォルダー全体をダウンロードしてください。", "Download the whole folder of the voice."),
        )
    settings = {}
    if config_path is not None:
        content = read_regular(config_path, LARGEST_JSON_BYTES)
        require_own_content(config_path, content, ("settings", "text", "project"))
        settings = _settings(content, path, config_path.name, weights=weights)
    return Facts(
        "safetensors" if weights else "onnx", settings, _vectors_beside(path), place=config_path.name if config_path else CONFIG_NAME
    )


def _vectors_beside(path: Path) -> Float32:
    vectors = vectors_beside(path)
    require_own_content(vectors, read_start(vectors, START_BYTES), ("vectors", "settings", "text", "project"))
    return read_style_vectors(vectors)


def require_own_content(path: Path, content: bytes, own: Collection[str]) -> None:
    """Raises VoiceError for a file of a voice that holds something else, such as the web page of a failed download.

    Args:
        content: how it begins.
        own: kinds that it may look like (`recognition.kind_of_start`).
    """
    kind = kind_of_start(content[:START_BYTES])
    if content.startswith(ZIP_MAGICS):
        what = Foreign("zip（.npz など）", "a zip, such as .npz")
    elif kind is None or kind in own:
        return
    else:
        what = KINDS["zeros" if kind == "empty" and content else kind]
    raise VoiceError(
        localized(f"「{path.name}」の中身は{what.ja}です。", f"“{path.name}” is {what.en}."),
        localized("このファイルをもう一度ダウンロードしてください。", "Download this file again."),
    )


def _settings(text: str | bytes, path: Path, place: str, *, weights: bool) -> dict[str, Any]:
    """The settings; a VoiceError for the graph of a Nanairo voice, whose inputs nobody has laid down yet."""
    try:
        settings = parse_json(text)
    except ValueError as exc:
        raise bad_config(place, _why_no_json(exc)) from exc
    if not isinstance(settings, dict):
        raise bad_config(place, localized("JSON のオブジェクトではありません", "not a JSON object"))
    if is_nanairo(settings) and not weights:
        raise VoiceError(
            localized(
                f"Nanairo の声の ONNX ファイルには対応していません: {path.name}",
                f"ONNX files of Nanairo voices are not supported: {path.name}",
            ),
            localized("同じ声の .safetensors か .aivm を選んでください。", "Choose the .safetensors or .aivm of the same voice."),
        )
    return settings


def _why_no_json(error: ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return localized("文字コードが UTF-8 ではありません", "the text is not UTF-8")
    if isinstance(error, json.JSONDecodeError):
        return localized(
            f"JSON として正しくありません（{error.lineno} 行目の {error.colno} 文字目）",
            f"this is not valid JSON (line {error.lineno}, column {error.colno})",
        )
    return localized(
        "NaN、大きすぎる数、同じ名前の項目など、使えない値が含まれています",
        "a value is not allowed, such as NaN, a number too large, or a name that occurs twice",
    )


def bad_config(place: str, reason: str) -> VoiceError:
    """The error for settings that cannot be read, with the reason in the language of the user."""
    return VoiceError(
        localized(f"声の設定（{place}）を読み込めません: {reason}。", f"The settings of this voice ({place}) cannot be read: {reason}."),
        localized("その箇所を修正するか、声をもう一度ダウンロードしてください。", "Correct that, or download the voice again."),
    )


def bad_manifest(path: Path) -> VoiceError:
    """The error for an AIVM manifest that cannot be read, or that no voice can have."""
    return VoiceError(
        localized(f"AIVM マニフェストを読み込めません: {path.name}", f"The AIVM manifest of this voice cannot be read: {path.name}"),
        localized("声をもう一度ダウンロードしてください。", "Download the voice again."),
    )


def _aivm(text: str, path: Path) -> dict[str, Any]:
    """The manifest, checked as far as Koebako relies on it."""
    try:
        manifest = parse_object(text)
    except ValueError as exc:
        raise bad_manifest(path) from exc
    architecture, version = (manifest.get(key) for key in ("model_architecture", "manifest_version"))
    if architecture not in ARCHITECTURES or not str(version).startswith("1."):
        shown = f"{architecture} / {version}"[:80]
        raise VoiceError(
            localized(f"この種類の声「{shown}」には対応していません。", f"Voices of type “{shown}” are not supported."),
            localized(
                "Style-Bert-VITS2 の声を選ぶか、Koebako を更新してください。",
                "Choose a Style-Bert-VITS2 voice, or update Koebako.",
            ),
        )
    try:
        long_text(manifest["name"])
        return manifest | {"uuid": str(uuid.UUID(long_text(manifest["uuid"])))}
    except (KeyError, ValueError) as exc:
        raise bad_manifest(path) from exc


def _embedded_vectors(text: str) -> Float32:
    try:
        if len(text) > 2 * LARGEST_VECTORS_BYTES:
            raise ValueError("too large")
        return vectors_from_npy(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError) as exc:
        raise VoiceError(
            localized("声に含まれるスタイルのデータを読み込めません。", "The style vectors in this voice cannot be read."),
            localized("声をもう一度ダウンロードしてください。", "Download the voice again."),
        ) from exc
