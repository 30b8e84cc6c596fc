"""What undo and redo are about, in words; presets are none of it."""

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.settings.user_settings import Settings
from app.ui.parameters.preset_bar import load_presets
from app.ui.widgets.controls import ChoiceBox
from tests.ui.banner_driver import press_action
from tests.ui.conftest import OpenWindow


def test_the_menu_names_the_step(open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ"), ready=False)
    undo, redo = window.window_actions["undo"], window.window_actions["redo"]
    assert undo.text() == "Undo\tCtrl+Z"
    window.sliders["speed"].set_value(1.5)
    assert undo.text() == "Undo: Change settings\tCtrl+Z"
    assert undo.toolTip() == "Undo: Change settings (Ctrl+Z)"
    assert undo.iconText() == "Undo"
    undo.trigger()
    assert undo.text() == "Undo\tCtrl+Z"
    assert redo.text().startswith("Redo: Change settings")


def test_presets_are_no_steps_of_the_script(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ"), ready=False)
    presets = window.presets

    def names() -> list[str]:
        return [presets.names.itemText(row) for row in range(1, presets.names.count())]

    window.sliders["speed"].set_value(1.5)
    presets.keep_settings_as("速い")
    window.window_actions["undo"].trigger()
    assert window.sliders["speed"].value == 1.0
    assert names() == ["速い"], "undo takes back what was done to the script, never a preset"
    window.window_actions["redo"].trigger()
    assert presets.names.currentText() == "速い"
    presets.more.delete.trigger()
    assert names() == []
    assert window.banner.message.text() == "The preset “速い” was deleted."
    window.sliders["speed"].set_value(1.2)
    presets.keep_settings_as("少し速い")
    press_action(window.banner, "Undo")
    assert names() == ["少し速い", "速い"], "what came since stays"
    assert not window.banner.isVisible()
    qtbot.waitUntil(lambda: list(load_presets()[0]) == ["少し速い", "速い"])


def test_the_empty_list_teaches_the_keys_of_now(open_window: OpenWindow) -> None:
    window = open_window(ready=False)
    assert ("Shift+Enter", "Add line") in window.script.lesson.list_keys()
    assert ("Ctrl+K", "Find a command") in window.script.lesson.list_keys()


def test_a_name_that_has_no_room_ends_in_dots(qtbot: QtBot) -> None:
    box = ChoiceBox()
    qtbot.addWidget(box)
    box.addItem("a")
    box.addItem("a very long name that no box has room for")
    box.resize(120, 30)
    box.show()
    pictures = []
    for _ in range(2):
        box.setCurrentIndex(1)
        QApplication.processEvents()
        pictures.append(box.grab().toImage())
        box.setItemText(1, "a very long name that no box has room for, whatever follows")
    assert pictures[0] == pictures[1], "what follows the dots makes no difference"
    box.setCurrentIndex(0)
    assert box.grab().toImage() != pictures[0]
