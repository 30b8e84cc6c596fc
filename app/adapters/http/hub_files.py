"""Files of voices and BERTs on AivisHub and Hugging Face: names become addresses, lengths and checksums; and AivisHub's default voices, described.

AivisHub: `GET {base}/aivm-models/{uuid}` answers JSON with `name`, `description`, `user.name` and `model_files[]` {`model_type` "AIVM" |
"AIVMX", `version`, `file_size` in bytes, `checksum` (SHA-256, hex), `license_type`, `license_text`, `creators`}; `…/download?model_type=AIVMX`
redirects to the newest file. `GET {base}/aivisspeech/default-models` answers `{"aivm_models": [{"model_uuid", "latest_version"}]}`; of each voice
there are also `speakers[]` {`icon_url`, `styles[]` {`name`, `icon_url`, `voice_samples[]` {`audio_url`, `transcript`}}}: icons are JPEG, recordings
WAV or M4A. Whatever is missing, wrong or too much is left out, and media come from the hub's own servers alone. Source: the response models in
AivisSpeech-Engine, voicevox_engine/utility/aivishub_client.py, and the addresses in its aivm_manager.py.

Hugging Face: `{endpoint}/{repo}/resolve/{revision}/{file}` redirects to a server of big files; that first answer carries `X-Linked-Etag` (the
SHA-256 of a file in LFS), `X-Linked-Size` and `X-Repo-Commit`; redirects within the hub are renamed repositories. HF_ENDPOINT names another
hub, HF_TOKEN a login. A file that does not exist answers 401 to strangers, like a private one. Source: huggingface_hub, constants.py and
`get_hf_file_metadata` in file_download.py; https://huggingface.co/docs/xet/file-id.
"""

import os
import re
import urllib.parse
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from app.adapters.http.http_address import DEFAULT_PORTS, HttpAddress, UnusableAddressError, parse_address
from app.adapters.http.http_request import REDIRECT_STATUSES, HttpRequest, OnWait, RetryPolicy, ignore_wait
from app.adapters.http.network_messages import build_bad_response_error
from app.adapters.http.response_headers import parse_length
from app.adapters.http.response_stream import read_json_response, read_response
from app.common.errors import DownloadError, InputError
from app.common.files.untrusted_json import sanitise_long_text, sanitise_short_text
from app.common.language import localize
from app.core.sound.stage_clock import ignore_cancellation

HF_TOKEN_VARIABLE = "HF_TOKEN"
MAX_HUB_FILE_BYTES = 8 << 30
_SHA256_HEX = re.compile(r"[0-9a-fA-F]{64}")
_HF_TOKEN_PATTERN = re.compile(r"[\x21-\x7e]+")
_VERSION_PART = re.compile(r"[0-9]{1,9}")

AIVISHUB_VARIABLE = "KOEBAKO_AIVISHUB"
AIVISHUB, AIVISHUB_PAGES = "https://api.aivis-project.com/v1", "hub.aivis-project.com"
AIVISHUB_MEDIA_HOSTS = ".aivis-project.com"  # icons and recordings are on assets.aivis-project.com
HF_VARIABLE = "HF_ENDPOINT"
HUGGING_FACE = "https://huggingface.co"
_AIVISHUB_PAGE_PATH = re.compile(r"/aivm-models/([0-9a-fA-F-]{36})(?:/.*)?")
_HF_FILE_PATH = re.compile(r"(/[^/]+/[^/]+)/(?:resolve|blob|raw)/(.+)")


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file on a hub."""

    url: str
    sha256: str | None  # hex, None where the hub does not say
    size: int | None  # bytes, None where the hub does not say
    secrets: dict[str, str] = field(default_factory=dict, repr=False)  # headers for the hub alone


@dataclass(frozen=True, slots=True)
class HubVoice:
    """A voice on AivisHub. What else the hub says of it the file says as well, and that is checked."""

    name: str
    version: str
    file: HubFile
    approximate_bytes: int = 0  # how long the hub says the file is, for what is shown; 0 where it does not say


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
    path = "/".join(urllib.parse.quote(segment, safe="/") for segment in (repo, "resolve", revision, file))
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
        english = f"The address in {variable} cannot be used: {exc.reason}."
        raise DownloadError(
            localize(f"環境変数 {variable} のアドレスを使えません：{exc.reason}。", english),
            localize("正しいアドレスに直すか、この環境変数を削除してください。", "Correct it, or unset the variable."),
        ) from exc


def fetch_aivishub_voice(
    text: str, cancelled: Callable[[], bool] = ignore_cancellation, retry_policy: RetryPolicy | None = None, on_wait: OnWait = ignore_wait
) -> HubVoice:
    """Ask AivisHub about a voice by its UUID or the address of its page; raise InputError if it is neither, DownloadError."""
    uuid = parse_aivishub_uuid(text)
    if uuid is None:
        raise InputError(
            localize(f"「{text}」は AivisHub の ID ではありません。", f"“{text}” is not an AivisHub ID."),
            localize(
                "AivisHub の音声合成モデルのページの URL、または UUID を指定してください。",
                "Enter the URL of a model's page on AivisHub, or its UUID.",
            ),
        )
    address = build_aivishub_model_address(uuid)
    request = HttpRequest(address, {"Accept": "application/json"}, retry_policy=retry_policy or RetryPolicy())
    data = read_json_response(request, cancelled, on_wait)
    newest = find_newest_file(data)
    if newest is None:
        raise DownloadError(
            localize("AivisHub のこのモデルには AIVMX ファイルがありません。", "This AivisHub model has no AIVMX file."),
            localize(
                "配布ページから別の形式のファイルをダウンロードし、追加してください。",
                "Download another format from its page, then add that file.",
            ),
        )
    return HubVoice(
        name=parse_name(data.get("name")) or parse_name(newest.get("name")) or uuid,
        version=parse_name(newest.get("version")),
        file=HubFile(f"{address.url}/download?model_type=AIVMX", parse_sha256(newest.get("checksum")), None),
        approximate_bytes=parse_file_bytes(newest.get("file_size")),
    )


def fetch_hf_file_info(
    url: str, cancelled: Callable[[], bool] = ignore_cancellation, retry_policy: RetryPolicy | None = None, on_wait: OnWait = ignore_wait
) -> HubFile:
    """Ask the hub for length and checksum of a file at an address as `build_hf_url` returns it; only big ones have a checksum. Raise DownloadError."""
    address = parse_address(url)
    secrets = _build_login_header(address)
    request = HttpRequest(address, secrets=secrets, method="HEAD", same_host_only=True, retry_policy=retry_policy or RetryPolicy())
    head, _ = read_response(request, cancelled, on_wait, (200, *REDIRECT_STATUSES))
    linked = head.headers.get("X-Linked-Etag", "").strip('"')
    length = head.headers.get("X-Linked-Size") or (head.headers.get("Content-Length") if head.status == 200 else None)
    return HubFile(address.url, parse_sha256(linked), parse_length(length), secrets)


def _build_login_header(address: HttpAddress) -> dict[str, str]:
    """Return the header with the user's token, for its own hub and for no other server."""
    token = os.environ.get(HF_TOKEN_VARIABLE, "").strip()
    if not token or address.origin != find_hf_origin():
        return {}
    if not _HF_TOKEN_PATTERN.fullmatch(token):
        english = f"{HF_TOKEN_VARIABLE} contains invalid characters."
        raise DownloadError(
            localize(f"環境変数 {HF_TOKEN_VARIABLE} に使用できない文字が含まれています。", english),
            localize("Hugging Face のトークンをもう一度コピーしてください。", "Copy your Hugging Face token again."),
        )
    return {"Authorization": f"Bearer {token}"}


def find_newest_file(data: dict[str, Any]) -> dict[str, Any] | None:
    """Return what AivisHub says of the newest AIVMX file of a model; None where it has none."""
    files = [item for item in list_objects(data, "model_files") if item.get("model_type") == "AIVMX"]

    def parse_version(item: dict[str, Any]) -> tuple[int, ...]:
        return tuple(map(int, _VERSION_PART.findall(parse_name(item.get("version")).partition("-")[0])))

    return max(files, key=parse_version, default=None)


def list_objects(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects of a list; none if there is no list."""
    items = data.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def parse_name(value: object) -> str:
    """Return a name fit to be shown; empty if there is none."""
    return sanitise_short_text(value) if isinstance(value, str) else ""


def parse_file_bytes(value: object) -> int:
    """Return the length of a file; 0 if it is none that a file could have."""
    return value if type(value) is int and 0 < value <= MAX_HUB_FILE_BYTES else 0


def parse_sha256(value: object) -> str | None:
    """Return a checksum, hex in lower case; None if there is none."""
    return value.lower() if isinstance(value, str) and _SHA256_HEX.fullmatch(value) else None


LARGEST_LIST, LARGEST_DESCRIPTION = 64 << 10, 1 << 20  # bytes of an answer; a described voice has about 20 kB
MOST_VOICES, MOST_STYLES, MOST_SAMPLES = 40, 100, 12
LONGEST_DESCRIPTION, LONGEST_TRANSCRIPT, LONGEST_LICENCE = 400, 300, 100_000  # letters
JSON_REQUEST_HEADERS = {"Accept": "application/json"}


@dataclass(frozen=True, slots=True)
class OfferedSample:
    """A recording of a style, on the hub's servers."""

    style: str
    url: str
    transcript: str


@dataclass(frozen=True, slots=True)
class OfferedVoice:
    """A voice that can be downloaded; what the hub does not say is empty."""

    uuid: str
    name: str
    maker: str = ""
    description: str = ""
    version: str = ""
    licence: str = ""  # licence, licence_text: its name, and its words where the hub has them; those in the file count
    licence_text: str = ""
    file_bytes: int = 0  # of the download; 0 where the hub does not say
    sha256: str | None = None  # of the file, hex; None where the hub does not say
    icon_url: str = ""  # of its first speaker
    styles: tuple[str, ...] = ()
    samples: tuple[OfferedSample, ...] = ()


def fetch_default_voices(cancelled: Callable[[], bool] = ignore_cancellation, retry_policy: RetryPolicy | None = None) -> tuple[str, ...]:
    """Return the UUIDs of the voices that the hub offers at first, in its order; raise DownloadError if it cannot be reached."""
    address = build_aivishub_defaults_address()
    request = HttpRequest(address, JSON_REQUEST_HEADERS, retry_policy=retry_policy or RetryPolicy())
    data = read_json_response(request, cancelled, max_bytes=LARGEST_LIST)
    uuids = (parse_aivishub_uuid(parse_name(item.get("model_uuid"))) for item in list_objects(data, "aivm_models"))
    default_voices = tuple(dict.fromkeys(uuid for uuid in uuids if uuid is not None))[:MOST_VOICES]
    if not default_voices:
        raise build_bad_response_error(address.host)
    return default_voices


def fetch_offered_voice(
    uuid: str, cancelled: Callable[[], bool] = ignore_cancellation, retry_policy: RetryPolicy | None = None
) -> OfferedVoice | None:
    """Return what the hub says of a voice; None where it has no file that can be added. Raises DownloadError."""
    request = HttpRequest(build_aivishub_model_address(uuid), JSON_REQUEST_HEADERS, retry_policy=retry_policy or RetryPolicy())
    data = read_json_response(request, cancelled, max_bytes=LARGEST_DESCRIPTION)
    newest = find_newest_file(data)
    if newest is None:
        return None
    user, speakers = data.get("user"), list_objects(data, "speakers")
    styles = [style for speaker in speakers for style in list_objects(speaker, "styles")][:MOST_STYLES]
    icons = (parse_aivishub_media_address(item.get("icon_url")) for item in (*speakers, *styles))
    return OfferedVoice(
        uuid=uuid,
        name=parse_name(data.get("name")) or parse_name(newest.get("name")) or uuid,
        maker=parse_name(user.get("name")) if isinstance(user, dict) else "",
        description=" ".join(_sanitise_text(data.get("description"), LONGEST_DESCRIPTION).split()),
        version=parse_name(newest.get("version")),
        licence=parse_name(newest.get("license_type")),
        licence_text=_sanitise_text(newest.get("license_text"), LONGEST_LICENCE),
        file_bytes=parse_file_bytes(newest.get("file_size")),
        sha256=parse_sha256(newest.get("checksum")),
        icon_url=next((icon.url for icon in icons if icon is not None), ""),
        styles=tuple(name for style in styles if (name := parse_name(style.get("name")))),
        samples=tuple(_order_samples(styles))[:MOST_SAMPLES],
    )


def download_hub_media(
    url: str, max_bytes: int, cancelled: Callable[[], bool] = ignore_cancellation, retry_policy: RetryPolicy | None = None
) -> bytes:
    """Download an icon or a recording that `fetch_offered_voice` names, of at most `max_bytes` bytes; raise DownloadError, also for a redirect elsewhere."""
    request = HttpRequest(parse_address(url), same_host_only=True, retry_policy=retry_policy or RetryPolicy())
    return read_response(request, cancelled, max_bytes=max_bytes)[1]


def _order_samples(styles: list[dict[str, Any]]) -> Iterator[OfferedSample]:
    """Yield the first sample of each style, then the second ones, and so on: the most different come first."""
    recorded = [[(parse_name(style.get("name")), data) for data in list_objects(style, "voice_samples")[:MOST_SAMPLES]] for style in styles]
    for sample in (sample for row in zip_longest(*recorded) for sample in row):
        address = None if sample is None else parse_aivishub_media_address(sample[1].get("audio_url"))
        if address is not None:
            style, data = sample
            yield OfferedSample(style, address.url, " ".join(_sanitise_text(data.get("transcript"), LONGEST_TRANSCRIPT).split()))


def _sanitise_text(value: object, max_chars: int) -> str:
    return sanitise_long_text(value[: 2 * max_chars])[:max_chars] if isinstance(value, str) else ""
