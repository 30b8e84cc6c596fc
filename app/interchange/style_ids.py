"""The numbers by which VOICEVOX's interface and AivisSpeech call a style of a speaker."""

from __future__ import annotations

from hashlib import md5

_SPEAKER_BITS, _STYLE_BITS = 27, 5
MAX_STYLES_PER_SPEAKER = 1 << _STYLE_BITS
"""Of a speaker; a style of a higher id has no number."""


def compute_style_id(speaker_uuid: str, local_id: int) -> int | None:
    """Return 27 bits of the speaker and five of the style, with the sign bit cleared; None for a style that has no number."""
    if not 0 <= local_id < MAX_STYLES_PER_SPEAKER:
        return None
    speaker = int(md5(speaker_uuid.encode(), usedforsecurity=False).hexdigest(), 16) & ((1 << _SPEAKER_BITS) - 1)
    return (speaker << _STYLE_BITS | local_id) & ~(1 << 31)
