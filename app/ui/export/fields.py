"""Small parts of the export page: a list of choices, a row of ticks, a loudness."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QGridLayout, QHBoxLayout, QSizePolicy, QWidget

from app.export.settings import HIGHEST_LUFS, LOWEST_LUFS, Sidecar
from app.export.sidecars.formats import SIDECAR_FORMATS
from app.language import localized
from app.ui.export.words import loudness_choices
from app.ui.widgets.choice_box import ChoiceBox

ABREAST = 4  # ticks
FIRST_LUFS = -20.0
SHORTEST = 6  # letters of a list that has no more room


class Choice(ChoiceBox):
    """One of several values, each with a word.

    Signals:
        chosen(): another one, by whomever.
    """

    chosen = Signal()

    def __init__(self, name: str, tip: str, choices: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(SHORTEST)
        self.offer(choices)
        self.currentIndexChanged.connect(self.chosen)

    @property
    def value(self) -> str:
        """What is chosen."""
        return str(self.currentData())

    def choose(self, value: str) -> None:
        """Chooses a value; the first one where it is not among them."""
        self.setCurrentIndex(max(0, self.findData(value)))

    def offer(self, choices: Sequence[tuple[str, str]]) -> None:
        """Other values; what was chosen stays where it is among them."""
        before = self.currentData()
        self.blockSignals(True)
        self.clear()
        for value, word in choices:
            self.addItem(word, value)
        self.choose(str(before))
        self.blockSignals(False)


class SidecarField(QWidget):
    """Which files are written beside each sound.

    Signals:
        chosen(): others.
    """

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        tips = {
            "txt": localized("テキスト", "Text"),
            "lab": localized("音素の時刻（100 ns 単位）", "Times of phones, in units of 100 ns"),
            "textgrid": localized("Praat 用の音素・モーラ・アクセント句・文の時刻", "Phones, morae, phrases and sentences for Praat"),
            "srt": localized("字幕（SubRip）", "Subtitles (SubRip)"),
            "vtt": localized("字幕（WebVTT）", "Subtitles (WebVTT)"),
            "ass": localized("カラオケ字幕（ASS）", "Karaoke subtitles (ASS)"),
            "json": localized("テキスト、読み、時刻、設定、クレジット", "Text, reading, times, settings and credit"),
        }
        self.boxes: dict[Sidecar, QCheckBox] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(6)
        for place, (kind, form) in enumerate(SIDECAR_FORMATS.items()):
            box = self.boxes[kind] = QCheckBox(form.name)
            box.setToolTip(tips[kind])
            box.toggled.connect(self.chosen)
            grid.addWidget(box, place // ABREAST, place % ABREAST)
        grid.setColumnStretch(ABREAST, 1)

    @property
    def value(self) -> tuple[Sidecar, ...]:
        """Those that are ticked."""
        return tuple(kind for kind, box in self.boxes.items() if box.isChecked())

    def choose(self, kinds: Sequence[Sidecar]) -> None:
        """Ticks these."""
        for kind, box in self.boxes.items():
            box.setChecked(kind in kinds)


class LoudnessField(QWidget):
    """A target in LUFS, or none.

    Signals:
        chosen(): another one.
    """

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        name = localized("ラウドネス", "Loudness")
        tip = localized(
            "書き出すファイル全体の音量を、この値にそろえます。測定のため、書き出しに約 2 倍の時間がかかります。",
            "Adjusts all files together to this loudness. Measuring doubles the time.",
        )
        self.target = Choice(name, tip, loudness_choices())
        self.own = QDoubleSpinBox()
        self.own.setRange(LOWEST_LUFS, HIGHEST_LUFS)
        self.own.setDecimals(1)
        self.own.setSingleStep(0.5)
        self.own.setSuffix(" LUFS")
        self.own.setValue(FIRST_LUFS)
        self.own.lineEdit().setTextMargins(6, 0, 0, 0)
        self.own.setAccessibleName(localized("ラウドネスの値", "Loudness value"))
        self.own.setToolTip(tip)
        self.each = QCheckBox(localized("ファイルごと", "Each file"))
        self.each.setToolTip(
            localized(
                "ファイルごとにそろえます。3 秒より短いファイルは全体に合わせます。",
                "Adjusts each file by itself; files shorter than 3 seconds follow the others.",
            )
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for part in (self.target, self.own, self.each):
            row.addWidget(part)
        self.setFocusProxy(self.target)
        self.target.chosen.connect(self._on_chosen)
        self.own.valueChanged.connect(self.chosen)
        self.each.toggled.connect(self.chosen)
        self._on_chosen()

    @property
    def value(self) -> float | None:
        """LUFS, or None."""
        chosen = self.target.value
        return None if not chosen else self.own.value() if chosen == "own" else float(chosen)

    def choose(self, value: float | None, *, each: bool) -> None:
        """Shows a target."""
        name = "" if value is None else f"{value:g}"
        self.target.choose(name if self.target.findData(name) >= 0 else "own")
        if value is not None:
            self.own.setValue(value)
        self.each.setChecked(each)

    @Slot()
    def _on_chosen(self) -> None:
        self.own.setVisible(self.target.value == "own")
        self.each.setVisible(bool(self.target.value))
        self.chosen.emit()
