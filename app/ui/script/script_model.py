"""The script as Qt's lists want it; a change touches only the rows that differ."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMimeData, QModelIndex, QPersistentModelIndex, QStringListModel, Qt, Slot

from app.common.language import localize
from app.core.script import Line, Script
from app.ui.display_names import format_style
from app.ui.script.line_state import LinePhase, LineState
from app.ui.script.script_document import ScriptDocument

Index = QModelIndex | QPersistentModelIndex
LINE_ROLE = Qt.ItemDataRole.UserRole
STATE_ROLE = Qt.ItemDataRole.UserRole + 1
LINES_MIME = "application/x-koebako-lines"
_INVALID_LINE_INDEX = QModelIndex()
_LINE_FLAGS = (  # put together once: Qt asks for each of ten thousand lines
    Qt.ItemFlag.ItemIsSelectable
    | Qt.ItemFlag.ItemIsEnabled
    | Qt.ItemFlag.ItemIsEditable
    | Qt.ItemFlag.ItemIsDragEnabled
    | Qt.ItemFlag.ItemNeverHasChildren
)


class ScriptModel(QStringListModel):
    """A row for every line of a document, with the line's state.

    Qt's list of texts only counts the rows, and its texts stay empty: whenever a list is laid out Qt asks twice a row how many rows
    there are, and to ask Python for that took half of the time.
    """

    def __init__(self, document: ScriptDocument) -> None:
        super().__init__([""] * len(document.script.lines), document)
        self._document = document
        self._lines = self._coming = document.script.lines
        for changed in (self.rowsInserted, self.rowsRemoved):  # before any view: it asks for lines by their new rows
            changed.connect(self._update_lines)
        self._states: dict[str, LineState] = {}
        document.changed.connect(self._apply_changes)
        document.replaced.connect(lambda: self._states.clear())

    def find_line(self, row: int) -> Line | None:
        """Return the line of a row, or None."""
        return self._lines[row] if 0 <= row < len(self._lines) else None

    def list_ids(self, first: int, last: int) -> list[str]:
        """Return the ids of the lines in these rows, both ends included."""
        return [line.id for line in self._lines[first : last + 1]]

    def find_row(self, line_id: str) -> int:
        """Return the row of a line, -1 if there is none."""
        row = Script(self._lines).find_index(line_id)
        return -1 if row is None else row

    def find_state(self, line_id: str) -> LineState:
        """Return what is known of a line."""
        return self._states.get(line_id, LineState())

    def set_state(self, line_id: str, state: LineState) -> None:
        """Show the state of a line."""
        if state != self.find_state(line_id):
            self._states[line_id] = state
            index = self.index(self.find_row(line_id))
            if index.isValid():
                self.dataChanged.emit(index, index, [STATE_ROLE])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, line, state, or words for users who do not see the card."""
        line = self.find_line(index.row())
        if line is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return line.text
        if role == LINE_ROLE:
            return line
        if role == STATE_ROLE:
            return self.find_state(line.id)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return describe_line_card(index.row(), line, self.find_state(line.id))
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return the flags of a line, which can be edited and dragged, or those of a gap, where lines can be dropped."""
        return _LINE_FLAGS if index.isValid() else Qt.ItemFlag.ItemIsDropEnabled

    def mimeTypes(self) -> list[str]:
        """Return the formats of dragged lines: our own, and text for other programs."""
        return [LINES_MIME, "text/plain"]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return ids and texts of lines."""
        lines = [line for index in sorted(indexes, key=lambda item: item.row()) if (line := self.find_line(index.row()))]
        data = QMimeData()
        data.setData(LINES_MIME, "\n".join(line.id for line in lines).encode())
        data.setText("\n".join(line.text for line in lines))
        return data

    @Slot(object, object)
    def _apply_changes(self, _before: Script, after: Script) -> None:
        old, new = self._lines, after.lines
        shorter = min(len(old), len(new))
        start = next((row for row in range(shorter) if old[row] is not new[row]), shorter)
        end = next((row for row in range(shorter - start) if old[-1 - row] is not new[-1 - row]), shorter - start)
        gone, come = old[start : len(old) - end], new[start : len(new) - end]
        if [line.id for line in gone] == [line.id for line in come]:
            self._lines = new
            if come:
                retexted = any(one.text != other.text for one, other in zip(gone, come, strict=True))
                roles = [LINE_ROLE, *([Qt.ItemDataRole.DisplayRole] if retexted else [])]
                self.dataChanged.emit(self.index(start), self.index(start + len(come) - 1), roles)
            return
        if gone:
            self._coming = old[:start] + old[len(old) - end :]
            self.removeRows(start, len(gone))
        if come:
            self._coming = new
            self.insertRows(start, len(come))

    @Slot()
    def _update_lines(self) -> None:
        self._lines = self._coming


def describe_line_card(row: int, line: Line, state: LineState) -> str:
    """Describe a card in words, for screen readers."""
    parts = [
        localize(f"{row + 1} 行目", f"Line {row + 1}"),
        line.text or localize("空の行", "empty line"),
        format_style(line.settings.style),
    ]
    parts.append(
        {
            LinePhase.PREPARING: localize("準備中", "preparing"),
            LinePhase.SPEAKING: localize("再生中", "playing"),
            LinePhase.FAILED: state.error,
        }.get(state.phase, "")
    )
    return localize("、", ", ").join(part for part in parts if part)
