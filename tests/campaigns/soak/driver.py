"""Does to a window whatever its user could do, in random order."""

import random
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDialog

from app.core.script.script import Line, Script
from app.ui.voices import voice_tasks
from tests.campaigns.soak.actions import ACTIONS, ActionSpec
from tests.ui.window_driver import WindowDriver

PIECES = (
    "雨が降る",
    "雪が積もる",
    "駅前の公園",
    "2026年11月",
    "Hello",
    "「すごい！」",
    "えっと…",
    "今日は",
    "😀",
    "、",
    "。",
    "？",
    "!!",
    "橋と箸",
    " ",
)
KEPT_LINES = 30  # a script that only grows would look like a leak
TRIGGERS = (
    *("undo", "redo", "copy", "cut", "paste", "select_all", "add_line", "edit_line", "duplicate", "delete", "move_up", "move_down"),
    *("play", "play", "play", "play_through", "stop", "loop", "live", "follow", "save_line", "save_all", "save_joined"),
)
DIALOGS = ("settings", "find_command", "voice_library", "show_log", "about", "add_voice_address")


class SoakDriver:
    """One deed with each call.

    Attributes:
        done: names of the deeds, newest last.
    """

    def __init__(self, window: WindowDriver, seed: int, folder: Path) -> None:
        self.done: list[str] = []
        self._window, self._random, self._folder = window, random.Random(seed), folder
        self._deeds: list[tuple[int, Callable[[], None]]] = [
            (30, self._trigger),
            (20, self._type),
            (10, self._slide),
            (6, self._choose),
            (5, self._style),
            (5, self._strip),
            (4, self._dialog),
            (3, self._resize),
            (2, self._backend),
            (2, self._device),
            (1, self._theme),
            (1, self._work),
            (1, self._dock),
            *((weight, self._other(deed)) for weight, deed in ACTIONS),
        ]

    def begin(self) -> None:
        """Everything once that makes something at its first use only, which would look like growth later."""
        for box in self._window.findChildren(QComboBox):
            if box.isVisible():
                box.showPopup()
                QApplication.processEvents()
                box.hidePopup()
        for name in DIALOGS:
            self._window.window_actions[name].trigger()
            QApplication.processEvents()
            self._close_dialogs()
        self._ask_for_the_bare_style()

    def _ask_for_the_bare_style(self) -> None:
        """What lies below the style sheet gets its Python object where a widget asks for its style between two looks."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        sheet = app.styleSheet()
        app.setStyleSheet("")
        self._window.style()
        app.setStyleSheet(sheet)

    def step(self) -> None:
        """Something."""
        deed = self._random.choices([deed for _, deed in self._deeds], [weight for weight, _ in self._deeds])[0]
        self.done.append(deed.__name__)
        deed()
        self._close_dialogs()
        lines = self._window.lines
        if len(lines) > KEPT_LINES:
            self._window.document.reset_script(Script(lines[:5]))

    def calm(self) -> None:
        """Back to one line and nothing going on."""
        window = self._window
        for name in ("loop", "live", "follow"):
            window.window_actions[name].setChecked(False)
        window.play_commands.stop_playing()
        window.saving.stop_saving()
        self._close_dialogs()
        for job in list(window.task_queue.jobs):
            window.task_queue.remove_task(job)
        window.script.end_editing()
        window.latency.clear_history()
        window.document.reset_script(Script((Line("静かになりました。"),)))

    def _other(self, deed: ActionSpec) -> Callable[[], None]:
        def do() -> None:
            self.done[-1] = deed.__name__
            deed(self._window, self._random, self._folder)

        return do

    def _trigger(self) -> None:
        name = self._random.choice(TRIGGERS)
        self.done[-1] = name
        self._window.window_actions[name].trigger()

    def _type(self) -> None:
        if self._window.script.currentIndex().isValid():
            self._window.script.edit_line(self._window.script.currentIndex().row())
            editor = self._window.script.editor
            if editor is not None:
                editor.insertPlainText(self._random.choice(PIECES))
                if self._random.random() < 0.3:
                    QTest.keyClick(
                        editor, self._random.choice((Qt.Key.Key_Backspace, Qt.Key.Key_Home, Qt.Key.Key_Escape, Qt.Key.Key_Return))
                    )

    def _slide(self) -> None:
        field = self._random.choice(list(self._window.sliders.values()))
        slider = field.slider
        slider.setValue(self._random.randint(slider.minimum(), slider.maximum()))

    def _choose(self) -> None:
        lines = self._window.lines
        if lines:
            self._window.script.select_lines([line.id for line in self._random.sample(lines, self._random.randint(1, min(3, len(lines))))])

    def _style(self) -> None:
        box = self._random.choice((self._window.styles, self._window.side.speakers))
        if box.count():
            box.setCurrentIndex(self._random.randrange(box.count()))

    def _strip(self) -> None:
        strip = self._window.phone_strip
        place = QPoint(self._random.randrange(max(1, strip.width())), self._random.randrange(max(1, strip.height())))
        QTest.mousePress(strip, Qt.MouseButton.LeftButton, pos=place)
        QTest.mouseMove(strip, place + QPoint(self._random.randint(-30, 30), 0))
        QTest.mouseRelease(strip, Qt.MouseButton.LeftButton, pos=place + QPoint(self._random.randint(-30, 30), 0))

    def _dialog(self) -> None:
        name = self._random.choice(DIALOGS)
        self.done[-1] = name
        self._window.window_actions[name].trigger()
        QApplication.processEvents()
        self._close_dialogs()

    def _close_dialogs(self) -> None:
        for dialog in self._window.findChildren(QDialog):
            if dialog.isVisible():
                dialog.reject()

    def _resize(self) -> None:
        self._window.resize(self._random.randint(1100, 2000), self._random.randint(700, 1200))

    def _backend(self) -> None:
        self._window.status.backend_selected.emit(self._random.choice(("auto", "cpu")))

    def _device(self) -> None:
        self._window.settings.change_settings(device=self._random.choice(("", "Somewhere else")))

    def _theme(self) -> None:
        self._window.settings.change_settings(theme=self._random.choice(("light", "dark")))

    def _work(self) -> None:
        """A file that is no voice, or a file that is added and given up at once."""
        file = self._folder / f"{self._random.randrange(3)}.aivmx"
        file.write_bytes(b"nothing" * 100)
        job = self._window.task_queue.add_task(voice_tasks.create_file_task(file))
        if self._random.random() < 0.5:
            self._window.task_queue.remove_task(job)

    def _dock(self) -> None:
        self._window.latency.setVisible(not self._window.latency.isVisible())
