"""Classifies web addresses by their text: a voice, a text file, or neither."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QUrl

from app.common.files.untrusted_json import sanitise_short_text
from app.core.text.text_lines import TEXT_SUFFIXES
from app.voices.containers.unsupported_formats import VOICE_SUFFIXES

if TYPE_CHECKING:
    from app.adapters.http.http_address import UnusableAddressError


def parse_address(text: str) -> tuple[str, str]:
    """Return (url, uuid) of the typed text; at least one of them is empty."""
    from app.adapters.http.hub_files import parse_aivishub_uuid  # the window starts without what reads addresses

    uuid = parse_aivishub_uuid(text)
    if uuid is not None:
        return "", uuid
    return (text.strip(), "") if find_address_error(text) is None else ("", "")


def find_address_error(text: str) -> UnusableAddressError | None:
    """Return the reason why an address cannot be downloaded, or None."""
    from app.adapters.http.http_address import UnusableAddressError, parse_address

    try:
        parse_address(text)
    except UnusableAddressError as error:
        return error
    return None


def list_dropped_links(data: QMimeData) -> list[str]:
    """Return the URLs dragged from a browser; an empty list if local files are among them."""
    urls = data.urls()
    if not all(url.scheme() in ("http", "https") for url in urls):
        return []
    return [bytes(url.toEncoded().data()).decode() for url in urls]


def is_voice_link(link: str) -> bool:
    """Return True for a file of a voice format, or a voice's page on AivisHub."""
    return bool(parse_address(link)[1]) or _extract_suffix(link) in VOICE_SUFFIXES


def is_text_link(link: str) -> bool:
    """Return True for a text file whose lines could be read aloud."""
    return _extract_suffix(link) in TEXT_SUFFIXES


def format_link_name(link: str) -> str:
    """Return the file name of a link for display only; `find_address_error` checks the address itself before a download."""
    return sanitise_short_text(PurePosixPath(QUrl(link).path()).name)


def _extract_suffix(link: str) -> str:
    return PurePosixPath(format_link_name(link)).suffix.lower()
