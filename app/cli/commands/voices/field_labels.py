"""The fields of `voices info` in Japanese; in English they have the names that programs read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.common.language import localize
from app.voices.voice_labels import STARTER_NAME_WORD, describe_starter_voice, format_voice_name
from app.voices.voice_manifest import VoiceManifest

_FIELD_LABELS = {
    "id": "ID",
    "name": "名前",
    "source": "追加元",
    "format": "形式",
    "opaque": "一体型",
    "speakers": "話者",
    "styles": "スタイル",
    "sampling_rate": "サンプリング周波数（Hz）",
    "bert": "BERT",
    "path": "場所",
    "ready": "準備の状態",
    "description": "説明",
    "licence": "利用規約",
    "hop_length": "ホップ長（サンプル）",
    "uuid": "UUID",
    "version": "バージョン",
    "architecture": "アーキテクチャー",
    "creators": "作者",
    "training_epochs": "学習エポック数",
    "training_steps": "学習ステップ数",
    "source_name": "元のファイル",
    "source_sha256": "元のファイルの SHA-256",
    "source_bytes": "元のファイルのサイズ（バイト）",
    "prepared_bytes": "準備後のサイズ（バイト）",
    "installed_at": "追加した日時",
    "max_abs_diff": "元の声との差の最大",
    "opaque_reason": "一体型の理由",
    "notes": "備考",
    "licence_accepted": "利用規約への同意",
    "precision": "音声合成の精度",
    "fast": "高速の精度",
}
_VALUE_LABELS: dict[tuple[str, object], str] = {
    ("format", STARTER_NAME_WORD): "Koebako 付属",
    ("format", "kokoro"): "Kokoro（自然な声）",
    ("opaque", True): "はい",
    ("opaque", False): "いいえ",
    ("licence_accepted", True): "済み",
    ("licence_accepted", False): "まだ",
    ("precision", "exact"): "高精度",
    ("precision", "fast"): "高速（int8）",
}


def format_field(field: str) -> str:
    """Return the name of a field for people."""
    return localize(_FIELD_LABELS.get(field, field), field)


def format_values(details: Mapping[str, Any], manifest: VoiceManifest) -> dict[str, Any]:
    """Return the values of all fields as people read them; those for programs alone are unchanged."""
    shown = dict(details) | {"name": format_voice_name(manifest)}
    if manifest.format == STARTER_NAME_WORD:
        shown["description"] = describe_starter_voice()
    # Of a voice that is ready nothing is said.
    is_pending = details.get("ready") == "usable"
    shown["ready"] = localize("残りを準備中（声は使えます）", "usable, still being prepared") if is_pending else ""
    return {field: _format_value(field, value) for field, value in shown.items()}


def _format_value(field: str, value: Any) -> Any:
    word = _VALUE_LABELS.get((field, value)) if isinstance(value, str | bool) else None
    return value if word is None else localize(word, str(value))
