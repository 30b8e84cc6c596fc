"""Makes the manifest and the card of a voice from what its container says: an AIVM manifest, or else SBV2's `config.json`.

Of the manifest every number and name is checked; nothing is guessed.

Icons and samples arrive as data URLs and become files. Nothing of a card can stop a voice from being installed: what is broken
or too large is left out, with a note.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from app.common.files.untrusted_json import require_int, sanitise_long_text, sanitise_short_text
from app.common.language import localize
from app.voices.containers.container_facts import NANAIRO_ARCHITECTURE, ContainerFacts, build_aivm_manifest_error, is_nanairo_config
from app.voices.prepared_voice import NamedId, VoiceManifest
from app.voices.required_bert import SBV2_BERT_ID
from app.voices.untrusted import voice_limits
from app.voices.untrusted.sbv2_config import ConfigSection, convert_to_integer
from app.voices.voice_card_data import MEDIA_FOLDER, SpeakerCard, StyleCard, VoiceCardData, VoiceSample


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


MAX_ICON_BYTES = 5 << 20
MAX_SAMPLE_BYTES = 20 << 20
MAX_CARD_MEDIA_BYTES = 200 << 20  # all icons and samples of a voice
MAX_STYLE_SAMPLES = 20  # of a style
MAX_TRANSCRIPT_LENGTH = 1000
MAX_CARD_NOTES = 20
ICON_FORMATS: tuple[tuple[str, Callable[[bytes], bool]], ...] = (
    (".png", lambda data: data.startswith(b"\x89PNG\r\n\x1a\n")),
    (".jpg", lambda data: data.startswith(b"\xff\xd8\xff")),
    (".webp", lambda data: data[:4] == b"RIFF" and data[8:12] == b"WEBP"),
)
SAMPLE_FORMATS: tuple[tuple[str, Callable[[bytes], bool]], ...] = (
    (".wav", lambda data: data[:4] == b"RIFF" and data[8:12] == b"WAVE"),
    (".m4a", lambda data: data[4:8] == b"ftyp"),
    (".ogg", lambda data: data.startswith(b"OggS")),
    (".flac", lambda data: data.startswith(b"fLaC")),
    (".mp3", lambda data: data.startswith(b"ID3") or (data[:1] == b"\xff" and len(data) > 1 and data[1] & 0xE0 == 0xE0)),
)


def build_voice_card(config: Mapping[str, Any], aivm: Mapping[str, Any], folder: Path, *, emoji: bool = False) -> VoiceCardData:
    """Return the card, from SBV2's `config.json` and the AIVM manifest, with its media written below `folder`; raise OSError if they cannot be written.

    Args:
        emoji: its tensors have the symbols that make it a Nanairo voice, whatever it calls itself.
    """
    media = _MediaWriter(folder)
    architecture = _normalise_line(aivm.get("model_architecture"))
    if emoji or is_nanairo_config(config):
        architecture = NANAIRO_ARCHITECTURE
    elif not architecture:
        architecture = "Style-Bert-VITS2" + (" (JP-Extra)" if str(config.get("version", "JP-Extra")).endswith("JP-Extra") else "")
    return VoiceCardData(
        uuid=_normalise_line(aivm.get("uuid")),
        version=_normalise_line(aivm.get("version")),
        architecture=architecture,
        creators=tuple(filter(None, map(_normalise_line, _ensure_list(aivm.get("creators"))))),
        training_epochs=_parse_count(aivm.get("training_epochs")),
        training_steps=_parse_count(aivm.get("training_steps")),
        speakers=tuple(_build_speaker_card(item, media) for item in _ensure_list(aivm.get("speakers")) if _has_local_id(item)),
        notes=tuple(media.notes[:MAX_CARD_NOTES]),
    )


def _build_speaker_card(data: dict[str, Any], media: _MediaWriter) -> SpeakerCard:
    who = _normalise_line(data.get("name"))
    styles = tuple(_build_style_card(item, who, media) for item in _ensure_list(data.get("styles")) if _has_local_id(item))
    languages = tuple(filter(None, map(_normalise_line, _ensure_list(data.get("supported_languages")))))
    return SpeakerCard(
        convert_to_integer(data["local_id"]), _normalise_line(data.get("uuid")), languages, media.write_icon(data.get("icon"), who), styles
    )


def _build_style_card(data: dict[str, Any], speaker: str, media: _MediaWriter) -> StyleCard:
    what = f"{speaker} {_normalise_line(data.get('name'))}"
    samples = []
    for item in _ensure_list(data.get("voice_samples"))[:MAX_STYLE_SAMPLES]:
        if isinstance(item, dict) and (file := media.write_sample(item.get("audio"), what)):
            samples.append(VoiceSample(file, _normalise_line(item.get("transcript"), MAX_TRANSCRIPT_LENGTH)))
    return StyleCard(convert_to_integer(data["local_id"]), media.write_icon(data.get("icon"), what), tuple(samples))


class _MediaWriter:
    """Writes data URLs to files named by their content, so that an icon used twice is kept once; `notes` says what was left out and why."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bytes_left = MAX_CARD_MEDIA_BYTES
        self.notes: list[str] = []

    def write_icon(self, url: Any, description: str) -> str:
        """Write an icon and return its file; empty if there is none that can be shown."""
        return self._write_media_file(url, MAX_ICON_BYTES, ICON_FORMATS, localize(f"{description} のアイコン", f"icon of {description}"))

    def write_sample(self, url: Any, description: str) -> str:
        """Write a recording and return its file; empty if there is none that can be played."""
        return self._write_media_file(
            url, MAX_SAMPLE_BYTES, SAMPLE_FORMATS, localize(f"{description} のボイスサンプル", f"voice sample of {description}")
        )

    def _write_media_file(
        self, url: Any, max_bytes: int, suffixes: tuple[tuple[str, Callable[[bytes], bool]], ...], description: str
    ) -> str:
        if url is None or url == "":
            return ""
        data = _decode_data_url(url, min(max_bytes, self._bytes_left))
        suffix = next((name for name, fits in suffixes if data and fits(data)), None)
        if data is None or suffix is None:
            note = (
                f"{description}は壊れているか大きすぎるため、使用しません。",
                f"The {description} is damaged or too large and was skipped.",
            )
            self.notes.append(localize(*note))
            return ""
        name = f"{MEDIA_FOLDER}/{hashlib.sha256(data).hexdigest()[:24]}{suffix}"
        path = self._folder / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
            self._bytes_left -= len(data)
        return name


def _decode_data_url(url: Any, max_bytes: int) -> bytes | None:
    """Return the bytes of a Base64 data URL; None if it is none, or would be larger than allowed."""
    if not isinstance(url, str):
        return None
    head = re.match(r"data:[^,]{0,200};base64,", url)
    if head is None or (len(url) - head.end()) // 4 * 3 > max_bytes + 3:
        return None
    try:
        data = base64.b64decode(url[head.end() :], validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if len(data) <= max_bytes else None


def _ensure_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _has_local_id(value: Any) -> bool:
    return isinstance(value, dict) and _parse_count(convert_to_integer(value.get("local_id"))) is not None


def _parse_count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _normalise_line(value: Any, max_length: int = 200) -> str:
    """Return a text for one line; empty if the value is no text."""
    if not isinstance(value, str):
        return ""
    return sanitise_short_text(value) if max_length <= 200 else sanitise_long_text(value)[:max_length]
