"""The voices that AivisHub offers to begin with: asked for when somebody wants to see them, and never before."""

from __future__ import annotations

import hashlib
import logging
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal

from app.errors import AppError, DownloadError
from app.language import localized
from app.ui.background import BackgroundThread
from app.ui.voices.hub_media import sample_suffix, small_picture

if TYPE_CHECKING:
    from app.adapters.http.offers import OfferedSample, OfferedVoice

Result = TypeVar("Result")
RETRIES = 1  # somebody waits, and has a button for the next try


class HubShelf(QObject):
    """Asks in threads of its own; pictures and recordings lie in a temporary folder until the window closes.

    Attributes:
        voices: what is known so far, in the hub's order.
        pictures: by UUID.
        is_asking: there may be more.

    Signals:
        changed(): voices or pictures have come, or no more will.
        failed(AppError): the hub cannot be asked, or offers nothing.
        sample_ready(Path): a recording to be played.  sample_failed(AppError): there will be none.
    """

    changed = Signal()
    failed = Signal(object)
    sample_ready = Signal(object)
    sample_failed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.voices: list[OfferedVoice] = []
        self.pictures: dict[str, Path] = {}
        self.is_asking = False
        self._left = 0
        self._run, self._heard = Event(), Event()  # set when what they stand for is not wanted any more
        self._folder: Path | None = None
        self._asking, self._media = BackgroundThread(self, "hub"), BackgroundThread(self, "samples")

    def ask(self) -> None:
        """Asks for what is not known yet."""
        if self.is_asking:
            return
        self._run, self.is_asking = Event(), not self.voices
        if self.is_asking:
            self._begin(_listed, self._on_listed)
        for voice in self.voices:
            self._ask_for_picture(voice)

    def stop(self) -> None:
        """Asks no more; half a list is not kept."""
        self._run.set()
        self._heard.set()
        if self.is_asking:
            self.voices, self.is_asking = [], False

    def hear(self, sample: OfferedSample) -> None:
        """Brings a recording, in place of the one that was asked for before."""
        self._heard.set()
        self._heard = heard = Event()
        target = self._place() / hashlib.sha256(sample.url.encode()).hexdigest()
        self._media.run(
            partial(_unless_stopped, partial(_recording, sample.url, target), heard),
            lambda file: None if heard.is_set() else self.sample_ready.emit(file),
            lambda error: None if heard.is_set() else self.sample_failed.emit(error),
        )

    def close(self) -> None:
        """Ends all requests, and removes what they brought."""
        self.stop()
        self._asking.close()
        self._media.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _begin(self, work: Callable[[Event], Any], on_done: Callable[[Any], object]) -> None:
        """Work that belongs to this time of asking."""
        run = self._run
        self._asking.run(
            partial(_unless_stopped, work, run),
            lambda result: None if run.is_set() or result is None else on_done(result),
            lambda error: None if run.is_set() else self._on_failed(error),
        )

    def _on_listed(self, uuids: tuple[str, ...]) -> None:
        self._left = len(uuids)
        for uuid in uuids:
            self._begin(partial(_described, uuid), self._on_described)

    def _on_described(self, found: tuple[OfferedVoice, ...] | AppError) -> None:
        """One that cannot be described is left out, unless there is no other."""
        self._left -= 1
        if isinstance(found, AppError):
            logging.getLogger("koebako").info("AivisHub: %s %s", found.message, found.hint)
        else:
            self.voices += found
            for voice in found:
                self._ask_for_picture(voice)
        self.is_asking = self._left > 0
        if not self.is_asking and not self.voices:
            self._on_failed(found if isinstance(found, AppError) else _nothing())
            return
        self.changed.emit()

    def _ask_for_picture(self, voice: OfferedVoice) -> None:
        if voice.icon_url and voice.uuid not in self.pictures:
            self._begin(partial(_picture, voice.icon_url, self._place() / f"{voice.uuid}.png"), partial(self._on_picture, voice.uuid))

    def _on_picture(self, uuid: str, file: Path) -> None:
        self.pictures[uuid] = file
        self.changed.emit()

    def _on_failed(self, error: AppError) -> None:
        self._run.set()
        self.is_asking = False
        self.failed.emit(error)

    def _place(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="koebako-"))
        return self._folder


def _unless_stopped(work: Callable[[Event], Result | None], stopped: Event) -> Result | None:
    """What nobody waits for any more cannot fail."""
    try:
        return work(stopped)
    except AppError:
        if stopped.is_set():
            return None
        raise


# What asks the network is imported in the background: few starts need it.


def _listed(run: Event) -> tuple[str, ...]:
    from app.adapters.http.offers import default_voices
    from app.adapters.http.retry_policy import RetryPolicy

    return default_voices(run.is_set, RetryPolicy(RETRIES))


def _described(uuid: str, run: Event) -> tuple[OfferedVoice, ...] | AppError:
    """None of them where it has no file that can be added."""
    from app.adapters.http.offers import offered_voice
    from app.adapters.http.retry_policy import RetryPolicy

    try:
        found = offered_voice(uuid, run.is_set, RetryPolicy(RETRIES))
        return () if found is None else (found,)
    except AppError as error:
        return error


def _picture(url: str, target: Path, run: Event) -> Path | None:
    """None where there is none that can be shown: a letter stands in its place."""
    from app.adapters.http.offers import hub_media
    from app.adapters.http.retry_policy import RetryPolicy
    from app.voices.containers.card_reader import LARGEST_ICON_BYTES

    try:
        data = hub_media(url, LARGEST_ICON_BYTES, run.is_set, RetryPolicy(RETRIES))
        return target if small_picture(data, target) else None
    except (AppError, OSError):
        return None


def _recording(url: str, target: Path, heard: Event) -> Path:
    from app.adapters.http.offers import hub_media
    from app.adapters.http.retry_policy import RetryPolicy
    from app.voices.containers.card_reader import LARGEST_SAMPLE_BYTES

    known = next(target.parent.glob(f"{target.name}.*"), None)
    if known is not None:
        return known
    data = hub_media(url, LARGEST_SAMPLE_BYTES, heard.is_set, RetryPolicy(RETRIES))
    file = target.with_suffix(sample_suffix(data))
    file.write_bytes(data)
    return file


def _nothing() -> AppError:
    return DownloadError(
        localized("AivisHub に、いま追加できる声がありません。", "AivisHub has no voices to add at the moment."),
        localized("しばらくしてからもう一度お試しください。", "Try again later."),
    )
