"""Settings: every one has its control, nothing changes before OK, and what changes takes effect."""

import os
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QApplication, QComboBox, QKeySequenceEdit, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.common import language
from app.core.delivery import Delivery
from app.engine.synthesis_jobs import ChoosePrecisionsJob, OpenVoiceJob
from app.service.agents.agent_tools import find_agent_voice, remember_agent_voice
from app.settings.settings_labels import LABEL_BY_SETTING, SETTING_LABELS
from app.settings.user_settings import PrecisionPreference, Settings, load_settings, parse_origins
from app.ui.actions.action_definitions import ACTIONS
from app.ui.actions.window_actions import (
    KeyBinding,
    convert_key_sequence,
    find_key_conflicts,
    load_shortcuts,
    locate_shortcuts_file,
    save_shortcuts,
)
from app.ui.main import set_window_language
from app.ui.settings.setting_fields import RememberedListField
from app.ui.settings.settings_dialog import SHOWN_SETTINGS, SettingsDialog
from app.ui.theme.theme import DARK_THEME, LIGHT_THEME, apply_theme
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle

pytestmark = pytest.mark.usefixtures("styled")

# What the program remembers without asking: everything else of `Settings` has a label, and so a control in the dialog.
WITHOUT_LABEL = {
    *("text", "backend", "voice", "default_voice", "speaker", "style", "seed", "expression_open", "loop", "live", "follow"),
    *("takes_open", "strip", "melody", "latency", "save_folder", "save_suffix", "bert", "force_bert", "exact_voices", "fast_voices"),
    *("update_checked_day", "update_found", "read_voice", "read_speaker", "read_speed", "read_player_place", "always_on_top"),
    *("recent_projects", "favourite_voices", "export", "side_width", "geometry", "layout"),
    *(item.name for item in fields(Delivery)),  # the numbers of a line, which its panel shows
}
# Another value of each setting whose metadata name none.
OTHER_TEXTS: dict[str, str | tuple[str, ...]] = {
    "device": "Headphones (ALSA)",
    "aivisspeech_folder": "off",
    "chat_voices": "1=Mei",
    "chat_muted": ("Taro", "=^.^="),
    "chat_caption_folder": "captions",
    "service_origins": "https://example.com, http://localhost:3000/",
    "read_hotkey": "Ctrl+Alt+R",
    "read_skipped_programs": "calc",
}


def find_another_value(item: Field[Any]) -> object:
    """A value of a setting that is not its default; a new line of text needs a row in `OTHER_TEXTS`."""
    if "choices" in item.metadata:
        return next(value for value in item.metadata["choices"] if value != item.default)
    if isinstance(item.default, bool):
        return not item.default
    if "low" in item.metadata:
        return item.metadata["low"] if item.default != item.metadata["low"] else item.metadata["high"]
    return OTHER_TEXTS[item.name]


def named(parent: QWidget) -> list[QWidget]:
    """Controls a person can touch, without the inner parts of Qt's own widgets."""
    kinds = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QKeySequenceEdit)
    found = [item for kind in kinds for item in parent.findChildren(kind)]
    inner = (QAbstractSpinBox, QComboBox, QKeySequenceEdit, QLineEdit)
    return [item for item in found if not isinstance(item.parent(), inner) and not item.objectName().startswith("qt_")]


@pytest.fixture
def dialog(qtbot: QtBot) -> SettingsDialog:
    made = SettingsDialog(Settings(), ("Headphones (ALSA)",), {})
    qtbot.addWidget(made)
    return made


def test_every_setting_can_be_changed_and_restored(dialog: SettingsDialog) -> None:
    assert {item.name for item in fields(Settings)} - {item.name for item in SHOWN_SETTINGS} == WITHOUT_LABEL
    assert dialog.changes == {}
    offered = [item for item in SHOWN_SETTINGS if item.name in dialog.controls and item.name != "agent_voices"]  # chosen by agents
    other = {item.name: find_another_value(item) for item in offered}
    for name, value in other.items():
        dialog.controls[name].show_value(value)  # type: ignore[arg-type]
    assert dialog.changes == other
    assert replace(Settings(), **dialog.changes).unload_after_min == other["unload_after_min"]
    assert dialog.restart_hint.isVisibleTo(dialog)
    dialog.shortcut_page.fields_by_action["play"][0].setKeySequence(QKeySequence("F5"))
    dialog.restore.click()
    assert dialog.changes == {}
    assert dialog.shortcut_page.bindings == {}
    assert not dialog.restart_hint.isVisibleTo(dialog)


def test_values_stay_within_their_bounds(dialog: SettingsDialog) -> None:
    for item in SHOWN_SETTINGS:
        if "low" in item.metadata:
            control = dialog.controls[item.name]
            for wanted in (item.metadata["low"] - 1, item.metadata["high"] + 1):
                control.show_value(wanted)
                assert item.metadata["low"] <= control.current <= item.metadata["high"]
        if "choices" in item.metadata:
            assert len(LABEL_BY_SETTING[item.name].choices) == len(item.metadata["choices"])


@pytest.mark.parametrize("wrong", ["example.com", "https://example.com/overlay", "https://*.example.com", "null", "https://a b"])
def test_what_is_no_origin_is_said_and_not_accepted(dialog: SettingsDialog, wrong: str) -> None:
    field = dialog.controls["service_origins"]
    field.show_value(f"https://good.example {wrong}")  # type: ignore[arg-type]
    assert not dialog.ok.isEnabled()
    assert "is not an origin" in dialog.mistake.text()
    assert parse_origins(str(field.current)) == {"https://good.example"} | ({"https://a"} if wrong.endswith("a b") else set())
    field.show_value("https://good.example")  # type: ignore[arg-type]
    assert dialog.ok.isEnabled()
    assert not dialog.mistake.isVisibleTo(dialog)


def test_voices_of_agents_are_listed_and_forgotten(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    remember_agent_voice("Claude", "Mei")  # as the agent's own program does meanwhile
    remember_agent_voice("Other", "Rin/Happy")
    window.window_actions["settings"].trigger()
    dialog = window.dialogs.shown
    assert isinstance(dialog, SettingsDialog)
    field = dialog.controls["agent_voices"]
    assert isinstance(field, RememberedListField)
    qtbot.waitUntil(lambda: field.list.count() == 2, timeout=WAIT_MS)
    assert [field.list.item(row).text() for row in range(2)] == ["Claude: Mei", "Other: Rin/Happy"]
    assert not field.forget.isEnabled()
    assert dialog.changes == {}
    field.list.setCurrentRow(0)
    field.forget.click()
    dialog.ok.click()
    qtbot.waitUntil(lambda: load_settings()[0].agent_voices == ("Other=Rin/Happy",), timeout=WAIT_MS)
    assert find_agent_voice("Claude") == ""


@pytest.mark.parametrize("tongue", ["ja", "en"])
def test_everything_has_a_name_and_words_in_both_languages(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tongue: str) -> None:
    monkeypatch.setattr(language, "_current", tongue)
    made = SettingsDialog(Settings(), (), {})
    qtbot.addWidget(made)
    for page in range(made.tabs.count()):
        made.tabs.setCurrentIndex(page)
    assert len(made.shortcut_page.fields_by_action) == len(ACTIONS)
    found = named(made)
    assert len(found) > len(SHOWN_SETTINGS) + 3 * len(ACTIONS)
    for item in found:
        assert item.accessibleName() or getattr(item, "text", str)(), item
        assert item.toolTip() or item.objectName().startswith("Scroll"), (item, item.accessibleName())
    buddies = {label.buddy() for label in made.findChildren(QLabel)}
    assert set(made.controls.values()) <= buddies


def test_tab_follows_sight(qtbot: QtBot, dialog: SettingsDialog) -> None:
    dialog.show()
    dialog.tabs.setCurrentIndex(1)
    qtbot.waitUntil(dialog.isActiveWindow, timeout=WAIT_MS)
    dialog.tabs.tabBar().setFocus()
    reached = []
    for _ in range(20):
        qtbot.keyClick(QApplication.focusWidget() or dialog, Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    order = [dialog.controls[item.name] for item in SHOWN_SETTINGS if item.name in SETTING_LABELS["voice"]]
    places = [reached.index(control.focusProxy() or control) for control in order]
    assert places == sorted(places)


def test_another_default_precision_opens_nothing_that_does_not_change(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="", fast_voices=("a",)))
    posted: list[object] = []
    post = window.speech_engine.enqueue_job
    window.speech_engine.enqueue_job = lambda job: (posted.append(job), post(job))[1]
    opened = dict(window.controller.voices)
    window.settings.change_settings(sound_precision="fast")
    wait_idle(qtbot, window)
    assert [job.precisions.graphs for job in posted if isinstance(job, ChoosePrecisionsJob)] == [PrecisionPreference("fast", fast=("a",))]
    assert len(posted) == 1
    assert window.controller.voices == opened, "the included voice has no Fast"
    assert window.catalog.sounds.default == "fast"


def test_ok_uses_the_changes_at_once(qtbot: QtBot, open_window: OpenWindow, qapp: QApplication) -> None:
    window = open_window()
    posted: list[object] = []
    post = window.speech_engine.enqueue_job
    window.speech_engine.enqueue_job = lambda job: (posted.append(job), post(job))[1]
    window.window_actions["settings"].trigger()
    dialog = window.dialogs.shown
    assert isinstance(dialog, SettingsDialog)
    for name, value in {"theme": "dark", "unload_after_min": 30, "bert_precision": "float32"}.items():
        dialog.controls[name].show_value(value)  # type: ignore[arg-type]
    assert window.settings.value.theme == "system"
    dialog.ok.click()
    assert (window.settings.value.theme, window.speech_engine.unload_after_min) == ("dark", 30)
    qtbot.waitUntil(lambda: bool(posted), timeout=WAIT_MS)
    assert [job.precisions.bert for job in posted if isinstance(job, OpenVoiceJob)] == ["float32"], "it travels with the request"
    assert [type(job) for job in posted] == [OpenVoiceJob]
    qtbot.waitUntil(window.updatesEnabled, timeout=WAIT_MS)
    assert window.grab().toImage().pixelColor(2, 400).name() == DARK_THEME.window
    wait_idle(qtbot, window)
    assert window.dialogs.shown is None
    apply_theme(qapp, LIGHT_THEME)


def test_the_close_button_waits_for_the_tray(open_window: OpenWindow) -> None:
    window = open_window()
    window.dialogs.open_settings()
    dialog = window.dialogs.shown
    assert isinstance(dialog, SettingsDialog)
    tray, close = dialog.controls["read_tray"], dialog.controls["read_close_to_tray"]
    assert not close.isEnabled()
    tray.show_value(True)  # type: ignore[arg-type]
    assert close.isEnabled()
    tray.show_value(False)  # type: ignore[arg-type]
    assert not close.isEnabled()
    dialog.reject()


def test_cancel_changes_nothing(open_window: OpenWindow) -> None:
    window = open_window()
    before = window.settings.value
    window.dialogs.open_settings()
    dialog = window.dialogs.shown
    assert isinstance(dialog, SettingsDialog)
    dialog.controls["theme"].show_value("dark")  # type: ignore[arg-type]
    dialog.shortcut_page.fields_by_action["play"][0].setKeySequence(QKeySequence("F5"))
    dialog.reject()
    assert window.settings.value == before
    assert not locate_shortcuts_file().exists()


def test_keys_are_pressed_anew_saved_and_used(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.commands.add_line()
    window.script.end_editing()
    window.dialogs.open_settings()
    dialog = window.dialogs.shown
    assert isinstance(dialog, SettingsDialog)
    anywhere, in_list = dialog.shortcut_page.fields_by_action["duplicate"]
    anywhere.setFocus()
    qtbot.keyClick(anywhere, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    in_list.setKeySequence(QKeySequence("W"))
    assert dialog.ok.isEnabled()
    dialog.ok.click()
    window.script.setFocus()
    for key, modifier in (
        (Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier),
        (Qt.Key.Key_W, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier),  # the old one does nothing any more
    ):
        qtbot.keyClick(window.script, key, modifier)
    assert len(window.lines) == 3
    assert "W" in window.window_actions["duplicate"].text()
    qtbot.waitUntil(lambda: load_shortcuts() == ({"duplicate": KeyBinding(("Ctrl+I",), ("W",))}, None), timeout=WAIT_MS)
    second = open_window()
    assert second.window_actions["duplicate"].shortcut() == QKeySequence("Ctrl+I")


def test_a_key_used_twice_is_told_and_not_accepted(dialog: SettingsDialog) -> None:
    dialog.shortcut_page.fields_by_action["copy"][0].setKeySequence(QKeySequence("Ctrl+D"))
    assert not dialog.ok.isEnabled()
    assert "Ctrl+D: Copy / Duplicate" in dialog.shortcut_page.warning.text()
    dialog.shortcut_page.resets["copy"].click()
    assert dialog.ok.isEnabled()
    assert dialog.shortcut_page.warning.text() == ""
    dialog.shortcut_page.fields_by_action["copy"][0].setKeySequence(QKeySequence("Space"))  # taken in the list
    assert not dialog.ok.isEnabled()


def test_the_usual_keys_do_not_collide() -> None:
    assert find_key_conflicts({deed.name: KeyBinding(deed.keys, deed.list_keys) for deed in ACTIONS}) == {}


def test_both_enter_keys_go_together() -> None:
    assert (
        convert_key_sequence(QKeySequence("Ctrl+Enter"))
        == convert_key_sequence(QKeySequence("Ctrl+Return"))
        == ("Ctrl+Return", "Ctrl+Enter")
    )
    assert convert_key_sequence(QKeySequence()) == ()


@pytest.mark.parametrize(
    "content",
    [b"{", b"[]", b'{"version": 9}', b'{"version": 1, "shortcuts": {"play": {"keys": "x", "list_keys": []}}}', b"[" * 100_000],
)
def test_unreadable_keys_are_the_usual_ones_and_told(content: bytes) -> None:
    locate_shortcuts_file().parent.mkdir(parents=True)
    locate_shortcuts_file().write_bytes(content)
    bindings, notice = load_shortcuts()
    assert bindings == {}
    assert notice is not None
    assert Path(f"{locate_shortcuts_file()}.unreadable").read_bytes() == content


def test_saved_keys_come_back() -> None:
    wanted = {"play": KeyBinding(("F5",), ()), "copy": KeyBinding((), ("Ctrl+C", "Ctrl+Ins"))}
    save_shortcuts(wanted)
    assert load_shortcuts() == (wanted, None)


def test_new_outputs_appear_in_the_open_dialog(dialog: SettingsDialog) -> None:
    dialog.offer_devices(("Headphones (ALSA)", "Speakers (ALSA)"))
    outputs = dialog.controls["device"]
    assert isinstance(outputs, QComboBox)
    assert [outputs.itemData(row) for row in range(outputs.count())] == ["", "Headphones (ALSA)", "Speakers (ALSA)"]


def test_the_language_is_chosen_at_start_and_told_to_other_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOEBAKO_LANG", "en")  # and back to what it was
    for choice, expected in (("system", "en"), ("ja", "ja"), ("system", "ja"), ("en", "en")):
        set_window_language(choice)  # type: ignore[arg-type]
        assert (language.get_language(), os.environ["KOEBAKO_LANG"]) == (expected, expected)
