"""Counts what an archive unpacks to. Sizes that it claims are not believed: a few kilobytes can grow to terabytes."""

from app.common.errors import VoiceError
from app.common.language import localize
from app.voices.untrusted.voice_limits import (
    FREE_UNPACKED_BYTES,
    MAX_COMPRESSION_RATIO,
    MAX_UNPACKED_BYTES,
    MAX_UNPACKED_FILES,
    MAX_ZIP_DIRECTORY_BYTES,
)

_CHOOSE_VOICES_HINT = "Choose one that contains only voices, or unpack it yourself first."


class UnpackBudget:
    """The budget of one archive, together with the archives inside it: unpacked bytes, and entries of zips with the bytes that list them."""

    def __init__(self, name: str, packed_bytes: int) -> None:
        self._name = name
        self._bytes_left = min(MAX_UNPACKED_BYTES, FREE_UNPACKED_BYTES + MAX_COMPRESSION_RATIO * packed_bytes)
        self._entries_left = MAX_UNPACKED_FILES
        self._directory_left = MAX_ZIP_DIRECTORY_BYTES

    @property
    def directory_bytes_left(self) -> int:
        """Return the bytes that directories of zips may still have."""
        return self._directory_left

    def consume_bytes(self, size: int) -> None:
        """Count unpacked bytes before they are kept; raise VoiceError if they are too many."""
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise VoiceError(
                localize(f"展開後のサイズが大きすぎます: {self._name}", f"This archive is far too large when unpacked: {self._name}"),
                localize("声だけを含むファイルを選ぶか、展開してから追加してください。", _CHOOSE_VOICES_HINT),
            )

    def consume_directory(self, size: int, entries: int) -> None:
        """Count the bytes of a zip's directory and its entries; raise VoiceError if there are too many of either."""
        self._directory_left -= size
        self._entries_left -= entries
        if self._directory_left < 0 or self._entries_left < 0:
            raise VoiceError(
                localize(f"zip に含まれる項目が多すぎます: {self._name}", f"This zip file contains too many entries: {self._name}"),
                localize("声だけを含む zip を選ぶか、展開してから追加してください。", _CHOOSE_VOICES_HINT),
            )
