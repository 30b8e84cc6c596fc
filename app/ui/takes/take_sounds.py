"""Keeps and reads the sounds of takes in a background thread, so that the window never waits for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from app.audition.parallel_sounds import ParallelSounds
from app.common.errors import AppError, InputError, OutputFileError
from app.core.synthesis_types import Float32
from app.ui.background_thread import BackgroundThread
from app.ui.script.autosave import locate_autosave_file

if TYPE_CHECKING:
    from app.audition.take_store import KeptSound, TakeStore

TakeSound = tuple[Float32, int]
OnTakeError = Callable[[AppError], object]


class TakeSounds(QObject):
    """Holds kept sounds in the data folder until a save moves them next to the project; see `app.audition.take_store`.

    The sound file writers are imported in the background, at first use.

    Signals:
        failed(AppError): the same error, for callers that wait.
    """

    failed = Signal(object)

    def __init__(self, path: Path | None, on_error: OnTakeError, parent: QObject) -> None:
        super().__init__(parent)
        self._path = path
        self._keeping_count = 0
        # Only the background thread uses this dictionary, so it needs no lock.
        self._stores: dict[Path | None, TakeStore] = {}
        self._background = BackgroundThread(self, "takes")
        self._background.failed.connect(self.failed)
        self.failed.connect(on_error)

    def keep_sound(self, pieces: Sequence[Float32], rate: int, on_stored: Callable[[KeptSound], object]) -> None:
        """Keep a sound in the data folder until a save moves it next to its project."""

        def finish_keeping(sound: KeptSound) -> None:
            self._keeping_count -= 1
            on_stored(sound)

        def report_failure(error: AppError) -> None:
            self._keeping_count -= 1
            self.failed.emit(error)

        self._keeping_count += 1
        self._background.run_work(lambda: self._choose_store(None).keep_sound(np.concatenate(pieces), rate), finish_keeping, report_failure)

    def call_when_kept(self, callback: Callable[[], object]) -> None:
        """Call `callback` while nothing is being kept: at once, or after the pending sounds."""
        if self._keeping_count:
            self._background.run_work(lambda: None, lambda _nothing: self.call_when_kept(callback))
        else:
            callback()

    def wait_until_kept(self) -> None:
        if self._keeping_count:
            self._background.wait_until_idle()

    def read_sound(self, name: str, on_read: Callable[[TakeSound], object], on_failed: OnTakeError | None = None) -> None:
        """Read a sound and pass it to `on_read`, or the error to `on_failed` if that is given."""
        self._background.run_work(partial(self._read_stored, self._path, name), on_read, on_failed)

    def join_pieces(self, pieces: Sequence[Float32], rate: int, on_joined: Callable[[TakeSound], object]) -> None:
        """Join pieces `(T,)` to one sound and pass it to `on_joined`."""
        self._background.run_work(lambda: (np.concatenate(pieces), rate), on_joined)

    def pair_sounds(self, one: TakeSound, other: TakeSound, on_paired: Callable[[ParallelSounds], object]) -> None:
        """Bring two sounds to one loudness and rate, and pass them to `on_paired` for playing side by side."""
        self._background.run_work(partial(_match_loudness, one, other), on_paired)

    def open_project(self, path: Path | None) -> None:
        """Use the folder of another project file."""
        self._path = path

    def release_sounds(self, needed: Collection[str], known: Collection[str], others: Iterable[Path], *, unnamed_only: bool) -> None:
        """Remove sounds that need not be held any longer, while nothing is being kept; see
        `app.audition.take_store.release_sounds`.
        """
        self._background.run_work(partial(_release_stored, self._path, needed, known, others, unnamed_only))

    def close(self) -> None:
        """Wait until all pending sounds are written."""
        self._background.close(finish=True)

    def _choose_store(self, path: Path | None) -> TakeStore:
        from app.audition.take_store import TakeStore, find_sound_folder

        if path not in self._stores:
            # Stores of projects that are no longer open are dropped.
            self._stores = {store_path: store for store_path, store in self._stores.items() if store_path in (None, self._path)}
            self._stores[path] = TakeStore(find_sound_folder(path))
        return self._stores[path]

    def _read_stored(self, path: Path | None, name: str) -> TakeSound:
        """Read a sound stored next to the project, or a held one.

        Raises InputError if it is in neither place.
        """
        beside, held_store = self._choose_store(path), self._choose_store(None)
        try:
            return beside.read_sound(name)
        except InputError:
            # A sound is held if it was made after the last save, or if an older version did not move it next to the project.
            if path is None or not held_store.has_sound(name):
                raise
            _move_to_project(beside, held_store, path, name)
            return held_store.read_sound(name)


def _move_to_project(beside: TakeStore, held_store: TakeStore, path: Path, name: str) -> None:
    """Move a held sound next to the project file, if that file names it."""
    from app.audition.take_store import find_sound_names

    with suppress(OSError, OutputFileError):
        if name in find_sound_names(path):
            beside.take_over_sounds(held_store, [name])


def _release_stored(path: Path | None, needed: Collection[str], known: Collection[str], others: Iterable[Path], unnamed_only: bool) -> None:
    from app.audition.take_store import release_sounds

    release_sounds(path, locate_autosave_file(), needed, known, others, unnamed_only=unnamed_only)


def _match_loudness(one: TakeSound, other: TakeSound) -> ParallelSounds:
    from app.audition.comparable_sounds import make_comparable

    return ParallelSounds(*make_comparable((one, other)))
