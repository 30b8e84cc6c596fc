"""The default voices of AivisHub, with the facts that matter before a download.

`GET {base}/aivisspeech/default-models` answers `{"aivm_models": [{"model_uuid", "latest_version"}]}`; `GET {base}/aivm-models/{uuid}` besides what
`hubs` names: `user.name`, `speakers[]` {`icon_url`, `styles[]` {`name`, `icon_url`, `voice_samples[]` {`audio_url`, `transcript`}}}. Icons are JPEG,
recordings WAV or M4A. Source: the response models in AivisSpeech-Engine, voicevox_engine/utility/aivishub_client.py.

All of it is a stranger's answer: whatever is missing, wrong or too much is left out, and media come from the hub's own servers alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from app.adapters.http.http_address import parse_address
from app.adapters.http.http_request import HttpRequest
from app.adapters.http.hub_files import (
    build_aivishub_defaults_address,
    build_aivishub_model_address,
    find_newest_file,
    list_objects,
    parse_aivishub_media_address,
    parse_aivishub_uuid,
    parse_file_bytes,
    parse_name,
    parse_sha256,
)
from app.adapters.http.network_messages import build_bad_response_error
from app.adapters.http.response_stream import read_json_response, read_response
from app.adapters.http.retry_policy import RetryPolicy
from app.common.files.untrusted_json import sanitise_long_text
from app.core.sound.stage_clock import ignore_cancellation

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
