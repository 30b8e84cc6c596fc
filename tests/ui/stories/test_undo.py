"""Undo and redo over everything that can be done to a script: all the way back is the beginning, all the way forth is the end."""

from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.core.script.script import Line, Script, replace_overrides
from app.core.synthesis_types import MoraOverride, Overrides
from app.ui.script.script_document import ScriptDocument
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.window_driver import WindowDriver

START = Script(tuple(Line(text, id=f"line{number}") for number, text in enumerate(("雨が降る。", "雪が積もる。", "", "風が吹く。"))))
Act = tuple[str, int]


def some_lines(window: WindowDriver, number: int) -> list[str]:
    """A choice of lines that hangs on a number alone."""
    lines = window.lines
    return [line.id for place, line in enumerate(lines) if number >> place & 1] or [line.id for line in lines[:1]]


def typed(qtbot: QtBot, window: WindowDriver, number: int) -> None:
    """Into the editor that is open, or one that opens; now and then it stays open for what follows."""
    if window.script.editor is None:
        window.commands.edit_current_line()
    if window.script.editor is not None:
        qtbot.keyClicks(window.script.editor, "ab" if number % 2 else "c")
        if number % 3 == 0:
            qtbot.keyClick(window.script.editor, Qt.Key.Key_Backspace)
        if number % 4 == 0:
            window.script.end_editing()


def dropped(window: WindowDriver, number: int) -> None:
    window.script.lines_dropped.emit(some_lines(window, number), number % (len(window.lines) + 1))


def reshaped(window: WindowDriver, number: int) -> None:
    """As the strip does it: an accent of the first phrase."""
    line = window.document.script.find_line(window.script.current_id)
    if line is not None and line.text:
        shape = Overrides(text=line.text, moras=(MoraOverride(0, tone=number % 2),))
        window.document.apply_edit("Accent", replace_overrides(window.document.script, line.id, shape))


def imported(qtbot: QtBot, window: WindowDriver, file: Path, row: int) -> None:
    with qtbot.waitSignal(window.importing.finished, timeout=WAIT_MS):
        window.importing.import_files([file], row)


def acts(qtbot: QtBot, window: WindowDriver, file: Path) -> dict[str, Callable[[int], object]]:
    """What a user can do, by name."""
    commands, stack = window.commands, window.undo_stack
    return {
        "choose": lambda number: window.script.select_lines(some_lines(window, number)),
        "choose all": lambda _: window.window_actions["select_all"].trigger(),
        "add": lambda _: commands.add_line(),
        "type": lambda number: typed(qtbot, window, number),
        "leave": lambda _: window.script.end_editing(),
        "duplicate": lambda _: window.window_actions["duplicate"].trigger(),
        "delete": lambda _: window.window_actions["delete"].trigger(),
        "up": lambda _: window.window_actions["move_up"].trigger(),
        "down": lambda _: window.window_actions["move_down"].trigger(),
        "drag": lambda number: dropped(window, number),
        "cut": lambda _: commands.cut_lines(),
        "copy": lambda _: commands.copy_lines(),
        "paste": lambda _: commands.paste_lines(),
        "paste text": lambda number: (QGuiApplication.clipboard().setText(f"{number}。\n花が咲く。"), commands.paste_lines()),
        "file": lambda number: imported(qtbot, window, file, number % 3),
        "speed": lambda number: window.sliders["speed"].set_value(0.5 + number / 10),
        "volume": lambda number: window.sliders["volume"].set_value(number / 20),
        "preset": lambda number: commands.change_settings({"speed": 1.0, "noise": number / 20}),
        "voice": lambda number: window.voices.use_voice(("", "gone", "mei")[number % 3]),
        "accent": lambda number: reshaped(window, number),
        "undo": lambda _: stack.undo(),
        "redo": lambda _: stack.redo(),
    }


def check(window: WindowDriver) -> None:
    """What is seen is what is there."""
    lines = window.lines
    assert [window.model.find_line(row) for row in range(window.model.rowCount())] == list(lines)
    ids = {line.id for line in lines}
    assert len(ids) == len(lines), "no two lines are the same one"
    assert set(window.script.selected_ids) <= ids
    editor = window.script.editor
    if editor is not None:
        line = window.document.script.find_line(editor.line_id)
        assert line is not None, "no editor of a line that is gone"
        assert editor.toPlainText() == line.text


def walked(document: ScriptDocument, step: Callable[[], None], possible: Callable[[], bool], window: WindowDriver) -> int:
    """Steps until there are no more; each one changes something."""
    steps = 0
    while possible():
        before = document.script
        step()
        assert document.script != before, "a step that does nothing"
        check(window)
        steps += 1
    return steps


def test_all_the_way_back_and_forth(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window(ready=False)
    file = tmp_path / "a.txt"
    file.write_text("鳥が鳴く。\n月が出る。\n", encoding="utf-8")
    by_name = acts(qtbot, window, file)
    document = window.document
    tried = 0

    @settings(suppress_health_check=list(HealthCheck))
    @example([("type", 0)])
    @given(st.lists(st.tuples(st.sampled_from(sorted(by_name)), st.integers(0, 15)), max_size=25))
    def run(done: list[Act]) -> None:
        nonlocal tried
        tried += 1
        window.script.end_editing()
        document.reset_script(START)
        window.script.select_lines([START.lines[0].id])
        for name, number in done:
            by_name[name](number)
            check(window)
        window.script.end_editing()
        end = document.script
        while document.stack.canRedo():  # what was undone last belongs to the end too
            document.stack.redo()
            end = document.script
        back = walked(document, document.stack.undo, document.stack.canUndo, window)
        assert document.script == START
        assert walked(document, document.stack.redo, document.stack.canRedo, window) == back
        assert document.script == end

    run()
    assert tried >= 10
