"""What a person does to a script of many lines and in a window of usual size, by name: for the counts of actions and for the heartbeat."""

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog

from app.core.script.script import Line, Script
from app.ui.script.list_bars import SearchBar
from tests.ui.conftest import write
from tests.ui.window_driver import WindowDriver

TEXT = "今日はとてもいい天気です。駅前の公園まで歩きました。"
ORDINARY = (
    "add_line", "edit_line", "duplicate", "split_sentences", "undo", "redo", "join_lines", "move_up", "move_down", "select_all", "cut",
    "paste", "delete", "undo", "play", "stop", "play_through", "stop", "loop", "live", "show_strip", "show_takes", "keep_take", "find",
    "replace", "find_command", "settings", "dictionary", "voice_library", "export", "import", "audition", "user_guide", "diagnose", "about",
)  # fmt: skip
Deeds = list[tuple[str, Callable[[], object]]]


def list_long_script_deeds(window: WindowDriver, count: int) -> Deeds:
    """List what is done to this many lines, from opening them on; each deed begins where the one before ended."""
    texts = [f"{row + 1}番目の行です。今日はいい天気ですね。" for row in range(count)]
    actions, stack, lines = window.window_actions, window.undo_stack, tuple(map(Line, texts))
    bar = window.findChild(SearchBar)
    return [
        ("open", lambda: (window.script.gradual.begin_layout(), window.document.reset_script(Script(lines)))),
        ("select all", actions["select_all"].trigger),
        ("change all", lambda: window.sliders["speed"].set_value(1.2)),
        ("find", actions["replace"].trigger),
        ("find a word", lambda: bar.sought.setText("天気")),
        ("change all with the search open", lambda: window.sliders["speed"].set_value(0.9)),
        ("undo that", stack.undo),
        ("replace all", lambda: bar.replace_requested.emit(True)),
        ("undo replacing", stack.undo),
        ("close the search", bar.closed.emit),
        ("select all again", actions["select_all"].trigger),
        ("delete all", actions["delete"].trigger),
        ("undo deleting", stack.undo),
        ("another theme", lambda: window.settings.change_settings(theme="dark")),
        ("a narrower window", lambda: window.resize(window.width() - 200, window.height())),
        ("add a line", actions["add_line"].trigger),
        ("leave it", window.script.end_editing),
        ("a line further down", actions["move_down"].trigger),
        ("paste", lambda: (QGuiApplication.clipboard().setText("\n".join(texts)), actions["paste"].trigger())),
        ("undo pasting", stack.undo),
    ]


def fill_hundred_lines(window: WindowDriver) -> WindowDriver:
    """Give the window a hundred short lines, the first one selected."""
    write(window, TEXT)
    window.document.reset_script(Script(tuple(Line(f"{row + 1}番目の行です。", id=str(row)) for row in range(100))))
    window.script.select_lines(["0"])
    QApplication.processEvents()
    return window


def list_ordinary_deeds(window: WindowDriver) -> Deeds:
    """List the actions that most people use, and some changes of settings."""
    return [
        *((name, window.window_actions[name].trigger) for name in ORDINARY),
        ("a slider", lambda: window.sliders["speed"].set_value(1.2)),
        ("a style", lambda: window.styles.setCurrentIndex(1)),
        ("another theme", lambda: window.settings.change_settings(theme="dark")),
        ("latency", window.status.latency.click),
        ("a smaller window", lambda: window.resize(window.width() - 100, window.height() - 60)),
    ]


def close_dialogs(window: WindowDriver) -> None:
    """Close every dialog that an action has opened."""
    for dialog in (*window.findChildren(QDialog), *QApplication.topLevelWidgets()):
        if dialog is not window and isinstance(dialog, QDialog) and dialog.isVisible():
            dialog.close()
