"""Fields for the settings of a line: its voice, speaker and style, a number with its slider, the seed."""

import random
from collections.abc import Collection, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QPalette, QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QFormLayout, QHBoxLayout, QLabel, QToolButton, QWidget

from app.common.language import localize
from app.core.delivery import LATIN_READINGS, DeliveryBounds, Unit, describe_latin_reading
from app.core.script.script import LineSettings
from app.core.synthesis_types import BOUNDS, LINE_PAUSE_BOUNDS, SEED_BOUNDS
from app.settings.user_settings import MAX_SEED
from app.ui.theme.theme import ThemedWidget, draw_icon
from app.ui.voices.voice_chooser import VoiceChooser
from app.ui.widgets.controls import ChoiceBox, GuardedDoubleSpinBox, GuardedSpinBox, PlainLabel, describe_control, fill_box, set_up_button
from app.ui.widgets.parameter_slider import ParameterSlider
from app.ui.widgets.voice_listening import ListeningRows, VoicePick, add_listening
from app.voices.voice_labels import describe_speaker, format_style

MIXED_VALUES_TEXT = "–"
PLAIN_NUMBER = Unit()
NUMBER_LETTERS = frozenset("0123456789０１２３４５６７８９.,．，+-−±＋－×%％ ")


class NumberBox(GuardedDoubleSpinBox):
    """Qt's spin box with a dash for numbers that differ, and a unit that need not be typed.

    Signals:
        value_confirmed(float): the user typed the very number behind the dash, which Qt does not report as a change.
    """

    value_confirmed = Signal(float)

    def __init__(self, unit: Unit = PLAIN_NUMBER) -> None:
        super().__init__()
        self._is_mixed = self._is_typed = False
        # Qt's own prefix and suffix know no percentages, and a dash would have them as well.
        self._unit = unit
        self.valueChanged.connect(self._clear_mixed)
        self.lineEdit().textEdited.connect(self._mark_typed)
        self.editingFinished.connect(self._confirm_value)

    @property
    def is_mixed(self) -> bool:
        """Return True while the box stands for different numbers."""
        return self._is_mixed

    def set_mixed(self, is_mixed: bool) -> None:
        """Show the dash, or the number."""
        if is_mixed != self._is_mixed:
            self._is_mixed, self._is_typed = is_mixed, False
            self.lineEdit().setText(self.textFromValue(self.value()))

    def textFromValue(self, value: float) -> str:
        """Return the dash, or the number with its unit."""
        return MIXED_VALUES_TEXT if self._is_mixed else self._unit.format_number(value)

    def valueFromText(self, text: str) -> float:
        """Return the number behind the dash, or the typed one."""
        number = self._unit.parse_number(text)
        return self.value() if number is None else number

    def validate(self, text: str, cursor_position: int) -> tuple[QValidator.State, str, int]:
        """Accept the dash and any number within the bounds, and refuse letters that no number has."""
        if text in (MIXED_VALUES_TEXT, self.specialValueText()):
            return QValidator.State.Acceptable, text, cursor_position
        number = self._unit.parse_number(text)
        state = QValidator.State.Acceptable
        if number is None:
            is_begun = set(text) <= NUMBER_LETTERS.union(*self._unit.after)
            state = QValidator.State.Intermediate if is_begun else QValidator.State.Invalid
        elif number > self.maximum():
            state = QValidator.State.Invalid
        elif number < self.minimum():
            state = QValidator.State.Intermediate
        return state, text, cursor_position

    @Slot()
    def _clear_mixed(self) -> None:
        self.set_mixed(False)

    @Slot()
    def _mark_typed(self) -> None:
        self._is_typed = True

    @Slot()
    def _confirm_value(self) -> None:
        if self._is_mixed and self._is_typed:
            self.set_mixed(False)
            self.value_confirmed.emit(self.value())


class SliderField(QWidget):
    """A label, a slider and a number field of one parameter.

    Signals:
        value_changed(float): Changed by the user or by `set_value`.
    """

    value_changed = Signal(float)

    def __init__(self, bounds: DeliveryBounds, tip: str) -> None:
        super().__init__()
        self._bounds = bounds
        name = bounds.label[:1].upper() + bounds.label[1:]
        self.label = QLabel(name)
        self.slider = ParameterSlider(round((bounds.high - bounds.low) / bounds.step), self._compute_position(bounds.default))
        self.number = NumberBox(bounds.unit)
        self.number.setRange(bounds.low, bounds.high)
        self.number.setDecimals(2)
        self.number.setSingleStep(bounds.step)
        set_up_number_field(self.number)
        self.number.setFixedWidth(measure_number_width(self.number.fontMetrics()))
        default = bounds.unit.format_number(bounds.default)
        reset = localize(f"ダブルクリックで初期値 {default} にリセットします。", f"Double-click to reset to {default}.")
        for widget in (self.label, self.slider, self.number):
            describe_control(widget, name, f"<p>{tip}</p><p>{reset}</p>")
            # Without a description Qt reads out the tooltip with its HTML tags.
            widget.setAccessibleDescription(f"{tip} {reset}")
        self.label.installEventFilter(self)
        self.label.setBuddy(self.number)
        fill_box(QHBoxLayout(self), self.label, (self.slider, 1), self.number, spacing=8)
        self.set_value(bounds.default)
        self.slider.valueChanged.connect(self._apply_slider)
        self.slider.reset_requested.connect(self.reset_value)
        self.number.valueChanged.connect(self._apply_number)
        self.number.value_confirmed.connect(self._apply_number)

    @property
    def value(self) -> float:
        """Return the value, within the bounds."""
        return self.number.value()

    def set_value(self, value: float) -> None:
        """Set the value; the number field rounds it to two decimals."""
        self.number.setValue(value)
        self._move_slider()

    def set_mixed(self, is_mixed: bool) -> None:
        """Show that the selected lines differ; the value is that of the current line."""
        self.number.set_mixed(is_mixed)
        self.slider.set_mixed(is_mixed)

    @Slot()
    def reset_value(self) -> None:
        was_mixed, before = self.number.is_mixed, self.value
        self.set_value(self._bounds.default)
        # The current line has the default already, so nothing changes here, but the other lines must still get it.
        if was_mixed and self.value == before:
            self._apply_number(self.value)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Reset on a double click on the label."""
        if watched is self.label and event.type() == QEvent.Type.MouseButtonDblClick:
            self.reset_value()
            return True
        return super().eventFilter(watched, event)

    @Slot(int)
    def _apply_slider(self, position: int) -> None:
        self.number.setValue(min(self._bounds.high, self._bounds.low + position * self._bounds.step))

    @Slot(float)
    def _apply_number(self, value: float) -> None:
        self.set_mixed(False)
        self._move_slider()
        self.value_changed.emit(value)

    def _move_slider(self) -> None:
        # A number between two steps of the slider must stay as it was typed.
        with QSignalBlocker(self.slider):
            self.slider.setValue(self._compute_position(self.number.value()))
        self.slider.update()

    def _compute_position(self, value: float) -> int:
        return round((value - self._bounds.low) / self._bounds.step)


class SeedField(ThemedWidget, QWidget):
    """A label, a lock, a dice button and a number field; for a voice that draws no random numbers the label says so.

    Signals:
        value_changed(int), locked_changed(bool): Changed by the user or by a setter.
    """

    value_changed = Signal(int)
    locked_changed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        name = SEED_BOUNDS.label[:1].upper() + SEED_BOUNDS.label[1:]
        tip = localize(
            "同じ値なら、毎回同じ話し方になります。変えると間や抑揚が少し変わります。",
            "The same value always gives the same take; another one changes timing and intonation slightly.",
        )
        self.label = QLabel(name)
        self.number = GuardedSpinBox(minimum=0, maximum=MAX_SEED)
        set_up_number_field(self.number)
        self.number.valueChanged.connect(self.value_changed)
        self.dice = set_up_button(
            QToolButton(),
            localize("シードをランダムに変更", "Randomise"),
            self._roll_seed,
            name=localize("シードをランダムに変更", "Randomise the seed"),
        )
        self.lock = QToolButton()
        self.lock.setCheckable(True)
        self.lock.setChecked(True)
        lock_tip = localize(
            "オンにすると毎回同じ話し方、オフにすると再生のたびに違う話し方になります。",
            "On: the same take every time. Off: a new take each time it is played.",
        )
        describe_control(self.lock, localize("シードを固定", "Lock the seed"), lock_tip)
        self.lock.toggled.connect(self._update_lock)
        for widget in (self.label, self.number):
            describe_control(widget, name, tip)
        self.label.setBuddy(self.number)
        self.unused = PlainLabel(localize("使いません（毎回同じ音です）", "not used: always the same take"), "muted")
        tip = localize(
            "「言い方のゆらぎ」が 0 のあいだは、同じ文と設定なら毎回同じ音になります。",
            "While “variation” is 0, the same text and settings always give the same sound with this voice.",
        )
        self.unused.setToolTip(tip)
        self.unused.setMinimumHeight(self.number.sizeHint().height())
        self.unused.hide()
        fill_box(QHBoxLayout(self), self.label, None, self.lock, self.dice, self.number, self.unused, spacing=8)
        self.draw_in_theme()

    @property
    def value(self) -> int:
        return self.number.value()

    def set_value(self, value: int) -> None:
        self.number.setValue(value)

    def set_used(self, is_used: bool) -> None:
        """Offer the seed, or say that the voice has no use for it; the line keeps its seed."""
        for widget in (self.number, self.dice, self.lock):
            widget.setVisible(is_used)
        self.unused.setVisible(not is_used)

    def set_locked(self, locked: bool) -> None:
        """Lock the seed, or use another one each time the line is played."""
        self.lock.setChecked(locked)

    @Slot()
    def _roll_seed(self) -> None:
        self.number.setValue(random.randint(0, MAX_SEED))

    @Slot(bool)
    def _update_lock(self, locked: bool) -> None:
        self.draw_in_theme()
        self.locked_changed.emit(locked)

    def draw_in_theme(self) -> None:
        color = self.palette().color(QPalette.ColorRole.WindowText)
        self.dice.setIcon(draw_icon("dice", color))
        self.lock.setIcon(draw_icon("locked" if self.lock.isChecked() else "unlocked", color))


class LatinField(QWidget):
    """A label and a list of the ways to read Latin letters; for a voice that speaks no English it says so.

    Signals:
        edited(str): the user chose one of `LATIN_READINGS`.
    """

    edited = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        name = localize("英字の読み方", "Latin letters")
        tip = localize(
            "英単語や英文を、カタカナで読むか、英語で読むかを選びます。",
            "Whether English words and sentences are read as katakana or in English.",
        )
        self.label = QLabel(name)
        self.box = describe_control(ChoiceBox(), name, tip)
        for reading in LATIN_READINGS:
            self.box.addItem(describe_latin_reading(reading), reading)
        self.box.setPlaceholderText(localize("（複数）", "(mixed)"))
        self.box.activated.connect(lambda row: self.edited.emit(self.box.itemData(row)))
        self.label.setBuddy(self.box)
        self.label.setToolTip(tip)
        self.unused = PlainLabel(localize("カタカナ（英語を話せない声です）", "katakana: no English"), "muted")
        self.unused.setToolTip(
            localize("この声は英語を話せないため、カタカナで読みます。", "This voice speaks no English and reads it as katakana.")
        )
        self.unused.setMinimumHeight(self.box.sizeHint().height())
        self.unused.hide()
        fill_box(QHBoxLayout(self), self.label, None, self.box, self.unused, spacing=8)

    def show_reading(self, reading: str, *, is_mixed: bool) -> None:
        """Show how the selected lines are read, or that they differ."""
        self.box.setCurrentIndex(-1 if is_mixed else self.box.findData(reading))

    def set_used(self, is_used: bool) -> None:
        """Offer the choice, or say that the voice reads katakana; the line keeps its choice."""
        self.box.setVisible(is_used)
        self.unused.setVisible(not is_used)


class LinePauseField(QWidget):
    """A number field (seconds) for the pause before the next line; below zero the silences around both lines are the pause.

    Signals:
        edited(object): The user changed it; None for those silences.
    """

    edited = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        name = localize("次の行までの間", "Pause before next")
        self.label = QLabel(name)
        self.number = NumberBox()
        self.number.setRange(-LINE_PAUSE_BOUNDS.step, LINE_PAUSE_BOUNDS.high)
        self.number.setDecimals(2)
        self.number.setSingleStep(LINE_PAUSE_BOUNDS.step)
        self.number.setSpecialValueText(localize("自動", "auto"))
        set_up_number_field(self.number)
        self.number.setFixedWidth(measure_number_width(self.number.fontMetrics()))
        tip = localize(
            "この行と次の行の間（秒）。続けて再生するときと、1 つのファイルに書き出すときに使います。0 より下げると、行の開始無音と終了無音になります。",
            "Seconds between this line and the next, when lines are played in a row or exported as one file; below 0 it is the silence after this line and before the next.",
        )
        for widget in (self.label, self.number):
            describe_control(widget, localize("次の行までの間（秒）", "Pause before the next line (s)"), tip)
        self.label.setBuddy(self.number)
        fill_box(QHBoxLayout(self), self.label, None, self.number, spacing=8)
        self.number.valueChanged.connect(self._emit_pause)
        self.number.value_confirmed.connect(self._emit_pause)

    def show_pauses(self, pauses: Collection[float | None]) -> None:
        """Show the pause of the selected lines, or that they differ."""
        with QSignalBlocker(self.number):
            # Qt shows the words for the lowest number in place of the dash of those that differ.
            pause_s = next((pause_s for pause_s in pauses if pause_s is not None), None)
            self.number.setValue(self.number.minimum() if pause_s is None else pause_s)
            self.number.set_mixed(len(pauses) > 1)

    @Slot(float)
    def _emit_pause(self, value: float) -> None:
        self.edited.emit(round(value, 2) if value >= 0 else None)


class VoiceFields(QFormLayout):
    """A form of three combo boxes; that of the speakers is visible only where the voice has several.

    Signals:
        edited(str, object): The user changed the setting of this name to this value; the chooser has signals of its own.
        introduction_requested(VoicePick): A voice, speaker or style of the lists is to be heard.
    """

    edited = Signal(str, object)
    introduction_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._is_showing = self._is_blend = False
        self._blends: Collection[str] = ()
        self._speaker = ""  # of the line, which keeps it while a blend speaks
        self.chooser = VoiceChooser()
        self.styles = _create_combo_box(
            localize("スタイル", "Style"), localize("声のスタイル（感情や話し方）。", "The speaking style of the voice.")
        )
        self._speakers_tip = localize("この声に含まれる話者。", "The speaker within this voice.")
        self.speakers = _create_combo_box(localize("話者", "Speaker"), self._speakers_tip)
        self.setHorizontalSpacing(8)
        self.setVerticalSpacing(6)
        self.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.rows: dict[str, ListeningRows] = {}  # of the boxes of speakers and styles, by the name of the setting
        self.addRow(localize("声", "Voice"), self.chooser)
        self.addRow(localize("話者", "Speaker"), self.speakers)
        self.addRow(localize("スタイル", "Style"), self.styles)
        self.setRowVisible(self.speakers, False)
        for name, box in (("style", self.styles), ("speaker", self.speakers)):
            box.currentIndexChanged.connect(partial(self._emit_choice, name, box))
            self.rows[name] = add_listening(box, partial(self._find_pick, name))
            self.rows[name].requested.connect(self.introduction_requested)
        self.chooser.introduction_requested.connect(self.introduction_requested)

    @property
    def labels(self) -> list[QWidget]:
        """Return the labels of the combo boxes."""
        return [self.labelForField(box) for box in (self.chooser, self.styles, self.speakers)]

    @property
    def speaker(self) -> str:
        """Return the chosen speaker of a voice that has several, else an empty string; a blend is none of them."""
        return self.speakers.currentText() if self.speakers.count() > 1 and not self._is_blend else ""

    def offer_choices(self, speakers: Sequence[str], styles: Sequence[str], blends: Collection[str] = ()) -> None:
        """Offer the speakers and styles of a voice; `blends` are those of the styles that are between speakers."""
        self._blends = blends
        # Refilling a box changes its index, which must not count as an edit of the line.
        self._is_showing = True
        for box, items in (
            (self.styles, [(format_style(name), name) for name in styles]),
            (self.speakers, [(describe_speaker(name), name) for name in speakers]),
        ):
            box.clear()
            for label, name in items:
                box.addItem(label, name)
        self._is_showing = False
        self.setRowVisible(self.speakers, len(speakers) > 1)

    def show_settings(self, settings: LineSettings, mixed: Collection[str] = ()) -> None:
        """Show a line's speaker and style; nothing where the selected lines differ."""
        self._is_showing = True
        for box, name in ((self.styles, "style"), (self.speakers, "speaker")):
            box.setCurrentIndex(max(0, box.findData(getattr(settings, name))) if box.count() and name not in mixed else -1)
            box.setPlaceholderText(localize("（複数）", "(mixed)"))
        self._speaker = settings.speaker
        self._is_blend = settings.style in self._blends and "style" not in mixed
        if self._is_blend:
            self.speakers.setCurrentIndex(-1)
            self.speakers.setPlaceholderText(localize("（2 人を混ぜた声）", "(blend of two)"))
        tip = localize("話者を選ぶには、スタイルを「ノーマル」にしてください。", "A speaker can be chosen while the style is “Neutral”.")
        self.speakers.setToolTip(tip if self._is_blend else self._speakers_tip)
        if not self.styles.count():
            # A line keeps its style while its voice is missing, so the style is still shown.
            self.styles.setPlaceholderText(format_style(settings.style) or "–")
        self._is_showing = False

    def mark_deviations(self, names: Collection[str]) -> None:
        """Mark the settings in which lines differ from their characters."""
        for box, name in ((self.chooser, "voice"), (self.speakers, "speaker"), (self.styles, "style")):
            label = self.labelForField(box)
            if isinstance(label, QLabel):
                mark_label(label, name in names)

    def set_enabled(self, has_line: bool) -> None:
        """Enable the boxes where there is a line."""
        # The chooser's box alone: its button manages voices, which needs no line.
        self.chooser.box.setEnabled(has_line)
        self.styles.setEnabled(has_line and self.styles.count() > 0)
        self.speakers.setEnabled(has_line and self.speakers.count() > 0 and not self._is_blend)
        for label in self.labels:
            label.setEnabled(has_line)

    def _find_pick(self, name: str, choice: str) -> VoicePick | None:
        """Return who is heard with this speaker or style in place of the chosen one; None where the voice cannot be heard."""
        voice = self.chooser.find_pick(self.chooser.current_voice)
        style = str(self.styles.currentData() or "")
        return None if voice is None else VoicePick(voice.voice, **{"speaker": self._speaker, "style": style, name: choice})

    def _emit_choice(self, name: str, box: QComboBox, _row: int) -> None:
        if not self._is_showing:
            self.edited.emit(name, box.currentData())


def set_up_number_field(field: QAbstractSpinBox) -> None:
    """Set up a number field without arrows that reports what was typed in whole."""
    # By this name the style sheet removes the arrows: Qt lays out `NoButtons` wrongly under a style sheet.
    field.setObjectName("number")
    field.setKeyboardTracking(False)
    field.lineEdit().setTextMargins(0, 0, 4, 0)
    field.setAlignment(Qt.AlignmentFlag.AlignRight)


def measure_number_width(metrics: QFontMetrics) -> int:
    """Return the width in pixels that every number of a line needs with its unit, so that all fields are equally wide."""
    numbers = [bounds.unit.format_number(value) for bounds in BOUNDS.values() for value in (bounds.low, bounds.high)]
    return max(map(metrics.horizontalAdvance, numbers)) + 24


def mark_label(label: QLabel, is_deviating: bool) -> None:
    """Write a label in bold and amber while its setting is not that of the line's character."""
    font = label.font()
    if font.bold() != is_deviating:
        font.setBold(is_deviating)
        label.setProperty("edited", is_deviating)
        label.style().polish(label)
        label.setFont(font)


def _create_combo_box(name: str, tip: str) -> QComboBox:
    box = describe_control(ChoiceBox(), name, tip)
    box.setMinimumContentsLength(8)
    box.setPlaceholderText("…")
    return box
