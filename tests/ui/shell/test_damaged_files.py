"""Files of ours that are damaged stop no window: it opens with what it can read, and one banner says what it could not."""

import json
import os
import sys
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from app.adapters.openjtalk.mecab_words import forget_user_lexicon
from app.adapters.user_dictionary import find_dictionary_path, load_dictionary
from app.adapters.window_requests import find_requests_dir
from app.common.files.paths import find_data_dir
from app.common.user_notices import show_notice
from app.core.script.project import Project, VoiceReference
from app.core.script.script import Line, LineSettings, Script
from app.core.script.script_data import convert_script_to_data
from app.core.synthesis_types import MoraOverride, Overrides, PauseOverride, ReadingOverride
from app.core.text.dictionary_entries import make_entry
from app.core.text.dictionary_formats import convert_entries_to_data
from app.settings.user_settings import Settings, find_settings_path, load_settings
from app.ui.actions.window_actions import load_shortcuts, locate_shortcuts_file
from app.ui.parameters.preset_bar import load_presets, locate_presets_file
from app.ui.script.autosave import GREETING_TEXT, ScriptOrigin, dump_script_origin, load_autosave, locate_autosave_file
from app.ui.shell.single_instance import take_requests
from app.ui.voices.voice_controller import build_names_path
from tests.ui.conftest import WAIT_MS, OpenWindow, text_of

HUGE = "1" + "0" * 400
LINE = '{"version": 1, "lines": [{"text": "雨", "settings": {"speed": VALUE}}]}'
SCRIPTS = [
    LINE.replace("VALUE", HUGE),
    LINE.replace("VALUE", "1e999"),
    LINE.replace("VALUE", "NaN"),
    LINE.replace("VALUE", "{}"),
    '{"version": 1, "lines": [{"text": "雨", "overrides": {"moras": [{"mora": VALUE}]}}]}'.replace("VALUE", HUGE),
    '{"version": 1, "lines": [{"text": "雨", "overrides": {"moras": [{"mora": 1, "length_s": VALUE}]}}]}'.replace("VALUE", HUGE),
    '{"version": 1, "lines": [{"text": "雨", "settings": {"seed": VALUE}}]}'.replace("VALUE", HUGE),
    '{"version": 1, "lines": [{"text": "雨", "settings": {"pauses": [[[], 1]]}}]}',
    '{"version": 1, "lines": [null]}',
    '{"a":' * 300_000,
]
PRESETS = [
    '{"version": 1, "presets": {"a": {"speed": VALUE}}}'.replace("VALUE", HUGE),
    '{"version": 1, "presets": {"a": [1]}}',
    "[" * 300_000,
]
KEYS = [
    '{"version": 1, "shortcuts": {"play": {"keys": [VALUE]}}}'.replace("VALUE", HUGE),
    '{"version": 1, "shortcuts": {"play": []}}',
    "[[[[",
]
SETTINGS = [
    '{"volume": VALUE, "style": "Sad"}'.replace("VALUE", HUGE),
    '{"volume": NaN, "style": "Sad"}',
    '{"volume": 1e999, "style": "Sad"}',
]


@pytest.fixture(autouse=True)
def _data() -> None:
    find_data_dir().mkdir(parents=True, exist_ok=True)
    forget_user_lexicon()


PARTS = Project(voices=(VoiceReference("a", "花子"),), dictionary=(make_entry("声", "こえ"),), export={"format": "wav"})
VALID: dict[str, tuple[Callable[[], Path], Callable[[], tuple[Any, ...]], Any]] = {
    "script": (
        locate_autosave_file,
        load_autosave,
        convert_script_to_data(
            Script(
                (
                    Line(
                        "雨。",
                        LineSettings(voice="a", speed=1.5, seed=3, pauses=((",", 0.5),), seed_locked=False),
                        Overrides((ReadingOverride("雨", "アメ", 1, 0),), (MoraOverride(1, 1, 0.5),), (PauseOverride(0, 1.0),), (), "雨"),
                    ),
                ),
                "題",
            )
        )
        | {"current": "a", "project": dump_script_origin(ScriptOrigin("/x/a.koebako", "d", True, PARTS))},
    ),
    "presets": (locate_presets_file, load_presets, {"version": 1, "presets": {"a": {"speed": 1.5, "pauses": [[",", 0.5]]}}}),
    "keys": (locate_shortcuts_file, load_shortcuts, {"version": 1, "shortcuts": {"play": {"keys": ["Ctrl+P"], "list_keys": []}}}),
    "settings": (
        find_settings_path,
        load_settings,
        {"version": 1} | asdict(Settings(text="雨", speed=1.5, recent_projects=("/x/a.koebako",))),
    ),
    "dictionary": (find_dictionary_path, load_dictionary, convert_entries_to_data([make_entry("声", "こえ", 1, "noun", 7)])),
}
ODD = [None, True, False, 0, -1, 1.5, "", "x", [], {}, [[]], {"a": 1}, [None], 10**30, -(10**18), 1e308, "あ" * 1000, "\ud800", "\0"]


def places(data: Any) -> list[tuple[Any, Any]]:
    """Every value inside of a value: its container, and where it is there."""
    inner = list(data.items()) if isinstance(data, dict) else list(enumerate(data)) if isinstance(data, list) else []
    return [(data, key) for key, _ in inner] + [place for _, value in inner for place in places(value)]


@pytest.mark.parametrize("name", VALID)
@given(data=st.data())
def test_any_value_in_any_place_is_read_or_told(name: str, data: st.DataObject) -> None:
    path, load, valid = VALID[name]
    path().parent.mkdir(parents=True, exist_ok=True)
    path().write_text(json.dumps(valid), encoding="utf-8")
    assert load()[-1] is None
    changed = json.loads(json.dumps(valid))
    for _ in range(data.draw(st.integers(1, 2))):
        if found := places(changed):
            container, key = data.draw(st.sampled_from(found))
            container[key] = deepcopy(data.draw(st.sampled_from(ODD)))
    path().write_text(json.dumps(changed), encoding="utf-8", errors="surrogatepass")
    error = load()[-1]
    assert error is None or error.backup is not None


@pytest.mark.parametrize("content", SCRIPTS, ids=range(len(SCRIPTS)))
def test_a_script_that_makes_no_sense_is_kept(content: str) -> None:
    locate_autosave_file().write_text(content, encoding="utf-8")
    script, _, _, error = load_autosave()
    assert script is None
    assert error is not None
    assert locate_autosave_file().with_name("autosave.json.unreadable").read_text(encoding="utf-8") == content


@pytest.mark.parametrize("content", PRESETS, ids=range(len(PRESETS)))
def test_presets_that_make_no_sense(content: str) -> None:
    locate_presets_file().write_text(content, encoding="utf-8")
    presets, error = load_presets()
    assert presets == {}
    assert error is not None


@pytest.mark.parametrize("content", KEYS, ids=range(len(KEYS)))
def test_keys_that_make_no_sense(content: str) -> None:
    locate_shortcuts_file().write_text(content, encoding="utf-8")
    keys, error = load_shortcuts()
    assert keys == {}
    assert error is not None


@pytest.mark.parametrize("content", SETTINGS, ids=range(len(SETTINGS)))
def test_one_number_beyond_all_others_costs_no_other_setting(content: str) -> None:
    find_settings_path().write_text(content, encoding="utf-8")
    settings, error = load_settings()
    assert settings == Settings(style="Sad")
    assert error is not None
    assert "volume" in error.message


def test_one_banner_tells_of_all_files(qtbot: QtBot, open_window: OpenWindow) -> None:
    damaged = {
        locate_autosave_file(): SCRIPTS[0],
        locate_presets_file(): PRESETS[0],
        locate_shortcuts_file(): KEYS[0],
        build_names_path(): "[",
        find_dictionary_path(): '{"version": 1, "entries": [null]}',
        find_settings_path(): SETTINGS[0],
    }
    for path, content in damaged.items():
        path.write_text(content, encoding="utf-8")
    settings, unread = load_settings()  # as the program does before it opens the window
    window = open_window(settings)
    show_notice(unread)
    assert text_of(window) == GREETING_TEXT
    told = ("previous script", "presets could not", "shortcuts could not", "dictionary cannot", "Some settings could not")
    notices = lambda: "\n".join(message for message, _hint in window.notice.messages)  # noqa: E731
    qtbot.waitUntil(lambda: all(words in notices() for words in told), timeout=WAIT_MS)
    assert window.notice.isVisible()
    assert len(window.notice.messages) == len(told), "each once, and nothing of what only the window remembers"
    assert window.notice.count.text() == f"{len(told)} notifications"
    hints = "\n".join(hint for _message, hint in window.notice.messages)
    for path, content in damaged.items():
        assert str(path) in hints or path == build_names_path()
        assert path.with_name(f"{path.name}.unreadable").read_text(encoding="utf-8") == content
    window.notice.hide()
    show_notice(unread)
    assert window.notice.isHidden(), "it was told before"


@pytest.mark.parametrize("content", ["[" * 300_000, "", "{}", "[1]", '["a\\u0000b"]', "[[]]", "null", HUGE, '["' + "a" * (9 << 20) + '"]'])
def test_requests_that_make_no_sense_open_nothing(content: str) -> None:
    find_requests_dir().mkdir(parents=True)
    (find_requests_dir() / "a.json").write_text(content, encoding="utf-8")
    (find_requests_dir() / "b.json").write_text(json.dumps(["/a.txt"]), encoding="utf-8")
    assert [[file.name for file in files] for files in take_requests()] == [["a.txt"]]
    assert take_requests() == []


def test_a_pipe_among_the_requests_holds_nothing_up() -> None:
    if sys.platform == "win32":
        pytest.skip("pipes of Unix")
    find_requests_dir().mkdir(parents=True)
    os.mkfifo(find_requests_dir() / "a.json")
    assert take_requests() == []
