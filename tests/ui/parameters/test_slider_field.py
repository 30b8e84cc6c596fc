"""Label, slider and number stay in step, whichever is used."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.synthesis_types import BOUNDS
from app.ui.parameters.setting_fields import SliderField

pytestmark = pytest.mark.usefixtures("styled")


@pytest.fixture
def field(qtbot: QtBot) -> SliderField:
    field = SliderField(BOUNDS["speed"], "How fast it speaks.")
    qtbot.addWidget(field)
    field.resize(340, 40)
    field.show()
    return field


def wheel(field: SliderField, delta: int) -> None:
    place = QPointF(field.slider.rect().center())
    buttons, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(place, place, QPoint(), QPoint(0, delta), buttons, keys, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(field.slider, event)


def test_starts_at_the_default_with_name_and_tip(field: SliderField) -> None:
    assert field.value == 1.0
    assert field.label.text() == "Speed"
    for widget in (field.slider, field.number, field.label):
        assert widget.accessibleName() == "Speed"
        assert "How fast" in widget.toolTip()
        described = QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Description)
        assert described == "How fast it speaks. Double-click to reset to ×1.00."


def test_every_step_of_the_slider_is_a_number_and_back(field: SliderField) -> None:
    for position in range(field.slider.maximum() + 1):
        field.slider.setValue(position)
        assert field.value == pytest.approx(0.5 + 0.05 * position)
        assert field.slider.value() == position
    assert field.value == 2.0


def test_arrows_step(field: SliderField, qtbot: QtBot) -> None:
    qtbot.keyClick(field.slider, Qt.Key.Key_Right)
    assert field.value == pytest.approx(1.05)
    qtbot.keyClick(field.number, Qt.Key.Key_Down)
    assert field.value == pytest.approx(1.0)
    qtbot.keyClick(field.slider, Qt.Key.Key_Home)
    assert field.value == 0.5


def test_one_wheel_notch_is_one_step_and_parts_of_it_add_up(field: SliderField) -> None:
    wheel(field, 120)
    assert field.value == pytest.approx(1.05)
    wheel(field, -240)
    assert field.value == pytest.approx(0.95)
    for _ in range(4):
        wheel(field, 30)
    assert field.value == pytest.approx(1.0)


def test_typing_a_number_between_two_steps_keeps_it(field: SliderField, qtbot: QtBot) -> None:
    heard: list[float] = []
    field.value_changed.connect(heard.append)
    field.number.selectAll()
    qtbot.keyClicks(field.number, "1.23")
    assert heard == [], "half a number is none"
    qtbot.keyClick(field.number, Qt.Key.Key_Return)
    assert field.value == 1.23
    assert heard == [1.23]


@pytest.mark.parametrize("part", ["slider", "label"])
def test_double_click_resets(field: SliderField, qtbot: QtBot, part: str) -> None:
    field.set_value(1.7)
    widget = getattr(field, part)
    qtbot.mousePress(widget, Qt.MouseButton.LeftButton)
    qtbot.mouseDClick(widget, Qt.MouseButton.LeftButton)
    assert field.value == 1.0
    assert field.slider.value() == 10


@pytest.mark.parametrize("sheet", ["", "QSlider::handle:horizontal { width: 1px; margin: 9px 40px; }"])
def test_a_click_jumps_and_dragging_goes_on_from_there(field: SliderField, qtbot: QtBot, sheet: str) -> None:
    """Wherever a style thinks the knob is."""
    field.setStyleSheet(sheet)
    slider = field.slider
    middle = slider.height() // 2
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(slider.width() - 2, middle))
    assert field.value == 2.0
    # Sent and not played by the test library, whose move goes through the screen's cursor and may find another window there.
    place, button = QPointF(slider.width() / 2, middle), Qt.MouseButton.LeftButton
    QApplication.sendEvent(
        slider, QMouseEvent(QEvent.Type.MouseMove, place, slider.mapToGlobal(place), button, button, Qt.KeyboardModifier.NoModifier)
    )
    assert field.value == pytest.approx(1.0, abs=0.06), "the default is in the middle"
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(slider.width() // 2, middle))


@pytest.mark.parametrize("name", BOUNDS)
def test_the_number_shows_both_ends(qtbot: QtBot, name: str) -> None:
    field = SliderField(BOUNDS[name], "tip")
    qtbot.addWidget(field)
    field.show()
    edit = field.number.lineEdit()
    for value in (BOUNDS[name].low, BOUNDS[name].high):
        field.set_value(value)
        assert edit.fontMetrics().horizontalAdvance(edit.text()) <= edit.width(), edit.text()


@pytest.mark.parametrize("name", BOUNDS)
def test_every_default_is_a_step(qtbot: QtBot, name: str) -> None:
    field = SliderField(BOUNDS[name], "tip")
    qtbot.addWidget(field)
    field.slider.setValue(0)
    field.reset_value()
    assert field.value == BOUNDS[name].default
    assert BOUNDS[name].low + field.slider.value() * BOUNDS[name].step == pytest.approx(BOUNDS[name].default)


@pytest.mark.parametrize(
    ("name", "share", "value"), [("speed", 0.5, 1.0), ("speed", 0.75, 1.5), ("speed", 0.25, 0.75), ("accent_fidelity", 0.5, 0.5)]
)
def test_the_default_is_in_the_middle_unless_it_is_an_end(qtbot: QtBot, name: str, share: float, value: float) -> None:
    field = SliderField(BOUNDS[name], "Tip.")
    qtbot.addWidget(field)
    field.resize(440, 40)
    field.show()
    slider = field.slider
    slider.setValue(slider.maximum())
    left, width = slider._compute_track()
    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(round(left + share * width), slider.height() // 2))
    assert field.value == pytest.approx(value, abs=BOUNDS[name].step)


@pytest.mark.parametrize(
    ("name", "typed", "value", "shown"),
    [
        ("speed", "1.2", 1.2, "×1.20"),
        ("speed", "×1.2", 1.2, "×1.20"),
        ("speed", "１．２５", 1.25, "×1.25"),
        ("speed", "9", 0.9, "×0.90"),  # too fast
        ("speed", "nan", 0.9, "×0.90"),
        ("pitch", "2", 2.0, "+2 st"),
        ("pitch", "-1.5 st", -1.5, "−1.5 st"),
        ("pitch", "−1,5半音", -1.5, "−1.5 st"),
        ("pitch", "±0", 0.0, "±0 st"),
        ("volume", "80", 0.8, "80 %"),
        ("volume", "125 %", 1.25, "125 %"),
        ("volume", "7％", 0.07, "7 %"),
        ("sdp_ratio", ".5", 0.5, "0.50"),
    ],
)
def test_a_number_has_a_unit_that_need_not_be_typed(qtbot: QtBot, name: str, typed: str, value: float, shown: str) -> None:
    field = SliderField(BOUNDS[name], "tip")
    qtbot.addWidget(field)
    field.set_value(0.9)
    field.show()
    field.number.setFocus()
    field.number.selectAll()
    for letter in typed:
        field.number.lineEdit().insert(letter)  # as an input method does: not every letter has a key
    qtbot.keyClick(field.number, Qt.Key.Key_Return)
    assert field.value == pytest.approx(value)
    assert field.number.text() == shown
    accessible = QAccessible.queryAccessibleInterface(field.number)
    assert accessible.text(QAccessible.Text.Value) == shown, "it is read aloud with its unit"


def test_all_numbers_are_equally_wide(qtbot: QtBot) -> None:
    fields = [SliderField(bounds, "tip") for bounds in BOUNDS.values()]
    for field in fields:
        qtbot.addWidget(field)
    assert len({field.number.width() for field in fields}) == 1
