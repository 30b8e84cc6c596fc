"""One control for each kind of setting, field from what `app.settings.user_settings` says of it.

Each has its value in `current`, takes one by `show_value`, and emits `changed` for every change, the program's own included.
"""

from collections.abc import Sequence
from dataclasses import Field
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QKeySequenceEdit,
    QLineEdit,
    QListWidget,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from app.common.language import localize
from app.settings.settings_labels import LABEL_BY_SETTING
from app.ui.widgets.controls import GuardedComboBox, GuardedSpinBox, PlainLabel, describe_control, fill_box, set_up_button
from app.ui.widgets.dialogs import ask_for_folder

REMEMBERED_LINES_SHOWN = 4


class ChoiceField(GuardedComboBox):
    """One of several values, each with a word."""

    changed = Signal()

    def __init__(self, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        for value, word in choices:
            self.addItem(word, value)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.currentIndexChanged.connect(self.changed)

    @property
    def current(self) -> str:
        """Return the chosen value."""
        return str(self.currentData())

    def show_value(self, value: str) -> None:
        """Choose a value, which is added if it is missing."""
        if self.findData(value) < 0:
            self.addItem(value, value)
        self.setCurrentIndex(self.findData(value))


class SwitchField(QCheckBox):
    """Yes or no."""

    changed = Signal()

    current = property(QCheckBox.isChecked)
    show_value = QCheckBox.setChecked

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.toggled.connect(self.changed)


class NumberField(GuardedSpinBox):
    """A whole number within bounds."""

    changed = Signal()
    current = property(QSpinBox.value)
    show_value = QSpinBox.setValue

    def __init__(self, low: int, high: int, unit: str, minimum_text: str) -> None:
        super().__init__()
        self.setRange(low, high)
        self.setSuffix(unit)
        self.setSpecialValueText(minimum_text)
        self.lineEdit().setTextMargins(6, 0, 0, 0)
        self.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.valueChanged.connect(self.changed)


class FolderField(QWidget):
    """A folder, typed or chosen."""

    changed = Signal()

    def __init__(self, title: str, tip: str, placeholder: str = "") -> None:
        super().__init__()
        hint = placeholder or localize("（既定のフォルダー）", "(default folder)")
        self.path = describe_control(QLineEdit(placeholderText=hint, clearButtonEnabled=True), title, tip)
        self.path.textChanged.connect(self.changed)
        name = localize(f"{title}を選択", f"Choose: {title}")
        self.choose = set_up_button(QPushButton(localize("参照…", "Browse…")), tip, self._choose_folder, name=name)
        self.setFocusProxy(self.path)
        fill_box(QHBoxLayout(self), (self.path, 1), self.choose)

    @property
    def current(self) -> str:
        """Return the path as typed."""
        return self.path.text().strip()

    def show_value(self, value: str) -> None:
        self.path.setText(value)

    def _choose_folder(self) -> None:
        if folder := ask_for_folder(self, self.path.accessibleName(), self.current):
            self.path.setText(folder)


class TextField(QLineEdit):
    """A line of text."""

    changed = Signal()
    show_value = QLineEdit.setText

    def __init__(self, placeholder: str) -> None:
        super().__init__(placeholderText=placeholder, clearButtonEnabled=True)
        self.textChanged.connect(self.changed)

    @property
    def current(self) -> str:
        """Return the text."""
        return self.text().strip()


class HotkeyField(QKeySequenceEdit):
    """A key with modifiers, pressed by the user."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__(maximumSequenceLength=1, clearButtonEnabled=True)
        self.keySequenceChanged.connect(self.changed)

    @property
    def current(self) -> str:
        """Return the key as Qt writes it portably; an empty text for none."""
        return self.keySequence().toString(QKeySequence.SequenceFormat.PortableText)

    def show_value(self, value: str) -> None:
        self.setKeySequence(QKeySequence(value, QKeySequence.SequenceFormat.PortableText))


class RememberedListField(QWidget):
    """A list of what the program remembers by itself; the user can remove lines.

    Args:
        are_pairs: each line is `NAME=VALUE`.
    """

    changed = Signal()

    def __init__(self, title: str, tip: str, *, are_pairs: bool) -> None:
        super().__init__()
        self._lines: tuple[str, ...] = ()
        self._are_pairs = are_pairs
        self.list = describe_control(QListWidget(), title, tip)
        self.list.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        self.list.setTabKeyNavigation(False)
        self.list.setFixedHeight(REMEMBERED_LINES_SHOWN * (self.fontMetrics().height() + 8))
        self.empty = PlainLabel(localize("まだありません。", "None yet."), "muted")
        self.forget = set_up_button(
            QPushButton(localize("削除", "Forget")),
            localize("選択した項目を削除します。", "Removes the selected ones."),
            self._forget_selected,
            name=localize(f"{title}: 選択した項目を削除", f"{title}: forget the selected ones"),
        )
        self.list.itemSelectionChanged.connect(self._update_button)
        self.setFocusProxy(self.list)
        fill_box(QHBoxLayout(self), (self.list, 1), (self.empty, 1), (self.forget, Qt.AlignmentFlag.AlignTop))
        self.show_value(())

    @property
    def current(self) -> tuple[str, ...]:
        """Return what is left."""
        return self._lines

    def show_value(self, value: tuple[str, ...]) -> None:
        self._lines = value
        self.list.clear()
        self.list.addItems([": ".join(line.split("=", 1)) if self._are_pairs else line for line in value])
        self.list.setVisible(bool(value))
        self.forget.setVisible(bool(value))
        self.empty.setVisible(not value)
        self._update_button()
        self.changed.emit()

    @Slot()
    def _forget_selected(self) -> None:
        gone = {self.list.row(item) for item in self.list.selectedItems()}
        self.show_value(tuple(line for row, line in enumerate(self._lines) if row not in gone))

    @Slot()
    def _update_button(self) -> None:
        self.forget.setEnabled(bool(self.list.selectedItems()))


SettingField = ChoiceField | NumberField | SwitchField | FolderField | TextField | HotkeyField | RememberedListField


def create_setting_field(item: Field[Any], devices: Sequence[str]) -> SettingField:
    """Create the control for a shown field of `Settings`; `devices` are the audio outputs there are."""
    words = LABEL_BY_SETTING[item.name]
    title, tip = localize(*words.title), localize(*words.tip)
    field: SettingField
    if "choices" in item.metadata:
        field = ChoiceField([(value, localize(*choice)) for value, choice in zip(item.metadata["choices"], words.choices, strict=True)])
    elif "low" in item.metadata:
        field = NumberField(item.metadata["low"], item.metadata["high"], localize(*words.unit), localize(*words.lowest))
    elif isinstance(item.default, bool):
        field = SwitchField(localize(*words.switch))
    elif "most" in item.metadata:
        field = RememberedListField(title, tip, are_pairs=item.metadata.get("are_pairs", False))
    elif words.folder:
        field = FolderField(title, tip, localize(*words.placeholder))
    elif words.placeholder[0]:
        field = TextField(localize(*words.placeholder))
        field.setMaxLength(item.metadata["longest"])
    elif words.key:
        field = HotkeyField()
    else:  # the audio output, the only name that a list is asked for
        field = ChoiceField([("", localize("システムの設定に合わせる", "Use system setting")), *((label, label) for label in devices)])
    return describe_control(field, title, tip)
