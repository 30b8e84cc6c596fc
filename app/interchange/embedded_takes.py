"""The sounds of takes inside a project file: base64 by the name that is also their hash. A file may be a stranger's."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping

from app.core.script.takes import is_sound_name

MAX_EMBEDDED_SOUND_BYTES = 48 << 20
"""Of all sounds of a file; a voice takes 20 minutes to fill that. A file is read whole, and its text takes up to four times as much memory."""

MAX_ENCODED_SOUND_BYTES = MAX_EMBEDDED_SOUND_BYTES * 4 // 3
"""The same as base64."""


def encode_sounds(sounds: Mapping[str, bytes]) -> dict[str, str]:
    """Return the data that `decode_sounds` reads."""
    return {name: base64.b64encode(content).decode("ascii") for name, content in sounds.items()}


def decode_sounds(data: Mapping[str, object]) -> dict[str, bytes]:
    """Decode the sounds that match their names, as far as they fit; takes without a sound say so when played."""
    sounds: dict[str, bytes] = {}
    room = MAX_EMBEDDED_SOUND_BYTES
    for name, text in data.items():
        if is_sound_name(name) and isinstance(text, str) and len(text) * 3 // 4 <= room + 2:
            content = _decode_base64(text)
            if len(content) <= room and hashlib.sha256(content).hexdigest() == name:
                sounds[name] = content
                room -= len(content)
    return sounds


def count_encoded_bytes(data: Mapping[str, object]) -> int:
    """Count the characters that sounds take in a file's text, valid or not."""
    return sum(len(text) for text in data.values() if isinstance(text, str))


def _decode_base64(text: str) -> bytes:
    """Return the bytes of a Base64 text; none if it is not valid."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
