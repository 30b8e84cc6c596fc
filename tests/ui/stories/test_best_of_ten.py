"""The best of ten ways to speak a line, found with the combo boxes and on the board: what the hands do, and what the user waits for.

A user hears all ten, then the two best again, and keeps the second of them. The hands' seconds are those of the keystroke-level model
(Card, Moran and Newell): 1.3 s to point and click, 0.28 s for a key. Each way has a line of its own, so that nothing is
remembered; listening takes as long as the lines, which have 20 characters where slow tests run, and a few elsewhere.
"""

import time
from dataclasses import dataclass

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QWidget
from pytestqt.qtbot import QtBot

from app.audition.board import BoardCell
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle, write
from tests.ui.window_driver import WindowDriver

CLICK_S, KEY_S = 1.3, 0.28
SPEAKERS, STYLES = ("Mei", "Tohoku f01"), ("Neutral", "Happy", "Bashful", "Angry", "Sad")
WAYS = [(speaker, style) for speaker in SPEAKERS for style in STYLES]
GOOD, BEST = 2, 8  # places of the two that are heard again
SHORT_TEXTS = ("今日は。", "明日は。")
LONG_TEXTS = ("今日はとてもいい天気なので散歩します。", "明日の朝は早く起きて駅まで歩きましょう。")
Key = Qt.Key


@dataclass(slots=True)
class Hands:
    """Do what a user does, and count it.

    Attributes:
        waited_s: from a deed until its sound begins.
        heard_s: of sound.
    """

    qtbot: QtBot
    window: WindowDriver
    player: RecordingPlayer
    clicks: int = 0
    keys: int = 0
    waited_s: float = 0.0
    heard_s: float = 0.0

    def click(self, widget: QWidget, place: QPoint | None = None) -> None:
        self.clicks += 1
        self.qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place if place is not None else widget.rect().center())

    def press(self, widget: QWidget, key: Qt.Key) -> None:
        self.keys += 1
        self.qtbot.keyClick(widget, key)

    def choose(self, box: QComboBox, data: str) -> None:
        """Opens the list and clicks on a name, if that is not chosen already."""
        if box.currentData() == data:
            return
        self.click(box)
        view = box.view()
        view.setCurrentIndex(box.model().index(box.findData(data), 0))
        self.clicks += 1
        self.qtbot.keyClick(view, Key.Key_Return)  # Qt ignores a click so soon after the list has opened
        assert box.currentData() == data
        self.window.activateWindow()  # which this platform does not do by itself
        self.window.script.setFocus()
        self.qtbot.waitUntil(self.window.isActiveWindow, timeout=WAIT_MS)

    def hear(self, widget: QWidget, key: Qt.Key) -> None:
        """A key that speaks, and what it speaks to the end."""
        before, asked = len(self.player.requests), time.perf_counter()
        self.press(widget, key)
        self.qtbot.waitUntil(lambda: len(self.player.requests) > before, timeout=WAIT_MS)
        name = list(self.player.requests)[-1]
        self.waited_s += self.player.began[name] - asked
        wait_idle(self.qtbot, self.window)
        self.heard_s += len(self.player.sound(name)) / 44_100

    def summary(self, way: str) -> str:
        hands_s = CLICK_S * self.clicks + KEY_S * self.keys
        return (
            f"{way}: {self.clicks} clicks, {self.keys} keys, {hands_s:.1f} s of the hands, {self.waited_s:.2f} s of waiting,"
            f" {self.heard_s:.1f} s of listening, {hands_s + self.waited_s + self.heard_s:.1f} s in all"
        )


def by_combo_boxes(hands: Hands) -> None:
    side = hands.window.side
    for place in (*range(len(WAYS)), GOOD, BEST):
        speaker, style = WAYS[place]
        hands.choose(side.speakers, speaker)
        hands.choose(side.styles, style)
        hands.hear(hands.window.script, Key.Key_Space)  # a click on a list leaves the focus with the lines


def on_the_board(hands: Hands) -> None:
    window = hands.window
    hands.keys += 1
    window.window_actions["audition"].trigger()
    shown = window.board.window
    assert shown is not None
    hands.qtbot.waitUntil(shown.isActiveWindow, timeout=WAIT_MS)
    tree = shown.chooser.tree
    (second,) = tree.findItems(SPEAKERS[1], Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    tree.setCurrentItem(second)
    hands.click(tree.viewport(), tree.visualItemRect(second).center())
    hands.press(tree, Key.Key_Space)
    hands.qtbot.waitUntil(lambda: len(window.board.cells.board.cells) == len(WAYS), timeout=WAIT_MS)
    hands.click(shown.view.viewport(), shown.view.visualRect(shown.view.model().index(0, 0)).center())  # speaks
    wait_idle(hands.qtbot, window)
    hands.heard_s += len(hands.player.sound(list(hands.player.requests)[-1])) / 44_100
    for place in range(1, len(WAYS)):
        hands.hear(shown.view, Key.Key_Down)
        if place in (GOOD, BEST):
            hands.press(shown.view, Key.Key_S)
    hands.click(shown.filter.starred)
    hands.hear(shown.view, Key.Key_Up)
    hands.hear(shown.view, Key.Key_Down)
    assert shown.view.current_cell == BoardCell(0, BEST)
    hands.press(shown.view, Key.Key_Return)


def test_the_board_needs_fewer_clicks_and_keys(
    qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer, capsys: pytest.CaptureFixture[str], at_length: bool
) -> None:
    """Prints both ways; how long they take says more of the machine than of the program, and is not asserted."""
    window = open_window()
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    ways, results = {"combo boxes": by_combo_boxes, "board": on_the_board}, {}
    for text, (name, way) in zip(
        LONG_TEXTS if at_length else SHORT_TEXTS, ways.items(), strict=True
    ):  # another line each: nothing of it is remembered
        write(window, text)
        window.commands.change_setting("speaker", SPEAKERS[0])
        window.commands.change_setting("style", STYLES[0])
        hands = results[name] = Hands(qtbot, window, player)
        way(hands)
        settings = window.lines[0].settings
        assert (settings.speaker, settings.style) == WAYS[BEST]
        with capsys.disabled():
            print(f"\nthe best of {len(WAYS)} — {hands.summary(name)}", end="")
    assert results["board"].clicks + results["board"].keys < (results["combo boxes"].clicks + results["combo boxes"].keys)
    assert 4 * results["board"].clicks <= results["combo boxes"].clicks
    window.board.close()
    wait_idle(qtbot, window)
