"""Takes with their sounds, and what was heard last: all that the window knows of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.core.script import Line
from app.core.takes import Take, take_of
from app.core.types import Float32
from app.ui.synthesis.controller import SpeechController
from app.ui.takes.book import Owner, TakeBook
from app.ui.takes.heard import HeardTakes
from app.ui.takes.sounds import OnError, Sound, TakeSounds

if TYPE_CHECKING:
    from app.audition.take_store import KeptSound


class TakeShelf(QObject):
    """Everything that makes takes puts them here.

    Attributes:
        book: the takes.
        sounds: what they sound like.
        heard: renderings that may still be kept.

    Args:
        on_error: called with what went wrong in the background.
    """

    def __init__(self, owner: Owner, speech: SpeechController, on_error: OnError, parent: QObject) -> None:
        super().__init__(parent)
        self._owner = owner
        self._path, self._script = owner.path, 0
        self._leaves = False  # sounds that no script without a name needs any more
        self.book = TakeBook(owner, self)
        self.sounds = TakeSounds(owner.path, on_error, self)
        self.heard = HeardTakes(speech, self)

    def keep_rendered(self, line: Line, samples: Float32, rate: int, then: Callable[[Take], object] = lambda _take: None) -> None:
        """Keeps the sound of a line as it was rendered; `then` has the take."""
        self._keep(take_of(line), (samples,), rate, then)

    def keep_unnamed(self, samples: Float32, rate: int, then: Callable[[str], object]) -> None:
        """Keeps a sound that is no take, for a test that has not begun; `then` has its name."""
        script = self._script

        def kept(sound: KeptSound) -> None:
            if self._script == script:
                self.book.hold(sound.name)
                then(sound.name)

        self.sounds.keep((samples,), rate, kept)

    def keep_heard(self, take_id: str, then: Callable[[Take], object] = lambda _take: None) -> bool:
        """Keeps what was heard; False where it is no longer there."""
        heard = self.heard.find(take_id)
        if heard is None:
            return False
        self._keep(heard.take, heard.pieces, heard.rate, then)
        return True

    @property
    def has_file(self) -> bool:
        """The script is a project with a file, beside which the sounds lie."""
        return self._path is not None

    def delete(self, *, starred: bool) -> None:
        """All takes, or all without a star; their sounds go when the file is saved, or the window closes where there is none."""
        self.book.delete(starred=starred)
        self.heard.clear()
        self._leaves = self._leaves or not self.has_file

    def fetch(self, take: Take, then: Callable[[Sound], object]) -> None:
        """Samples and rate of a take, kept or only heard."""
        heard = self.heard.find(take.id)
        if heard is None:
            self.sounds.read(take.sound, then)
        else:
            self.sounds.join(heard.pieces, heard.rate, then)

    @Slot()
    def on_saved(self) -> None:
        """The project has a file, perhaps another one than before."""
        before, self._path = self._path, self._owner.path
        self.sounds.open(self._path)
        self._leaves = self._leaves or before is None
        for place in {before, None}:
            self.sounds.bring(place, sorted(self.book.needed()))
        self.sounds.sweep(self.book.needed())

    @Slot()
    def on_opened(self) -> None:
        """Another project is shown."""
        self._leaves = self._leaves or self._path is None
        self._script, self._path = self._script + 1, self._owner.path
        self.heard.clear()
        self.book.forget_loose()
        self.sounds.open(self._path)

    def close(self) -> None:
        """Waits until what is being kept is written. What a file does not name yet goes when that is saved."""
        if self._leaves or (self._path is None and self.book.has_loose):
            self.book.forget_loose()
            self.sounds.sweep_unnamed(self.book.needed())
        self.sounds.close()

    def _keep(self, take: Take, pieces: tuple[Float32, ...], rate: int, then: Callable[[Take], object]) -> None:
        script, path = self._script, self._path

        def kept(sound: KeptSound) -> None:
            if self._script == script:  # else another project was opened meanwhile
                self.sounds.bring(path, [sound.name])
                then(self.book.add(replace(take, sound=sound.name, length_s=sound.length_s, size=sound.size)))

        self.sounds.keep(pieces, rate, kept)
