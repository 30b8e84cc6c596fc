"""Checks and bounds pictures and recordings from AivisHub by their content before the window shows or plays them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImageReader

from app.adapters.sound.sound_formats import PLAYABLE_SUFFIXES
from app.common.errors import InputError
from app.common.language import localize
from app.voices.containers.voice_card_builder import ICON_FORMATS, SAMPLE_FORMATS

# Edge in pixels; the hub's pictures have about a thousand.
MAX_PICTURE_EDGE_PX = 4096
# Edge in pixels of the thumbnail on a card.
THUMBNAIL_EDGE_PX = 160


def write_thumbnail(data: bytes, target: Path) -> bool:
    """Write a picture as a thumbnail in the format of the target's suffix.

    Returns False if `data` is no picture, or has an edge above 4096 px. Raises OSError if the file cannot be written.
    """
    if not any(fits(data) for _, fits in ICON_FORMATS):
        # Qt's readers know many more formats, and each would be code that parses a stranger's file for no use here.
        return False
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    # The header is read before the pixels: a small file may claim a size that fills the memory.
    whole = reader.size()
    if not whole.isValid() or max(whole.width(), whole.height()) > MAX_PICTURE_EDGE_PX:
        return False
    reader.setScaledSize(whole.scaled(QSize(THUMBNAIL_EDGE_PX, THUMBNAIL_EDGE_PX), Qt.AspectRatioMode.KeepAspectRatioByExpanding))
    image = reader.read()
    return not image.isNull() and image.save(str(target))


def detect_sample_suffix(data: bytes) -> str:
    """Return the file suffix of a recording that can be played; raises InputError for anything else."""
    suffix = next((suffix for suffix, fits in SAMPLE_FORMATS if fits(data)), "")
    if suffix not in PLAYABLE_SUFFIXES:
        raise InputError(
            localize("このサンプルの形式には対応していません。", "The format of this sample is not supported."),
            localize("ブラウザーで再生できます。", "You can play it in a browser."),
        )
    return suffix


def is_playable_url(url: str) -> bool:
    """Return True if the address looks like a recording that can be played."""
    name = url.partition("?")[0].rpartition("/")[2].lower()
    # An address without a suffix says nothing; detect_sample_suffix decides after the download.
    return "." not in name or name.endswith(PLAYABLE_SUFFIXES)
