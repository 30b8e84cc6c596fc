"""Fields for the length of the pause at each punctuation mark."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QLabel, QWidget

from app.common.language import localize
from app.core.request_limits import PAUSE_BOUNDS

# The shown marks by phone; the other marks rarely occur in Japanese.
PAUSE_MARK_LABELS = {",": "、", ".": "。…", "!": "！", "?": "？"}
PAUSE_COLUMNS = 2


class PauseFields(QWidget):
    """A number field (seconds) for each mark; below zero the voice decides.

    Signals:
        edited(tuple): The pauses were changed; the value is that of `app.core.script.LineSettings.pauses`.
    """

    edited = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        self.title = QLabel(localize("間の長さ（秒）", "Pauses (s)"))
        grid.addWidget(self.title, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        self.fields = {phone: self._create_field(shown) for phone, shown in PAUSE_MARK_LABELS.items()}
        self._others: tuple[tuple[str, float], ...] = ()
        for place, (phone, field) in enumerate(self.fields.items()):
            row, column = divmod(place, PAUSE_COLUMNS)
            label = QLabel(PAUSE_MARK_LABELS[phone])
            label.setBuddy(field)
            grid.addWidget(label, row, 1 + 2 * column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(field, row, 2 + 2 * column)
        for column in range(PAUSE_COLUMNS):
            grid.setColumnStretch(2 + 2 * column, 1)

    def show_pauses(self, pauses: tuple[tuple[str, float], ...]) -> None:
        """Show the pauses of a line."""
        lengths = dict(pauses)
        # Pauses at marks that have no field here must survive an edit of the others.
        self._others = tuple(item for item in pauses if item[0] not in PAUSE_MARK_LABELS)
        for phone, field in self.fields.items():
            with QSignalBlocker(field):
                field.setValue(lengths.get(phone, field.minimum()))

    def _create_field(self, label: str) -> QDoubleSpinBox:
        field = QDoubleSpinBox()
        field.setRange(-PAUSE_BOUNDS.step, PAUSE_BOUNDS.high)
        field.setSingleStep(PAUSE_BOUNDS.step)
        field.setDecimals(2)
        field.setSpecialValueText(localize("自動", "auto"))
        field.setValue(field.minimum())
        field.setKeyboardTracking(False)
        field.lineEdit().setTextMargins(0, 0, 4, 0)
        field.setObjectName("number")
        field.setMinimumHeight(field.sizeHint().height())
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        field.setAccessibleName(localize(f"「{label}」の間（秒）", f"Pause at {label} (s)"))
        field.setToolTip(
            localize(
                f"「{label}」での間の長さ（話速 1 のときの秒数）。0 より下げると自動になります。",
                f"Length of the pause at {label}, in seconds at speed 1; below 0 the voice decides.",
            )
        )
        field.valueChanged.connect(self._emit_pauses)
        return field

    @Slot()
    def _emit_pauses(self) -> None:
        chosen = [(phone, round(field.value(), 2)) for phone, field in self.fields.items() if field.value() >= 0]
        self.edited.emit(tuple(sorted([*chosen, *self._others])))
