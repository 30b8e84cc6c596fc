"""A settings page with every action and its keys."""

from itertools import islice

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QKeySequence, QPalette
from PySide6.QtWidgets import QGridLayout, QKeySequenceEdit, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.actions.action_definitions import ACTIONS, ActionSpec
from app.ui.actions.window_actions import KeyBinding, KeyBindings, convert_key_sequence, find_key_conflicts, resolve_binding
from app.ui.theme.theme import ThemedWidget, draw_icon
from app.ui.widgets.containers import wrap_in_scroll_area
from app.ui.widgets.controls import PlainLabel, describe_control, fill_box, set_up_button
from app.ui.widgets.dialogs import compute_text_scale


class KeyField(QKeySequenceEdit):
    """A field that stands for no key when it is empty.

    Signals:
        chosen(): The field has other keys than before.
    """

    chosen = Signal()

    def __init__(self, name: str) -> None:
        super().__init__(maximumSequenceLength=1, clearButtonEnabled=True)
        self._keys: tuple[str, ...] = ()
        describe_control(self, name, localize("クリックして、割り当てるキーを押します。", "Click here and press the new shortcut."))
        self.keySequenceChanged.connect(self._accept_keys)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys: the shown combination, with its companions as long as it is unchanged."""
        return self._keys

    def show_keys(self, keys: tuple[str, ...]) -> None:
        self._keys = keys
        self.setKeySequence(QKeySequence(keys[0] if keys else ""))
        self._clear_placeholder()

    @Slot(QKeySequence)
    def _accept_keys(self, pressed: QKeySequence) -> None:
        # The field shows one of several keys, such as Return with Enter: compared alone, the others are not lost.
        if convert_key_sequence(pressed)[:1] != self._keys[:1]:
            self._keys = convert_key_sequence(pressed)
            self.chosen.emit()
        self._clear_placeholder()

    def _clear_placeholder(self) -> None:
        """Replace the placeholder "Press shortcut" in all line edits of the field."""
        # Qt sets its own prompt in every field, and again after each change.
        for field in self.findChildren(QLineEdit):
            field.setPlaceholderText(localize("なし", "none"))


SHORTCUT_ROWS_PER_STEP, KEY_WIDTH_PX = 8, 140


class ShortcutPage(ThemedWidget, QWidget):
    """One row for each action: keys for the window, keys for the list of lines, and a button that restores the defaults.

    Rows are made a few at a time, unless all are needed at once: making them together would block the window.

    Signals:
        changed(): The keys were changed.
    """

    changed = Signal()

    def __init__(self, bindings: KeyBindings) -> None:
        super().__init__()
        self._rows: dict[str, tuple[KeyField, KeyField]] = {}
        self.resets: dict[str, QToolButton] = {}
        inner = QWidget()
        self._grid = QGridLayout(inner)
        self._grid.setColumnStretch(0, 1)
        self._grid.setRowStretch(len(ACTIONS) + 1, 1)
        # Without this the area keeps its first height while further rows are made.
        self._grid.setSizeConstraint(QGridLayout.SizeConstraint.SetMinimumSize)
        for column_number, title in enumerate(
            (localize("操作", "Action"), localize("ウィンドウ全体", "In the window"), localize("行の一覧", "In the line list"))
        ):
            self._grid.addWidget(PlainLabel(title, "heading"), 0, column_number)
        self._initial_bindings = bindings
        self._unmade = iter(ACTIONS)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._create_rows)
        self.warning = PlainLabel("", "error", wraps=True)
        self.warning.hide()
        fill_box(QVBoxLayout(self), wrap_in_scroll_area(inner), self.warning, margins=None)
        self._timer.start()
        self._create_rows()

    @property
    def fields_by_action(self) -> dict[str, tuple[KeyField, KeyField]]:
        """Return the fields of an action's window and list keys, by the action's name."""
        self._create_rows(len(ACTIONS))
        return self._rows

    def show_bindings(self, bindings: KeyBindings) -> None:
        """Show the default keys with these changes."""
        self._create_rows(len(ACTIONS))
        for spec in ACTIONS:
            self._show_binding(spec, resolve_binding(spec, bindings))
        self._update_conflicts()

    @property
    def bindings(self) -> dict[str, KeyBinding]:
        """Return the bindings that differ from the defaults."""
        present = {spec.name: self._read_binding(spec.name) for spec in ACTIONS}
        return {spec.name: present[spec.name] for spec in ACTIONS if present[spec.name] != resolve_binding(spec, {})}

    @property
    def conflicts(self) -> dict[str, list[str]]:
        """Return the names of actions by the key that several of them have."""
        return find_key_conflicts({spec.name: self._read_binding(spec.name) for spec in ACTIONS})

    @Slot()
    def _create_rows(self, count: int = SHORTCUT_ROWS_PER_STEP) -> None:
        specs = list(islice(self._unmade, count))
        for spec in specs:
            self._add_row(spec)
            self._show_binding(spec, resolve_binding(spec, self._initial_bindings))
        if specs and len(self._rows) == len(ACTIONS):
            self._timer.stop()
            self.draw_in_theme()
            self._update_conflicts()

    def _add_row(self, spec: ActionSpec) -> None:
        name, row = localize(*spec.label), len(self._rows) + 1
        anywhere = KeyField(localize(f"{name}: ウィンドウ全体", f"{name}: in the window"))
        in_list = KeyField(localize(f"{name}: 行の一覧", f"{name}: in the line list"))
        reset = set_up_button(
            QToolButton(),
            localize("ショートカットキーを初期設定に戻します。", "Restores the default shortcut."),
            lambda: self._reset_keys(spec),
            name=localize(f"{name}: 初期設定に戻す", f"{name}: restore the default"),
        )
        self._rows[spec.name], self.resets[spec.name] = (anywhere, in_list), reset
        for column, widget in enumerate((QLabel(name), anywhere, in_list, reset)):
            self._grid.addWidget(widget, row, column)
        for field in (anywhere, in_list):
            field.setFixedWidth(round(KEY_WIDTH_PX * compute_text_scale(self)))
            field.chosen.connect(self._update_conflicts)

    def _reset_keys(self, spec: ActionSpec) -> None:
        self._show_binding(spec, resolve_binding(spec, {}))
        self._update_conflicts()

    def _show_binding(self, spec: ActionSpec, binding: KeyBinding) -> None:
        anywhere, in_list = self._rows[spec.name]
        anywhere.show_keys(binding.keys)
        in_list.show_keys(binding.list_keys)

    def _read_binding(self, name: str) -> KeyBinding:
        anywhere, in_list = self.fields_by_action[name]
        return KeyBinding(anywhere.keys, in_list.keys)

    @Slot()
    def _update_conflicts(self) -> None:
        names = {spec.name: localize(*spec.label) for spec in ACTIONS}
        shared = self.conflicts
        twice = localize("すでに使われています。", "Already in use. ")
        self.warning.setText("\n".join(f"{twice}{key}: {' / '.join(names[user] for user in users)}" for key, users in shared.items()))
        self.warning.setVisible(bool(shared))
        changed = self.bindings
        for name, reset in self.resets.items():
            reset.setEnabled(name in changed)
        self.changed.emit()

    def draw_in_theme(self) -> None:
        drawing = draw_icon("undo", self.palette().color(QPalette.ColorRole.WindowText))
        for reset in self.resets.values():
            reset.setIcon(drawing)
