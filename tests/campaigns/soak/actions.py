"""Deeds of the random driver that need more than a call: keys, drops, presets, settings, search, places in the sound."""

from collections.abc import Callable
from pathlib import Path
from random import Random

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QPushButton, QSpinBox, QToolButton

from app.ui.actions.command_search import CommandSearchDialog
from app.ui.reading.melody.melody_commands import MELODY_COMMANDS
from app.ui.settings.settings_dialog import SettingsDialog
from tests.ui.window_driver import WindowDriver

ActionSpec = Callable[[WindowDriver, Random, Path], None]
Key, Held = Qt.Key, Qt.KeyboardModifier
WINDOW_KEYS = (
    (Key.Key_Return, Held.ControlModifier),
    (Key.Key_Return, Held.ShiftModifier),
    (Key.Key_D, Held.ControlModifier),
    (Key.Key_Z, Held.ControlModifier),
    (Key.Key_Y, Held.ControlModifier),
    (Key.Key_Up, Held.AltModifier),
    (Key.Key_Escape, Held.NoModifier),
    (Key.Key_R, Held.ControlModifier),
    (Key.Key_Tab, Held.NoModifier),
)
LIST_KEYS = (Key.Key_Space, Key.Key_Up, Key.Key_Down, Key.Key_F2, Key.Key_Delete, Key.Key_Home, Key.Key_E)
STRIP_KEYS = (Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down, Key.Key_Slash, Key.Key_Delete, Key.Key_Space, Key.Key_Return)
MELODY_KEYS = (Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down, Key.Key_Delete, Key.Key_P, Key.Key_S, Key.Key_Space)
SEARCHED = ("duplicate", "move up", "play", "stop", "reading", "find", "add line", "loop", "nothing at all")
DROPPED = ("a.txt", "b.csv", "c.md", "d.png", "e.aivmx")


def press_keys(window: WindowDriver, random: Random, _folder: Path) -> None:
    """Of the window, or of the list."""
    if random.random() < 0.5:
        QTest.keyClick(window, *random.choice(WINDOW_KEYS))
    else:
        window.script.setFocus()
        QTest.keyClick(window.script, random.choice(LIST_KEYS))


def shape_with_keys(window: WindowDriver, random: Random, _folder: Path) -> None:
    """Accents, lengths, phrases and readings of the selected line."""
    strip = window.phone_strip
    strip.setFocus()
    for _ in range(random.randint(1, 6)):
        held = random.choice((Held.NoModifier, Held.NoModifier, Held.AltModifier))
        QTest.keyClick(strip, random.choice(STRIP_KEYS), held)
    if random.random() < 0.3:
        field = window.strip_panel.reading.edit
        field.setText(random.choice(("アメ", "ゆき", "abc", "")))
        QTest.keyClick(field, random.choice((Key.Key_Return, Key.Key_Escape)))


def shape_melody(window: WindowDriver, random: Random, _folder: Path) -> None:
    """Handles, the pen, keys and commands of the selected line's melody."""
    lane = window.melody_lane
    window.window_actions["show_melody"].setChecked(random.random() < 0.9)
    lane.setFocus()
    for _ in range(random.randint(1, 6)):
        QTest.keyClick(lane, random.choice(MELODY_KEYS), random.choice((Held.NoModifier, Held.ShiftModifier)))
    window.window_actions[random.choice([name for name in MELODY_COMMANDS if name])].trigger()
    start, end = (QPoint(random.randrange(max(1, lane.width())), random.randrange(lane.height())) for _ in range(2))
    shape = lane.shape
    if shape is not None and shape.cells and random.random() < 0.5:
        mora = random.randrange(len(shape.cells))
        start = QPoint(round(shape.cells[mora].middle), round(shape.find_handle_y(mora)))
    QTest.mousePress(lane, Qt.MouseButton.LeftButton, Held.NoModifier, start)
    QTest.mouseMove(lane, end)
    QTest.mouseRelease(lane, Qt.MouseButton.LeftButton, Held.NoModifier, end)


def compose(window: WindowDriver, random: Random, _folder: Path) -> None:
    """As an input method does it: a while in the making, then taken or left."""
    editor = window.script.editor
    if editor is None:
        return
    QApplication.sendEvent(editor, QInputMethodEvent("へんかん", []))
    done = QInputMethodEvent()
    done.setCommitString(random.choice(("変換", "", "返還\n")))
    QApplication.sendEvent(editor, done)


def drop(window: WindowDriver, random: Random, folder: Path) -> None:
    """A file of any kind, or a text, on the window or the list."""
    data = QMimeData()
    if random.random() < 0.5:
        file = folder / random.choice(DROPPED)
        file.write_text(random.choice(("一行目。\n二行目。", "", "名前,言葉\nメイ,はい。")), encoding=random.choice(("utf-8", "cp932")))
        data.setUrls([QUrl.fromLocalFile(str(file))])
    else:
        data.setText(random.choice(("落とした文。", "https://example.invalid/voice.aivmx", "\n\n")))
    target = random.choice((window, window.script.viewport()))
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Held.NoModifier)
    entered = QDragEnterEvent(QPoint(5, 5), *how)
    QApplication.sendEvent(target, entered)
    if entered.isAccepted():
        QApplication.sendEvent(target, QDropEvent(QPointF(5, 5), *how))


def use_presets(window: WindowDriver, random: Random, _folder: Path) -> None:
    """Keeps one, chooses one, or removes one."""
    bar = window.presets
    match random.randrange(3):
        case 0:
            bar.keep_settings_as(random.choice(("早口", "静か", "怒り")))
        case 1 if bar.names.count():
            bar.names.activated.emit(random.randrange(bar.names.count()))
        case _ if bar.more.delete.isEnabled():
            bar.more.delete.trigger()


def roll(window: WindowDriver, random: Random, _folder: Path) -> None:
    """Seed, pauses and the text that colours the voice."""
    side = window.side
    match random.randrange(4):
        case 0:
            side.seed.dice.click()
        case 1:
            side.seed.lock.click()
        case 2:
            field = random.choice(list(side.pauses.fields.values()))
            field.setValue(random.random())
        case _:
            side.assist.setText(random.choice(("", "悲しい。", "うれしい！")))
            side.assist.textEdited.emit(side.assist.text())


def play_from(window: WindowDriver, random: Random, _folder: Path) -> None:
    """From a place in the sound, or a line by its own button."""
    if random.random() < 0.5:
        window.phone_strip.place_selected.emit(random.random() * 2)
    elif window.lines:
        window.script.play_requested.emit(random.choice(window.lines).id)


def settle(window: WindowDriver, random: Random, _folder: Path) -> None:
    """The settings: something else, and agreed to or not."""
    window.window_actions["settings"].trigger()
    dialog = window.dialogs.shown
    if not isinstance(dialog, SettingsDialog):
        return
    box = random.choice([item for item in dialog.findChildren(QSpinBox) if item.isEnabled()] or [None])
    if box is not None:
        box.setValue(random.randint(box.minimum(), min(box.maximum(), 60)))
    (dialog.accept if random.random() < 0.7 else dialog.reject)()


def search(window: WindowDriver, random: Random, _folder: Path) -> None:
    """A command by its name."""
    window.window_actions["find_command"].trigger()
    dialog = window.dialogs.shown
    if isinstance(dialog, CommandSearchDialog):
        dialog.typed.setText(random.choice(SEARCHED))
        QTest.keyClick(dialog.typed, random.choice((Key.Key_Return, Key.Key_Escape)))


def press_in_panel(window: WindowDriver, random: Random, _folder: Path) -> None:
    """A button of a job: again, its log, away with it, or what it asks."""
    buttons = [item for kind in (QPushButton, QToolButton) for item in window.jobs_panel.findChildren(kind) if item.isVisible()]
    if buttons:
        random.choice(buttons).click()


def look(window: WindowDriver, random: Random, _folder: Path) -> None:
    """Where the mouse rests: bars, waveform, strip, list; and the graph held or emptied."""
    target = random.choice((window.latency.chart, window.strip_panel.waveform, window.phone_strip, window.script.viewport()))
    QTest.mouseMove(target, QPoint(random.randrange(max(1, target.width())), random.randrange(max(1, target.height()))))
    if random.random() < 0.2:
        window.latency.title.pause.click()
    box = random.choice(window.findChildren(QComboBox))
    if box.isVisible() and random.random() < 0.3:
        box.showPopup()
        QApplication.processEvents()
        box.hidePopup()


ACTIONS: tuple[tuple[int, ActionSpec], ...] = (
    (10, press_keys),
    (8, shape_with_keys),
    (5, shape_melody),
    (5, compose),
    (3, drop),
    (2, use_presets),
    (4, roll),
    (4, play_from),
    (1, settle),
    (3, search),
    (2, press_in_panel),
    (3, look),
)
