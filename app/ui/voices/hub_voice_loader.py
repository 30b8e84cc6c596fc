"""Loads the voices that AivisHub offers, once the user opens the page of natural voices and never before.

Pictures and recordings are checked and bounded by their content before the window shows or plays them.
"""

import hashlib
import logging
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QSize, Qt, Signal
from PySide6.QtGui import QImageReader

from app.adapters.http.http_request import RetryPolicy
from app.adapters.http.hub_files import OfferedSample, OfferedVoice, download_hub_media, fetch_default_voices, fetch_offered_voice
from app.adapters.sound.sound_formats import PLAYABLE_SUFFIXES
from app.common.errors import AppError, DownloadError, InputError
from app.common.language import localize
from app.ui.background_thread import BackgroundThread
from app.voices.containers.voice_descriptions import ICON_FORMATS, MAX_ICON_BYTES, MAX_SAMPLE_BYTES, SAMPLE_FORMATS

Result = TypeVar("Result")
HUB_RETRIES = 1  # the user waits for the answer, and has a button for the next try
MAX_PICTURE_EDGE_PX = 4096  # edge in pixels; the hub's pictures have about a thousand
THUMBNAIL_EDGE_PX = 160  # edge in pixels of the thumbnail on a card


class HubVoiceLoader(QObject):
    """Sends requests to the hub in its own threads; pictures and recordings are stored in a temporary folder until the window closes.

    Signals:
        changed(): voices or pictures have come, or no more will come.
        loading_failed(AppError): the hub cannot be reached, or offers nothing.
        sample_ready(Path): a recording to play.  sample_failed(AppError): the recording cannot be played.
    """

    changed = Signal()
    loading_failed = Signal(object)
    sample_ready = Signal(object)
    sample_failed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.voices: list[OfferedVoice] = []  # the voices known so far, in the hub's order
        self.pictures: dict[str, Path] = {}
        self.is_asking = False
        self._pending_count = 0
        # Each event is set when its requests are no longer wanted.
        self._run, self._sample_stop = Event(), Event()
        self._folder: Path | None = None
        self._list_thread, self._media = BackgroundThread(self, "hub"), BackgroundThread(self, "samples")

    def load_voices(self) -> None:
        """Request the voices and pictures that are not known yet."""
        if self.is_asking:
            return
        self._run, self.is_asking = Event(), not self.voices
        if self.is_asking:
            self._run_request(lambda stop: fetch_default_voices(stop.is_set, RetryPolicy(HUB_RETRIES)), self._request_descriptions)
        for voice in self.voices:
            self._request_picture(voice)

    def stop_loading(self) -> None:
        """Stop all requests; half a list is dropped."""
        self._run.set()
        self._sample_stop.set()
        if self.is_asking:
            self.voices, self.is_asking = [], False

    def fetch_sample(self, sample: OfferedSample) -> None:
        """Download a recording, in place of the one requested before."""
        self._sample_stop.set()
        self._sample_stop = stop_event = Event()
        target = self._ensure_temporary_folder() / hashlib.sha256(sample.url.encode()).hexdigest()
        self._media.run_work(
            partial(_run_unless_stopped, partial(_fetch_recording, sample.url, target), stop_event),
            lambda file: None if stop_event.is_set() else self.sample_ready.emit(file),
            lambda error: None if stop_event.is_set() else self.sample_failed.emit(error),
        )

    def close(self) -> None:
        """End all requests and remove the files they downloaded."""
        self.stop_loading()
        self._list_thread.close()
        self._media.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _run_request(self, request: Callable[[Event], Any], on_done: Callable[[Any], object]) -> None:
        """Run a request that `stop_loading` cancels."""
        run = self._run
        self._list_thread.run_work(
            partial(_run_unless_stopped, request, run),
            lambda result: None if run.is_set() or result is None else on_done(result),
            lambda error: None if run.is_set() else self._report_failure(error),
        )

    def _request_descriptions(self, uuids: tuple[str, ...]) -> None:
        self._pending_count = len(uuids)
        for uuid in uuids:
            self._run_request(partial(_fetch_description, uuid), self._add_described_voice)

    def _add_described_voice(self, result: tuple[OfferedVoice, ...] | AppError) -> None:
        """Add a described voice; a voice without a description is left out, unless no other voice follows."""
        self._pending_count -= 1
        if isinstance(result, AppError):
            logging.getLogger("koebako").info("AivisHub: %s %s", result.message, result.hint)
        else:
            self.voices += result
            for voice in result:
                self._request_picture(voice)
        self.is_asking = self._pending_count > 0
        if not self.is_asking and not self.voices:
            self._report_failure(result if isinstance(result, AppError) else _create_no_voices_error())
            return
        self.changed.emit()

    def _request_picture(self, voice: OfferedVoice) -> None:
        if voice.icon_url and voice.uuid not in self.pictures:
            self._run_request(
                partial(_fetch_picture, voice.icon_url, self._ensure_temporary_folder() / f"{voice.uuid}.png"),
                partial(self._store_picture, voice.uuid),
            )

    def _store_picture(self, uuid: str, file: Path) -> None:
        self.pictures[uuid] = file
        self.changed.emit()

    def _report_failure(self, error: AppError) -> None:
        self._run.set()
        self.is_asking = False
        self.loading_failed.emit(error)

    def _ensure_temporary_folder(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="koebako-"))
        return self._folder


def _run_unless_stopped(request: Callable[[Event], Result | None], stop_event: Event) -> Result | None:
    """Return the request's result; an error after `stop_event` counts as None, as no caller waits for it."""
    try:
        return request(stop_event)
    except AppError:
        if stop_event.is_set():
            return None
        raise


def _fetch_description(uuid: str, stop_event: Event) -> tuple[OfferedVoice, ...] | AppError:
    """Return the voice, an empty tuple if it has no file that can be added, or the error."""
    try:
        voice = fetch_offered_voice(uuid, stop_event.is_set, RetryPolicy(HUB_RETRIES))
        return () if voice is None else (voice,)
    except AppError as error:
        return error


def write_thumbnail(data: bytes, target: Path) -> bool:
    """Write a picture as a thumbnail in the format of the target's suffix.

    Returns False if `data` is no picture, or has an edge above 4096 px. Raises OSError if the file cannot be written.
    """
    if not any(fits(data) for _, fits in ICON_FORMATS):
        # Qt's readers know many more formats, and each would be code that parses a stranger's file for no use here.
        return False
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    # The header is read before the pixels: a small file may claim a size that fills the memory.
    picture_size = reader.size()
    if not picture_size.isValid() or max(picture_size.width(), picture_size.height()) > MAX_PICTURE_EDGE_PX:
        return False
    reader.setScaledSize(picture_size.scaled(QSize(THUMBNAIL_EDGE_PX, THUMBNAIL_EDGE_PX), Qt.AspectRatioMode.KeepAspectRatioByExpanding))
    image = reader.read()
    return not image.isNull() and image.save(str(target))


def detect_sample_suffix(data: bytes) -> str:
    """Return the file suffix of a recording that can be played; raises InputError for anything else."""
    suffix = next((suffix for suffix, fits in SAMPLE_FORMATS if fits(data)), "")
    if suffix not in PLAYABLE_SUFFIXES:
        raise InputError(
            localize("このサンプルの形式には対応していません。", "The format of this sample is not supported."),
            localize("ブラウザーで再生できます。", "You can play it in a browser."),
        )
    return suffix


def is_playable_url(url: str) -> bool:
    """Return True if the address looks like a recording that can be played."""
    name = url.partition("?")[0].rpartition("/")[2].lower()
    # An address without a suffix says nothing; detect_sample_suffix decides after the download.
    return "." not in name or name.endswith(PLAYABLE_SUFFIXES)


def _fetch_picture(url: str, target: Path, stop_event: Event) -> Path | None:
    """Return the file of a picture, or None if it cannot be shown; the card then draws a letter."""
    try:
        data = download_hub_media(url, MAX_ICON_BYTES, stop_event.is_set, RetryPolicy(HUB_RETRIES))
        return target if write_thumbnail(data, target) else None
    except (AppError, OSError):
        return None


def _fetch_recording(url: str, target: Path, stop_event: Event) -> Path:
    cached_file = next(target.parent.glob(f"{target.name}.*"), None)
    if cached_file is not None:
        return cached_file
    data = download_hub_media(url, MAX_SAMPLE_BYTES, stop_event.is_set, RetryPolicy(HUB_RETRIES))
    file = target.with_suffix(detect_sample_suffix(data))
    file.write_bytes(data)
    return file


def _create_no_voices_error() -> AppError:
    return DownloadError(
        localize("AivisHub に、いま追加できる声がありません。", "AivisHub has no voices to add at the moment."),
        localize("しばらくしてからもう一度お試しください。", "Try again later."),
    )
