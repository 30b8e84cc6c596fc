"""The panel offers what the voices of the selected lines use, and lines keep what is not offered."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidget
from pytestqt.qtbot import QtBot

from app.audition.blind_test import SoundSource
from app.audition.board import Board, BoardColumn, VoiceChoice
from app.common.language import set_language
from app.core.script.characters import add_character
from app.core.script.project import TAKE_VARIATION
from app.core.script.script import Character, Line, LineSettings, replace_overrides
from app.core.sound.line_edits import set_mora_length
from app.core.sound.voice_traits import KOKORO_ARCHITECTURE, SBV2_ARCHITECTURE
from app.core.synthesis_types import Overrides
from app.export.safe_file_names import SpeakerNames
from app.ui.audition.board_chooser import check_voices, collect_checked_voices, fill_voice_tree
from app.ui.audition.board_model import describe_column
from app.ui.parameters.side_panel import SidePanel
from app.ui.script.line_delegate import LineVoiceNames
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.voices.catalog_voice import CatalogScan, CatalogVoice
from app.ui.voices.voice_facts_page import list_allowed_actions
from app.voices.prepared_voice import NamedId
from app.voices.voice_labels import describe_speaker, format_speaker, format_usual_speaker
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.window_driver import WindowDriver

SBV2, KOKORO = frozenset({SBV2_ARCHITECTURE}), frozenset({KOKORO_ARCHITECTURE})


@pytest.fixture
def side(qtbot: QtBot) -> SidePanel:
    panel = SidePanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.expression.set_open(True)
    return panel


@pytest.fixture
def japanese() -> Iterator[None]:
    set_language("ja")
    yield
    set_language("en")


def hidden(panel: SidePanel) -> set[str]:
    return {name for name, slider in panel.sliders.items() if slider.isHidden()} | ({"assist_text"} if panel.assist.isHidden() else set())


def natural_voice(window: WindowDriver) -> CatalogVoice:
    """The voice we ship, dressed as the natural one."""
    mei = window.catalog.find_voice("")
    assert mei is not None
    speakers = (NamedId(0, "Female 1"), NamedId(1, "Male 1"))
    manifest = replace(
        mei.manifest,
        id="kokoro",
        name="Kokoro",
        format="kokoro",
        architecture="kokoro",
        bert="",
        speakers=speakers,
        styles=(NamedId(0, "Neutral"),),
    )
    return replace(mei, id="kokoro", manifest=manifest, origin="own")


def install(window: WindowDriver, qtbot: QtBot) -> CatalogVoice:
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    voice = natural_voice(window)
    window.catalog.apply_scan(CatalogScan((voice, *window.catalog.voices), window.catalog.berts, (), voice.id))
    return voice


def test_each_kind_of_voice_has_its_settings(side: SidePanel) -> None:
    assert hidden(side) == set()
    side.offer_settings(SBV2)
    assert hidden(side) == SBV2_ARCHITECTURE.unused_numbers
    side.offer_settings(KOKORO)
    assert hidden(side) == KOKORO_ARCHITECTURE.unused_numbers
    side.offer_settings(SBV2 | KOKORO)
    assert hidden(side) == set()


def test_a_voice_without_noise_says_so_in_place_of_the_seed(side: SidePanel) -> None:
    side.offer_settings(KOKORO)
    assert side.seed.unused.isVisible()
    assert side.seed.dice.isHidden()
    assert side.seed.number.isHidden()
    side.show_settings(LineSettings(variation=0.5))
    assert side.seed.dice.isVisible(), "a line that varies follows its seed"
    side.show_settings(LineSettings())
    assert side.seed.dice.isHidden()
    side.offer_settings(SBV2 | KOKORO)
    assert side.seed.unused.isHidden()
    assert side.seed.dice.isVisible()


def test_hidden_settings_keep_their_values(side: SidePanel) -> None:
    told: list[object] = []
    side.edited.connect(lambda *edit: told.append(edit))
    side.show_settings(LineSettings(noise=1.5, seed=7))
    side.offer_settings(KOKORO)
    side.offer_settings(SBV2)
    assert not told
    assert side.sliders["noise"].value == 1.5
    assert side.seed.value == 7


def test_the_selection_decides(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    window.commands.add_text("一行目\n二行目", 0)
    install(window, qtbot)
    ids = [line.id for line in window.lines]
    window.script.select_lines([ids[0]])
    window.side.chooser.chosen.emit("kokoro")
    assert window.side.sliders["noise"].isHidden()
    assert not window.side.sliders["accent_fidelity"].isHidden()
    window.script.select_lines(ids)
    assert hidden(window.side) == set()
    window.script.select_lines([ids[1]])
    assert hidden(window.side) == SBV2_ARCHITECTURE.unused_numbers


def test_takes_of_a_voice_without_noise_vary(open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window()
    window.commands.add_text("一行目\n二行目", 0)
    rendered: list[Line] = []
    monkeypatch.setattr(SpeechController, "render_take", lambda _self, line, **_more: rendered.append(line))
    window.window_actions["more_takes"].trigger()
    assert {line.settings.variation for line in rendered} == {0.0}
    rendered.clear()
    install(window, qtbot)
    window.side.chooser.chosen.emit("kokoro")
    assert window.side.card.makers.text().startswith("Speaker: Tsugumi")
    window.window_actions["more_takes"].trigger()
    assert {line.settings.variation for line in rendered} == {TAKE_VARIATION}
    assert len({line.settings.seed for line in rendered}) == len(rendered) > 1
    rendered.clear()
    window.sliders["variation"].set_value(0.3)
    window.window_actions["more_takes"].trigger()
    assert {line.settings.variation for line in rendered} == {0.3}


@pytest.mark.usefixtures("japanese")
def test_its_speakers_have_japanese_names() -> None:
    names = ("Female 1", "Female 4", "Male 1", "Mei")
    assert [format_speaker(name) for name in names] == ["つぐみ", "ひばり", "みみずく", "Mei"]
    assert [describe_speaker(name) for name in names] == ["つぐみ（はきはき）", "ひばり（明るい）", "みみずく（低め）", "Mei"]
    assert [format_usual_speaker(name) for name in names] == ["女声1", "女声4", "男声1", "Mei"]


def test_the_only_style_of_several_speakers_is_no_news(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    window.commands.add_text("一行目", 0)
    install(window, qtbot)
    window.side.chooser.chosen.emit("kokoro")
    names = LineVoiceNames()
    names.add_voice("kokoro", "Kokoro", ["Neutral"], ["Female 1", "Male 1"])
    assert names.format_summary(window.lines[0]) == "Tsugumi"
    names.add_voice("kokoro", "Kokoro", ["Neutral", "混声"], ["Female 1", "Male 1"])
    assert names.format_summary(window.lines[0]) == "Tsugumi · Neutral"


def test_its_speakers_can_be_blended(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    voice = install(window, qtbot)
    assert "blend" in list_allowed_actions(voice)
    assert "blend" not in list_allowed_actions(window.catalog.find_voice(""))


def test_a_blend_is_none_of_the_speakers_wherever_it_is_named(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    window.commands.add_text("一行目", 0)
    voice = install(window, qtbot)
    styles = (NamedId(0, "Neutral"), NamedId(1, "混声"))
    blended = replace(voice, manifest=replace(voice.manifest, styles=styles))
    window.catalog.apply_scan(CatalogScan((blended,), (), (), ""))
    window.side.chooser.chosen.emit("kokoro")
    side = window.side
    side.speakers.setCurrentIndex(1)
    assert side.card.makers.text().startswith("Speaker: Mimizuku")
    side.styles.setCurrentIndex(side.styles.findData("混声"))
    line = window.lines[0]
    assert (line.settings.speaker, line.settings.style) == ("Male 1", "混声"), "it keeps its speaker"
    assert (side.speakers.isEnabled(), side.speakers.currentIndex()) == (False, -1)
    assert "Neutral" in side.speakers.toolTip()
    assert "Mimizuku" not in side.card.makers.text()
    cards = window.script.cards.voices
    assert window.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole) == "Line 1, 一行目, Kokoro, 混声"
    assert (cards.find_speaker(line), cards.format_summary(line)) == ("", "混声")
    assert window.catalog.describe_speaker(line.settings) == SpeakerNames("Kokoro", "Kokoro", "混声")
    assert window.blind_tests.describe_source(line.settings) == SoundSource("Kokoro", "", "混声")
    column = BoardColumn((("speaker", "Male 1"), ("style", "混声"), ("voice", "kokoro")))
    assert describe_column(Board((line,), (column,)), 0, window.catalog.find_voice) == ("Kokoro", "混声")
    tree = QTreeWidget()
    qtbot.addWidget(tree)
    fill_voice_tree(tree, [blended], lambda _voice: True)
    check_voices(tree, [VoiceChoice("kokoro", ("Male 1",), ("混声",))])
    assert collect_checked_voices(tree) == (VoiceChoice("kokoro", ("",), ("混声",)),), "it is there once"
    side.styles.setCurrentIndex(0)
    assert (side.speakers.isEnabled(), side.speakers.currentData()) == (True, "Male 1")
    assert window.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole) == "Line 1, 一行目, Mimizuku, Neutral"


def spoken(window: WindowDriver) -> list[str]:
    shape = window.phone_strip.shape
    return [] if shape is None else [mora.kana for mora in shape.reading.moras]


def choose_latin(window: WindowDriver, reading: str) -> None:
    """Choose as a user does, who sees the entries."""
    box = window.side.latin.box
    box.setCurrentIndex(box.findData(reading))
    box.activated.emit(box.currentIndex())


def test_a_voice_without_english_says_so_in_place_of_the_choice(side: SidePanel) -> None:
    told: list[object] = []
    side.edited.connect(lambda *edit: told.append(edit))
    side.show_settings(LineSettings(latin="english"))
    side.offer_settings(SBV2)
    assert side.latin.unused.isVisible()
    assert side.latin.box.isHidden()
    side.offer_settings(SBV2 | KOKORO)
    assert side.latin.unused.isHidden()
    assert side.latin.box.currentData() == "english"
    side.show_settings(LineSettings(), 2, {"latin"})
    assert side.latin.box.currentIndex() == -1
    assert not told


def test_english_is_chosen_shown_and_corrected(open_window: OpenWindow, qtbot: QtBot) -> None:
    """A user writes an English word, has it read in English, corrects its phones, and gives the line to a voice without English."""
    window = open_window()
    install(window, qtbot)
    window.commands.add_text("Hello、雨。", 0)
    window.side.chooser.chosen.emit("kokoro")
    qtbot.waitUntil(lambda: spoken(window) == ["ハ", "ロ", "ー", "ア", "メ"], timeout=WAIT_MS)
    choose_latin(window, "english")
    assert window.lines[0].settings.latin == "english"
    qtbot.waitUntil(lambda: spoken(window) == ["hə", "ˈloʊ", "ア", "メ"], timeout=WAIT_MS)
    field = window.strip_panel.reading
    window.phone_strip.word_requested.emit(1)
    assert field.edit.text() == "HH AH0 L OW1"
    field.edit.setText("HH AH0 LX")
    qtbot.keyClick(field.edit, Qt.Key.Key_Return)
    assert "phones such as" in field.error.text()
    field.edit.setText("hh eh1 l ow0")
    qtbot.keyClick(field.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: spoken(window) == ["ˈhɛ", "loʊ", "ア", "メ"], timeout=WAIT_MS)
    assert [(one.surface, one.reading) for one in window.lines[0].overrides.readings] == [("Hello", "HH EH1 L OW0")]
    window.phone_strip.word_requested.emit(0)
    field.edit.setText("はろう")
    qtbot.keyClick(field.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: spoken(window) == ["ハ", "ロ", "ウ", "ア", "メ"], timeout=WAIT_MS)
    window.phone_strip.word_requested.emit(0)
    field.edit.clear()
    qtbot.keyClick(field.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: spoken(window) == ["hə", "ˈloʊ", "ア", "メ"], timeout=WAIT_MS)
    window.side.chooser.chosen.emit("")
    qtbot.waitUntil(lambda: spoken(window) == ["ハ", "ロ", "ー", "ア", "メ"], timeout=WAIT_MS)
    assert "no English" in window.strip_panel.note.text()
    assert window.lines[0].settings.latin == "english", "another voice speaks it again"


def test_an_edit_of_a_japanese_word_stays_where_the_language_changes(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    install(window, qtbot)
    window.commands.add_text("Helloと雨。", 0)
    window.side.chooser.chosen.emit("kokoro")
    qtbot.waitUntil(lambda: "ア" in spoken(window), timeout=WAIT_MS)
    edits = set_mora_length(Overrides(), spoken(window).index("ア"), 0.5)
    window.document.apply_edit("", replace_overrides(window.document.script, window.lines[0].id, replace(edits, text="Helloと雨。")))
    choose_latin(window, "english")
    qtbot.waitUntil(lambda: "ˈloʊ" in spoken(window), timeout=WAIT_MS)
    shape = window.phone_strip.shape
    assert shape is not None
    assert [spoken(window)[edit.mora] for edit in shape.overrides.moras] == ["ア"]


def test_all_lines_and_characters_of_a_project_are_read_in_english(open_window: OpenWindow) -> None:
    window = open_window()
    window.commands.add_text("Hello\nGood night", 0)
    action = window.window_actions["read_english"]
    window.document.apply_edit("", add_character(window.document.script, Character("Aki")))
    assert not action.isChecked()
    action.trigger()
    assert [line.settings.latin for line in window.lines] == ["english", "english"]
    assert [character.settings.latin for character in window.document.script.cast] == ["english"]
    assert action.isChecked()
    choose_latin(window, "katakana")
    assert not action.isChecked(), "one line has its own choice"
    window.undo_stack.undo()
    assert action.isChecked()
    action.trigger()
    assert {line.settings.latin for line in window.lines} == {"katakana"}
