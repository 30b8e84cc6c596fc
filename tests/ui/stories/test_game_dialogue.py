"""A task of a working day: 200 lines of 6 characters of a game, from the dialogue that Ren'Py writes to the files that it reads."""

import time
from pathlib import Path

import pytest
import soundfile
from pytestqt.qtbot import QtBot

from app.export.manifest_store import MANIFEST_NAME
from app.settings.user_settings import Settings
from app.ui.widgets.controls import ChoiceBox
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle

CHARACTERS = ("花子", "太郎", "先生", "猫", "店長", "語り手")
LINES = 200


class Hand:
    """Counts what a user clicks or presses; a list takes two clicks."""

    def __init__(self) -> None:
        self.clicks = 0

    def click(self, button: object) -> None:
        self.clicks += 1
        button.click()  # type: ignore[attr-defined]

    def choose(self, box: ChoiceBox, index: int) -> None:
        self.clicks += 2
        box.setCurrentIndex(index)
        box.activated.emit(index)


@pytest.fixture
def dialogue(tmp_path: Path) -> Path:
    """What `Generate Dialogue` of Ren'Py leaves in `dialogue.tab`."""
    rows = ["Identifier\tCharacter\tDialogue\tFilename\tLine Number\tRen'Py Script"]
    for number in range(LINES):
        rows.append(f"start_{number:08x}\t{CHARACTERS[number % 6]}\t{number}番です。\tgame/script.rpy\t{number}\t[what]")
    file = tmp_path / "dialogue.tab"
    file.write_text("\n".join(rows), encoding="utf-8")
    return file


@pytest.mark.slow
def test_200_lines_of_6_characters_for_a_game(
    qtbot: QtBot, open_window: OpenWindow, dialogue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "voice"
    out.mkdir()
    window = open_window(Settings(text="", save_folder=str(out)))
    window.catalog.refresh_voices()
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    hand, began = Hand(), time.monotonic()
    monkeypatch.setattr("app.ui.interchange.script_files.ask_for_files", lambda *_words: [dialogue])
    hand.clicks += 3  # Ctrl+Shift+O, the file, Open
    window.window_actions["import"].trigger()
    qtbot.waitUntil(lambda: window.importing.dialog is not None, timeout=WAIT_MS)
    dialog = window.importing.dialog
    assert dialog is not None
    assert [row.character.name for row in dialog.names.rows] == list(CHARACTERS)
    for place, row in enumerate(dialog.names.rows):
        hand.choose(row.voice, 1)
        hand.choose(row.style, place % row.style.count())
    with qtbot.waitSignal(window.importing.finished, timeout=WAIT_MS):
        hand.click(dialog.import_button)
    lines = window.lines
    assert len({(line.settings.speaker, line.settings.style) for line in lines}) == 6
    hand.clicks += 1  # Ctrl+E
    window.window_actions["export"].trigger()
    page = window.export.dialog
    assert page is not None
    hand.choose(page.form.game, page.form.game.findData("renpy"))
    qtbot.waitUntil(lambda: page.export_button.isEnabled() and page.files.rowCount() == LINES, timeout=WAIT_MS)
    hand.click(page.export_button)
    qtbot.waitUntil(lambda: window.export.run is not None and window.export.run.is_over, timeout=6 * WAIT_MS)
    wait_idle(qtbot, window)
    files = sorted(item.name for item in out.iterdir() if Path(MANIFEST_NAME).stem not in item.name)
    assert files == [f"start_{number:08x}.ogg" for number in range(LINES)]
    assert all(soundfile.info(out / name).frames > 1000 for name in files)
    print(f"{hand.clicks} clicks, {time.monotonic() - began:.1f} s of the program")
    assert hand.clicks <= 33, "six voices and styles are 24 of them"
