"""Command search, diagnostics, log and About; audio outputs that come and go."""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from app.cli.commands.doctor.run import DOCTOR_CHECKS
from app.common import language
from app.common.errors import AudioDeviceError
from app.common.log import find_log_path
from app.core.synthesis_types import AudioChunk
from app.engine.output_device import OutputDevice, open_portaudio
from app.ui.actions.action_definitions import ACTIONS
from app.ui.actions.command_search import CommandSearchDialog, convert_command_to_kana, find_matching_commands, list_menu_commands
from app.ui.help import diagnostics_dialog
from app.ui.help.about_dialog import AboutDialog, WhatsNewDialog, format_third_parties, list_model_cards, list_third_parties
from app.ui.help.diagnostics_dialog import MAX_SHOWN_LOG_BYTES, DiagnosticsDialog, LogDialog, localize_check, read_newest_lines
from app.ui.playback import speech_settings
from app.ui.playback.speech_settings import OutputDeviceWatcher
from app.ui.shell import dialog_controller
from app.ui.shell.voices_feature import list_voice_commands
from app.ui.widgets.visibility_timer import VisibilityTimer
from tests.null_sink import NullSink, null_sink  # noqa: F401
from tests.ui.conftest import OpenWindow
from tests.ui.settings.test_settings_dialog import named

PATIENCE_MS = 60_000


def found(search: CommandSearchDialog) -> list[str]:
    rows = (search.found.topLevelItem(row) for row in range(search.found.topLevelItemCount()))
    return [item.text(0) for item in rows if item is not None]


def test_every_action_of_the_menus_is_found_by_either_language(open_window: OpenWindow) -> None:
    commands = list_menu_commands(open_window().menus)
    paths = [command.path for command in commands]
    assert "Play › Output device › Use system setting" in paths
    assert "View › Theme › Dark" in paths
    assert "Line › Duplicate" in paths
    assert not any("&" in path or "Find a command" in path for path in paths)
    for typed in ("duplicate", "複製", "ＤＵＰＬ", "dupl line"):
        assert find_matching_commands(commands, typed)[0].path == "Line › Duplicate", typed
    assert [command.path for command in find_matching_commands(commands, "save")][:5] == [
        "File › Save project",
        "File › Save project as…",
        "File › Include takes' sounds in file",
        "File › Other exports › Export selected lines…",
        "File › Other exports › Export all lines…",
    ]
    assert find_matching_commands(commands, "no such thing") == []
    assert len(find_matching_commands(commands, "")) == len(commands)


def test_japanese_menus_show_no_brackets_of_keys(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_current", "ja")
    paths = [command.path for command in list_menu_commands(open_window().menus)]
    assert "行 › 行を複製" in paths
    assert not any("(" in path for path in paths)


def test_search_does_what_was_found(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    search = window.dialogs.shown
    assert isinstance(search, CommandSearchDialog)
    qtbot.waitUntil(search.isActiveWindow, timeout=PATIENCE_MS)
    qtbot.keyClicks(search.typed, "add li")
    assert found(search)[0] == "Line › Add line"
    qtbot.keyClick(search.typed, Qt.Key.Key_Return)
    assert len(window.lines) == 1
    assert window.dialogs.shown is None


def test_names_are_found_as_they_are_read(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_current", "ja")
    commands = list_menu_commands(open_window().menus)
    for typed, path in (
        ("dark", "表示 › 配色 › ダーク"),
        ("だーく", "表示 › 配色 › ダーク"),
        ("こえ かんり", "ファイル › 声の管理…"),
        ("ふくせい", "行 › 行を複製"),
        ("ゆーざーじしょ", "ツール › ユーザー辞書…"),
        ("しんき", "ファイル › 新規プロジェクト"),
        ("なまえ ほぞん", "ファイル › プロジェクトを名前を付けて保存…"),
    ):
        assert find_matching_commands(commands, typed)[0].path == path, typed


def test_every_japanese_name_can_be_read() -> None:
    for spec in ACTIONS:
        assert not re.search("[一-龠々]", convert_command_to_kana(spec.label[0])), (
            f"{spec.name}: a word of its name is not in app/ui/actions/command_search.py"
        )


def test_voices_and_styles_are_commands(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    # The voice may be open before the list of voices is read, which fills the list of styles as well.
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=PATIENCE_MS)
    window.commands.add_text("はい。", 0)
    qtbot.waitUntil(lambda: window.side.styles.findData("Happy") >= 0, timeout=PATIENCE_MS)
    commands = list_voice_commands(window.catalog, window.voices.use_voice, window.side)
    paths = [command.path for command in commands]
    assert f"Voice › {window.catalog.voices[0].name}" in paths
    happy = find_matching_commands(commands, "style happy")[0]
    happy.action.trigger()
    assert window.lines[0].settings.style == "Happy"
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    search = window.dialogs.shown
    assert isinstance(search, CommandSearchDialog)
    search.typed.setText("mei")
    assert found(search)[0].startswith("Voice › Mei")


def test_search_moves_by_arrows_and_leaves_out_what_is_not_possible(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    search = CommandSearchDialog(list_menu_commands(window.menus), window)
    qtbot.addWidget(search)
    qtbot.keyClick(search.typed, Qt.Key.Key_Down)
    qtbot.keyClick(search.typed, Qt.Key.Key_Down)
    qtbot.keyClick(search.typed, Qt.Key.Key_Up)
    assert search.found.currentIndex().row() == 1
    search.typed.setText("undo")
    assert not window.window_actions["undo"].isEnabled()
    qtbot.keyClick(search.typed, Qt.Key.Key_Return)
    assert search.chosen is None
    for item in named(search):
        assert item.accessibleName()
        assert item.toolTip()


def test_search_that_finds_nothing_says_so(qtbot: QtBot) -> None:
    search = CommandSearchDialog(())
    qtbot.addWidget(search)
    search.show()
    assert search.nothing.isVisible()
    assert not search.found.isVisible()


def test_diagnostics_are_the_doctors(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dialog = DiagnosticsDialog()
    qtbot.addWidget(dialog)
    assert not dialog.copy.isEnabled()
    qtbot.waitUntil(lambda: bool(dialog.report), timeout=PATIENCE_MS)
    assert "✓ Reading text: ジュンビカンリョー" in dialog.report
    assert str(os.environ["KOEBAKO_HOME"]) in dialog.report
    assert "ジュンビカンリョー" in dialog.shown.toPlainText()
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == dialog.report
    file = tmp_path / "report.txt"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    dialog.save.click()
    assert file.read_text(encoding="utf-8") == dialog.report + "\n"
    for item in named(dialog):
        assert getattr(item, "text", str)() or item.accessibleName()
        assert item.toolTip()


def test_diagnostics_end_with_their_dialog_and_tell_of_a_broken_doctor(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = DiagnosticsDialog()
    qtbot.addWidget(closed)
    closed.reject()
    assert closed.process.state() == closed.process.ProcessState.NotRunning
    for command in (["false"], ["/no/such/program"]):
        monkeypatch.setattr(diagnostics_dialog, "build_cli_command", lambda command=command: command)
        broken = DiagnosticsDialog()
        qtbot.addWidget(broken)
        qtbot.waitUntil(broken.busy.isHidden, timeout=PATIENCE_MS)
        assert "did not finish" in broken.summary.text()


def test_the_log_is_shown_filtered_and_kept_up_to_date(qtbot: QtBot) -> None:
    find_log_path().parent.mkdir(parents=True)
    find_log_path().write_text("2026-01-01 INFO opened\n2026-01-02 WARNING disk full\n", encoding="utf-8")
    dialog = LogDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.shown.toPlainText().splitlines()[0].endswith("opened")
    dialog.serious.setChecked(True)
    assert dialog.shown.toPlainText() == "2026-01-02 WARNING disk full"
    with find_log_path().open("a", encoding="utf-8") as file:
        file.write("2026-01-03 ERROR device lost\n")
    qtbot.waitUntil(lambda: "device lost" in dialog.shown.toPlainText(), timeout=PATIENCE_MS)
    dialog.wanted.setText("DEVICE")
    assert dialog.shown.toPlainText() == "2026-01-03 ERROR device lost"
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == "2026-01-03 ERROR device lost"
    for item in named(dialog):
        assert getattr(item, "text", str)() or item.accessibleName()
        assert item.toolTip()


def test_only_the_newest_part_of_a_long_log_is_read(tmp_path: Path) -> None:
    log = tmp_path / "long.log"
    assert read_newest_lines(log) == []
    log.write_text("".join(f"{number:07d}\n" for number in range(MAX_SHOWN_LOG_BYTES // 4)), encoding="utf-8")
    lines = read_newest_lines(log)
    assert lines[-1] == f"{MAX_SHOWN_LOG_BYTES // 4 - 1:07d}"
    assert len(lines) < MAX_SHOWN_LOG_BYTES / 8
    assert all(len(line) == 7 for line in lines)


def test_third_parties_are_those_that_are_installed() -> None:
    found_parts = {part.name.lower(): part for part in list_third_parties()}
    assert {"onnxruntime", "onnxruntime-directml"} & set(found_parts)
    assert {"numpy", "pyside6_essentials", "pyopenjtalk-plus", "sounddevice", "sudachipy"} <= set(found_parts)
    assert not {"pytest", "mypy", "ruff", "torch"} & set(found_parts)
    assert "BSD" in found_parts["numpy"].licence
    assert found_parts["numpy"].licence_files
    assert "Qt 6: LGPL" in found_parts["pyside6_essentials"].licence


def text_of(dialog: AboutDialog, page: int) -> str:
    found = dialog.tabs.widget(page)
    assert isinstance(found, QTextBrowser)
    return found.toPlainText()


def test_about_has_version_cards_and_licences(qtbot: QtBot) -> None:
    dialog = AboutDialog("1.2.3")
    qtbot.addWidget(dialog)
    titles = [dialog.tabs.tabText(page) for page in range(dialog.tabs.count())]
    assert [name for name, _ in list_model_cards()] == titles[:2]
    assert titles[2:] == ["Open-source licences", "Koebako licence"]
    with qtbot.waitSignal(dialog.third_parties_requested):
        for page in range(len(titles)):
            dialog.tabs.setCurrentIndex(page)
            assert text_of(dialog, page) or page == 2
    assert "CC BY 4.0" in text_of(dialog, 0)
    assert "CC BY 4.0" in text_of(dialog, 1)
    dialog.show_third_parties(format_third_parties())
    assert "numpy" in dialog.third_parties.toPlainText()
    text = next(part for part in list_third_parties() if part.name == "numpy").licence_files[0]
    dialog.third_parties.anchorClicked.emit(QUrl.fromLocalFile(str(text)))
    assert text.read_text(encoding="utf-8").split()[-1] in dialog.third_parties.toPlainText()
    dialog.third_parties.anchorClicked.emit(QUrl("back:"))
    assert "numpy" in dialog.third_parties.toPlainText()


def test_every_dialog_opens_from_its_action_and_goes_with_the_window(open_window: OpenWindow) -> None:
    window = open_window()
    kinds = []
    for name in ("settings", "find_command", "diagnose", "show_log", "about"):
        window.window_actions[name].trigger()
        shown = window.dialogs.shown
        assert shown is not None
        assert shown.isVisible()
        kinds.append(type(shown).__name__)
    assert kinds == ["SettingsDialog", "CommandSearchDialog", "DiagnosticsDialog", "LogDialog", "AboutDialog"]
    window.close()
    assert window.dialogs.shown is None


@pytest.mark.sound
def test_an_output_that_is_plugged_in_appears_and_goes_again(
    qtbot: QtBot,
    null_sink: NullSink,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """ALSA lists what its configuration names: each sink of the test's own server gets a name there, and loses it."""
    for name, value in null_sink.environment.items():
        monkeypatch.setenv(name, value)
    assert 1 <= speech_settings.DEVICE_REFRESH_INTERVAL_S <= 10
    monkeypatch.setattr(speech_settings, "DEVICE_REFRESH_INTERVAL_S", 0.0)
    configuration = Path(null_sink.environment["ALSA_CONFIG_PATH"])
    before = configuration.read_text(encoding="ascii")
    parent = QObject()
    watch = OutputDeviceWatcher(parent)
    watch.refresh_devices()
    qtbot.waitUntil(lambda: bool(watch.labels), timeout=PATIENCE_MS)
    first = watch.labels
    null_sink.plug("second")
    configuration.write_text(before + 'pcm.second { type pulse device "second" hint { show on description "second" } }\n', encoding="ascii")
    with qtbot.waitSignal(watch.changed, timeout=PATIENCE_MS):
        watch.refresh_devices()
    assert set(first) < set(watch.labels)
    assert any("second" in label for label in watch.labels)
    null_sink.unplug("second")
    configuration.write_text(before, encoding="ascii")
    with qtbot.waitSignal(watch.changed, timeout=PATIENCE_MS):
        watch.refresh_devices()
    assert watch.labels == first
    watch.close()


@pytest.mark.sound
def test_an_output_plugged_in_meanwhile_can_be_chosen_and_is_heard(
    null_sink: NullSink,  # noqa: F811
) -> None:
    held = OutputDevice(open_portaudio)
    tone = (0.3 * np.sin(np.arange(22_050) * 0.1)).astype(np.float32)
    held.ensure_open(44_100).write_chunk(AudioChunk(tone, 44_100, "first", 0, last=True))
    assert held.wait_until_played(lambda: False)
    null_sink.plug("second")
    configuration = Path(null_sink.environment["ALSA_CONFIG_PATH"])
    with configuration.open("a", encoding="ascii") as file:
        file.write('pcm.second { type pulse device "second" hint { show on description "second" } }\n')
    with null_sink.recording("second") as heard:
        held.choose_device("second", 44_100)
        held.ensure_open(44_100).write_chunk(AudioChunk(tone, 44_100, "second", 0, last=True))
        assert held.wait_until_played(lambda: False)
        null_sink.wait_for_sound()  # the server may be behind, and the recorder behind the server
    assert np.abs(heard[0]).max() == pytest.approx(0.3, abs=0.01)
    with pytest.raises(AudioDeviceError):
        held.choose_device("no such output", 44_100)
    assert held.device == "second"
    assert held.ensure_open(44_100) is not None
    held.close()


def test_a_look_that_fails_leaves_the_list_as_it_was(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech_settings, "build_cli_command", lambda: ["false"])
    parent = QObject()
    watch = OutputDeviceWatcher(parent)
    watch.set_devices(("Speakers",))
    watch.refresh_devices()
    qtbot.waitUntil(lambda: not watch.is_looking, timeout=PATIENCE_MS)
    assert watch.labels == ("Speakers",)
    watch.close()


def test_outputs_found_meanwhile_are_in_the_menu(open_window: OpenWindow) -> None:
    window = open_window()
    window.dialogs.devices.set_devices(("Headphones",))
    labels = [action.text() for action in window.menus.findChildren(QAction) if action.data() == "Headphones"]
    assert labels == ["Headphones"]


def test_what_nobody_sees_is_not_looked_at(qtbot: QtBot) -> None:
    looks: list[int] = []
    widget = QWidget()
    qtbot.addWidget(widget)
    timer = VisibilityTimer(widget, 1, lambda: looks.append(1))
    assert not timer.isActive()
    widget.show()
    qtbot.waitUntil(lambda: len(looks) > 3, timeout=PATIENCE_MS)
    widget.hide()
    seen = len(looks)
    assert not timer.isActive()
    qtbot.wait(20)
    assert len(looks) == seen
    widget.show()
    assert len(looks) == seen + 1, "what is shown is of now"


def test_every_check_has_a_name_for_people() -> None:
    assert [check for check in DOCTOR_CHECKS if localize_check(check) == check] == []


@pytest.mark.parametrize("tongue", ["ja", "en"])
def test_whats_new_shows_the_change_log_in_the_language_of_the_window(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tongue: language.Language
) -> None:
    monkeypatch.setattr(language, "_current", tongue)
    window = open_window()
    window.window_actions["whats_new"].trigger()
    shown = window.dialogs.shown
    assert isinstance(shown, WhatsNewDialog)
    text = shown.view.toPlainText()
    assert ("自然な声" in text, "natural voice" in text) == (tongue == "ja", tongue == "en")
    assert "####" not in text
    assert shown.view.horizontalScrollBar().maximum() == 0


def test_whats_new_is_not_offered_where_the_change_log_is_not_installed(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialog_controller, "find_change_log", lambda: None)
    assert not open_window().window_actions["whats_new"].isVisible()
