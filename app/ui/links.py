"""What an address on the web leads to, as far as its words tell: a voice, a text file, or neither."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from PySide6.QtCore import QMimeData, QUrl

from app.core.text_lines import SUFFIXES
from app.voices.suffixes import VOICE_SUFFIXES

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+")
_HUB = "hub.aivis-project.com"


def read_address(text: str) -> tuple[str, str]:
    """(url, uuid) of what was typed; one of them or both are empty."""
    text = text.strip()
    found = _UUID.search(text)
    if found and (text == found.group() or _HUB in text):
        return "", found.group().lower()
    return (text, "") if _ADDRESS.fullmatch(text) else ("", "")


def links_in(data: QMimeData) -> list[str]:
    """Addresses of what was dragged from a browser; none where there are files of this machine among it."""
    urls = data.urls()
    if not all(url.scheme() in ("http", "https") for url in urls):
        return []
    return [bytes(url.toEncoded().data()).decode() for url in urls]


def is_voice(link: str) -> bool:
    """A file of a kind that holds voices, or a voice's page on AivisHub."""
    return bool(read_address(link)[1]) or _suffix(link) in VOICE_SUFFIXES


def is_text(link: str) -> bool:
    """A file whose lines could be read aloud."""
    return _suffix(link) in SUFFIXES


def name_of(link: str) -> str:
    """Of the file, as people write it."""
    return PurePosixPath(QUrl(link).path()).name


def _suffix(link: str) -> str:
    return PurePosixPath(QUrl(link).path()).suffix.lower()
