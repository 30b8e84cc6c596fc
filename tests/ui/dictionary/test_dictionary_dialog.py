"""The user's dictionary in the window: words come and go in its dialog, and the lines are read with them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.adapters.openjtalk.mecab_words import forget_user_lexicon
from app.adapters.user_dictionary import change_dictionary, find_dictionary_path, load_dictionary
from app.common.files import whole_files
from app.core.text.dictionary_entries import DictionaryEntry, make_entry
from app.settings.user_settings import Settings
from app.ui.dictionary.dictionary_dialog import DictionaryDialog
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.reading.test_strip import kana
from tests.ui.window_driver import WindowDriver

TEXT = "檜箱庵に行く。"
TAUGHT = "ヒノバコアンニイク"


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    forget_user_lexicon()
    yield
    forget_user_lexicon()


def opened(qtbot: QtBot, window: WindowDriver) -> DictionaryDialog:
    """The dialog, once it shows what the file holds."""
    window.window_actions["dictionary"].trigger()
    dialog = window.dictionary.dialog
    assert dialog is not None
    with qtbot.waitExposed(dialog):
        pass
    qtbot.waitUntil(lambda: len(dialog.table.words.words) == len(load_dictionary()[0]), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: dialog.form.surface.hasFocus() or not dialog.isActiveWindow(), timeout=WAIT_MS)
    return dialog


def fill(dialog: DictionaryDialog, surface: str, reading: str, accent: int = 0) -> None:
    """Types as an input method does."""
    for field, text in ((dialog.form.surface, surface), (dialog.form.reading, reading)):
        field.clear()
        typed = QInputMethodEvent()
        typed.setCommitString(text)
        QCoreApplication.sendEvent(field, typed)
    dialog.form.accent.setCurrentIndex(accent)


def surfaces(dialog: DictionaryDialog) -> list[str]:
    return [word.surface for word in dialog.table.words.words]


def words() -> tuple[DictionaryEntry, ...]:
    return load_dictionary()[0]


def test_a_word_is_taught_changed_and_taken_back_and_the_line_follows(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text=TEXT, strip="open"))
    qtbot.waitUntil(lambda: kana(window) not in ("", TAUGHT), timeout=WAIT_MS)
    plain = kana(window)
    dialog = opened(qtbot, window)
    assert dialog.pages.currentWidget() is dialog.empty
    assert not dialog.put.isEnabled()
    fill(dialog, "檜箱庵", "ひのばこあん", 3)
    assert dialog.form.accent.currentText() == "ヒノバ＼コアン"
    QTest.keyClick(dialog.form.reading, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: kana(window) == TAUGHT, timeout=WAIT_MS)
    assert words() == (make_entry("檜箱庵", "ヒノバコアン", 3),)
    assert dialog.pages.currentWidget() is dialog.table
    assert [word.surface for word in dialog.table.selected_entries] == ["檜箱庵"]
    assert dialog.put.text() == "Update"
    fill(dialog, "檜箱庵", "ヒノキアン")
    dialog.put.click()
    qtbot.waitUntil(lambda: kana(window) == "ヒノキアンニイク", timeout=WAIT_MS)
    dialog.remove.click()
    qtbot.waitUntil(lambda: kana(window) == plain, timeout=WAIT_MS)
    assert words() == ()
    assert dialog.pages.currentWidget() is dialog.empty


def test_what_is_spoken_has_the_word(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window(Settings(text=TEXT))
    lengths = []
    for word in (None, make_entry("檜箱庵", "ヒノバコアンノナガイナマエ")):
        if word is not None:
            opened(qtbot, window).put_requested.emit(word)
            qtbot.waitUntil(lambda: words() != (), timeout=WAIT_MS)
            with qtbot.waitSignal(window.controller.dictionary_changed, timeout=WAIT_MS):
                pass
        window.play_commands.play_lines([window.script.current_id])
        wait_idle(qtbot, window)
        lengths.append(sum(len(chunk.samples) for chunk in player.requests[list(player.requests)[-1]]))
    assert lengths[1] > 1.3 * lengths[0]


def test_a_word_can_be_heard_before_it_is_taught(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window(Settings(text=TEXT))
    dialog = opened(qtbot, window)
    fill(dialog, "声箱", "コエバコ", 1)
    dialog.hear.click()
    qtbot.waitUntil(lambda: bool(player.requests), timeout=WAIT_MS)
    wait_idle(qtbot, window)
    assert words() == ()


def test_what_is_wrong_is_told_and_nothing_is_lost(qtbot: QtBot, open_window: OpenWindow) -> None:
    dialog = opened(qtbot, open_window())
    fill(dialog, "声箱", "box")
    dialog.put.click()
    assert "“box” is not kana" in dialog.error.text()
    assert dialog.error.isVisible()
    assert dialog.form.surface.text() == "声箱"
    assert dialog.form.accent.count() == 0
    QTest.keyClicks(dialog.form.reading, "a")
    assert not dialog.error.isVisible()
    assert words() == ()


def test_a_folder_that_cannot_be_written_is_told(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    dialog = opened(qtbot, open_window())

    def full(*_arguments: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole_files, "write_file_atomically", full)
    fill(dialog, "声箱", "コエバコ")
    dialog.put.click()
    qtbot.waitUntil(dialog.error.isVisible, timeout=WAIT_MS)
    assert "could not be saved" in dialog.error.text()
    assert "the disk is full" in dialog.error.text()


def test_a_broken_file_is_told(qtbot: QtBot, open_window: OpenWindow) -> None:
    find_dictionary_path().parent.mkdir(parents=True, exist_ok=True)
    find_dictionary_path().write_text("{", encoding="utf-8")
    window = open_window(ready=False)
    window.window_actions["dictionary"].trigger()
    dialog = window.dictionary.dialog
    assert dialog is not None
    qtbot.waitUntil(dialog.error.isVisible, timeout=WAIT_MS)
    assert "cannot be read" in dialog.error.text()
    assert ".unreadable" in dialog.error.text()


def test_words_of_other_programs_come_in_and_go_out(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = {"surface": "声箱", "pronunciation": "コエバコ", "accent_type": 3, "part_of_speech": "名詞"}
    source, target = tmp_path / "辞書.json", tmp_path / "出力"
    source.write_text(json.dumps({"1": theirs, "2": theirs | {"surface": "箱", "pronunciation": "?"}}), encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_a, **_k: (str(source), ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(target), "CSV (*.csv)"))
    window = open_window()
    dialog = opened(qtbot, window)
    assert not dialog.export.isEnabled()
    dialog.take_in.click()
    qtbot.waitUntil(lambda: window.dictionary.preview is not None, timeout=WAIT_MS)
    preview = window.dictionary.preview
    assert preview is not None
    assert "is not kana" in preview.table.model().index(0, 3).data()
    assert surfaces(dialog) == []
    preview.replace_button.click()
    qtbot.waitUntil(lambda: surfaces(dialog) == ["声箱"], timeout=WAIT_MS)
    dialog.export.click()
    qtbot.waitUntil(tmp_path.joinpath("出力.csv").is_file, timeout=WAIT_MS)
    assert "声箱,コエバコ,3" in tmp_path.joinpath("出力.csv").read_text(encoding="utf-8")


def test_nothing_is_imported_before_the_conflicts_were_seen(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    change_dictionary(lambda _: (make_entry("声箱", "コエバコ", 3),))
    file = tmp_path / "ime.txt"
    file.write_text("!Microsoft IME Dictionary Tool\r\nせいばこ\t声箱\t名詞\r\nもり\t森\t名詞\r\n", encoding="utf-16")
    window = open_window()
    dialog = opened(qtbot, window)
    for press, readings in (("reject", ["コエバコ"]), ("keep", ["コエバコ", "モリ"]), ("replace", ["セイバコ", "モリ"])):
        window.dictionary.import_file(file)
        qtbot.waitUntil(lambda: window.dictionary.preview is not None, timeout=WAIT_MS)
        preview = window.dictionary.preview
        assert preview is not None
        assert [preview.table.model().index(0, column).data() for column in range(4)] == [
            "声箱", "コエバ＼コ", "セイバコ￣", "Differs from yours"
        ]  # fmt: skip
        {"reject": preview.reject, "keep": preview.keep_button.click, "replace": preview.replace_button.click}[press]()
        qtbot.waitUntil(lambda: window.dictionary.preview is None, timeout=WAIT_MS)
        qtbot.waitUntil(lambda wanted=readings: sorted(entry.reading for entry in words()) == wanted, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: len(surfaces(dialog)) == 2, timeout=WAIT_MS)


def test_words_are_searched_and_put_in_order(qtbot: QtBot, open_window: OpenWindow) -> None:
    change_dictionary(
        lambda _: tuple(make_entry(surface, reading) for surface, reading in (("檜", "ひのき"), ("AI", "あい"), ("声", "こえ")))
    )
    dialog = opened(qtbot, open_window())
    model = dialog.table.model()

    def column(number: int) -> list[Any]:
        return [model.index(row, number).data() for row in range(model.rowCount())]

    assert column(1) == ["アイ￣", "コエ￣", "ヒノキ￣"]
    for typed, found in (("ai", "AI"), ("ＡＩ", "AI"), ("ひのき", "檜"), ("ヒノキ", "檜"), ("ﾋﾉｷ", "檜")):
        dialog.search.setText(typed)
        assert column(0) == [found]
    dialog.search.clear()
    dialog.table.selectRow(2)
    assert dialog.form.entry == make_entry("檜", "ヒノキ")
    assert dialog.remove.isEnabled()


def test_a_reading_typed_below_a_line_becomes_a_word(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text=TEXT, strip="open"))
    qtbot.waitUntil(lambda: kana(window) != "", timeout=WAIT_MS)
    window.phone_strip.word_requested.emit(0)
    field = window.strip_panel.reading
    surface = field.surface
    assert surface
    assert window.lines[0].text.startswith(surface)
    field.edit.setText("ひのき")
    field.add_word.click()
    dialog = window.dictionary.dialog
    assert dialog is not None
    assert not field.isVisible()
    qtbot.waitUntil(lambda: dialog.form.reading.text() == "ヒノキ", timeout=WAIT_MS)
    assert dialog.form.surface.text() == surface
    assert dialog.put.isEnabled()


def test_it_opens_once_and_closes_with_the_window(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    dialog = opened(qtbot, window)
    window.window_actions["dictionary"].trigger()
    assert window.dictionary.dialog is dialog
    fill(dialog, "声箱", "コエバコ")
    dialog.put.click()
    window.close()
    assert [word.surface for word in words()] == ["声箱"]
    assert window.dictionary.dialog is None


def test_it_fits_a_small_screen(qtbot: QtBot, open_window: OpenWindow) -> None:
    dialog = opened(qtbot, open_window())
    assert dialog.minimumSizeHint().width() <= QSize(820, 560).width()
    assert dialog.minimumSizeHint().height() <= 560
