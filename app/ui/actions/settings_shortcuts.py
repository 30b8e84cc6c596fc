"""Every action with its keys, to be reassigned."""

from __future__ import annotations

from itertools import islice

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

from app.language import localized
from app.ui.actions.definitions import ACTIONS, ActionSpec
from app.ui.actions.key_bindings import Binding, Bindings, conflicts, usable
from app.ui.actions.key_field import KeyField
from app.ui.theme.icons import icon
from app.ui.theme.theme import is_theme_change

ROWS_AT_ONCE = 8


class ShortcutPage(QWidget):
    """A row an action: keys for everywhere, keys for the list of lines, and a button that brings the usual ones back.

    Rows are made a few at a time, unless somebody asks for all: together they would hold up the window.

    Signals:
        changed(): keys are not what they were.
    """

    changed = Signal()

    def __init__(self, bindings: Bindings) -> None:
        super().__init__()
        self._rows: dict[str, tuple[KeyField, KeyField]] = {}
        self._resets: dict[str, QToolButton] = {}
        inner = QWidget()
        self._grid = QGridLayout(inner)
        self._grid.setColumnStretch(0, 1)
        self._grid.setRowStretch(len(ACTIONS) + 1, 1)
        self._grid.setSizeConstraint(QGridLayout.SizeConstraint.SetMinimumSize)  # while rows are still being made, too
        for place, title in enumerate(
            (localized("操作", "Action"), localized("ウィンドウ全体", "In the window"), localized("行の一覧", "In the line list"))
        ):
            heading = QLabel(title)
            heading.setObjectName("heading")
            self._grid.addWidget(heading, 0, place)
        self._given = bindings
        self._unmade = iter(ACTIONS)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._make)
        self.warning = QLabel()
        self.warning.setObjectName("error")
        self.warning.setWordWrap(True)
        self.warning.hide()
        column = QVBoxLayout(self)
        column.addWidget(scrolling(inner))
        column.addWidget(self.warning)
        self._timer.start()
        self._make()

    @property
    def rows(self) -> dict[str, tuple[KeyField, KeyField]]:
        """For everywhere and for the list, by name of the action."""
        self._make(len(ACTIONS))
        return self._rows

    def show_bindings(self, bindings: Bindings) -> None:
        """Shows the usual keys with these changes."""
        self._make(len(ACTIONS))
        for spec in ACTIONS:
            self._show(spec, bindings.get(spec.name) or usable(_usual(spec), bindings))
        self._on_changed()

    @property
    def bindings(self) -> dict[str, Binding]:
        """What differs from the usual keys."""
        shown = {spec.name: self._shown(spec.name) for spec in ACTIONS}
        return {spec.name: shown[spec.name] for spec in ACTIONS if shown[spec.name] != _usual(spec)}

    @property
    def conflicts(self) -> dict[str, list[str]]:
        """Names of actions by the key that several of them have."""
        return conflicts({spec.name: self._shown(spec.name) for spec in ACTIONS})

    def changeEvent(self, event: QEvent) -> None:
        """Redraws the icons for another theme."""
        if is_theme_change(self, event):
            self._draw()
        super().changeEvent(event)

    @Slot()
    def _make(self, count: int = ROWS_AT_ONCE) -> None:
        made = list(islice(self._unmade, count))
        for spec in made:
            self._add(spec)
            self._show(spec, self._given.get(spec.name) or usable(_usual(spec), self._given))
        if made and len(self._rows) == len(ACTIONS):
            self._timer.stop()
            self._draw()
            self._on_changed()

    def _add(self, spec: ActionSpec) -> None:
        name, row = localized(spec.ja, spec.en), len(self._rows) + 1
        anywhere = KeyField(
            localized(f"{name}: ウィンドウ全体", f"{name}: in the window"),
            localized("クリックして、割り当てるキーを押します。", "Click here and press the new shortcut."),
        )
        in_list = KeyField(
            localized(f"{name}: 行の一覧", f"{name}: in the line list"),
            localized("クリックして、割り当てるキーを押します。", "Click here and press the new shortcut."),
        )
        reset = QToolButton()
        reset.setAccessibleName(localized(f"{name}: 初期設定に戻す", f"{name}: restore the default"))
        reset.setToolTip(localized("ショートカットキーを初期設定に戻します。", "Restores the default shortcut."))
        reset.clicked.connect(lambda: self._reset(spec))
        self._rows[spec.name], self._resets[spec.name] = (anywhere, in_list), reset
        for column, widget in enumerate((QLabel(name), anywhere, in_list, reset)):
            self._grid.addWidget(widget, row, column)
        for field in (anywhere, in_list):
            field.setFixedWidth(140)
            field.chosen.connect(self._on_changed)

    def _reset(self, spec: ActionSpec) -> None:
        self._show(spec, _usual(spec))
        self._on_changed()

    def _show(self, spec: ActionSpec, binding: Binding) -> None:
        anywhere, in_list = self._rows[spec.name]
        anywhere.show_keys(binding.keys)
        in_list.show_keys(binding.list_keys)

    def _shown(self, name: str) -> Binding:
        anywhere, in_list = self.rows[name]
        return Binding(anywhere.keys, in_list.keys)

    @Slot()
    def _on_changed(self) -> None:
        names = {spec.name: localized(spec.ja, spec.en) for spec in ACTIONS}
        shared = self.conflicts
        twice = localized("すでに使われています。", "Already in use. ")
        self.warning.setText("\n".join(f"{twice}{key}: {' / '.join(names[user] for user in users)}" for key, users in shared.items()))
        self.warning.setVisible(bool(shared))
        changed = self.bindings
        for name, reset in self._resets.items():
            reset.setEnabled(name in changed)
        self.changed.emit()

    def _draw(self) -> None:
        drawing = icon("undo", self.palette().color(QPalette.ColorRole.WindowText))
        for reset in self._resets.values():
            reset.setIcon(drawing)


def scrolling(page: QWidget) -> QScrollArea:
    """A page that may be longer than its place; takes no colour and no focus of its own."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    page.setAutoFillBackground(False)
    area.viewport().setAutoFillBackground(False)
    return area


def _usual(spec: ActionSpec) -> Binding:
    return Binding(spec.keys, spec.list_keys)
