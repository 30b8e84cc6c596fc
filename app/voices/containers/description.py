"""From what a container says to the description of a voice. Every number and name is checked; nothing is guessed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.json_text import long_text, short_text, whole
from app.language import localized
from app.voices.containers.facts import Facts, bad_manifest
from app.voices.manifest import Named, VoiceManifest
from app.voices.untrusted.limits import LARGEST_HOP_SAMPLES, LARGEST_RATE_HZ, LONGEST_TERMS, LOWEST_RATE_HZ, MOST_SPEAKERS, MOST_STYLES
from app.voices.untrusted.settings import Section, lax_whole
from app.voices.wanted_bert import SBV2_BERT


def describe(
    path: Path, facts: Facts, voice_id: str, graphs: tuple[str, ...], *, speakers: int | None, multilingual: bool, margin_frames: int = 16
) -> VoiceManifest:
    """The manifest of a voice.

    Args:
        voice_id: its id.
        graphs: names of its graphs.
        speakers: how many the model has, None when that is not known.
        multilingual: the model takes features of three languages.

    Raises:
        VoiceError: the settings hold what no voice can have.
    """
    data = Section(facts.config, facts.place).section("data")
    try:
        own = facts.aivm.get("speakers", [])
        shown_speakers, shown_styles = _shown(own), _shown_styles(own)
        licence = _licence(facts.aivm.get("license") or "")
        description = long_text(facts.aivm.get("description") or "")[:LONGEST_TERMS]
    except (AttributeError, KeyError, TypeError, ValueError) as exc:
        raise bad_manifest(path) from exc
    return VoiceManifest(
        id=voice_id,
        name=_name(path, facts),
        format=facts.kind,
        bert=SBV2_BERT,
        sampling_rate=data.whole("sampling_rate", 44100, LOWEST_RATE_HZ, LARGEST_RATE_HZ),
        hop_length=data.whole("hop_length", 512, 1, LARGEST_HOP_SAMPLES),
        speakers=_named(_speaker_ids(data, speakers), shown_speakers) or (Named(0, "0"),),
        styles=_named(_style_ids(data, len(facts.vectors)), shown_styles)
        or tuple(Named(index, f"Style {index}") for index in range(len(facts.vectors))),
        graphs=dict.fromkeys(graphs, path.name),
        margin_frames=margin_frames,
        multilingual=multilingual,
        add_blank=data.truth("add_blank", True),
        licence=licence,
        description=description,
    )


def _name(path: Path, facts: Facts) -> str:
    names = (facts.aivm.get("name"), facts.config.get("model_name"), path.stem)
    return next(filter(None, (short_text(name) for name in names if isinstance(name, str))), "?")


def _speaker_ids(data: Section, speakers: int | None) -> dict[str, int]:
    """The speakers that the settings name; a VoiceError where the model has no such one."""
    ids, count = data.ids("spk2id"), speakers or MOST_SPEAKERS
    highest = max(ids.values(), default=0)
    if highest >= count:
        raise data.wrong(
            "spk2id",
            localized(
                f"話者 {highest} がありますが、このモデルの話者は {count} 人です（番号は 0 から）",
                f"it names speaker {highest}, but the model has {count} (numbered from 0)",
            )
            if speakers
            else localized(f"話者の番号 {highest} が大きすぎます", f"speaker {highest} is more than any voice has"),
        )
    return ids


def _style_ids(data: Section, vectors: int) -> dict[str, int]:
    """The styles that the settings name; a VoiceError where there is no vector for one."""
    ids, count = data.ids("style2id"), min(vectors, MOST_STYLES)
    highest = max(ids.values(), default=0)
    if highest >= count:
        raise data.wrong(
            "style2id",
            localized(
                f"スタイル {highest} がありますが、スタイルのデータは {count} 個です（番号は 0 から）",
                f"it names style {highest}, but the number of style vectors is {count} (numbered from 0)",
            ),
        )
    return ids


def _shown_styles(speakers: list[dict[str, Any]]) -> dict[int, str]:
    shown: dict[int, str] = {}
    for speaker in speakers:
        shown = _shown(speaker.get("styles", [])) | shown
    return shown


def _shown(items: list[dict[str, Any]]) -> dict[int, str]:
    """Names that an AIVM manifest gives to ids; they may differ from those of the settings and are the newer ones."""
    return {whole(lax_whole(item["local_id"]), 0, MOST_SPEAKERS): short_text(item["name"]) for item in items}


def _named(ids: Mapping[str, int], shown: Mapping[int, str]) -> tuple[Named, ...]:
    """Speakers or styles by id, with the names people know."""
    return tuple(Named(number, shown.get(number) or short_text(name) or str(number)) for name, number in ids.items())


def _licence(value: Any) -> str:
    """Whole, or not at all: nobody can accept a part."""
    text = long_text(value)
    if len(text) > LONGEST_TERMS:
        raise ValueError("a licence of too many letters")
    return text
