"""The script that is being edited, and the way back: every edit is two frozen scripts, before and after."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from app.core.script.script import Script

UNDO_MERGE_WITHIN_S = 1.0  # typing and dragging on within this time is one step back
MAX_UNDO_STEPS = 500


class ScriptDocument(QObject):
    """Holds the script.

    Attributes:
        stack: undo and redo; its actions and its texts are Qt's own.

    Signals:
        changed(Script, Script): before and after, for every change.
        stepped(Script, Script): the same, by undo or redo only.
        replaced(): what comes next is another script, whose lines may have ids of this one.
    """

    changed = Signal(object, object)
    stepped = Signal(object, object)
    replaced = Signal()

    def __init__(self, script: Script, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._script = script
        self.stack = QUndoStack(self)
        self.stack.setUndoLimit(MAX_UNDO_STEPS)

    @property
    def script(self) -> Script:
        """Return the present script."""
        return self._script

    def apply_edit(self, label: str, after: Script, merge_key: str = "") -> None:
        """Change the script in a step of undo; an equal script is no edit.

        Args:
            label: what the step is called in the menu.
            merge_key: steps with the same word become one when they follow each other quickly.
        """
        if after is self._script or after == self._script:
            return
        newest = self._find_last_command()
        if not isinstance(newest, EditCommand) or not newest.may_merge(merge_key):
            self.stack.push(EditCommand(self, label, after, merge_key))
            return
        newest.merge_script(after)
        self.replace_without_undo(after)
        if after == newest.before:  # a letter that was typed and taken back is no step
            newest.setObsolete(True)
            self.stack.undo()  # which only drops what is obsolete

    def _find_last_command(self) -> QUndoCommand | None:
        """Return the newest step, unless steps were undone."""
        count = self.stack.count()
        return self.stack.command(count - 1) if count and self.stack.index() == count else None

    def replace_without_undo(self, after: Script) -> None:
        """Change the script without a step of undo, for changes that the program makes by itself."""
        before, self._script = self._script, after
        self.changed.emit(before, after)

    def reset_script(self, script: Script) -> None:
        """Show another script; there is no way back."""
        self.stack.clear()
        self.replaced.emit()
        self.replace_without_undo(script)


class EditCommand(QUndoCommand):
    """One step."""

    def __init__(self, document: ScriptDocument, label: str, after: Script, merge_key: str) -> None:
        super().__init__(label)
        self._document = document
        self.before, self.after = document.script, after
        self.merge, self.done_at = merge_key, time.monotonic()
        self._pushed = False

    def may_merge(self, merge_key: str) -> bool:
        """Return whether an edit now belongs to this step. Not Qt's `mergeWith`, through which PySide keeps every step that was merged for ever."""
        return bool(merge_key) and merge_key == self.merge and time.monotonic() - self.done_at <= UNDO_MERGE_WITHIN_S

    def merge_script(self, after: Script) -> None:
        """Replace the script that the step leads to."""
        self.after, self.done_at = after, time.monotonic()

    def undo(self) -> None:
        """Back."""
        self._switch_script(self.before)

    def redo(self) -> None:
        """Apply the step; Qt also calls this when the step is new."""
        if self._pushed:
            self._switch_script(self.after)
        else:
            self._pushed = True
            self._document.replace_without_undo(self.after)

    def _switch_script(self, script: Script) -> None:
        before = self._document.script
        self._document.replace_without_undo(script)
        self._document.stepped.emit(before, script)
