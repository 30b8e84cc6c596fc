"""A form for the options of a lab command, built from what `koebako lab parts` reports."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLineEdit, QWidget

from app.common.language import localize
from app.ui.lab.lab_commands import LabCommand, LabOption
from app.ui.lab.lab_labels import localize_device, localize_option
from app.ui.plain_text import PlainLabel, wrap_tip
from app.ui.widgets.choice_box import ChoiceBox

# The number of controls in a row, and the narrowest and widest control in pixels.
ABREAST, NARROWEST, WIDEST = 5, 120, 160
GAP, ROW_GAP = 14, 6  # pixels between them
MAX_OPTION_LENGTH = 200

OptionControl = QLineEdit | QCheckBox | ChoiceBox


class LabOptionsForm(QWidget):
    """A form with one control for each option.

    Attributes:
        controls: The controls by option.
    """

    def __init__(self, command: LabCommand, devices: Sequence[str]) -> None:
        super().__init__()
        self._command = command
        self.controls: dict[str, OptionControl] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(3)
        # Check boxes come last, below the controls that have a label above them.
        for place, option in enumerate(sorted(command.options, key=lambda item: item.kind == "switch")):
            row, column = divmod(place, ABREAST)
            made = self.controls[option.option] = _create_control(option, devices)
            if not isinstance(made, QCheckBox):
                label = PlainLabel(localize_option(option))
                label.setObjectName("muted")
                label.setBuddy(made)
                grid.addWidget(label, 2 * row, column)
            grid.addWidget(made, 2 * row + 1, column)
            grid.setRowMinimumHeight(2 * row, ROW_GAP if row else 0)
        columns = min(ABREAST, len(command.options))
        for column in range(columns):
            grid.setColumnStretch(column, 1)
        self.setMaximumWidth(max(columns * (WIDEST + GAP) - GAP, grid.minimumSize().width()))

    @property
    def arguments(self) -> tuple[str, ...]:
        """Return the command-line arguments for the options that the user changed."""
        return tuple(word for option in self._command.options for word in _build_arguments(option, self.controls[option.option]))


def _create_control(option: LabOption, devices: Sequence[str]) -> OptionControl:
    made: OptionControl
    choices = _list_choices(option, devices)
    if option.kind == "switch":
        made = QCheckBox(localize_option(option))
        # Before it is polished by the style sheet, a check box reports the wrong size hint.
        made.ensurePolished()
    elif choices:
        made = ChoiceBox()
        made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for value, word in choices:
            made.addItem(word, value)
        made.setCurrentIndex(max(0, made.findData(option.default)))
    else:
        made = QLineEdit()
        made.setPlaceholderText(option.default or localize("省略可", "Optional"))
        made.setMaxLength(MAX_OPTION_LENGTH)
        if option.kind == "number":
            made.setAlignment(Qt.AlignmentFlag.AlignRight)
            made.setInputMethodHints(Qt.InputMethodHint.ImhDigitsOnly)
    made.setMinimumWidth(max(NARROWEST, made.sizeHint().width()) if isinstance(made, QCheckBox) else NARROWEST)
    made.setAccessibleName(localize_option(option))
    made.setToolTip(wrap_tip(f"{option.help} ({option.option})"))
    return made


def _list_choices(option: LabOption, devices: Sequence[str]) -> list[tuple[str, str]]:
    """Return the values and labels of an option; `--backend` offers this machine's devices where it takes any value."""
    if option.option == "--backend" and not option.many:
        return [(value, localize_device(value)) for value in dict.fromkeys((option.default or "auto", *(option.choices or devices)))]
    if not option.choices:
        return []
    automatic = [] if option.default in option.choices else [("", localize("自動", "Automatic"))]
    return [*automatic, *((value, value) for value in option.choices)]


def _build_arguments(option: LabOption, control: OptionControl) -> Sequence[str]:
    if isinstance(control, QCheckBox):
        return [option.option] if control.isChecked() else []
    value = str(control.currentData()) if isinstance(control, ChoiceBox) else control.text().strip()
    if not value or value == option.default:
        return []
    # The sign keeps a value that begins with a dash from being taken for an option.
    return [option.option, *value.split()] if option.many else [f"{option.option}={value}"]
