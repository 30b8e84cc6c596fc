"""Pictures and recordings of voices, as base64 or under an address that names their content, never a file."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from app.common.errors import VoiceError
from app.common.files.bounded_read import read_bounded
from app.service.style_catalogue import ServedSpeaker, ServedStyle

MAX_MEDIA_BYTES = 16 << 20
_MEDIA_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".wav": "audio/wav",
    ".m4a": "audio/mp4",
}
_EMPTY_PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")


class SpeakerMedia:
    """The media that `/speaker_info` returns; those returned as an address can be fetched there."""

    def __init__(self) -> None:
        self._offered: dict[str, tuple[Path, str]] = {}

    def build_speaker_info(self, speaker: ServedSpeaker, address: str | None) -> dict[str, object]:
        """The answer of `/speaker_info`.

        Args:
            address: of the service, where addresses are wanted instead of base64.
        """
        icon = self._publish_file(speaker, speaker.card.icon if speaker.card else "", address)
        return {
            "policy": speaker.terms,
            "portrait": icon,
            "style_infos": [self._build_style_info(speaker, style, icon, address) for style in speaker.styles],
        }

    def find_content(self, name: str) -> tuple[bytes, str] | None:
        """Bytes and type of what was given out by address."""
        if name == "none":
            return _EMPTY_PNG, "image/png"
        found = self._offered.get(name)
        if found is None:
            return None
        try:
            return read_bounded(found[0], MAX_MEDIA_BYTES), found[1]
        except OSError:
            return None

    @staticmethod
    def encode_empty_picture() -> str:
        """An empty one, in base64, for what must have one."""
        return base64.b64encode(_EMPTY_PNG).decode()

    def _build_style_info(self, speaker: ServedSpeaker, style: ServedStyle, icon: str, address: str | None) -> dict[str, object]:
        own = next((item for item in speaker.card.styles if item.id == style.style), None) if speaker.card else None
        samples = [self._publish_file(speaker, sample.file, address) for sample in own.samples] if own else []
        return {
            "id": style.id,
            "icon": self._publish_file(speaker, own.icon, address) if own and own.icon else icon,
            "portrait": None,
            "voice_samples": samples,
        }

    def _publish_file(self, speaker: ServedSpeaker, file: str, address: str | None) -> str:
        """A file of the card, whose names were checked when the card was read."""
        path = speaker.media / file
        kind = _MEDIA_TYPES.get(path.suffix.lower())
        if not file or kind is None:
            return self.encode_empty_picture() if address is None else f"{address}/_resources/none"
        if address is not None:
            name = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()
            self._offered[name] = path, kind
            return f"{address}/_resources/{name}"
        try:
            return base64.b64encode(read_bounded(path, MAX_MEDIA_BYTES)).decode()
        except (OSError, VoiceError):
            return self.encode_empty_picture()
