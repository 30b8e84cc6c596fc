"""The options of a part as controls, made from what our command line says of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLineEdit, QWidget

from app.language import localized
from app.ui.lab.part_words import option_name, place_name
from app.ui.lab.parts import Part, PartOption
from app.ui.plain_text import PlainLabel, folded_tip
from app.ui.widgets.choice_box import ChoiceBox

ABREAST, NARROWEST, WIDEST = 5, 120, 160  # controls in a row, and pixels of one
GAP, ROW_GAP = 14, 6  # pixels between them
LONGEST = 200  # letters of a value

Control = QLineEdit | QCheckBox | ChoiceBox


class OptionsForm(QWidget):
    """A control for each option.

    Attributes:
        controls: by option.
    """

    def __init__(self, part: Part, places: Sequence[str]) -> None:
        super().__init__()
        self._part = part
        self.controls: dict[str, Control] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(3)
        for place, option in enumerate(sorted(part.options, key=lambda item: item.kind == "switch")):  # ticks below what has names above
            row, column = divmod(place, ABREAST)
            made = self.controls[option.option] = _control(option, places)
            if not isinstance(made, QCheckBox):
                label = PlainLabel(option_name(option))
                label.setObjectName("muted")
                label.setBuddy(made)
                grid.addWidget(label, 2 * row, column)
            grid.addWidget(made, 2 * row + 1, column)
            grid.setRowMinimumHeight(2 * row, ROW_GAP if row else 0)
        columns = min(ABREAST, len(part.options))
        for column in range(columns):
            grid.setColumnStretch(column, 1)
        self.setMaximumWidth(max(columns * (WIDEST + GAP) - GAP, grid.minimumSize().width()))

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the user has set, for our command line; what stands as it was is left out."""
        return tuple(word for option in self._part.options for word in _arguments(option, self.controls[option.option]))


def _control(option: PartOption, places: Sequence[str]) -> Control:
    made: Control
    choices = _choices(option, places)
    if option.kind == "switch":
        made = QCheckBox(option_name(option))
        made.ensurePolished()
    elif choices:
        made = ChoiceBox()
        made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for value, word in choices:
            made.addItem(word, value)
        made.setCurrentIndex(max(0, made.findData(option.default)))
    else:
        made = QLineEdit()
        made.setPlaceholderText(option.default or localized("省略可", "Optional"))
        made.setMaxLength(LONGEST)
        if option.kind == "number":
            made.setAlignment(Qt.AlignmentFlag.AlignRight)
            made.setInputMethodHints(Qt.InputMethodHint.ImhDigitsOnly)
    made.setMinimumWidth(max(NARROWEST, made.sizeHint().width()) if isinstance(made, QCheckBox) else NARROWEST)
    made.setAccessibleName(option_name(option))
    made.setToolTip(folded_tip(f"{option.help} ({option.option})"))
    return made


def _choices(option: PartOption, places: Sequence[str]) -> list[tuple[str, str]]:
    """Values and their words; the backends of this machine where the command line would take any."""
    if option.option == "--backend" and not option.many:
        return [(value, place_name(value)) for value in dict.fromkeys((option.default or "auto", *(option.choices or places)))]
    if not option.choices:
        return []
    automatic = [] if option.default in option.choices else [("", localized("自動", "Automatic"))]
    return [*automatic, *((value, value) for value in option.choices)]


def _arguments(option: PartOption, control: Control) -> Sequence[str]:
    if isinstance(control, QCheckBox):
        return [option.option] if control.isChecked() else []
    value = str(control.currentData()) if isinstance(control, ChoiceBox) else control.text().strip()
    if not value or value == option.default:
        return []
    # The sign keeps a value that begins with a dash from being taken for an option.
    return [option.option, *value.split()] if option.many else [f"{option.option}={value}"]
