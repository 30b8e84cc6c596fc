"""From what a container says to the description of a voice. Every number and name is checked; nothing is guessed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.json_text import long_text, short_text, whole
from app.voices.containers.facts import Facts, bad_config
from app.voices.manifest import Named, VoiceManifest
from app.voices.untrusted.limits import LARGEST_HOP_SAMPLES, LARGEST_RATE_HZ, LONGEST_TERMS, MOST_SPEAKERS, MOST_STYLES
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
    try:
        data = facts.config.get("data", {})
        if not isinstance(data, dict):
            raise ValueError("no object")
        own = facts.aivm.get("speakers", [])
        return VoiceManifest(
            id=voice_id,
            name=_name(path, facts),
            format=facts.kind,
            bert=SBV2_BERT,
            sampling_rate=whole(data.get("sampling_rate", 44100), 1, LARGEST_RATE_HZ),
            hop_length=whole(data.get("hop_length", 512), 1, LARGEST_HOP_SAMPLES),
            speakers=_named(data.get("spk2id", {}), _shown(own), speakers or MOST_SPEAKERS) or (Named(0, "0"),),
            styles=_styles(data.get("style2id", {}), own, len(facts.vectors)),
            graphs=dict.fromkeys(graphs, path.name),
            margin_frames=margin_frames,
            multilingual=multilingual,
            add_blank=_truth(data.get("add_blank", True)),
            licence=_licence(facts.aivm.get("license") or ""),
            description=long_text(facts.aivm.get("description") or "")[:LONGEST_TERMS],
        )
    except (AttributeError, KeyError, TypeError, ValueError) as exc:
        raise bad_config(path) from exc


def _name(path: Path, facts: Facts) -> str:
    names = (facts.aivm.get("name"), facts.config.get("model_name"), path.stem)
    return next(filter(None, (short_text(name) for name in names if name is not None)), "?")


def _styles(ids: Any, speakers: list[dict[str, Any]], vectors: int) -> tuple[Named, ...]:
    shown: dict[int, str] = {}
    for speaker in speakers:
        shown = _shown(speaker.get("styles", [])) | shown
    highest = min(vectors, MOST_STYLES)
    return _named(ids, shown, highest) or tuple(Named(index, f"Style {index}") for index in range(vectors))


def _shown(items: list[dict[str, Any]]) -> dict[int, str]:
    """Names that an AIVM manifest gives to ids; they may differ from those of the settings and are the newer ones."""
    return {whole(item["local_id"], 0, MOST_SPEAKERS): short_text(item["name"]) for item in items}


def _named(ids: Any, shown: dict[int, str], count: int) -> tuple[Named, ...]:
    """Speakers or styles by id, with the names people know; a ValueError for ids that the model does not have."""
    if not isinstance(ids, dict):
        raise ValueError("no object")
    named = {whole(number, 0, count - 1): name for name, number in ids.items()}
    if len(named) != len(ids):
        raise ValueError("an id occurs twice")
    return tuple(Named(number, shown.get(number) or short_text(name) or str(number)) for number, name in named.items())


def _licence(value: Any) -> str:
    """Whole, or not at all: nobody can accept a part."""
    text = long_text(value)
    if len(text) > LONGEST_TERMS:
        raise ValueError("a licence of too many letters")
    return text


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("neither true nor false")
    return value
