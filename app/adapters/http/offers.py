"""What AivisHub offers to begin with: its default voices, with what is worth knowing before a download.

`GET {base}/aivisspeech/default-models` answers `{"aivm_models": [{"model_uuid", "latest_version"}]}`; `GET {base}/aivm-models/{uuid}` besides what
`hubs` names: `user.name`, `speakers[]` {`icon_url`, `styles[]` {`name`, `icon_url`, `voice_samples[]` {`audio_url`, `transcript`}}}. Icons are JPEG,
recordings WAV or M4A. Source: the response models in AivisSpeech-Engine, voicevox_engine/utility/aivishub_client.py.

All of it is a stranger's answer: whatever is missing, wrong or too much is left out, and media come from the hub's own servers alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from app.adapters.http.address import address_of
from app.adapters.http.answers import read_answer, read_object
from app.adapters.http.failures import not_understood
from app.adapters.http.hub_addresses import aivishub_defaults, aivishub_media, aivishub_model, aivishub_uuid
from app.adapters.http.hubs import bytes_of, newest_file, objects_in, sha256_of, text_of
from app.adapters.http.request import Request
from app.adapters.http.retry_policy import RetryPolicy
from app.core.timing import never
from app.json_text import long_text

LARGEST_LIST, LARGEST_DESCRIPTION = 64 << 10, 1 << 20  # bytes of an answer; a described voice has about 20 kB
MOST_VOICES, MOST_STYLES, MOST_SAMPLES = 40, 100, 12
LONGEST_DESCRIPTION, LONGEST_TRANSCRIPT, LONGEST_LICENCE = 400, 300, 100_000  # letters
ASKED = {"Accept": "application/json"}


@dataclass(frozen=True, slots=True)
class OfferedSample:
    """A recording of a style, on the hub's servers."""

    style: str
    url: str
    transcript: str


@dataclass(frozen=True, slots=True)
class OfferedVoice:
    """A voice that can be downloaded; what the hub does not say is empty.

    Attributes:
        licence, licence_text: its name, and its words where the hub has them; those in the file count.
        file_bytes: of the download; 0 where the hub does not say.
        sha256: of the file, hex; None where the hub does not say.
        icon_url: of its first speaker.
    """

    uuid: str
    name: str
    maker: str = ""
    description: str = ""
    version: str = ""
    licence: str = ""
    licence_text: str = ""
    file_bytes: int = 0
    sha256: str | None = None
    icon_url: str = ""
    styles: tuple[str, ...] = ()
    samples: tuple[OfferedSample, ...] = ()


def default_voices(cancelled: Callable[[], bool] = never, patience: RetryPolicy | None = None) -> tuple[str, ...]:
    """UUIDs of the voices that the hub offers to begin with, in its order. Raises DownloadError."""
    address = aivishub_defaults()
    data = read_object(Request(address, ASKED, patience=patience or RetryPolicy()), cancelled, largest=LARGEST_LIST)
    known = (aivishub_uuid(text_of(item.get("model_uuid"))) for item in objects_in(data, "aivm_models"))
    found = tuple(dict.fromkeys(uuid for uuid in known if uuid is not None))[:MOST_VOICES]
    if not found:
        raise not_understood(address.host)
    return found


def offered_voice(uuid: str, cancelled: Callable[[], bool] = never, patience: RetryPolicy | None = None) -> OfferedVoice | None:
    """What the hub says of a voice; None where it has no file that can be added. Raises DownloadError."""
    address = aivishub_model(uuid)
    data = read_object(Request(address, ASKED, patience=patience or RetryPolicy()), cancelled, largest=LARGEST_DESCRIPTION)
    newest = newest_file(data)
    if newest is None:
        return None
    user, speakers = data.get("user"), objects_in(data, "speakers")
    styles = [style for speaker in speakers for style in objects_in(speaker, "styles")][:MOST_STYLES]
    return OfferedVoice(
        uuid=uuid,
        name=text_of(data.get("name")) or text_of(newest.get("name")) or uuid,
        maker=text_of(user.get("name")) if isinstance(user, dict) else "",
        description=" ".join(_words(data.get("description"), LONGEST_DESCRIPTION).split()),
        version=text_of(newest.get("version")),
        licence=text_of(newest.get("license_type")),
        licence_text=_words(newest.get("license_text"), LONGEST_LICENCE),
        file_bytes=bytes_of(newest.get("file_size")),
        sha256=sha256_of(newest.get("checksum")),
        icon_url=_icon([*speakers, *styles]),
        styles=tuple(name for style in styles if (name := text_of(style.get("name")))),
        samples=tuple(_samples(styles))[:MOST_SAMPLES],
    )


def hub_media(url: str, largest: int, cancelled: Callable[[], bool] = never, patience: RetryPolicy | None = None) -> bytes:
    """An icon or a recording as `offered_voice` names it, no longer than `largest` bytes; a redirect elsewhere is an error. Raises DownloadError."""
    request = Request(address_of(url), same_host_only=True, patience=patience or RetryPolicy())
    return read_answer(request, cancelled, largest=largest)[1]


def _icon(holders: list[dict[str, Any]]) -> str:
    found = (aivishub_media(item.get("icon_url")) for item in holders)
    return next((address.url for address in found if address is not None), "")


def _samples(styles: list[dict[str, Any]]) -> Iterator[OfferedSample]:
    """The first of each style, then the second ones, and so on: what differs most comes first."""
    recorded = [(text_of(style.get("name")), objects_in(style, "voice_samples")[:MOST_SAMPLES]) for style in styles]
    for place in range(max((len(items) for _, items in recorded), default=0)):
        for style, items in recorded:
            address = aivishub_media(items[place].get("audio_url")) if place < len(items) else None
            if address is not None:
                yield OfferedSample(style, address.url, " ".join(_words(items[place].get("transcript"), LONGEST_TRANSCRIPT).split()))


def _words(value: object, most: int) -> str:
    return long_text(value[: 2 * most])[:most] if isinstance(value, str) else ""
