"""What an address on the web leads to, as far as its words show: a voice, a text file, or neither."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QUrl

from app.core.text_lines import SUFFIXES
from app.json_text import short_text
from app.voices.containers.suffixes import VOICE_SUFFIXES

if TYPE_CHECKING:
    from app.adapters.http.address import UnusableAddressError


def read_address(text: str) -> tuple[str, str]:
    """(url, uuid) of what was typed; one of them or both are empty."""
    from app.adapters.http.hub_addresses import aivishub_uuid  # the window starts without what reads addresses

    uuid = aivishub_uuid(text)
    if uuid is not None:
        return "", uuid
    return (text.strip(), "") if refusal(text) is None else ("", "")


def refusal(text: str) -> UnusableAddressError | None:
    """Why nothing is downloaded from what was typed; None where it would be."""
    from app.adapters.http.address import UnusableAddressError, address_of

    try:
        address_of(text)
    except UnusableAddressError as error:
        return error
    return None


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
    """Of the file, as people write it. For showing only: what is fetched is judged by `refusal`."""
    return short_text(PurePosixPath(QUrl(link).path()).name)


def _suffix(link: str) -> str:
    return PurePosixPath(name_of(link)).suffix.lower()
