"""Emoji in the window: spoken or left out as the voice of the line wants, picked, and passed over by what is read along."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.common import language
from app.common.files import paths
from app.core.script.script import Line, LineSettings, Script
from app.core.sound.line_edits import set_mora_length
from app.core.sound.line_reading import read_line
from app.core.sound.line_sound import LineSpans, SoundSpan
from app.core.symbols import NANAIRO_EMOJI
from app.core.synthesis_types import Overrides
from app.install.voice_preparation import prepare_voice
from app.ui.display_names import describe_emoji
from app.ui.reading.strip.phone_strip import PhoneStrip
from app.ui.reading.strip.strip_shape import build_shape
from app.ui.theme.theme import LIGHT_THEME
from app.ui.voices.catalog_voice import CatalogVoice, list_makers
from app.ui.widgets.emoji_picker import EmojiGrid
from app.voices.containers.container_facts import NANAIRO_ARCHITECTURE
from app.voices.voice_card_data import VoiceCardData, write_card
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")

TEXT = "そう？🤭こうしてる😊"
SPOKEN, PLAIN = "ソー🤭コーシテル😊", "ソーコーシテル"
GIGGLE = 2


@pytest.fixture(scope="module")
def prepared(tiny_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Nanairo fixture, ready to be installed."""
    source = tiny_models / "nanairo-tiny"
    folder = tmp_path_factory.mktemp("nanairo")
    prepare_voice(source, folder, int8=False)
    write_card(VoiceCardData(architecture=NANAIRO_ARCHITECTURE), folder)
    return folder


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow, prepared: Path) -> WindowDriver:
    """A line of it, and the same for the voice that ships."""
    shutil.copytree(prepared, paths.find_data_dir() / "voices" / "nanairo")
    window = open_window()
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    voice = nanairo(window).id
    window.document.reset_script(Script((Line(TEXT, LineSettings(voice=voice), id="n"), Line(TEXT, id="m"))))
    window.script.select_lines(["n"])
    return window


def nanairo(window: WindowDriver) -> CatalogVoice:
    return next(voice for voice in window.catalog.voices if voice.manifest.emoji)


def wait_for(qtbot: QtBot, window: WindowDriver, wanted: str) -> PhoneStrip:
    strip = window.phone_strip

    def is_shown() -> bool:
        at_rest = not window.strip._rest_timer.isActive()  # else the line is read once more, and what is typed meanwhile is lost
        return at_rest and strip.shape is not None and "".join(one.kana for one in strip.shape.reading.moras) == wanted

    qtbot.waitUntil(is_shown, timeout=WAIT_MS)
    return strip


def text_of(window: WindowDriver, line: str) -> str:
    found = window.document.script.find_line(line)
    assert found is not None
    return found.text


def test_a_line_shows_what_its_voice_speaks(qtbot: QtBot, window: WindowDriver) -> None:
    panel = window.strip_panel
    wait_for(qtbot, window, SPOKEN)
    assert panel.emoji.isVisible()
    assert panel.note.text() == ""
    assert panel.summary.text == "ソー？🤭 コーシテル 😊"
    window.script.select_lines(["m"])
    wait_for(qtbot, window, PLAIN)
    assert not panel.emoji.isVisible()
    assert panel.note.text() == "This voice ignores 🤭😊"
    window.voices.use_voice(nanairo(window).id)
    wait_for(qtbot, window, SPOKEN)
    assert panel.note.text() == ""


def test_edits_follow_their_mora_from_voice_to_voice(qtbot: QtBot, window: WindowDriver) -> None:
    strip = wait_for(qtbot, window, SPOKEN)
    strip.submit_edit(set_mora_length(Overrides(), GIGGLE + 1, 0.3))
    line = window.document.script.find_line("n")
    assert line is not None
    assert (line.overrides.emoji, line.overrides.text) == (True, TEXT)
    window.voices.use_voice("")
    strip = wait_for(qtbot, window, PLAIN)
    assert strip.shape is not None
    assert [edit.mora for edit in strip.shape.overrides.moras] == [GIGGLE]
    strip.submit_edit(set_mora_length(strip.shape.overrides, 0, 0.2))
    window.voices.use_voice(nanairo(window).id)
    strip = wait_for(qtbot, window, SPOKEN)
    assert strip.shape is not None
    assert [(edit.mora, edit.length_s) for edit in strip.shape.overrides.moras] == [(0, 0.2), (GIGGLE + 1, 0.3)]


def test_an_emoji_is_picked_with_the_keys_and_typed_where_the_cursor_is(qtbot: QtBot, window: WindowDriver) -> None:
    wait_for(qtbot, window, SPOKEN)
    window.script.edit_line(0, TEXT.index("こ"))
    button = window.strip_panel.emoji
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    picker = button.picker
    assert picker is not None
    assert picker.isVisible()
    assert picker.words.text() == "⏩  fast, hurried"
    QTest.keyClick(picker.grid, Qt.Key.Key_Right)
    QTest.keyClick(picker.grid, Qt.Key.Key_Return)
    assert not picker.isVisible()
    assert text_of(window, "n") == TEXT.replace("こ", "⏸こ")
    editor = window.script.editor
    assert editor is not None
    assert editor.hasFocus()
    QTest.keyClicks(editor, "!")
    assert text_of(window, "n") == TEXT.replace("こ", "⏸!こ")
    window.window_actions["undo"].trigger()
    assert text_of(window, "n") == TEXT


def test_without_a_cursor_it_goes_to_the_end(qtbot: QtBot, window: WindowDriver) -> None:
    wait_for(qtbot, window, SPOKEN)
    assert window.script.editor is None
    button = window.strip_panel.emoji
    button.open_picker()
    assert button.picker is not None
    place = button.picker.grid.visualItemRect(button.picker.grid.item(NANAIRO_EMOJI.index("🥱"))).center()
    QTest.mouseClick(button.picker.grid.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert text_of(window, "n") == TEXT + "🥱"
    wait_for(qtbot, window, SPOKEN + "🥱")


def test_escape_leaves_everything_as_it_was(qtbot: QtBot, window: WindowDriver) -> None:
    wait_for(qtbot, window, SPOKEN)
    window.strip_panel.emoji.open_picker()
    picker = window.strip_panel.emoji.picker
    assert picker is not None
    QTest.keyClick(picker, Qt.Key.Key_Escape)
    assert not picker.isVisible()
    assert text_of(window, "n") == TEXT


def test_the_cursor_goes_where_it_belongs_among_emoji(qtbot: QtBot, window: WindowDriver) -> None:
    """Qt counts most emoji as two."""
    for place, after in ((TEXT.index("こ"), "こうしてる😊"), (-1, ""), (0, TEXT), (len(TEXT) - 1, "😊")):
        window.script.edit_line(0, place)
        editor = window.script.editor
        assert editor is not None
        cursor = editor.textCursor()
        cursor.movePosition(cursor.MoveOperation.End, cursor.MoveMode.KeepAnchor)
        assert cursor.selectedText() == after


def test_a_reading_may_be_typed_for_an_emoji(qtbot: QtBot, window: WindowDriver) -> None:
    strip = wait_for(qtbot, window, SPOKEN)
    strip.word_requested.emit(GIGGLE)
    field = window.strip_panel.reading
    assert field.edit.text() == ""
    field.edit.setText("えへ")
    QTest.keyClick(field.edit, Qt.Key.Key_Return)
    wait_for(qtbot, window, "ソーエヘコーシテル😊")


def test_the_card_names_what_it_is(window: WindowDriver) -> None:
    assert list_makers(nanairo(window))[0] == "Nanairo"
    assert "Nanairo" in window.voice_card.makers.text()


@pytest.fixture
def strip(qtbot: QtBot) -> PhoneStrip:
    """Every mora and mark sounds for a tenth of a second."""
    reading = read_line(TEXT, (), OpenJTalkG2P(), emoji=True)
    spans = [SoundSpan(index / 10, (index + 1) / 10) for index in range(len(reading.moras) + 1)]
    shape = build_shape(reading, Overrides(), LineSpans((*spans[:2], *spans[3:]), (spans[2],)))
    strip = PhoneStrip(LIGHT_THEME)
    qtbot.addWidget(strip)
    strip.show_shape(shape)
    return strip


def test_what_is_read_along_passes_over_emoji(strip: PhoneStrip) -> None:
    lit = []
    for tenth in range(10):
        strip.show_played(tenth / 10 + 0.05)
        lit.append(strip.highlights.playing)
    assert lit == [0, 1, 2, -1, 4, 5, 6, 7, 8, -1]


def test_an_emoji_is_drawn_without_an_accent_and_said_in_words(strip: PhoneStrip) -> None:
    picture = strip.grab().toImage()
    cell = strip.shape.axis.cells[3]
    above = {picture.pixelColor(round(cell.middle), y).name() for y in range(2, 36)}
    kana = strip.shape.axis.cells[1]
    assert len(above) == 1, "nothing is drawn there"
    assert len({picture.pixelColor(round(kana.middle), y).name() for y in range(2, 36)}) > 1
    strip.select_cell(3)
    assert strip.accessibleDescription() == "Emoji 🤭 (giggle), 100 ms"


def test_all_are_there_with_words_of_their_own(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    grid = EmojiGrid()
    qtbot.addWidget(grid)
    assert [grid.item(row).text() for row in range(grid.count())] == list(NANAIRO_EMOJI)
    for chosen in ("ja", "en"):
        monkeypatch.setattr(language, "_current", chosen)
        words = [describe_emoji(symbol) for symbol in NANAIRO_EMOJI]
        assert all(words)
        assert len(set(words)) == len(NANAIRO_EMOJI)
    assert describe_emoji("x") == ""
    last = grid.visualItemRect(grid.item(grid.count() - 1))
    assert grid.viewport().rect().contains(last), "all of them without scrolling"


def test_edits_of_a_line_without_its_voice_are_kept(qtbot: QtBot, window: WindowDriver) -> None:
    """A voice that is gone may come back, and with it what was counted for it."""
    line = window.document.script.find_line("n")
    assert line is not None
    edits = replace(set_mora_length(Overrides(), GIGGLE + 1, 0.3), text=TEXT, emoji=True)
    gone = replace(line, settings=replace(line.settings, voice="gone"), overrides=edits, id="g")
    window.document.reset_script(Script((gone,)))
    window.script.select_lines(["g"])
    wait_for(qtbot, window, PLAIN)
    kept = window.document.script.find_line("g")
    assert kept is not None
    assert kept.overrides == edits
