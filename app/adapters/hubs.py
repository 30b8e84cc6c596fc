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

import json
import os
import re
import urllib.parse
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from app.adapters.http_failures import of_status
from app.adapters.http_patience import Patience, persist
from app.adapters.http_request import REDIRECTS, Head, Request, origin_of
from app.adapters.http_stream import AnswerStream
from app.core.timing import never
from app.errors import DownloadError, InputError
from app.language import say

AIVISHUB_VARIABLE = "KOEBAKO_AIVISHUB"
AIVISHUB = "https://api.aivis-project.com/v1"
HF_VARIABLE, HF_TOKEN_VARIABLE = "HF_ENDPOINT", "HF_TOKEN"
HUGGING_FACE = "https://huggingface.co"
LARGEST_ANSWER = 16 << 20  # icons may be inside
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_UUID_PAGE = re.compile(r"https?://hub\.aivis-project\.com/aivm-models/([0-9a-fA-F-]{36})(?:[/?#].*)?")


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file on a hub.

    Attributes:
        url: where it is.
        sha256: hex, None where the hub does not tell.
        size: bytes, None where the hub does not tell.
        secrets: headers for the hub alone.
    """

    url: str
    sha256: str | None
    size: int | None
    secrets: dict[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class HubVoice:
    """A voice on AivisHub. What else the hub says of it the file says as well, and that is checked."""

    name: str
    version: str
    file: HubFile


def aivishub_uuid(text: str) -> str | None:
    """The id of a voice as such or in the address of its page; None where it is neither."""
    page = _UUID_PAGE.fullmatch(text.strip())
    try:
        return str(uuid.UUID(page[1] if page else text.strip()))
    except ValueError:
        return None


def aivishub_voice(text: str, cancelled: Callable[[], bool] = never, patience: Patience | None = None) -> HubVoice:
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
            say(f"「{text}」は AivisHub の ID ではありません。", f'"{text}" is not an id of AivisHub.'),
            say(
                "AivisHub の音声合成モデルのページの URL か UUID を指定してください。",
                "Give the address of the voice's page on AivisHub, or its UUID.",
            ),
        )
    url = f"{os.environ.get(AIVISHUB_VARIABLE) or AIVISHUB}".rstrip("/") + f"/aivm-models/{known}"
    data = _read_json(Request(url, {"Accept": "application/json"}, patience=patience or Patience()), cancelled)
    files = [item for item in _list(data, "model_files") if item.get("model_type") == "AIVMX"]
    if not files:
        raise DownloadError(
            say("AivisHub のこの声には AIVMX ファイルがありません。", "AivisHub has no AIVMX file of this voice."),
            say(
                "配布ページから別の形式のファイルをダウンロードして追加してください。",
                "Download another format from its page and add that file.",
            ),
        )
    newest = max(files, key=lambda item: _version(str(item.get("version", ""))))
    return HubVoice(
        name=str(data.get("name") or newest.get("name") or known),
        version=str(newest.get("version") or ""),
        file=HubFile(f"{url}/download?model_type=AIVMX", _sha256(newest.get("checksum")), None),
    )


def hf_url(repo: str, file: str, revision: str) -> str:
    """The address of a file of a repository at a revision."""
    path = "/".join(urllib.parse.quote(part, safe="/") for part in (repo, "resolve", revision, file))
    return f"{_hf_endpoint()}/{path}"


def hf_address(url: str) -> str | None:
    """The address of the file if this is one of a file or of its page on Hugging Face; else None."""
    try:
        parts = urllib.parse.urlsplit(url.strip())
        on_hub = origin_of(url) in (origin_of(_hf_endpoint()), origin_of(HUGGING_FACE))
    except ValueError:  # no address at all
        return None
    match = re.fullmatch(r"(/[^/]+/[^/]+)/(?:resolve|blob|raw)/(.+)", parts.path)
    if match is None or not on_hub:
        return None
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc, f"{match[1]}/resolve/{match[2]}", "", ""))


def hf_file(url: str, cancelled: Callable[[], bool] = never, patience: Patience | None = None) -> HubFile:
    """Asks the hub for length and checksum of a file, of which big ones have one.

    Args:
        url: as `hf_url` and `hf_address` give it.

    Raises:
        DownloadError: the hub cannot be asked, or has no such file.
    """
    token = os.environ.get(HF_TOKEN_VARIABLE, "").strip()
    secrets = {"Authorization": f"Bearer {token}"} if token and origin_of(url) == origin_of(_hf_endpoint()) else {}
    request = Request(url, secrets=secrets, method="HEAD", same_host_only=True, patience=patience or Patience())
    head, _ = _read(request, cancelled, (200, *REDIRECTS))
    linked = head.headers.get("X-Linked-Etag", "").strip('"')
    length = head.headers.get("X-Linked-Size") or (head.headers.get("Content-Length") if head.status == 200 else None)
    return HubFile(url, _sha256(linked), _size(length), secrets)


def _hf_endpoint() -> str:
    return (os.environ.get(HF_VARIABLE) or HUGGING_FACE).rstrip("/")


def _read_json(request: Request, cancelled: Callable[[], bool]) -> dict[str, Any]:
    head, body = _read(request, cancelled, (200,))
    try:
        data = json.loads(body)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise _not_understood(head.host)
    return data


def _read(request: Request, cancelled: Callable[[], bool], wanted: tuple[int, ...]) -> tuple[Head, bytes]:
    def attempt() -> tuple[Head, bytes]:
        body = bytearray()
        with AnswerStream(request, cancelled) as stream:
            head = stream.head()
            if head.status not in wanted:
                raise of_status(head.status, head.headers, head.host)
            for block in stream.blocks():
                body += block
                if len(body) > LARGEST_ANSWER:
                    raise _not_understood(head.host)
        return head, bytes(body)

    return persist(attempt, request.patience, cancelled)


def _not_understood(host: str) -> DownloadError:
    return DownloadError(
        say(f"{host} の応答を理解できません。", f"The answer of {host} is not understood."),
        say("ブラウザーでファイルをダウンロードして追加してください。", "Download the file in a browser and add it."),
    )


def _list(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    items = data.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(item) for item in re.findall(r"\d+", text.partition("-")[0]))


def _sha256(value: object) -> str | None:
    return value.lower() if isinstance(value, str) and _SHA256.fullmatch(value) else None


def _size(value: object) -> int | None:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() else None
