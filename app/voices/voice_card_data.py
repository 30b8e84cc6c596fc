"""The card of an installed voice: what people want to know of it and its graphs do not need. `card.json`, next to `voice.json`."""

import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from app.common.files.untrusted_json import MAX_INT64, parse_object, require_int, require_number, sanitise_long_text
from app.common.files.whole_files import read_bounded, write_json

CARD_NAME = "card.json"
MAX_CARD_BYTES = 8 << 20
MEDIA_FOLDER = "media"
_MEDIA_FILE_PATTERN = re.compile(rf"{MEDIA_FOLDER}/[0-9a-z-]{{1,64}}\.[0-9a-z]{{1,8}}")


@dataclass(frozen=True, slots=True)
class VoiceSample:
    """A recording of a style; `file` is relative to the voice's folder."""

    file: str
    transcript: str


@dataclass(frozen=True, slots=True)
class StyleCard:
    """A style of a speaker; `id` is the manifest's."""

    id: int
    icon: str = ""
    samples: tuple[VoiceSample, ...] = ()


@dataclass(frozen=True, slots=True)
class SpeakerCard:
    """A speaker; `id` is the manifest's."""

    id: int
    uuid: str = ""
    languages: tuple[str, ...] = ()
    icon: str = ""
    styles: tuple[StyleCard, ...] = ()


@dataclass(frozen=True, slots=True)
class VoiceCardData:
    """The facts known of a voice beyond its manifest; everything may be missing."""

    uuid: str = ""  # uuid, version, architecture, creators, training_epochs, training_steps: what the AIVM manifest or config.json says
    version: str = ""
    architecture: str = ""
    creators: tuple[str, ...] = ()
    training_epochs: int | None = None
    training_steps: int | None = None
    source_name: str = ""  # source_name, source_sha256, source_bytes: the file it came from; several files count as one
    source_sha256: str = ""
    source_bytes: int = 0
    prepared_bytes: int = 0  # size of the installed folder's graphs
    installed_at: str = ""  # ISO 8601, with the time zone
    # Largest difference of a sample between source and prepared graphs; None where nothing could be compared.
    max_abs_diff: float | None = None
    opaque_reason: str = ""  # why the voice runs in one graph; empty when it does not
    speakers: tuple[SpeakerCard, ...] = ()
    notes: tuple[str, ...] = field(default=())  # what was left out while reading the card, in the language of the day it was installed


def write_card(card: VoiceCardData, folder: Path) -> None:
    """Write `folder/card.json` at once, with letters of a file name that are no text replaced; raise OSError if the disk refuses it."""
    write_json(folder / CARD_NAME, asdict(card), errors="replace")


def read_card(folder: Path) -> VoiceCardData:
    """Return the card of a prepared voice; an empty one if it is missing or damaged, for a voice can speak without it."""
    path = folder / CARD_NAME
    try:
        return _parse_card(parse_object(read_bounded(path, MAX_CARD_BYTES)))
    except (OSError, ArithmeticError, ValueError, KeyError, TypeError, AttributeError):
        return VoiceCardData()


def _parse_card(data: dict[str, Any]) -> VoiceCardData:
    values: dict[str, Any] = {key: data[key] for key in VoiceCardData.__dataclass_fields__ if key in data}
    for key in ("uuid", "version", "architecture", "source_name", "source_sha256", "installed_at", "opaque_reason"):
        values[key] = sanitise_long_text(values.get(key, ""))
    for key in ("source_bytes", "prepared_bytes"):
        values[key] = _parse_count(values.get(key, 0))
    for key in ("training_epochs", "training_steps"):
        values[key] = None if values.get(key) is None else _parse_count(values[key])
    for key in ("creators", "notes"):
        values[key] = tuple(sanitise_long_text(item) for item in values.get(key, ()))
    if values.get("max_abs_diff") is not None:
        values["max_abs_diff"] = require_number(values["max_abs_diff"])
    values["speakers"] = tuple(_parse_speaker(item) for item in values.get("speakers", ()))
    return VoiceCardData(**values)


def _parse_speaker(data: dict[str, Any]) -> SpeakerCard:
    styles = tuple(
        StyleCard(
            _parse_count(item["id"]),
            _parse_media_name(item["icon"]),
            tuple(VoiceSample(_parse_media_name(sample["file"]), sanitise_long_text(sample["transcript"])) for sample in item["samples"]),
        )
        for item in data["styles"]
    )
    languages = tuple(sanitise_long_text(item) for item in data["languages"])
    return SpeakerCard(_parse_count(data["id"]), sanitise_long_text(data["uuid"]), languages, _parse_media_name(data["icon"]), styles)


def _parse_count(value: Any) -> int:
    return require_int(value, 0, MAX_INT64)


def _parse_media_name(name: Any) -> str:
    """Return a media file's name; raise ValueError if it points anywhere but into the media folder."""
    if name != "" and not _MEDIA_FILE_PATTERN.fullmatch(name):
        raise ValueError("outside of the media folder")
    return str(name)


def list_media_files(card: VoiceCardData) -> list[str]:
    """Return every file that the card names, relative to the voice's folder."""
    names = []
    for speaker in card.speakers:
        names.append(speaker.icon)
        for style in speaker.styles:
            names += [style.icon, *(sample.file for sample in style.samples)]
    return [name for name in dict.fromkeys(names) if name]
