"""Words of a project: read while it is open, before the user's own, and kept in its file."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.adapters.openjtalk.mecab_words import forget_user_lexicon
from app.adapters.openjtalk.reading_choices import PROJECT_WORDS
from app.adapters.user_dictionary import change_dictionary, read_user_entries
from app.core.text.dictionary_entries import make_entry
from app.interchange.koebako_files import read_project
from app.settings.user_settings import Settings
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.dictionary.test_dictionary_dialog import _forget, fill
from tests.ui.projects.project_deeds import opened, press, project_file
from tests.ui.reading.test_strip import kana

__all__ = ["_forget"]


def test_they_count_while_the_project_is_open(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    change_dictionary(lambda _: (make_entry("檜箱庵", "ヒノキバコ"),))
    plain = project_file(tmp_path / "a.koebako", "檜箱庵に行く。")
    with_word = project_file(tmp_path / "b.koebako", "檜箱庵に行く。", dictionary=(make_entry("檜箱庵", "ヒノバコアン", 3),))
    window = open_window(Settings(text="", strip="open"))
    for file, read in ((plain, "ヒノキバコニイク"), (with_word, "ヒノバコアンニイク"), (plain, "ヒノキバコニイク")):
        opened(qtbot, window, file)
        qtbot.waitUntil(lambda read=read: kana(window) == read, timeout=WAIT_MS)
    opened(qtbot, window, with_word)
    window.close()
    assert PROJECT_WORDS.entries == ()
    forget_user_lexicon()
    again = open_window(Settings(text="", strip="open"))
    qtbot.waitUntil(lambda: kana(again) == "ヒノバコアンニイク", timeout=WAIT_MS)
    assert read_user_entries() == (make_entry("檜箱庵", "ヒノキバコ"),)


def test_the_dictionary_teaches_a_word_to_the_project_alone(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window(Settings(text="", strip="open"))
    file = project_file(tmp_path / "a.koebako", "檜箱庵に行く。")
    opened(qtbot, window, file)
    qtbot.waitUntil(lambda: bool(kana(window)), timeout=WAIT_MS)
    window.window_actions["dictionary"].trigger()
    dialog = window.dictionary.dialog
    assert dialog is not None
    dialog.scope.setCurrentIndex(1)
    fill(dialog, "檜箱庵", "ヒノバコアン", 3)
    dialog.put.click()
    qtbot.waitUntil(lambda: kana(window) == "ヒノバコアンニイク", timeout=WAIT_MS)
    assert [word.surface for word in dialog.table.words.words] == ["檜箱庵"]
    assert window.windowTitle() == "● a – Koebako"
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        window.projects.save_project()
    assert read_project(file).dictionary == (make_entry("檜箱庵", "ヒノバコアン", 3),)
    assert read_user_entries() == ()
    dialog.scope.setCurrentIndex(0)
    qtbot.waitUntil(lambda: dialog.table.words.words == (), timeout=WAIT_MS)
    dialog.scope.setCurrentIndex(1)
    words = tmp_path / "words.csv"
    words.write_text("surface,reading,accent\n声箱,コエバコ,2\n", encoding="utf-8")
    window.dictionary.import_file(words)
    qtbot.waitUntil(lambda: window.dictionary.preview is not None, timeout=WAIT_MS)
    preview = window.dictionary.preview
    assert preview is not None
    preview.replace_button.click()
    qtbot.waitUntil(lambda: len(window.project_parts.dictionary) == 2, timeout=WAIT_MS)
    window.projects.create_project()
    press(window, "Don't save")
    assert dialog.table.words.words == (), "the words of another project"
    dialog.reject()
