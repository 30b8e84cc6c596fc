"""Whatever goes wrong in the window, what the user wrote gets into no file but those that keep it."""

import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.common.errors import InputError
from app.common.log import allow_words_in_log, find_log_path, logger, start_log
from app.settings.user_settings import load_settings
from app.ui.main import _install_error_hook
from app.ui.settings.settings_dialog import SettingsDialog
from tests.secret import READING, SECRET, WORD, betrayed
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, text_of
from tests.ui.playback.test_sound_saving import answer
from tests.ui.stories.test_saving import save
from tests.ui.window_driver import WindowDriver


@pytest.fixture(autouse=True)
def _logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The log as a program of its own has it."""
    monkeypatch.setattr(logger, "handlers", [])
    level = logger.level
    start_log()
    yield
    for handler in logger.handlers:
        handler.close()
    logger.setLevel(level)
    allow_words_in_log(False)


def break_synthesis(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every sentence fails with words of its own."""

    def convert(_g2p: OpenJTalkG2P, text: str, _readings: object = (), **_more: object) -> None:
        raise RuntimeError(f"no reading of {text}") from KeyError(text)

    monkeypatch.setattr(OpenJTalkG2P, "convert_sentence", convert)


def close_upon(window: WindowDriver, error: Exception) -> None:
    """Closes the window while something goes wrong behind it."""

    def fail() -> None:
        raise error

    window.dialogs.background.run_work(lambda: logger.info("begun"))
    window.dialogs.background._is_closed = True
    window.dialogs.background.run_work(fail)
    window.close()


def test_lines_words_and_files_stay_out_of_the_log(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = open_window()
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    _install_error_hook(window.show_unexpected_error)
    from app.adapters.openjtalk.user_lexicon import change_user_entries
    from app.core.text.dictionary_entries import make_entry, merge_entries

    change_user_entries(lambda words: merge_entries(words, [make_entry(WORD, READING)]))
    (tmp_path / "lines.txt").write_text(f"{SECRET}\n{WORD}", encoding="utf-8")
    (tmp_path / "broken.txt").write_bytes(SECRET.encode("utf-16-le")[:-1])
    window.importing.import_files([tmp_path / "lines.txt", tmp_path / "broken.txt"], 0)
    qtbot.waitUntil(lambda: SECRET in text_of(window), timeout=WAIT_MS)
    speak(qtbot, window, SECRET)
    answer(monkeypatch, tmp_path / f"{SECRET}.wav")
    save(qtbot, window)
    answer(monkeypatch, tmp_path / "no folder" / f"{SECRET}.wav")
    save(qtbot, window)
    assert window.banner.isVisible()

    break_synthesis(monkeypatch)
    speak(qtbot, window, f"{SECRET}、{WORD}。")
    assert window.banner.message.text() == "An unexpected error occurred."
    for error in (RuntimeError(SECRET), UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET), FileNotFoundError(2, SECRET, SECRET)):
        sys.excepthook(type(error), error, None)
    assert SECRET in window.banner.details.text.toPlainText(), "the user sees it where it happened"
    close_upon(window, InputError(f"“{WORD}” cannot be added to the dictionary.", SECRET))

    told = find_log_path().read_text(encoding="utf-8")
    for fact in (
        "in convert",
        "builtins.RuntimeError",
        "builtins.FileNotFoundError: [2]",
        "not done before the window closed",
        "InputError",
    ):
        assert fact in told, "that it happened is told, and where"
    assert betrayed(Path(os.environ["KOEBAKO_HOME"])) == []


def test_those_who_allow_it_find_the_words_in_the_log_at_once(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    window.dialogs.open_settings()
    dialog = window.dialogs.shown
    assert isinstance(dialog, SettingsDialog)
    assert not dialog.controls["log_words"].current
    dialog.controls["log_words"].show_value(True)  # type: ignore[arg-type]
    dialog.ok.click()
    break_synthesis(monkeypatch)
    speak(qtbot, window, SECRET)
    assert f"RuntimeError: no reading of {SECRET}" in find_log_path().read_text(encoding="utf-8")
    qtbot.waitUntil(lambda: load_settings()[0].log_words, timeout=WAIT_MS)
    window.settings.change_settings(log_words=False)
    written = find_log_path().stat().st_size
    speak(qtbot, window, f"{SECRET}！")
    assert SECRET not in find_log_path().read_bytes()[written:].decode()
    assert logging.getLogger("koebako") is logger
