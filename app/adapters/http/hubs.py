"""Where voices and BERTs are published: AivisHub and Hugging Face. Names become addresses, lengths and checksums.

AivisHub: `GET {base}/aivm-models/{uuid}` answers JSON with `name`, `description`, `user.name` and `model_files[]` {`model_type` "AIVM" |
"AIVMX", `version`, `file_size` in bytes, `checksum` (SHA-256, hex), `license_type`, `license_text`, `creators`}; `…/download?model_type=AIVMX`
redirects to the newest file. Source: the response models in AivisSpeech-Engine, voicevox_engine/utility/aivishub_client.py, and the addresses
in its aivm_manager.py.

Hugging Face: `{endpoint}/{repo}/resolve/{revision}/{file}` redirects to a server of big files; that first answer carries `X-Linked-Etag` (the
SHA-256 of a file in LFS), `X-Linked-Size` and `X-Repo-Commit`; redirects within the hub are renamed repositories. HF_ENDPOINT names another
hub, HF_TOKEN a login. A file that does not exist answers 401 to strangers, like a private one. Source: huggingface_hub, constants.py and
`get_hf_file_metadata` in file_download.py; https://huggingface.co/docs/xet/file-id.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from app.adapters.http.address import Address, address_of
from app.adapters.http.answers import read_answer, read_object
from app.adapters.http.headers import count_of
from app.adapters.http.hub_addresses import aivishub_model, aivishub_uuid, hf_origin
from app.adapters.http.request import REDIRECTS, Request
from app.adapters.http.retry_policy import RetryPolicy
from app.adapters.http.waiting import OnWait, unannounced
from app.core.timing import never
from app.errors import DownloadError, InputError
from app.json_text import short_text
from app.language import localized

HF_TOKEN_VARIABLE = "HF_TOKEN"
LARGEST_FILE_BYTES = 8 << 30
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_TOKEN = re.compile(r"[\x21-\x7e]+")
_VERSION_PART = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file on a hub.

    Attributes:
        url: where it is.
        sha256: hex, None where the hub does not say.
        size: bytes, None where the hub does not say.
        secrets: headers for the hub alone.
    """

    url: str
    sha256: str | None
    size: int | None
    secrets: dict[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class HubVoice:
    """A voice on AivisHub. What else the hub says of it the file says as well, and that is checked.

    Attributes:
        about_bytes: how long the hub says the file is, for what is shown; 0 where it does not say.
    """

    name: str
    version: str
    file: HubFile
    about_bytes: int = 0


def aivishub_voice(
    text: str, cancelled: Callable[[], bool] = never, patience: RetryPolicy | None = None, on_wait: OnWait = unannounced
) -> HubVoice:
    """Asks AivisHub about a voice.

    Args:
        text: its UUID or the address of its page.

    Raises:
        InputError: that is not an id.
        DownloadError: the hub cannot be asked, or has no AIVMX file of it.
    """
    known = aivishub_uuid(text)
    if known is None:
        raise InputError(
            localized(f"「{text}」は AivisHub の ID ではありません。", f"“{text}” is not an AivisHub ID."),
            localized(
                "AivisHub の音声合成モデルのページの URL、または UUID を指定してください。",
                "Enter the URL of a model's page on AivisHub, or its UUID.",
            ),
        )
    address = aivishub_model(known)
    data = read_object(Request(address, {"Accept": "application/json"}, patience=patience or RetryPolicy()), cancelled, on_wait)
    newest = newest_file(data)
    if newest is None:
        raise DownloadError(
            localized("AivisHub のこのモデルには AIVMX ファイルがありません。", "This AivisHub model has no AIVMX file."),
            localized(
                "配布ページから別の形式のファイルをダウンロードし、追加してください。",
                "Download another format from its page, then add that file.",
            ),
        )
    return HubVoice(
        name=text_of(data.get("name")) or text_of(newest.get("name")) or known,
        version=text_of(newest.get("version")),
        file=HubFile(f"{address.url}/download?model_type=AIVMX", sha256_of(newest.get("checksum")), None),
        about_bytes=bytes_of(newest.get("file_size")),
    )


def hf_file(url: str, cancelled: Callable[[], bool] = never, patience: RetryPolicy | None = None, on_wait: OnWait = unannounced) -> HubFile:
    """Asks the hub for length and checksum of a file, of which big ones have one.

    Args:
        url: as `hf_url` and `hf_address` give it.

    Raises:
        DownloadError: the hub cannot be asked, or has no such file.
    """
    address = address_of(url)
    secrets = _login(address)
    request = Request(address, secrets=secrets, method="HEAD", same_host_only=True, patience=patience or RetryPolicy())
    head, _ = read_answer(request, cancelled, on_wait, (200, *REDIRECTS))
    linked = head.headers.get("X-Linked-Etag", "").strip('"')
    length = head.headers.get("X-Linked-Size") or (head.headers.get("Content-Length") if head.status == 200 else None)
    return HubFile(address.url, sha256_of(linked), count_of(length), secrets)


def _login(address: Address) -> dict[str, str]:
    """The header with the user's token, for the hub that it is for and for nobody else."""
    token = os.environ.get(HF_TOKEN_VARIABLE, "").strip()
    if not token or address.origin != hf_origin():
        return {}
    if not _TOKEN.fullmatch(token):
        raise DownloadError(
            localized(
                f"環境変数 {HF_TOKEN_VARIABLE} に使用できない文字が含まれています。", f"{HF_TOKEN_VARIABLE} contains invalid characters."
            ),
            localized("Hugging Face のトークンをもう一度コピーしてください。", "Copy your Hugging Face token again."),
        )
    return {"Authorization": f"Bearer {token}"}


def newest_file(data: dict[str, Any]) -> dict[str, Any] | None:
    """What AivisHub says of the newest AIVMX file of a model; None where it has none."""
    files = [item for item in objects_in(data, "model_files") if item.get("model_type") == "AIVMX"]
    return max(files, key=lambda item: _order(text_of(item.get("version"))), default=None)


def objects_in(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects of a list; none where there is no list."""
    items = data.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def text_of(value: object) -> str:
    """A name as it may be shown; empty where there is none."""
    return short_text(value) if isinstance(value, str) else ""


def bytes_of(value: object) -> int:
    """A length of a file; 0 where there is none that a file could have."""
    return value if type(value) is int and 0 < value <= LARGEST_FILE_BYTES else 0


def sha256_of(value: object) -> str | None:
    """A checksum, hex in lower case; None where there is none."""
    return value.lower() if isinstance(value, str) and _SHA256.fullmatch(value) else None


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(item) for item in _VERSION_PART.findall(version.partition("-")[0]))
