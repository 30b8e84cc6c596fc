"""The card of an installed voice: what people want to know of it and its graphs do not need. `card.json`, beside `voice.json`."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from app.data_file import write_json
from app.json_text import HIGHEST_WHOLE, finite, long_text, parse_object, whole
from app.small_file import read_small

CARD_NAME = "card.json"
LARGEST_CARD_BYTES = 8 << 20
MEDIA_FOLDER = "media"
_MEDIA_FILE = re.compile(rf"{MEDIA_FOLDER}/[0-9a-z-]{{1,64}}\.[0-9a-z]{{1,8}}")


@dataclass(frozen=True, slots=True)
class Sample:
    """A recording of a style; `file` is relative to the voice's folder."""

    file: str
    transcript: str


@dataclass(frozen=True, slots=True)
class StyleCard:
    """A style of a speaker; `id` is the manifest's."""

    id: int
    icon: str = ""
    samples: tuple[Sample, ...] = ()


@dataclass(frozen=True, slots=True)
class SpeakerCard:
    """A speaker; `id` is the manifest's."""

    id: int
    uuid: str = ""
    languages: tuple[str, ...] = ()
    icon: str = ""
    styles: tuple[StyleCard, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """What is known of a voice beyond its manifest; everything may be missing.

    Attributes:
        uuid, version, architecture, creators, training_epochs, training_steps: what the AIVM manifest or config.json says.
        source_name, source_sha256, source_bytes: the file it came from; several files count as one.
        prepared_bytes: size of the installed folder's graphs.
        installed_at: ISO 8601, with the time zone.
        max_abs_diff: largest difference of a sample between source and prepared graphs; None where nothing could be compared.
        opaque_reason: why the voice runs in one graph; empty when it does not.
        notes: what was left out while reading the card, in the language of the day it was installed.
    """

    uuid: str = ""
    version: str = ""
    architecture: str = ""
    creators: tuple[str, ...] = ()
    training_epochs: int | None = None
    training_steps: int | None = None
    source_name: str = ""
    source_sha256: str = ""
    source_bytes: int = 0
    prepared_bytes: int = 0
    installed_at: str = ""
    max_abs_diff: float | None = None
    opaque_reason: str = ""
    speakers: tuple[SpeakerCard, ...] = ()
    notes: tuple[str, ...] = field(default=())


def write_card(card: Card, folder: Path) -> None:
    """Writes `folder/card.json` at once; letters of a file name that are no text are replaced. Raises OSError."""
    write_json(folder / CARD_NAME, asdict(card), errors="replace")


def read_card(folder: Path) -> Card:
    """The card of a prepared voice; an empty one where it is missing or damaged, for a voice can speak without."""
    path = folder / CARD_NAME
    try:
        return _from_dict(parse_object(read_small(path, LARGEST_CARD_BYTES)))
    except (OSError, ArithmeticError, ValueError, KeyError, TypeError, AttributeError):
        return Card()


def _from_dict(data: dict[str, Any]) -> Card:
    values: dict[str, Any] = {key: data[key] for key in Card.__dataclass_fields__ if key in data}
    for key in ("uuid", "version", "architecture", "source_name", "source_sha256", "installed_at", "opaque_reason"):
        values[key] = long_text(values.get(key, ""))
    for key in ("source_bytes", "prepared_bytes"):
        values[key] = _count(values.get(key, 0))
    for key in ("training_epochs", "training_steps"):
        values[key] = None if values.get(key) is None else _count(values[key])
    for key in ("creators", "notes"):
        values[key] = tuple(long_text(item) for item in values.get(key, ()))
    if values.get("max_abs_diff") is not None:
        values["max_abs_diff"] = finite(values["max_abs_diff"])
    values["speakers"] = tuple(_speaker(item) for item in values.get("speakers", ()))
    return Card(**values)


def _speaker(data: dict[str, Any]) -> SpeakerCard:
    styles = tuple(
        StyleCard(
            _count(item["id"]),
            _media(item["icon"]),
            tuple(Sample(_media(sample["file"]), long_text(sample["transcript"])) for sample in item["samples"]),
        )
        for item in data["styles"]
    )
    languages = tuple(long_text(item) for item in data["languages"])
    return SpeakerCard(_count(data["id"]), long_text(data["uuid"]), languages, _media(data["icon"]), styles)


def _count(value: Any) -> int:
    return whole(value, 0, HIGHEST_WHOLE)


def _media(name: Any) -> str:
    """A media file's name; a ValueError when it points anywhere but into the media folder."""
    if name != "" and not _MEDIA_FILE.fullmatch(name):
        raise ValueError("outside of the media folder")
    return str(name)


def media_files(card: Card) -> list[str]:
    """Every file the card names, relative to the voice's folder."""
    names = []
    for speaker in card.speakers:
        names.append(speaker.icon)
        for style in speaker.styles:
            names += [style.icon, *(sample.file for sample in style.samples)]
    return [name for name in dict.fromkeys(names) if name]
