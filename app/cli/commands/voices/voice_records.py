"""A voice as the command line shows it: the fields of `voices list`, everything for `voices info`, and their names in Japanese."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.common.language import localize
from app.voices.pending_refinement import is_refinement_pending
from app.voices.prepared_voice import NamedId, VoiceManifest
from app.voices.voice_card_data import SpeakerCard, VoiceCardData
from app.voices.voice_labels import (
    STARTER_NAME_WORD,
    describe_int8_graphs,
    describe_int8_quality,
    describe_starter_voice,
    format_speaker,
    format_voice_name,
)

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
    ("precision", "fast"): "高速",
}


def build_list_record(manifest: VoiceManifest, path: Path, source: str = "") -> dict[str, Any]:
    """Return the fields of `voices list --json`; `source` is the file it came from, empty where that is not known."""
    return {
        "id": manifest.id,
        "name": manifest.name,
        "source": source or str(path),
        "format": manifest.format,
        "opaque": manifest.is_single_graph,
        "speakers": [{"id": item.id, "name": item.name, "display_name": format_speaker(item.name)} for item in manifest.speakers],
        "styles": [{"id": item.id, "name": item.name} for item in manifest.styles],
        "sampling_rate": manifest.sampling_rate,
        "bert": manifest.bert,
        "path": str(path),
        "architecture": find_architecture_name(manifest),
        "ready": "usable" if is_refinement_pending(path) else "better",
    }


def find_architecture_name(manifest: VoiceManifest) -> str:
    """Return what the command-line contract calls a kind of voice: sbv2, nanairo, mei or kokoro."""
    if manifest.format == STARTER_NAME_WORD:
        return "mei"
    return "nanairo" if manifest.emoji else manifest.architecture


def build_info_record(manifest: VoiceManifest, path: Path, card: VoiceCardData) -> dict[str, Any]:
    """Return all facts about a voice but the user's choices for it; files of the card are full paths."""
    values = asdict(card)
    del values["speakers"]
    # What the model's own file says is more exact, but for most of our voices it says nothing.
    values["architecture"] = values["architecture"] or find_architecture_name(manifest)
    lines = build_list_record(manifest, path, card.source_name)
    cards = {item.id: item for item in card.speakers}
    lines["speakers"] = [_build_speaker_record(item, cards.get(item.id), path) for item in manifest.speakers]
    return (
        lines
        | {"description": manifest.description, "licence": manifest.licence, "hop_length": manifest.hop_length}
        | build_fast_record(manifest)
        | values
    )


def build_fast_record(manifest: VoiceManifest) -> dict[str, Any]:
    """Build the closeness of the faster way to speak and the graphs without a part in it, for a voice where these are known."""
    fast = {} if manifest.fast is None else {"fast": asdict(manifest.fast)}
    return fast | ({"refused": {name: asdict(graph) for name, graph in manifest.refused.items()}} if manifest.refused else {})


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


def format_fast_lines(manifest: VoiceManifest) -> list[str]:
    """Return the int8 facts as lines for people."""
    if manifest.is_single_graph or not (manifest.fast or manifest.refused):
        return []
    whole = describe_int8_quality(manifest.fast) if manifest.fast is not None else localize("使えません", "not available")
    return [f"{format_field('fast')}: {whole}", *(f"    {name}: {words}" for name, words in describe_int8_graphs(manifest))]


def _build_speaker_record(speaker: NamedId, card: SpeakerCard | None, path: Path) -> dict[str, Any]:
    card = card or SpeakerCard(speaker.id)
    styles = [
        {
            "id": style.id,
            "icon": _resolve_file(path, style.icon),
            "samples": [{"file": _resolve_file(path, sample.file), "transcript": sample.transcript} for sample in style.samples],
        }
        for style in card.styles
    ]
    return {
        "id": speaker.id,
        "name": speaker.name,
        "uuid": card.uuid,
        "languages": list(card.languages),
        "icon": _resolve_file(path, card.icon),
        "styles": styles,
    }


def _resolve_file(path: Path, name: str) -> str:
    return str(path / name) if name else ""


def format_info_lines(details: dict[str, Any]) -> list[str]:
    """Return the facts as lines for people: one for each field with content, with names instead of records."""
    lines = []
    for key, value in details.items():
        if isinstance(value, dict):
            continue  # see `format_fast_lines`
        if isinstance(value, list):
            value = ", ".join(f"{item['id']} {item['name']}" if isinstance(item, dict) else str(item) for item in value)
        if value not in (None, "") and (value or isinstance(value, bool)):
            # The indent keeps a licence from looking like another field.
            lines.append(f"{format_field(key)}: {value}".replace("\n", "\n    "))
    return lines
