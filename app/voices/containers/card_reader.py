"""Makes the card of a voice from what its container says: an AIVM manifest, or else SBV2's `config.json`.

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

from app.json_text import long_text, short_text
from app.language import localized
from app.voices.card import MEDIA_FOLDER, Card, Sample, SpeakerCard, StyleCard
from app.voices.containers.facts import NANAIRO, is_nanairo
from app.voices.untrusted.settings import lax_whole

LARGEST_ICON_BYTES = 5 << 20
LARGEST_SAMPLE_BYTES = 20 << 20
LARGEST_MEDIA_BYTES = 200 << 20  # all icons and samples of a voice
MOST_SAMPLES = 20  # of a style
LONGEST_TRANSCRIPT = 1000
MOST_NOTES = 20
ICON_SUFFIXES: tuple[tuple[str, Callable[[bytes], bool]], ...] = (
    (".png", lambda data: data.startswith(b"\x89PNG\r\n\x1a\n")),
    (".jpg", lambda data: data.startswith(b"\xff\xd8\xff")),
    (".webp", lambda data: data[:4] == b"RIFF" and data[8:12] == b"WEBP"),
)
SAMPLE_SUFFIXES: tuple[tuple[str, Callable[[bytes], bool]], ...] = (
    (".wav", lambda data: data[:4] == b"RIFF" and data[8:12] == b"WAVE"),
    (".m4a", lambda data: data[4:8] == b"ftyp"),
    (".ogg", lambda data: data.startswith(b"OggS")),
    (".flac", lambda data: data.startswith(b"fLaC")),
    (".mp3", lambda data: data.startswith(b"ID3") or (data[:1] == b"\xff" and len(data) > 1 and data[1] & 0xE0 == 0xE0)),
)


def card_of(config: Mapping[str, Any], aivm: Mapping[str, Any], folder: Path, *, emoji: bool = False) -> Card:
    """The card, its media written below `folder`. Raises OSError where nothing can be written.

    Args:
        config: SBV2's `config.json`, or {}.
        aivm: the AIVM manifest, or {}.
        folder: the prepared voice.
        emoji: its tensors have the symbols that make it a Nanairo voice, whatever it calls itself.
    """
    media = _Media(folder)
    return Card(
        uuid=_line(aivm.get("uuid")),
        version=_line(aivm.get("version")),
        architecture=NANAIRO if emoji or is_nanairo(config) else _line(aivm.get("model_architecture")) or _architecture(config),
        creators=tuple(filter(None, (_line(item) for item in _list(aivm.get("creators"))))),
        training_epochs=_count(aivm.get("training_epochs")),
        training_steps=_count(aivm.get("training_steps")),
        speakers=tuple(_speaker(item, media) for item in _list(aivm.get("speakers")) if _id(item) is not None),
        notes=tuple(media.notes[:MOST_NOTES]),
    )


def _architecture(config: Mapping[str, Any]) -> str:
    jp_extra = str(config.get("version", "JP-Extra")).endswith("JP-Extra")
    return "Style-Bert-VITS2" + (" (JP-Extra)" if jp_extra else "")


def _speaker(data: dict[str, Any], media: _Media) -> SpeakerCard:
    who = _line(data.get("name"))
    styles = tuple(_style(item, who, media) for item in _list(data.get("styles")) if _id(item) is not None)
    languages = tuple(filter(None, (_line(item) for item in _list(data.get("supported_languages")))))
    return SpeakerCard(lax_whole(data["local_id"]), _line(data.get("uuid")), languages, media.icon(data.get("icon"), who), styles)


def _style(data: dict[str, Any], speaker: str, media: _Media) -> StyleCard:
    what = f"{speaker} {_line(data.get('name'))}"
    samples = []
    for item in _list(data.get("voice_samples"))[:MOST_SAMPLES]:
        if isinstance(item, dict) and (file := media.sample(item.get("audio"), what)):
            samples.append(Sample(file, _line(item.get("transcript"), LONGEST_TRANSCRIPT)))
    return StyleCard(lax_whole(data["local_id"]), media.icon(data.get("icon"), what), tuple(samples))


class _Media:
    """Writes data URLs to files named by their content, so that an icon used twice is kept once.

    Attributes:
        notes: what was left out and why.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._left = LARGEST_MEDIA_BYTES
        self.notes: list[str] = []

    def icon(self, url: Any, what: str) -> str:
        """File of an icon; empty where there is none that can be shown."""
        return self._file(url, LARGEST_ICON_BYTES, ICON_SUFFIXES, localized(f"{what} のアイコン", f"icon of {what}"))

    def sample(self, url: Any, what: str) -> str:
        """File of a recording; empty where there is none that can be played."""
        return self._file(url, LARGEST_SAMPLE_BYTES, SAMPLE_SUFFIXES, localized(f"{what} のボイスサンプル", f"voice sample of {what}"))

    def _file(self, url: Any, largest: int, suffixes: tuple[tuple[str, Callable[[bytes], bool]], ...], what: str) -> str:
        if url is None or url == "":
            return ""
        data = _decode(url, min(largest, self._left))
        suffix = next((name for name, fits in suffixes if data and fits(data)), None)
        if data is None or suffix is None:
            self.notes.append(
                localized(f"{what}は壊れているか大きすぎるため、使用しません。", f"The {what} is damaged or too large and was skipped.")
            )
            return ""
        name = f"{MEDIA_FOLDER}/{hashlib.sha256(data).hexdigest()[:24]}{suffix}"
        path = self._folder / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
            self._left -= len(data)
        return name


def _decode(url: Any, largest: int) -> bytes | None:
    """Bytes of a Base64 data URL; None when it is none, or would be larger than it may."""
    if not isinstance(url, str):
        return None
    head = re.match(r"data:[^,]{0,200};base64,", url)
    if head is None or (len(url) - head.end()) // 4 * 3 > largest + 3:
        return None
    try:
        data = base64.b64decode(url[head.end() :], validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if len(data) <= largest else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _id(value: Any) -> int | None:
    """The `local_id` of a speaker or style, by which the graphs know it."""
    number = lax_whole(value.get("local_id")) if isinstance(value, dict) else None
    return number if type(number) is int and number >= 0 else None


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _line(value: Any, longest: int = 200) -> str:
    """A text for one line; empty when it is none."""
    if not isinstance(value, str):
        return ""
    return short_text(value) if longest <= 200 else long_text(value)[:longest]
