"""How long the pause at each punctuation mark is."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QLabel, QWidget

from app.core.limits import PAUSE_BOUNDS
from app.language import localized

MARKS = {",": "、", ".": "。…", "!": "！", "?": "？"}  # by phone; the others hardly occur in Japanese
COLUMNS = 2


class PauseFields(QWidget):
    """A number of seconds for each mark; below zero the voice decides.

    Signals:
        edited(tuple): as `app.core.script.LineSettings.pauses`.
    """

    edited = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        self.title = QLabel(localized("間の長さ（秒）", "Pauses (s)"))
        grid.addWidget(self.title, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        self.fields = {phone: self._field(shown) for phone, shown in MARKS.items()}
        self._others: tuple[tuple[str, float], ...] = ()
        for place, (phone, field) in enumerate(self.fields.items()):
            row, column = divmod(place, COLUMNS)
            label = QLabel(MARKS[phone])
            label.setBuddy(field)
            grid.addWidget(label, row, 1 + 2 * column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(field, row, 2 + 2 * column)
        for column in range(COLUMNS):
            grid.setColumnStretch(2 + 2 * column, 1)

    def show_pauses(self, pauses: tuple[tuple[str, float], ...]) -> None:
        """Shows the pauses of a line."""
        lengths = dict(pauses)
        self._others = tuple(item for item in pauses if item[0] not in MARKS)
        for phone, field in self.fields.items():
            with QSignalBlocker(field):
                field.setValue(lengths.get(phone, field.minimum()))

    def _field(self, shown: str) -> QDoubleSpinBox:
        field = QDoubleSpinBox()
        field.setRange(-PAUSE_BOUNDS.step, PAUSE_BOUNDS.high)
        field.setSingleStep(PAUSE_BOUNDS.step)
        field.setDecimals(2)
        field.setSpecialValueText(localized("自動", "auto"))
        field.setValue(field.minimum())
        field.setKeyboardTracking(False)
        field.lineEdit().setTextMargins(0, 0, 4, 0)
        field.setObjectName("number")
        field.setMinimumHeight(field.sizeHint().height())
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        field.setAccessibleName(localized(f"「{shown}」の間（秒）", f"Pause at {shown} (s)"))
        field.setToolTip(
            localized(
                f"「{shown}」での間の長さ（話速 1 のときの秒数）。0 より下げると自動になります。",
                f"Length of the pause at {shown}, in seconds at speed 1; below 0 the voice decides.",
            )
        )
        field.valueChanged.connect(self._on_value)
        return field

    @Slot()
    def _on_value(self) -> None:
        chosen = [(phone, round(field.value(), 2)) for phone, field in self.fields.items() if field.value() >= 0]
        self.edited.emit(tuple(sorted([*chosen, *self._others])))
