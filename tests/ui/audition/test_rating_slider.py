"""A click beside the handle of a rating brings it there; dragging, keys and the click on the handle stay as Qt has them."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionSlider
from pytestqt.qtbot import QtBot

from app.audition.blind_test import BlindTestPlan
from app.ui.audition.answer_pages import RatingScale, RatingSlider, list_closeness_words
from app.ui.audition.trial_page import describe_question
from app.ui.theme.theme import DARK_THEME, LIGHT_THEME, Theme, apply_theme, clear_theme
from app.ui.widgets.controls import PlainLabel

pytestmark = pytest.mark.usefixtures("styled")

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(params=(None, LIGHT_THEME, DARK_THEME), ids=("no style sheet", "light", "dark"))
def scale(qtbot: QtBot, qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[RatingScale]:
    theme: Theme | None = request.param
    if theme is None:
        clear_theme(qapp)
    else:
        apply_theme(qapp, theme)
    made = RatingScale(3)
    qtbot.addWidget(made)
    made.resize(400, 320)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    apply_theme(qapp, LIGHT_THEME)


def handle_of(slider: RatingSlider) -> QPoint:
    """Its centre."""
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    place = QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, slider
    return slider.style().subControlRect(*place).center()


@pytest.mark.parametrize("share", [0.2, 0.5, 0.77])
def test_a_click_on_the_groove_sets_the_value_there(scale: RatingScale, share: float) -> None:
    slider = scale.sliders[1]
    clicked = round(slider.height() * share)
    QTest.mouseClick(slider, LEFT, pos=QPoint(slider.width() // 2, clicked))
    assert abs(handle_of(slider).y() - clicked) <= 2
    assert slider.value() == pytest.approx(100 * (1 - share), abs=8)
    assert scale.ratings == [0, slider.value(), 0]
    assert scale.values[1].text() == str(slider.value())


def test_the_ends_are_reached_and_the_handle_is_dragged_on(scale: RatingScale) -> None:
    slider = scale.sliders[0]
    middle = slider.width() // 2
    QTest.mouseClick(slider, LEFT, pos=QPoint(middle, 1))
    assert slider.value() == 100
    QTest.mousePress(slider, LEFT, pos=QPoint(middle, slider.height() // 2))
    assert slider.isSliderDown()
    QTest.mouseMove(slider, QPoint(middle, slider.height() - 1))
    QTest.mouseRelease(slider, LEFT, pos=QPoint(middle, slider.height() - 1))
    assert slider.value() == 0


def test_a_click_on_the_handle_keeps_the_value_and_keys_step(scale: RatingScale) -> None:
    slider = scale.sliders[2]
    slider.setValue(40)
    QTest.mouseClick(slider, LEFT, pos=handle_of(slider) + QPoint(0, 3))
    assert slider.value() == 40
    for key, value in ((Qt.Key.Key_Up, 41), (Qt.Key.Key_PageUp, 51), (Qt.Key.Key_Down, 50), (Qt.Key.Key_Home, 0), (Qt.Key.Key_End, 100)):
        QTest.keyClick(slider, key)
        assert slider.value() == value
    QTest.mouseClick(slider, Qt.MouseButton.RightButton, pos=QPoint(slider.width() // 2, slider.height() // 2))
    assert slider.value() == 100


def test_the_words_of_the_scale_answer_the_question(scale: RatingScale) -> None:
    plan = BlindTestPlan("mushra", (("0",),), ("take",), references=("1",))
    assert "How close" in describe_question(plan)
    words = [label.text() for label in scale.findChildren(PlainLabel)]
    assert all(word in words for word in list_closeness_words())
    assert (list_closeness_words()[0], list_closeness_words()[-1]) == ("Sounds the same", "Not alike at all")
