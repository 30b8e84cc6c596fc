"""A voice as the command line shows it: the fields of `voices list`, and everything for `voices info`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.cli.commands.voices.labels import label
from app.language import localized
from app.voices.card import Card, SpeakerCard
from app.voices.fast_words import fast_parts, likeness
from app.voices.manifest import Named, VoiceManifest


def listed(manifest: VoiceManifest, path: Path, source: str = "") -> dict[str, Any]:
    """The fields of `voices list --json`.

    Args:
        source: the file it came from; empty where that is not known.
    """
    return {
        "id": manifest.id,
        "name": manifest.name,
        "source": source or str(path),
        "format": manifest.format,
        "opaque": manifest.opaque,
        "speakers": [{"id": item.id, "name": item.name} for item in manifest.speakers],
        "styles": [{"id": item.id, "name": item.name} for item in manifest.styles],
        "sampling_rate": manifest.sampling_rate,
        "bert": manifest.bert,
        "path": str(path),
    }


def detailed(manifest: VoiceManifest, path: Path, card: Card) -> dict[str, Any]:
    """Everything that is known of a voice but what the user chose for it; files of the card are full paths."""
    values = asdict(card)
    del values["speakers"]
    lines = listed(manifest, path, card.source_name)
    cards = {item.id: item for item in card.speakers}
    lines["speakers"] = [_speaker(item, cards.get(item.id), path) for item in manifest.speakers]
    return (
        lines
        | {"description": manifest.description, "licence": manifest.licence, "hop_length": manifest.hop_length}
        | fast_values(manifest)
        | values
    )


def fast_values(manifest: VoiceManifest) -> dict[str, Any]:
    """How close the faster way to speak comes, and which graphs have no part in it, of a voice where that is known."""
    fast = {} if manifest.fast is None else {"fast": asdict(manifest.fast)}
    return fast | ({"refused": {name: asdict(graph) for name, graph in manifest.refused.items()}} if manifest.refused else {})


def fast_lines(manifest: VoiceManifest) -> list[str]:
    """The same for people."""
    if manifest.opaque or not (manifest.fast or manifest.refused):
        return []
    whole = likeness(manifest.fast) if manifest.fast is not None else localized("使えません", "not available")
    return [f"{label('fast')}: {whole}", *(f"    {name}: {words}" for name, words in fast_parts(manifest))]


def _speaker(named: Named, card: SpeakerCard | None, path: Path) -> dict[str, Any]:
    card = card or SpeakerCard(named.id)
    styles = [
        {
            "id": style.id,
            "icon": _file(path, style.icon),
            "samples": [{"file": _file(path, sample.file), "transcript": sample.transcript} for sample in style.samples],
        }
        for style in card.styles
    ]
    languages = list(card.languages)
    return {"id": named.id, "name": named.name, "uuid": card.uuid, "languages": languages, "icon": _file(path, card.icon), "styles": styles}


def _file(path: Path, name: str) -> str:
    return str(path / name) if name else ""


def plain_text(details: dict[str, Any]) -> list[str]:
    """The same for people: a line a field that says something, names instead of records."""
    lines = []
    for key, value in details.items():
        if isinstance(value, dict):
            continue  # see `fast_lines`
        if isinstance(value, list):
            value = ", ".join(f"{item['id']} {item['name']}" if isinstance(item, dict) else str(item) for item in value)
        if value not in (None, "") and (value or isinstance(value, bool)):
            lines.append(f"{label(key)}: {value}".replace("\n", "\n    "))  # so that a licence cannot look like another field
    return lines
