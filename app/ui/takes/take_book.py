"""The takes of the open script: they are part of its project, but not of its undo history."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance, Slot

from app.core.script.project import Project
from app.core.script.takes import LineTake, change_take, find_sounds, list_sounds, prune_takes, remove_takes

TAKES_TITLE = "テイク", "Takes"


class TakeOwner(Protocol):
    """The part of `app.ui.projects.project_document.ProjectDocument` that takes need."""

    path: Path | None
    parts: Project

    @property
    def changed(self) -> SignalInstance:
        """Emit that the project has another file or other parts."""

    def change_parts(self, **parts: Any) -> None:
        """Replace parts of the project."""


class TakeBook(QObject):
    """Reads and changes the takes of the open project.

    Attributes:
        known: names of all sounds needed since the window opened, including those of projects and takes since closed or deleted.

    Signals:
        changed(): takes were added, removed or changed.
    """

    changed = Signal()

    def __init__(self, owner: TakeOwner, parent: QObject) -> None:
        super().__init__(parent)
        self._owner = owner
        self._seen = owner.parts
        # Sounds without a take that may still be needed: of removed takes, and of a test that has not begun.
        self._loose: set[str] = set()
        self.known = set(self.list_needed_sounds())
        owner.changed.connect(self._follow_owner)

    @property
    def takes(self) -> tuple[LineTake, ...]:
        """Return all takes, the oldest first."""
        return self._owner.parts.takes

    def find_take(self, take_id: str) -> LineTake | None:
        """Return the take with this id, or None."""
        return next((take for take in self.takes if take.id == take_id), None)

    def add_take(self, take: LineTake) -> LineTake:
        """Keep a take and return it; an existing take of the same line with the same sound is returned instead.

        The oldest takes are dropped beyond the limits of `app.audition.take_store`.
        """
        # This module also imports the sound file writers, which the start of the window does without.
        from app.audition.take_store import MOST_BYTES, MOST_TAKES

        same = next((other for other in self.takes if (other.line, other.sound) == (take.line, take.sound) and take.sound), None)
        if same is None:
            self._owner.change_parts(takes=prune_takes((*self.takes, take), MOST_TAKES, MOST_BYTES, find_sounds(self._owner.parts.tests)))
        return same or take

    def change_take(self, take_id: str, **values: object) -> None:
        """Change the star, rating or note of a take."""
        self._owner.change_parts(takes=change_take(self.takes, take_id, **values))

    def forget_unused_sounds(self) -> None:
        """Release sounds without a take: of removed takes that could be restored, and of a test that has not begun."""
        self._loose.clear()

    def hold_sound(self, sound: str) -> None:
        """Keep a sound that no take has."""
        self._loose.add(sound)
        self.known.add(sound)

    def remove_take(self, take: LineTake) -> None:
        """Remove a take; its sound stays, so that `restore_take` can undo this."""
        self._loose.add(take.sound)
        self._owner.change_parts(takes=remove_takes(self.takes, (take.id,)))

    def delete_takes(self, *, starred: bool) -> None:
        """Delete all takes, or only those without a star, with their sounds."""
        kept = () if starred else tuple(take for take in self.takes if take.starred)
        self._loose.clear()
        self._owner.change_parts(takes=kept)

    def restore_take(self, take: LineTake, position: int) -> bool:
        """Undo `remove_take`; return False if the sound may be gone, as all takes were deleted since."""
        if take.sound and take.sound not in self.list_needed_sounds():
            return False
        if self.find_take(take.id) is None:
            self._owner.change_parts(takes=(*self.takes[:position], take, *self.takes[position:]))
        return True

    def list_needed_sounds(self) -> frozenset[str]:
        """Return the names of the sounds that must not be deleted."""
        return list_sounds(self.takes) | self._loose | find_sounds(self._owner.parts.tests)

    @Slot()
    def _follow_owner(self) -> None:
        before, self._seen = self._seen, self._owner.parts
        if before.tests is not self._seen.tests:
            self.known |= find_sounds(self._seen.tests)
        if before.takes is not self._seen.takes:
            self.known |= list_sounds(self._seen.takes)
            self.changed.emit()
