"""The fields of `voices info` in Japanese; in English they have the names that programs read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.language import localized
from app.voices.manifest import VoiceManifest
from app.voices.voice_words import STARTER, about_starter, shown_name

_LABELS = {
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
_WORDS: dict[tuple[str, object], str] = {
    ("format", STARTER): "Koebako 付属",
    ("opaque", True): "はい",
    ("opaque", False): "いいえ",
    ("licence_accepted", True): "済み",
    ("licence_accepted", False): "まだ",
    ("precision", "exact"): "高精度",
    ("precision", "fast"): "高速（int8）",
}


def label(field: str) -> str:
    """A field for people."""
    return localized(_LABELS.get(field, field), field)


def in_words(details: Mapping[str, Any], manifest: VoiceManifest) -> dict[str, Any]:
    """The values of all fields as people read them; those that programs read alone are as they were."""
    shown = dict(details) | {"name": shown_name(manifest)}
    if manifest.format == STARTER:
        shown["description"] = about_starter()
    return {field: _word(field, value) for field, value in shown.items()}


def _word(field: str, value: Any) -> Any:
    word = _WORDS.get((field, value)) if isinstance(value, str | bool) else None
    return value if word is None else localized(word, str(value))
