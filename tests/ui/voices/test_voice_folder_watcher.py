"""What another program adds or removes appears in the open window, and a dropped folder may be a BERT."""

import shutil
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.ui.voices.voice_library_actions import is_bert_source
from app.voices.bert_models import VOCABULARY_NAME
from tests.ui.conftest import WAIT_MS, OpenWindow


def test_a_voice_of_the_command_line_comes_and_goes(qtbot: QtBot, open_window: OpenWindow) -> None:
    make_private_folder(find_data_dir())  # which the program does before it opens its window
    window = open_window()
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    shipped = next(voice.path for voice in window.catalog.voices if voice.origin == "shipped")
    for _time in range(2):  # the folder of voices is made meanwhile, and is there the second time
        with qtbot.waitSignal(window.catalog.changed, timeout=WAIT_MS):
            shutil.copytree(shipped, find_data_dir() / "voices" / "copy")
        qtbot.waitUntil(lambda: any(voice.origin == "own" for voice in window.catalog.voices), timeout=WAIT_MS)
        shutil.rmtree(find_data_dir() / "voices" / "copy")
        qtbot.waitUntil(lambda: all(voice.origin != "own" for voice in window.catalog.voices), timeout=WAIT_MS)


def test_a_folder_with_a_model_and_a_vocabulary_is_a_bert(tmp_path: Path) -> None:
    for name in ("model.safetensors", "config.json"):
        (tmp_path / name).write_bytes(b"")
    assert not is_bert_source(tmp_path)
    (tmp_path / VOCABULARY_NAME).write_text("[PAD]")
    assert is_bert_source(tmp_path)
    assert is_bert_source(tmp_path / "model.safetensors")
    assert not is_bert_source(tmp_path / "config.json")
    assert not is_bert_source(tmp_path / "gone")
