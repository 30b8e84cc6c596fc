"""From what a container says to the description of a voice. Every number and name is checked; nothing is guessed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.common.files.untrusted_json import require_int, sanitise_long_text, sanitise_short_text
from app.common.language import localize
from app.voices.containers.container_facts import ContainerFacts, build_aivm_manifest_error
from app.voices.prepared_voice import NamedId, VoiceManifest
from app.voices.required_bert import SBV2_BERT_ID
from app.voices.untrusted import voice_limits
from app.voices.untrusted.sbv2_config import ConfigSection, convert_to_integer


def build_manifest(
    path: Path,
    facts: ContainerFacts,
    voice_id: str,
    graphs: tuple[str, ...],
    *,
    speakers: int | None,
    multilingual: bool,
    margin_frames: int = 16,
) -> VoiceManifest:
    """Build the manifest of a voice; raise VoiceError if the settings hold what no voice can have. `speakers` is None where the model does not show them."""
    data = ConfigSection(facts.config, facts.config_source).read_section("data")
    try:
        speaker_list = facts.aivm_manifest.get("speakers", [])
        shown_speakers, shown_styles = _collect_display_names(speaker_list), dict[int, str]()
        for speaker in speaker_list:
            shown_styles = _collect_display_names(speaker.get("styles", [])) | shown_styles
        licence = sanitise_long_text(facts.aivm_manifest.get("license") or "")
        if len(licence) > voice_limits.MAX_TERMS_LENGTH:
            raise ValueError("nobody can accept a part of a licence")
        description = sanitise_long_text(facts.aivm_manifest.get("description") or "")[: voice_limits.MAX_TERMS_LENGTH]
    except (AttributeError, KeyError, TypeError, ValueError) as exc:
        raise build_aivm_manifest_error(path) from exc
    names = (facts.aivm_manifest.get("name"), facts.config.get("model_name"), path.stem)
    return VoiceManifest(
        id=voice_id,
        name=next(filter(None, (sanitise_short_text(name) for name in names if isinstance(name, str))), "?"),
        format=facts.kind,
        bert=SBV2_BERT_ID,
        sampling_rate=data.read_integer("sampling_rate", 44100, voice_limits.MIN_SAMPLING_RATE_HZ, voice_limits.MAX_SAMPLING_RATE_HZ),
        hop_length=data.read_integer("hop_length", 512, 1, voice_limits.MAX_HOP_SAMPLES),
        speakers=_build_named_ids(_read_speaker_ids(data, speakers), shown_speakers) or (NamedId(0, "0"),),
        styles=_build_named_ids(_read_style_ids(data, len(facts.style_vectors)), shown_styles)
        or tuple(NamedId(index, f"Style {index}") for index in range(len(facts.style_vectors))),
        graphs=dict.fromkeys(graphs, path.name),
        margin_frames=margin_frames,
        multilingual=multilingual,
        add_blank=data.read_boolean("add_blank", True),
        licence=licence,
        description=description,
    )


def _read_speaker_ids(data: ConfigSection, speakers: int | None) -> dict[str, int]:
    """Return the speakers that the settings name; raise VoiceError if the model lacks one."""
    ids, count = data.read_ids("spk2id"), speakers or voice_limits.MAX_VOICE_SPEAKERS
    highest = max(ids.values(), default=0)
    if highest >= count:
        reason = localize(f"話者の番号 {highest} が大きすぎます", f"speaker {highest} is more than any voice has")
        if speakers:
            reason = localize(
                f"話者 {highest} がありますが、このモデルの話者は {count} 人です（番号は 0 から）",
                f"it names speaker {highest}, but the model has {count} (numbered from 0)",
            )
        raise data.build_field_error("spk2id", reason)
    return ids


def _read_style_ids(data: ConfigSection, vector_count: int) -> dict[str, int]:
    """Return the styles that the settings name; raise VoiceError if there is no vector for one."""
    ids, count = data.read_ids("style2id"), min(vector_count, voice_limits.MAX_VOICE_STYLES)
    highest = max(ids.values(), default=0)
    if highest >= count:
        reason = localize(
            f"スタイル {highest} がありますが、スタイルのデータは {count} 個です（番号は 0 から）",
            f"it names style {highest}, but the number of style vectors is {count} (numbered from 0)",
        )
        raise data.build_field_error("style2id", reason)
    return ids


def _collect_display_names(items: list[dict[str, Any]]) -> dict[int, str]:
    """Return the names that an AIVM manifest gives to ids; they may differ from those of the settings and are the newer ones."""
    return {
        require_int(convert_to_integer(item["local_id"]), 0, voice_limits.MAX_VOICE_SPEAKERS): sanitise_short_text(item["name"])
        for item in items
    }


def _build_named_ids(ids: Mapping[str, int], display_names: Mapping[int, str]) -> tuple[NamedId, ...]:
    return tuple(NamedId(number, display_names.get(number) or sanitise_short_text(name) or str(number)) for name, number in ids.items())
