"""The takes of the script that is open: part of its project, and no part of the script's history."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance, Slot

from app.core.project import Project
from app.core.takes import Take, change, pruned, sounds_in, sounds_of, without

TITLE = "テイク", "Takes"


class Owner(Protocol):
    """What of the open project takes need; see `app.ui.projects.document.ProjectDocument`."""

    path: Path | None
    parts: Project

    @property
    def changed(self) -> SignalInstance:
        """Another file, or other parts."""

    def change(self, **parts: Any) -> None:
        """Gives the project other parts."""


class TakeBook(QObject):
    """Knows the takes and changes them.

    Attributes:
        known: names of all sounds that were ever needed here, whatever was opened and deleted since.

    Signals:
        changed(): there are other takes, or one of them is not as it was.
    """

    changed = Signal()

    def __init__(self, owner: Owner, parent: QObject) -> None:
        super().__init__(parent)
        self._owner = owner
        self._seen = owner.parts
        self._loose: set[str] = set()  # sounds that no take has, and that may still be wanted
        self.known = set(self.needed())
        owner.changed.connect(self._look)

    @property
    def takes(self) -> tuple[Take, ...]:
        """All of them, oldest first."""
        return self._owner.parts.takes

    def find(self, take_id: str) -> Take | None:
        """The take with this id."""
        return next((take for take in self.takes if take.id == take_id), None)

    def add(self, take: Take) -> Take:
        """Keeps a take; where there is one of the same line that sounds the same, that one is returned. The oldest may have to go."""
        from app.audition.take_store import MOST_BYTES, MOST_TAKES  # with what writes sound files: the window starts without it

        same = next((other for other in self.takes if (other.line, other.sound) == (take.line, take.sound) and take.sound), None)
        if same is None:
            self._owner.change(takes=pruned((*self.takes, take), MOST_TAKES, MOST_BYTES, sounds_in(self._owner.parts.tests)))
        return same or take

    def change(self, take_id: str, **values: object) -> None:
        """Gives a take a star, a rating, a note."""
        self._owner.change(takes=change(self.takes, take_id, **values))

    def forget_loose(self) -> None:
        """Sounds that no take has are not wanted any more: of those that were removed and could be put back, or of a test that has not begun."""
        self._loose.clear()

    def hold(self, sound: str) -> None:
        """A sound stays although no take has it."""
        self._loose.add(sound)
        self.known.add(sound)

    def remove(self, take: Take) -> None:
        """Takes it out; its sound stays, so that it can be put back."""
        self._loose.add(take.sound)
        self._owner.change(takes=without(self.takes, (take.id,)))

    def delete(self, *, starred: bool) -> None:
        """Takes out all of them, or all without a star, with their sounds."""
        kept = () if starred else tuple(take for take in self.takes if take.starred)
        self._loose.clear()
        self._owner.change(takes=kept)

    def put_back(self, take: Take, place: int) -> bool:
        """Undoes `remove`; False where its sound may be gone, for all takes were deleted since."""
        if take.sound and take.sound not in self.needed():
            return False
        if self.find(take.id) is None:
            self._owner.change(takes=(*self.takes[:place], take, *self.takes[place:]))
        return True

    def needed(self) -> frozenset[str]:
        """Names of the sounds that must stay."""
        return sounds_of(self.takes) | self._loose | sounds_in(self._owner.parts.tests)

    @Slot()
    def _look(self) -> None:
        before, self._seen = self._seen, self._owner.parts
        if before.tests is not self._seen.tests:
            self.known |= sounds_in(self._seen.tests)
        if before.takes is not self._seen.takes:
            self.known |= sounds_of(self._seen.takes)
            self.changed.emit()
