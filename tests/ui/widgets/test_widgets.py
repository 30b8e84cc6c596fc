"""The smaller widgets, one by one."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QFile, Qt
from PySide6.QtGui import QAction, QColor, QPalette, QTextLayout
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QHBoxLayout, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.common.files.paths import find_resources_dir
from app.common.user_notices import set_notice_handler
from app.core.script.characters import CHARACTER_COLOURS
from app.core.script.script import Line, LineSettings
from app.engine.open_voices import OpenedVoice
from app.engine.synthesis_jobs import MachineInfo
from app.export.safe_file_names import SpeakerNames
from app.settings.user_settings import MAX_SEED, Settings
from app.ui.actions.window_actions import WindowActions
from app.ui.parameters.preset_bar import PresetBar, locate_presets_file
from app.ui.parameters.setting_fields import SeedField
from app.ui.parameters.side_panel import SidePanel
from app.ui.playback.sound_saving import ask_for_sound_file, build_file_title, choose_file_names
from app.ui.script.script_panel import TransportBar
from app.ui.settings.settings_store import SettingsStore
from app.ui.shell.menu_bar import MenuBar
from app.ui.shell.status_line import StatusLine, describe_state
from app.ui.synthesis.pending_jobs import SpeechState
from app.ui.theme.theme import (
    DARK_THEME,
    LIGHT_THEME,
    STYLE_SHEET_TEMPLATE,
    Theme,
    apply_theme,
    draw_icon,
    find_character_colour,
    list_colour_names,
    resolve_theme,
)
from app.ui.voices.catalog_voice import describe_voice
from app.ui.widgets.containers import FoldingSection, ScrollFrame
from app.ui.widgets.controls import LAST_LETTERS, MOST_SHOWN, WORD_JOINER, ChoiceBox, PlainLabel, fill_box
from app.ui.widgets.painting import choose_letter_colors

ERROR_ICON_PX = 16

pytestmark = pytest.mark.usefixtures("styled")


def opened(**changes: object) -> OpenedVoice:
    values: dict[str, object] = {
        "name": "Mei",
        "description": "A voice.",
        "licence": "CC0",
        "is_starter": False,
        "is_single_graph": False,
        "sampling_rate": 44_100,
        "speakers": ((0, "Mei"),),
        "styles": ((0, "Neutral"), (1, "Happy"), (4, "Sad")),
        "requested_backend": "auto",
        "backends": (("bert", "cpu"), ("decode", "cpu")),
        "fallback": None,
    }
    return OpenedVoice(**(values | changes))  # type: ignore[arg-type]


def test_section_folds(qtbot: QtBot) -> None:
    section = FoldingSection("Advanced", "tip")
    inner = QLabel("x")
    section.content.addWidget(inner)
    qtbot.addWidget(section)
    section.show()
    assert not inner.isVisible()
    with qtbot.waitSignal(section.toggled):
        qtbot.mouseClick(section.header, Qt.MouseButton.LeftButton)
    assert section.is_open
    assert inner.isVisible()


def test_seed_rolls_within_its_bounds(qtbot: QtBot) -> None:
    seed = SeedField()
    qtbot.addWidget(seed)
    rolled = set()
    for _ in range(20):
        seed.dice.click()
        rolled.add(seed.value)
    assert len(rolled) > 15
    assert all(0 <= value <= MAX_SEED for value in rolled)
    seed.set_value(MAX_SEED)
    assert seed.value == MAX_SEED


def test_the_seed_can_be_unlocked(qtbot: QtBot) -> None:
    seed = SeedField()
    qtbot.addWidget(seed)
    assert seed.lock.isChecked()
    with qtbot.waitSignal(seed.locked_changed) as told:
        seed.lock.click()
    assert told.args == [False]


def test_side_panel_shows_a_line_and_tells_only_what_the_user_does(qtbot: QtBot) -> None:
    side = SidePanel()
    qtbot.addWidget(side)
    told: list[tuple[str, object]] = []
    side.edited.connect(lambda name, value: told.append((name, value)))
    line = LineSettings(
        style="Sad", speed=1.5, noise_w=0.1, seed=3, seed_locked=False, pauses=((".", 0.5), ("'", 0.2)), assist_text="わーい"
    )
    side.show_settings(line)
    side.show_voice(opened())
    assert side.styles.currentData() == "Sad"
    assert (side.sliders["speed"].value, side.seed.value, side.seed.lock.isChecked()) == (1.5, 3, False)
    assert (side.pauses.fields["."].value(), side.pauses.fields[","].text(), side.assist.text()) == (0.5, "auto", "わーい")
    assert told == []
    side.styles.setCurrentIndex(1)
    side.sliders["volume"].set_value(0.5)
    side.pauses.fields[","].setValue(0.25)
    qtbot.keyClicks(side.assist, "!")
    assert told == [("style", "Happy"), ("volume", 0.5), ("pauses", (("'", 0.2), (",", 0.25), (".", 0.5))), ("assist_text", "わーい!")]
    side.show_voice(opened(styles=((0, "ノーマル"),)))
    assert side.styles.currentData() == "ノーマル"
    for slider in side.sliders.values():
        slider.reset_value()
    assert side.sliders["speed"].value == 1.0


def test_nothing_selected_is_nothing_to_set_and_many_are_told(qtbot: QtBot) -> None:
    side = SidePanel()
    qtbot.addWidget(side)
    side.show()
    side.show_settings(LineSettings(), 0)
    assert not side.sliders["speed"].isEnabled()
    side.show_settings(LineSettings(), 3)
    assert side.sliders["speed"].isEnabled()
    assert side.chosen.isVisible()
    assert "3 lines" in side.chosen.text()


def test_speakers_are_shown_only_when_there_is_a_choice(qtbot: QtBot) -> None:
    side = SidePanel()
    qtbot.addWidget(side)
    side.show()
    side.show_voice(opened())
    assert not side.speakers.isVisible()
    side.show_voice(opened(speakers=((0, "A"), (7, "B"))))
    assert side.speakers.isVisible()
    with qtbot.waitSignal(side.edited) as told:
        side.speakers.setCurrentIndex(1)
    assert told.args == ["speaker", "B"]


def test_presets_that_cannot_be_read_are_told_and_kept(qtbot: QtBot) -> None:
    locate_presets_file().parent.mkdir(parents=True, exist_ok=True)
    locate_presets_file().write_text('{"version": 1, "presets": {"a": {"speed": 99}}}')
    bar = PresetBar()
    qtbot.addWidget(bar)
    told: list[str] = []
    set_notice_handler(lambda error: told.append(error.message))
    bar.load_presets()
    set_notice_handler(None)
    assert told == ["The presets could not be read. (its content is damaged)"]
    assert locate_presets_file().with_name("presets.json.unreadable").is_file()


def test_the_line_about_a_voice_is_honest() -> None:
    assert "based on Open JTalk voices" in describe_voice(opened(is_starter=True))
    assert describe_voice(opened()) == "A voice."
    assert "sentence by sentence" in describe_voice(opened(is_single_graph=True))


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (SpeechState(is_loading=True), "Preparing…"),
        (SpeechState(), "No voice"),
        (SpeechState(is_ready=True), "Ready"),
        (SpeechState(is_ready=True, is_speaking=True), "Synthesising…"),
        (SpeechState(is_ready=True, is_speaking=True, played_s=1.24, computed_s=3.0), "Playing  1.2 / 3.0 s"),
        (SpeechState(is_ready=True, is_speaking=True, is_preparing=True, computed_s=3.0), "Preparing to play without gaps…"),
        (SpeechState(is_ready=True, is_saving=True), "Exporting audio…"),
        (SpeechState(is_ready=True, is_loading=True), "Preparing…"),
    ],
)
def test_every_state_has_its_words(state: SpeechState, words: str) -> None:
    assert describe_state(state) == words


def test_a_status_line_without_backends_has_chosen_none(qtbot: QtBot) -> None:
    line = StatusLine("cpu")
    qtbot.addWidget(line)
    line.backends.clear()
    assert line.backend == ""
    line.list_backends(MachineInfo((("cpu", "CPU"),), ("cpu",), ()))
    assert line.backend == "cpu"


def test_status_line_offers_backends_and_shows_a_fallback(qtbot: QtBot) -> None:
    status = StatusLine("directml")
    qtbot.addWidget(status)
    assert status.backend == "directml"
    status.list_backends(MachineInfo((("auto", "Auto"), ("cpu", "CPU"), ("directml", "DirectML"), ("cuda", "CUDA")), ("auto", "cpu"), ()))
    assert [status.backends.itemText(index) for index in range(3)] == ["Auto", "CPU", "DirectML"]
    assert [status.backends.itemData(index) for index in range(status.backends.count())] == ["auto", "cpu", "directml", *[None] * 5]
    assert status.backend == "directml"
    status.show_voice(opened(requested_backend="directml", fallback="no"))
    assert (status.actual.text(), status.actual.objectName()) == ("→ CPU", "error")
    assert "BERT: CPU" in status.actual.toolTip()
    status.show_voice(opened(requested_backend="auto", backends=(("bert", "cpu"), ("decode", "cuda"))))
    assert status.backend == "auto"
    assert status.actual.text() == "→ CPU + CUDA"


def test_transport_turns_into_stop_and_back(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    transport = TransportBar(WindowActions(window))
    qtbot.addWidget(transport)
    width = transport.play.sizeHint().width()
    transport.show_state(SpeechState(is_ready=True, is_speaking=True, played_s=1.0, computed_s=4.0), is_waiting=False)
    assert transport.play.text() == transport.play.accessibleName() == "Stop"
    assert transport.line.value() == 250
    transport.show_state(SpeechState(is_loading=True), is_waiting=True)
    assert transport.play.text() == "Stop"
    transport.show_state(SpeechState(is_ready=True, is_saving=True), is_waiting=False)
    assert (transport.play.text(), transport.save.text(), transport.line.value()) == ("Play", "Stop exporting", 0)
    assert transport.play.minimumWidth() >= width
    transport.show_length(1, 12_345)
    assert transport.length.text() == "1 line, 12,345 characters"


def test_menus_list_devices_and_themes(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    settings = SettingsStore(Settings(device="Head & phones", theme="dark"), window)
    menus = MenuBar(WindowActions(window), settings)
    qtbot.addWidget(menus)
    menus.list_output_devices(("Speaker", "Head & phones"))
    shown = {action.data(): action for action in menus.devices.actions()}
    assert list(shown) == ["", "Speaker", "Head & phones"]
    assert shown["Head & phones"].isChecked()
    shown["Speaker"].trigger()
    assert settings.value.device == "Speaker"
    light = next(action for action in menus.findChildren(QAction) if action.data() == "light")
    light.trigger()
    assert settings.value.theme == "light"
    settings.file.close()


@pytest.mark.parametrize(
    ("text", "name"),
    [("今日は、晴れ。\n明日は雨。", "今日は晴れ"), ("a/b\\c:d*?", "abcd"), ("…", "koebako"), ("", "koebako"), ("あ" * 99, "あ" * 20)],
)
def test_a_file_is_named_after_the_text(text: str, name: str) -> None:
    assert build_file_title(text) == name


@pytest.mark.parametrize(
    ("typed", "kind", "file"),
    [
        ("a.flac", "WAV (*.wav)", "a.flac"),
        ("a", "MP3 (*.mp3)", "a.mp3"),
        ("v1.2", "WAV (*.wav)", "v1.2.wav"),
        ("A.WAV", "", "A.WAV"),
        ("", "", None),
    ],
)
def test_a_file_gets_a_suffix_that_can_be_written(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, typed: str, kind: str, file: str | None
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_arguments: (str(tmp_path / typed) if typed else "", kind))
    assert ask_for_sound_file(parent, "text", str(tmp_path)) == (tmp_path / file if file else None)


def test_several_files_are_named_after_a_pattern_and_replace_nothing(tmp_path: Path) -> None:
    (tmp_path / "001_雨.wav").write_bytes(b"")
    lines = [(1, Line("雨")), (2, Line("雨")), (12, Line("/"))]

    def names(pattern: str, lines: list[tuple[int, Line]]) -> list[str]:
        return [
            file.name
            for file in choose_file_names(tmp_path / pattern, lines, lambda settings: SpeakerNames("Mei", "Mei", settings.style.upper()))
        ]

    assert names("$number$_$text$.wav", lines) == ["001_雨 2.wav", "002_雨.wav", "012_.wav"]
    assert names("a.flac", lines) == ["a_001.flac", "a_002.flac", "a_012.flac"]
    assert names("$連番$.mp3", [(1, Line("雨")), (1, Line("雨"))]) == ["001.mp3", "001 2.mp3"]
    assert names("$number$_$style$.wav", [(3, Line("雨", LineSettings(style="happy")))]) == ["003_HAPPY.wav"], "as the window names styles"


@pytest.mark.parametrize("name", sorted(file.stem for file in (find_resources_dir() / "icons").iterdir()))
def test_icons_are_drawn_in_the_colour_asked_for(qapp: QApplication, name: str) -> None:
    image = draw_icon(name, QColor("#ff0000")).pixmap(48, 48).toImage()
    pixels = {image.pixelColor(x, y).name() for x in range(48) for y in range(48) if image.pixelColor(x, y).alpha() == 255}
    assert pixels
    assert name == "koebako" or pixels == {"#ff0000"}


def contrast(first: str, second: str) -> float:
    """The ratio of WCAG."""

    def luminance(name: str) -> float:
        color = QColor(name)
        parts = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (color.redF(), color.greenF(), color.blueF())
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("drawing", sorted((find_resources_dir() / "controls").iterdir()), ids=lambda path: path.stem)
def test_what_style_sheets_draw_stands_out_in_both_looks(drawing: Path) -> None:
    (color,) = set(re.findall(r"#[0-9a-f]{6}", drawing.read_text(encoding="utf-8")))
    for theme in (LIGHT_THEME, DARK_THEME):
        assert contrast(color, theme.surface) >= 3


def test_the_style_sheet_is_understood_and_finds_its_drawings(qapp: QApplication, capfd: pytest.CaptureFixture[str]) -> None:
    for theme in (DARK_THEME, LIGHT_THEME):
        apply_theme(qapp, theme)
        drawings = re.findall(r'url\("([^"]+)"\)', qapp.styleSheet())
        assert drawings
        assert all(QFile.exists(drawing) for drawing in drawings)
        assert "$" not in qapp.styleSheet()
        QComboBox().grab()
    assert "parse" not in capfd.readouterr().err.lower()


RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
RULE_COLOUR = re.compile(r"(?<![-\w])(color|background)\s*:\s*\$(\w+)")
GROUNDS = ("window", "surface", "notice")  # where a text lies whose rule says no ground: the window, a card, a selected card


def list_written_pairs() -> Iterator[tuple[str, str, str]]:
    """Selector, text and ground of every rule that colours text, but for what cannot be used (WCAG 1.4.3)."""
    grounds: dict[str, str] = {}
    for selectors, body in RULE.findall(STYLE_SHEET_TEMPLATE.template):
        colours = dict(RULE_COLOUR.findall(body))
        for selector in map(str.strip, selectors.split(",")):
            if "background" in colours:
                grounds[selector] = colours["background"]
            if "color" in colours and ":disabled" not in selector:
                ground = grounds.get(selector, grounds.get(re.sub(r":[\w-]+$", "", selector)))
                yield from ((selector, colours["color"], known) for known in ([ground] if ground is not None else GROUNDS))


@pytest.mark.parametrize("theme", [LIGHT_THEME, DARK_THEME], ids=["light", "dark"])
def test_every_text_of_the_style_sheet_can_be_read(theme: Theme) -> None:
    accent = QColor(theme.accent)
    colours = {name: getattr(theme, name) for name in Theme.__slots__} | {
        "accent_over": accent.lighter(108).name(),
        "accent_down": accent.darker(112).name(),
    }
    pairs = list(list_written_pairs())
    assert len(pairs) > 40, "the style sheet is read"
    assert {pair: ratio for pair in pairs if (ratio := contrast(colours[pair[1]], colours[pair[2]])) < 4.5} == {}
    letters = [choose_letter_colors(chr(ord("A") + number), theme.name == "dark") for number in range(32)]
    assert [pair for pair in letters if contrast(*(colour.name() for colour in pair)) < 4.5] == []


@pytest.mark.parametrize("theme", [LIGHT_THEME, DARK_THEME], ids=["light", "dark"])
def test_letters_stand_out(theme: Theme) -> None:
    for letters, ground in (
        (theme.text, theme.window),
        (theme.text, theme.surface),
        (theme.muted, theme.window),
        (theme.muted, theme.surface),
        (theme.on_accent, theme.accent),
        (theme.text, theme.notice),
        (theme.error_text, theme.error),
    ):
        assert contrast(letters, ground) >= 4.5, (letters, ground)
    for ground in (theme.window, theme.surface):
        assert contrast(theme.edge, ground) >= 3, "a field is found by its edge"
    assert contrast(theme.muted, theme.faint) >= 4.5, "a button that cannot be pressed"
    for stage, color in theme.stages.items():
        assert contrast(color, theme.surface) >= 2, stage


@pytest.mark.parametrize("theme", [LIGHT_THEME, DARK_THEME], ids=["light", "dark"])
def test_names_of_characters_and_edited_values_stand_out(theme: Theme) -> None:
    colours = {find_character_colour(number, theme.name).name() for number in range(CHARACTER_COLOURS)}
    assert len(colours) == len(set(list_colour_names())) == CHARACTER_COLOURS
    for colour in (*colours, theme.edited):
        for ground in (theme.window, theme.surface, theme.notice, theme.faint, *([] if colour == theme.edited else [theme.on_accent])):
            assert contrast(colour, ground) >= 4.5, (colour, ground)
    assert find_character_colour(CHARACTER_COLOURS + 1, theme.name) == find_character_colour(1, theme.name)


# What a screen's linear colours are to people without red, green or blue cones (Machado, Oliveira and Fernandes, 2009; severity 1).
COLOUR_SIGHTS = {
    "all cones": np.eye(3),
    "no red": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "no green": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "no blue": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}


def convert_to_lab(colour: QColor, sight: np.ndarray) -> np.ndarray:
    """Return L*, a* and b* of a colour as it is seen."""
    encoded = np.array([colour.redF(), colour.greenF(), colour.blueF()])
    linear = np.clip(sight @ np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4), 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(np.maximum(to_xyz @ linear / np.array([0.9505, 1.0, 1.089]), 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", COLOUR_SIGHTS)
@pytest.mark.parametrize("theme", [LIGHT_THEME, DARK_THEME], ids=["light", "dark"])
def test_everybody_can_tell_the_colours_of_characters_apart(theme: Theme, sight: str) -> None:
    names = (*(find_character_colour(number, theme.name) for number in range(CHARACTER_COLOURS)), QColor(theme.accent))
    seen = [convert_to_lab(colour, COLOUR_SIGHTS[sight]) for colour in names]
    for first, second in itertools.combinations(range(len(seen)), 2):
        distance = np.linalg.norm(seen[first] - seen[second])
        assert distance >= (20 if sight == "all cones" else 12), (names[first].name(), names[second].name())


def test_theme_changes_everything(qapp: QApplication) -> None:
    apply_theme(qapp, resolve_theme("dark"))
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK_THEME.window
    apply_theme(qapp, resolve_theme("light"))
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == LIGHT_THEME.window


@pytest.mark.parametrize(("count", "scrolls"), [(MOST_SHOWN, False), (MOST_SHOWN + 1, True)])
def test_a_long_list_shows_that_there_is_more(qtbot: QtBot, count: int, scrolls: bool) -> None:
    box = ChoiceBox()
    qtbot.addWidget(box)
    box.addItems([f"{number}" for number in range(count)])
    box.show()
    box.showPopup()
    view = box.view()
    qtbot.waitUntil(lambda: view.isVisible())
    assert view.verticalScrollBar().isVisible() == scrolls
    shown = view.viewport().height() / view.visualRect(box.model().index(0, 0)).height()
    assert shown == pytest.approx(MOST_SHOWN, abs=0.5)
    box.hidePopup()


def test_a_part_of_a_row_has_its_alignment_or_its_stretch(qtbot: QtBot) -> None:
    low, wide = QLabel(), QLabel()
    row = fill_box(QHBoxLayout(), (low, Qt.AlignmentFlag.AlignBottom), (wide, 2))
    qtbot.addWidget(low)
    qtbot.addWidget(wide)
    assert [row.stretch(0), row.stretch(1)] == [0, 2]
    assert row.itemAt(0).alignment() == Qt.AlignmentFlag.AlignBottom
    assert not row.itemAt(1).alignment()


@pytest.mark.usefixtures("styled")
def test_an_error_is_an_icon_and_plain_text(qtbot: QtBot, qapp: QApplication) -> None:
    apply_theme(qapp, LIGHT_THEME)
    label = PlainLabel("Failed.", "error")
    qtbot.addWidget(label)
    label.resize(label.sizeHint())
    image = label.grab().toImage()
    columns = [[image.pixelColor(x, y) for y in range(image.height())] for x in range(image.width())]
    assert max(color.saturation() for column in columns[1:16] for color in column) > 150, "the icon is at the left"
    assert {color.alpha() for column in columns[17:20] for color in column} == {0}, "no mark is behind the words"


def test_a_frame_that_is_not_placed_yet_is_no_window(qtbot: QtBot) -> None:
    content = QWidget()
    frame = ScrollFrame(content)
    qtbot.addWidget(frame)
    content.hide()
    content.show()
    assert not frame.isVisible()
    page = QWidget()
    qtbot.addWidget(page)
    fill_box(QHBoxLayout(page), frame)
    page.show()
    content.hide()
    assert not frame.isVisible()
    content.show()
    assert frame.isVisible()


def test_a_label_that_becomes_an_error_keeps_its_icon_beside_its_words(qtbot: QtBot) -> None:
    label = PlainLabel("使えません。", "muted", wraps=True)
    qtbot.addWidget(label)
    label.show()
    before = label.contentsRect().left()
    label.change_style("error")
    assert label.contentsRect().left() - before >= ERROR_ICON_PX
    label.change_style("muted")
    assert label.contentsRect().left() == before


def test_no_letter_is_alone_in_the_last_line_of_a_label() -> None:
    words = "接続したアプリが、プリセットとユーザー辞書を変更できるようにします。\nNothing here, and 日本語です。"
    label = PlainLabel(words, wraps=True)
    assert label.text() == words
    shown = QTextLayout(QLabel.text(label).split("\n")[0], label.font())
    for width in range(120, 700, 7):
        shown.beginLayout()
        while (line := shown.createLine()).isValid():
            line.setLineWidth(width)
        shown.endLayout()
        last = shown.text()[shown.lineAt(shown.lineCount() - 1).textStart() :]
        assert len(last.replace(WORD_JOINER, "")) >= LAST_LETTERS, width
    assert QLabel.text(PlainLabel("Ready.", wraps=True)) == "Ready."
    assert WORD_JOINER not in QLabel.text(PlainLabel("準備完了です。"))
