"""Takes with their sounds, and what was heard last: all that the window knows of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.core.script import Line
from app.core.takes import Take, take_of
from app.core.types import Float32
from app.ui.synthesis.controller import SpeechController
from app.ui.takes.book import Owner, TakeBook
from app.ui.takes.heard import Heard, HeardTakes
from app.ui.takes.sounds import OnError, Sound, TakeSounds

if TYPE_CHECKING:
    from app.audition.take_store import KeptSound

OnTake = Callable[[Take], object]
Secure = Callable[[Callable[[], object]], object]


class TakeShelf(QObject):
    """Everything that makes takes puts them here.

    Attributes:
        book: the takes.
        sounds: what they sound like.
        heard: renderings that may still be kept.

    Args:
        on_error: called with what went wrong in the background.
        secure: writes what is kept between starts, and calls back once that is on the disk.
    """

    def __init__(self, owner: Owner, speech: SpeechController, on_error: OnError, secure: Secure, parent: QObject) -> None:
        super().__init__(parent)
        self._owner, self._secure = owner, secure
        self._path, self._script = owner.path, 0
        self._paths: dict[Path, None] = {}  # of all projects that were open
        self.book = TakeBook(owner, self)
        self.sounds = TakeSounds(owner.path, on_error, self)
        self.heard = HeardTakes(speech, self)

    def keep_rendered(
        self, line: Line, samples: Float32, rate: int, then: OnTake = lambda _take: None, safe: OnTake = lambda _take: None
    ) -> None:
        """Keeps the sound of a line as it was rendered; `then` has the take, and `safe` once a crash could not take it away any more."""
        self._keep(Heard(take_of(line), (samples,), rate), then, safe)

    def keep_unnamed(self, samples: Float32, rate: int, then: Callable[[str], object]) -> None:
        """Keeps a sound that is no take, for a test that has not begun; `then` has its name."""
        script = self._script

        def kept(sound: KeptSound) -> None:
            self.book.known.add(sound.name)
            if self._script == script:
                self.book.hold(sound.name)
                then(sound.name)

        self.sounds.keep((samples,), rate, kept)

    def keep_heard(self, take_id: str, then: OnTake = lambda _take: None, safe: OnTake = lambda _take: None) -> bool:
        """As `keep_rendered`, of what was heard; False where it is no longer there."""
        heard = self.heard.find(take_id)
        if heard is None:
            return False
        self._keep(heard, then, safe)
        return True

    @property
    def has_file(self) -> bool:
        """The script is a project with a file, beside which the sounds lie."""
        return self._path is not None

    def delete(self, *, starred: bool) -> None:
        """All takes, or all without a star; their sounds go when the file is saved, or the window closes where there is none."""
        self.book.delete(starred=starred)
        self.heard.clear()

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
        self._use(self._owner.path)

    @Slot()
    def on_opened(self) -> None:
        """Another project is shown."""
        self._script += 1
        self.heard.clear()
        self.book.forget_loose()
        self._use(self._owner.path)

    def drop_unnamed(self) -> None:
        """Lets held sounds go that nobody names any more, while nothing is being kept or saved."""
        self._release(unnamed_only=True)

    def close(self) -> None:
        """Lets held sounds go that nobody needs there any more; what is kept between starts is on the disk already."""
        self.book.forget_loose()
        self._release(unnamed_only=False)
        self.sounds.close()

    def _release(self, *, unnamed_only: bool) -> None:
        self.sounds.release(self.book.needed(), frozenset(self.book.known), tuple(self._paths), unnamed_only=unnamed_only)

    def _use(self, path: Path | None) -> None:
        if self._path is not None:
            self._paths[self._path] = None
        self._path = path
        self.sounds.open(path)

    def _keep(self, heard: Heard, then: OnTake, safe: OnTake) -> None:
        script = self._script

        def kept(sound: KeptSound) -> None:
            self.book.known.add(sound.name)
            if self._script == script:  # else another project was opened meanwhile
                take = self.book.add(replace(heard.take, sound=sound.name, length_s=sound.length_s, size=sound.size))
                then(take)
                self._secure(partial(secured, take))

        def secured(take: Take) -> None:
            if self._script == script:
                safe(take)

        self.sounds.keep(heard.pieces, heard.rate, kept)
