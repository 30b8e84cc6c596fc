"""Pictures and recordings from AivisHub, made harmless before the window shows or plays them: known by their content, and bounded."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImageReader

from app.adapters.sound.formats import PLAYABLE
from app.errors import InputError
from app.language import localized
from app.voices.containers.card_reader import ICON_SUFFIXES, SAMPLE_SUFFIXES

LARGEST_EDGE = 4096  # pixels of a picture; the hub's have about a thousand
KEPT_EDGE = 160  # of what is shown


def small_picture(data: bytes, target: Path) -> bool:
    """Writes a picture, small, as its target's suffix says; False where it is none, or larger than an icon has to be.

    Raises OSError where it cannot be written.
    """
    if not any(fits(data) for _, fits in ICON_SUFFIXES):
        return False  # Qt knows many more formats, of which nobody needs one here
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    whole = reader.size()
    if not whole.isValid() or max(whole.width(), whole.height()) > LARGEST_EDGE:
        return False
    reader.setScaledSize(whole.scaled(QSize(KEPT_EDGE, KEPT_EDGE), Qt.AspectRatioMode.KeepAspectRatioByExpanding))
    image = reader.read()
    return not image.isNull() and image.save(str(target))


def sample_suffix(data: bytes) -> str:
    """The suffix of a recording that can be played; raises InputError for anything else."""
    suffix = next((suffix for suffix, fits in SAMPLE_SUFFIXES if fits(data)), "")
    if suffix not in PLAYABLE:
        raise InputError(
            localized("このサンプルの形式には対応していません。", "The format of this sample is not supported."),
            localized("ブラウザーで再生できます。", "You can play it in a browser."),
        )
    return suffix


def is_playable(url: str) -> bool:
    """Whether a recording can be played, as far as its address shows."""
    name = url.partition("?")[0].rpartition("/")[2].lower()
    return "." not in name or name.endswith(PLAYABLE)
