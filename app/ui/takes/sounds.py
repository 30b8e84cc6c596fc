"""The sounds of takes, kept and read in the background: the window never waits for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from app.core.types import Float32
from app.errors import AppError, InputError, OutputFileError
from app.ui.background import BackgroundThread
from app.ui.synthesis.side_by_side import SideBySide

if TYPE_CHECKING:
    from app.audition.take_store import KeptSound, TakeStore

Sound = tuple[Float32, int]
OnError = Callable[[AppError], object]


class TakeSounds(QObject):
    """Belongs to the open project. What writes sound files is imported in the background, at first use.

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
        self._stores: dict[Path | None, TakeStore] = {}  # belongs to the background
        self._background = BackgroundThread(self, "takes")
        self._background.failed.connect(self.failed)
        self.failed.connect(on_error)

    def keep(self, pieces: Sequence[Float32], rate: int, then: Callable[[KeptSound], object]) -> None:
        """Keeps a sound."""
        path = self._path
        self._background.run(lambda: self._store(path).keep(np.concatenate(pieces), rate), then)

    def read(self, name: str, then: Callable[[Sound], object]) -> None:
        """Reads a sound."""
        self._background.run(partial(self._read, self._path, name), then)

    def join(self, pieces: Sequence[Float32], rate: int, then: Callable[[Sound], object]) -> None:
        """One sound of pieces."""
        self._background.run(lambda: (np.concatenate(pieces), rate), then)

    def pair(self, one: Sound, other: Sound, then: Callable[[SideBySide], object]) -> None:
        """Two sounds, equally loud and at one rate, ready to be heard side by side."""
        self._background.run(partial(_pair, one, other), then)

    def bring(self, before: Path | None, names: Sequence[str]) -> None:
        """The script had another file before: its sounds come with it."""
        path = self._path
        if before != path:
            self._background.run(lambda: self._store(path).adopt(self._store(before), names))

    def open(self, path: Path | None) -> None:
        """The script has another file, or another script is shown."""
        self._path = path

    def sweep(self, needed: frozenset[str]) -> None:
        """Removes the sounds that nothing needs."""
        path = self._path
        self._background.run(lambda: self._store(path).sweep(needed))

    def sweep_unnamed(self, needed: frozenset[str]) -> None:
        """Removes what lies in the data folder and is not needed from there."""
        path = self._path

        def sweep() -> None:
            missing = needed if path is None else {name for name in needed if not self._store(path).has(name)}
            self._store(None).sweep(missing)

        self._background.run(sweep)

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
        try:
            return self._store(path).read(name)
        except InputError:
            if path is None or not self._store(None).has(name):
                raise
            # The program ended before a new project had all of its sounds, or nothing can be written beside the project.
            with suppress(OutputFileError):
                self._store(path).adopt(self._store(None), [name])
            return self._store(None).read(name)


def _pair(one: Sound, other: Sound) -> SideBySide:
    from app.audition.listening import comparable

    return SideBySide(*comparable((one, other)))
