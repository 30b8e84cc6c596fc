"""A voice as the command line shows it: the fields of `voices list`, and everything for `voices info`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.cli.commands.voices.field_labels import format_field
from app.common.language import localize
from app.voices.pending_refinement import is_refinement_pending
from app.voices.voice_card_data import SpeakerCard, VoiceCardData
from app.voices.voice_labels import STARTER_NAME_WORD, describe_int8_graphs, describe_int8_quality
from app.voices.voice_manifest import NamedId, VoiceManifest


def build_list_record(manifest: VoiceManifest, path: Path, source: str = "") -> dict[str, Any]:
    """Return the fields of `voices list --json`.

    Args:
        source: the file it came from; empty where that is not known.
    """
    return {
        "id": manifest.id,
        "name": manifest.name,
        "source": source or str(path),
        "format": manifest.format,
        "opaque": manifest.is_single_graph,
        "speakers": [{"id": item.id, "name": item.name} for item in manifest.speakers],
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
    # What the model's own file says is more exact; most of ours say nothing.
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
    languages = list(card.languages)
    return {
        "id": speaker.id,
        "name": speaker.name,
        "uuid": card.uuid,
        "languages": languages,
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
