"""The sounds of takes, kept and read in the background: the window never waits for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from app.core.types import Float32
from app.errors import AppError, InputError, OutputFileError
from app.ui.background import BackgroundThread
from app.ui.script.autosave import autosave_path
from app.ui.synthesis.side_by_side import SideBySide

if TYPE_CHECKING:
    from app.audition.take_store import KeptSound, TakeStore

Sound = tuple[Float32, int]
OnError = Callable[[AppError], object]


class TakeSounds(QObject):
    """Belongs to the open project, and holds in the data folder what is kept; see `app.audition.sound_upkeep`.

    What writes sound files is imported in the background, at first use.

    Args:
        path: of the project file; None for a script without a name.
        on_error: called with what went wrong.

    Signals:
        failed(AppError): the same, for those who wait.
    """

    failed = Signal(object)

    def __init__(self, path: Path | None, on_error: OnError, parent: QObject) -> None:
        super().__init__(parent)
        self._path = path
        self._keeping = 0
        self._stores: dict[Path | None, TakeStore] = {}  # belongs to the background
        self._background = BackgroundThread(self, "takes")
        self._background.failed.connect(self.failed)
        self.failed.connect(on_error)

    def keep(self, pieces: Sequence[Float32], rate: int, then: Callable[[KeptSound], object]) -> None:
        """Keeps a sound: in the data folder, until a save has put it beside its project."""

        def on_kept(sound: KeptSound) -> None:
            self._keeping -= 1
            then(sound)

        def on_failed(error: AppError) -> None:
            self._keeping -= 1
            self.failed.emit(error)

        self._keeping += 1
        self._background.run(lambda: self._store(None).keep(np.concatenate(pieces), rate), on_kept, on_failed)

    def when_kept(self, then: Callable[[], object]) -> None:
        """Calls `then` at a moment when nothing is being kept; at once where nothing is."""
        if self._keeping:
            self._background.run(lambda: None, lambda _nothing: self.when_kept(then))
        else:
            then()

    def settle(self) -> None:
        """Waits until what is being kept is."""
        if self._keeping:
            self._background.settle()

    def read(self, name: str, then: Callable[[Sound], object]) -> None:
        """Reads a sound."""
        self._background.run(partial(self._read, self._path, name), then)

    def join(self, pieces: Sequence[Float32], rate: int, then: Callable[[Sound], object]) -> None:
        """One sound of pieces."""
        self._background.run(lambda: (np.concatenate(pieces), rate), then)

    def pair(self, one: Sound, other: Sound, then: Callable[[SideBySide], object]) -> None:
        """Two sounds, equally loud and at one rate, ready to be heard side by side."""
        self._background.run(partial(_pair, one, other), then)

    def open(self, path: Path | None) -> None:
        """The script has another file, or another script is shown."""
        self._path = path

    def release(self, needed: Collection[str], known: Collection[str], others: Iterable[Path], *, unnamed_only: bool) -> None:
        """Removes what need not be held any more, while nothing is being kept; see `app.audition.sound_upkeep.release`."""
        self._background.run(partial(_release, self._path, needed, known, others, unnamed_only))

    def close(self) -> None:
        """Waits until what is being kept is written."""
        self._background.close(finish=True)

    def _store(self, path: Path | None) -> TakeStore:
        from app.audition.take_store import TakeStore, folder_of

        if path not in self._stores:
            self._stores = {kept: store for kept, store in self._stores.items() if kept in (None, self._path)}
            self._stores[path] = TakeStore(folder_of(path))
        return self._stores[path]

    def _read(self, path: Path | None, name: str) -> Sound:
        """Beside the project, or held: what was made since it was saved, or what an older version did not put there."""
        beside, held = self._store(path), self._store(None)
        try:
            return beside.read(name)
        except InputError:
            if path is None or not held.has(name):
                raise
            _bring(beside, held, path, name)
            return held.read(name)


def _bring(beside: TakeStore, held: TakeStore, path: Path, name: str) -> None:
    """Puts a sound where the file that names it should have it."""
    from app.audition.sound_upkeep import names_in

    with suppress(OSError, OutputFileError):
        if name in names_in(path):
            beside.adopt(held, [name])


def _release(path: Path | None, needed: Collection[str], known: Collection[str], others: Iterable[Path], unnamed_only: bool) -> None:
    from app.audition.sound_upkeep import release

    release(path, autosave_path(), needed, known, others, unnamed_only=unnamed_only)


def _pair(one: Sound, other: Sound) -> SideBySide:
    from app.audition.listening import comparable

    return SideBySide(*comparable((one, other)))
