"""The script that is being edited, the way back (every edit is two frozen scripts, before and after), and the last seeds of its lines."""

import random
import time
from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from app.core.script.script import Line, Script
from app.core.synthesis_types import SEED_BOUNDS
from app.ui.script.undo_history import MAX_KEPT_STEPS, UndoHistory, UndoStep

UNDO_MERGE_WITHIN_S = 1.0  # typing and dragging on within this time is one step back
MAX_UNDO_STEPS = 500


class ScriptDocument(QObject):
    """Holds the script.

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
        self.script = script
        self.stack = QUndoStack(self)  # undo and redo; its actions and its texts are Qt's own
        self.stack.setUndoLimit(MAX_UNDO_STEPS)
        self.is_restoring = False  # steps of an earlier start are put into the stack, which change nothing

    def apply_edit(self, label: str, script: Script, merge_key: str = "") -> None:
        """Change the script in a step of undo; an equal script is no edit.

        Args:
            label: what the step is called in the menu.
            merge_key: steps with the same word become one when they follow each other quickly.
        """
        if script is self.script or script == self.script:
            return
        count = self.stack.count()
        newest = self.stack.command(count - 1) if count and self.stack.index() == count else None  # unless steps were undone
        if not isinstance(newest, EditCommand) or not newest.may_merge(merge_key):
            self.stack.push(EditCommand(self, UndoStep(label, self.script, script), merge_key))
            return
        newest.merge_script(script)
        self.replace_without_undo(script)
        if script == newest.step.former_script:  # a letter that was typed and taken back is no step
            newest.setObsolete(True)
            self.stack.undo()  # which only drops what is obsolete

    def replace_without_undo(self, script: Script) -> None:
        """Change the script without a step of undo, for changes that the program makes by itself."""
        former_script, self.script = self.script, script
        self.changed.emit(former_script, script)

    def reset_script(self, script: Script) -> None:
        """Show another script; there is no way back."""
        self.stack.clear()
        self.replaced.emit()
        self.replace_without_undo(script)

    def collect_history(self) -> UndoHistory:
        """Return the steps that are kept between starts."""
        index, count = self.stack.index(), self.stack.count()
        done = self._list_steps(range(index - 1, max(-1, index - 1 - MAX_KEPT_STEPS), -1))
        return UndoHistory(self.script, done, self._list_steps(range(index, min(count, index + MAX_KEPT_STEPS))))

    def restore_history(self, history: UndoHistory) -> None:
        """Put the steps of an earlier start, which lead to this script and from it, into the empty stack."""
        self.is_restoring = True
        for step in (*reversed(history.done), *history.undone):
            self.stack.push(EditCommand(self, step))
        self.stack.setIndex(len(history.done))
        self.is_restoring = False

    def _list_steps(self, places: Iterable[int]) -> tuple[UndoStep, ...]:
        commands = map(self.stack.command, places)
        return tuple(command.step for command in commands if isinstance(command, EditCommand))


class EditCommand(QUndoCommand):
    """One step; without a `merge_key` no edit joins it."""

    def __init__(self, document: ScriptDocument, step: UndoStep, merge_key: str = "") -> None:
        super().__init__(step.label)
        self._document = document
        self.step = step
        self.merge, self.done_at = merge_key, time.monotonic()
        self._is_applied = False

    def may_merge(self, merge_key: str) -> bool:
        """Return whether an edit now belongs to this step. Not Qt's `mergeWith`, through which PySide keeps every step that was merged for ever."""
        return bool(merge_key) and merge_key == self.merge and time.monotonic() - self.done_at <= UNDO_MERGE_WITHIN_S

    def merge_script(self, script: Script) -> None:
        """Replace the script that the step leads to."""
        self.step, self.done_at = replace(self.step, script=script), time.monotonic()

    def undo(self) -> None:
        """Back."""
        self._switch_script(self.step.former_script)

    def redo(self) -> None:
        """Apply the step; Qt also calls this when the step is new."""
        if self._is_applied:
            self._switch_script(self.step.script)
            return
        self._is_applied = True
        if not self._document.is_restoring:
            self._document.replace_without_undo(self.step.script)

    def _switch_script(self, script: Script) -> None:
        if self._document.is_restoring:
            return
        former_script = self._document.script
        self._document.replace_without_undo(script)
        self._document.stepped.emit(former_script, script)


class LineSeeds(QObject):
    """Remembers which seed each line was rendered with last. A rolled seed is no edit of the script: there is nothing to undo.

    Signals:
        changed(): a line has another seed.
    """

    changed = Signal()

    def __init__(self, document: ScriptDocument) -> None:
        super().__init__(document)
        self._seeds: dict[str, int] = {}
        document.replaced.connect(lambda: self._seeds.clear())

    def roll_seed(self, line: Line) -> Line:
        """Return the line with another seed, unless its own is locked."""
        if line.settings.seed_locked:
            return line
        self._seeds[line.id] = random.randint(0, int(SEED_BOUNDS.high))
        self.changed.emit()
        return self.apply_last_seed(line)

    def apply_last_seed(self, line: Line) -> Line:
        """Return the line with the seed of its last rendering; with its own if that is locked, or if it was never rendered."""
        seed = self._seeds.get(line.id)
        if seed is None or line.settings.seed_locked or seed == line.settings.seed:
            return line
        return replace(line, settings=replace(line.settings, seed=seed))

    def apply_last_seeds(self, script: Script) -> Script:
        """Return the script with `apply_last_seed` applied to all lines."""
        return replace(script, lines=tuple(map(self.apply_last_seed, script.lines))) if self._seeds else script

    def forget_seeds(self, ids: Iterable[str]) -> None:
        """Forget the seeds of lines that the user has given seeds of their own."""
        for line_id in ids:
            self._seeds.pop(line_id, None)
