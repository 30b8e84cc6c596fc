"""The addresses of AivisHub and Hugging Face, and their meaning; no request is made here. Sources: see `hub_files`."""

from __future__ import annotations

import os
import re
import urllib.parse
import uuid

from app.adapters.http.http_address import DEFAULT_PORTS, HttpAddress, UnusableAddressError, parse_address
from app.common.errors import DownloadError
from app.common.language import localize

AIVISHUB_VARIABLE = "KOEBAKO_AIVISHUB"
AIVISHUB, AIVISHUB_PAGES = "https://api.aivis-project.com/v1", "hub.aivis-project.com"
# Icons and recordings lie on assets.aivis-project.com.
AIVISHUB_MEDIA_HOSTS = ".aivis-project.com"
HF_VARIABLE = "HF_ENDPOINT"
HUGGING_FACE = "https://huggingface.co"
_AIVISHUB_PAGE_PATH = re.compile(r"/aivm-models/([0-9a-fA-F-]{36})(?:/.*)?")
_HF_FILE_PATH = re.compile(r"(/[^/]+/[^/]+)/(?:resolve|blob|raw)/(.+)")


def parse_aivishub_uuid(text: str) -> str | None:
    """Return the id of a voice, as such or in the address of its page, with or without https://; None if the text is neither."""
    text = text.strip()
    try:
        return str(uuid.UUID(text))
    except ValueError:
        pass
    try:
        address = parse_address(text if "://" in text else f"https://{text}")
        page = _AIVISHUB_PAGE_PATH.fullmatch(address.path)
        return str(uuid.UUID(page[1])) if page and address.host == AIVISHUB_PAGES else None
    except (UnusableAddressError, ValueError):
        return None


def build_aivishub_model_address(uuid: str) -> HttpAddress:
    """Return where AivisHub describes a voice; raises DownloadError."""
    return _build_hub_address(AIVISHUB_VARIABLE, AIVISHUB, f"/aivm-models/{uuid}")


def build_aivishub_defaults_address() -> HttpAddress:
    """Return where AivisHub lists the voices that AivisSpeech begins with; raises DownloadError."""
    return _build_hub_address(AIVISHUB_VARIABLE, AIVISHUB, "/aivisspeech/default-models")


def parse_aivishub_media_address(url: object) -> HttpAddress | None:
    """Return the address of an icon or a recording that AivisHub names; None if it leads elsewhere, or would be readable on the way."""
    try:
        address = parse_address(url) if isinstance(url, str) else None
    except UnusableAddressError:
        return None
    if address is None or address.origin == build_aivishub_defaults_address().origin:
        return address
    ours = address.host.endswith(AIVISHUB_MEDIA_HOSTS) and address.port == DEFAULT_PORTS["https"]
    return address if ours and address.scheme == "https" else None


def build_hf_url(repo: str, file: str, revision: str) -> str:
    """Return the address of a file of a repository at a revision; raise DownloadError."""
    path = "/".join(urllib.parse.quote(part, safe="/") for part in (repo, "resolve", revision, file))
    return _build_hub_address(HF_VARIABLE, HUGGING_FACE, f"/{path}").url


def convert_to_hf_file_url(url: str) -> str | None:
    """Return the address of the file if this is one of a file or of its page on Hugging Face; else None. Raise DownloadError."""
    try:
        address = parse_address(url)
    except UnusableAddressError:
        return None
    match = _HF_FILE_PATH.fullmatch(address.path)
    if match is None or address.origin not in (find_hf_origin(), parse_address(HUGGING_FACE).origin):
        return None
    return address.join_reference(f"{match[1]}/resolve/{match[2]}").url


def find_hf_origin() -> tuple[str, str, int]:
    """Return whom the token is for; raises DownloadError."""
    return _build_hub_address(HF_VARIABLE, HUGGING_FACE, "/").origin


def _build_hub_address(variable: str, default: str, path: str) -> HttpAddress:
    base = os.environ.get(variable, "").strip() or default
    try:
        return parse_address(base.rstrip("/") + path)
    except UnusableAddressError as exc:
        raise DownloadError(
            localize(
                f"環境変数 {variable} のアドレスを使えません：{exc.reason}。", f"The address in {variable} cannot be used: {exc.reason}."
            ),
            localize("正しいアドレスに直すか、この環境変数を削除してください。", "Correct it, or unset the variable."),
        ) from exc
