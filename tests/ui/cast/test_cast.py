"""Characters in the window: who speaks a line, recasting, one character's lines alone, and the way back."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.common.errors import OutputFileError
from app.core.script.characters import CastBuilder, assign_character, change_character, recast_character
from app.core.script.project import Project, VoiceAssignment, create_take
from app.core.script.script import Character, Line, LineSettings, Script, change_settings, replace_overrides
from app.core.script.script_data import convert_script_to_data, parse_script
from app.core.synthesis_types import Overrides, ReadingOverride
from app.install import known_voices
from app.install.known_voices import load_characters, locate_characters_file
from app.interchange.koebako_files import read_project, write_project
from app.settings.user_settings import Settings, TextSize
from app.ui.cast import cast_controller
from app.ui.cast.cast_files import list_recast_voices
from app.ui.cast.cast_window import CastWindow, split_aliases
from app.ui.cast.script_warnings import list_script_warnings
from app.ui.script.card_layout import CardLayout, CardRects
from app.ui.takes.take_panel import list_differences
from app.ui.theme.theme import LIGHT_THEME, MIN_FONT_SIZE_PT, TEXT_SCALES, find_character_colour
from app.ui.voices.voice_chooser import VOICE_MIME
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")

ALT, CTRL, SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NAMES = {"h": "勇者", "v": "村人"}


def staged(window: WindowDriver, order: str = "hvhv-", **settings: LineSettings) -> WindowDriver:
    """A window with a line for each letter, by the hero, the villager or nobody; ids are letter and number."""
    builder = CastBuilder()
    ids = {letter: builder.add_character(name, settings.get(letter, LineSettings())).id for letter, name in NAMES.items()}
    manner = {one.id: one.settings for one in builder.cast}
    lines = tuple(
        Line(f"{letter}{number}。", manner.get(ids.get(letter, ""), LineSettings()), id=f"{letter}{number}", character=ids.get(letter, ""))
        for number, letter in enumerate(order)
    )
    window.document.reset_script(Script(lines, cast=builder.cast))
    window.script.select_lines([lines[0].id])
    return window


def speakers(window: WindowDriver) -> str:
    names = {one.id: letter for one in window.document.script.cast for letter, name in NAMES.items() if one.name == name}
    return "".join(names.get(line.character, "-") for line in window.lines)


def order(window: WindowDriver) -> str:
    return " ".join(line.id if len(line.id) < 5 else "new" for line in window.lines)


def cast_id(window: WindowDriver, letter: str) -> str:
    return next(one.id for one in window.document.script.cast if one.name == NAMES[letter])


def test_keys_give_the_selected_lines_a_character_and_a_new_line_takes_it_over(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = staged(open_window(), v=LineSettings(style="Sad", speed=1.2))
    window.script.setFocus()
    qtbot.keyClick(window.script, Qt.Key.Key_2, ALT)
    assert (speakers(window), window.lines[0].settings.style) == ("vvhv-", "Sad")
    qtbot.keyClick(window, Qt.Key.Key_Return, SHIFT)
    window.script.end_editing()
    assert speakers(window) == "vvvhv-"
    qtbot.keyClick(window.script, Qt.Key.Key_0, ALT)
    assert (speakers(window), window.lines[1].settings.style) == ("v-vhv-", "Sad"), "the line is still spoken as it was"
    qtbot.keyClick(window.script, Qt.Key.Key_9, ALT)
    assert speakers(window) == "v-vhv-", "there is no ninth"
    assert NAMES["v"] in window.window_actions["character_2"].text()
    assert not window.window_actions["character_3"].isVisible()
    window.undo_stack.setIndex(0)
    assert speakers(window) == "hvhv-"


@pytest.mark.parametrize("held", [CTRL, SHIFT, CTRL | SHIFT])
def test_keys_that_are_still_held_leave_the_character_of_the_line_selected(
    qtbot: QtBot, open_window: OpenWindow, held: Qt.KeyboardModifier
) -> None:
    """Qt takes a row out again that is selected twice while Ctrl is held, as it is when a shortcut opens the cast."""
    window = staged(open_window(), order="vh")
    qtbot.keyPress(window, Qt.Key.Key_F12, held)
    window.window_actions["show_cast"].trigger()
    qtbot.keyRelease(window, Qt.Key.Key_F12)
    board = window.cast.window
    assert board is not None
    assert [one.name for one in board.table.selected] == [NAMES["v"]]
    board.close()


def test_the_story_of_a_recasting(qtbot: QtBot, open_window: OpenWindow) -> None:
    """One place changes all lines of the hero but for what a line has of its own; undo is one step, and takes know that they are older."""
    window = staged(open_window(Settings(text="")))
    window.script.select_lines(["h2"])
    window.sliders["speed"].set_value(1.4)
    assert window.side.character.reset.isVisibleTo(window.side)
    assert window.sliders["speed"].label.font().bold()
    assert not window.sliders["pitch"].label.font().bold()
    before = window.document.script
    take = create_take(before.lines[0])
    window.window_actions["show_cast"].trigger()
    board = window.cast.window
    assert board is not None
    assert [one.name for one in board.table.selected] == ["勇者"], "that of the current line"
    styles = board.form.voice.styles
    qtbot.waitUntil(lambda: styles.findData("Sad") >= 0)  # the voices are read in the background
    styles.setCurrentIndex(styles.findData("Sad"))
    assert [(line.settings.style, line.settings.speed) for line in window.lines] == [
        ("Sad", 1.0),
        ("", 1.0),
        ("Sad", 1.4),
        ("", 1.0),
        ("", 1.0),
    ]
    hero = window.document.script.cast[0]
    assert list_differences(take, window.lines[0], str, hero)[0] == "not the present cast"
    assert list_differences(take, window.lines[0], str)[0] == "style (first)"
    own = replace(window.lines[0], settings=replace(window.lines[0].settings, style="Happy"))
    assert list_differences(create_take(window.lines[0]), own, str, hero) == ("style Sad",), "the line has a style of its own"
    qtbot.waitUntil(lambda: load_characters()[0] == (VoiceAssignment("勇者", "mei", "", "Sad"),))
    board.buttons["play"].click()
    qtbot.waitUntil(lambda: window.model.find_state("h2").last_rendering is not None)
    wait_idle(qtbot, window)
    assert window.model.find_state("h0").last_rendering is None, "the current line is the sample"
    window.undo_stack.undo()
    assert window.document.script == before
    qtbot.waitUntil(lambda: load_characters()[0] == (VoiceAssignment("勇者", "mei"),))
    window.side.character.reset.click()
    assert [line.settings.speed for line in window.lines] == [1.0] * 5
    assert not window.side.character.reset.isVisibleTo(window.side)


def test_a_recast_that_cannot_be_remembered_is_only_logged(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_chosen: object) -> None:
        raise OutputFileError("The voices assigned to characters could not be saved.")

    monkeypatch.setattr(known_voices, "remember_characters", fail)
    window = staged(open_window(ready=False))
    window.catalog.refresh_voices()
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    window.document.apply_edit("", recast_character(window.document.script, cast_id(window, "h"), {"style": "Sad"}))
    qtbot.waitUntil(lambda: "could not be saved" in caplog.text)
    assert not window.banner.isVisible()


def test_what_is_remembered_of_a_recast(qtbot: QtBot, open_window: OpenWindow) -> None:
    """All names, and no name of a former voice; the cast of a project that is opened was chosen elsewhere."""
    window = open_window(ready=False)
    window.catalog.refresh_voices()
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    hero, gone = Character("勇者", LineSettings("", "Nobody", "Sad"), ("英雄",)), Character("王", LineSettings("gone"))
    assert list_recast_voices((hero, gone), window.catalog.voices) == [VoiceAssignment(name, "mei", "", "Sad") for name in hero.names]
    for style in ("Sad", "Angry"):
        window.document.reset_script(Script(cast=(replace(hero, settings=LineSettings(style=style)),)))
    window.document.apply_edit("", change_character(window.document.script, hero.id, note="王子"))
    window.close()
    assert not locate_characters_file().exists()


def test_the_form_makes_a_character_of_a_line_and_names_only_one(open_window: OpenWindow) -> None:
    window = staged(open_window(ready=False))
    window.script.select_lines(["-4"])
    window.sliders["pitch"].set_value(2.0)
    window.cast.open_window()
    board = window.cast.window
    assert board is not None
    board.table.select_character(cast_id(window, "v"))
    board.form.from_line.click()
    assert [line.settings.pitch for line in window.lines] == [0, 2.0, 0, 2.0, 2.0]
    model = board.table.characters
    model.setData(model.index(1, 1), " 勇者 ")
    assert "勇者" in board.error.text()
    model.setData(model.index(1, 1), "長老")
    assert (board.error.isVisible(), board.form.title.text()) == (False, "長老")
    board.form.aliases.insert("じい, 村長、じい")
    board.form.aliases.editingFinished.emit()
    board.form.colour.activated.emit(7)
    elder = window.document.script.cast[1]
    assert (elder.name, elder.aliases, elder.colour) == ("長老", ("じい", "村長"), 7)
    board.buttons["add"].click()
    assert [one.name for one in board.table.selected] == ["Character 3"]
    assert window.document.script.cast[2].settings.pitch == 2.0


def test_who_only_looks_at_a_form_changes_nothing(open_window: OpenWindow) -> None:
    window = staged(open_window(ready=False))
    script = change_character(
        window.document.script, cast_id(window, "h"), aliases=("Smith, John", *(f"{'あ' * 100}{n}" for n in range(90)))
    )
    window.document.reset_script(script)
    window.cast.open_window()
    board = window.cast.window
    assert board is not None
    for field in (board.form.aliases, board.form.note):
        field.editingFinished.emit()
    assert window.document.script is script
    board.form.aliases.end(False)
    board.form.aliases.insert("、じい")
    board.form.aliases.editingFinished.emit()
    assert len(window.document.script.cast[0].aliases) == 2 + 90 + 1


def test_characters_are_merged_moved_and_removed(open_window: OpenWindow) -> None:
    window = staged(open_window(ready=False))
    window.cast.open_window()
    board = window.cast.window
    assert board is not None
    assert not board.buttons["merge"].isEnabled()
    board.buttons["down"].click()
    assert [one.name for one in window.document.script.cast] == ["村人", "勇者"]
    board.table.selectAll()
    board.buttons["merge"].click()
    (kept,) = window.document.script.cast
    assert (kept.name, kept.aliases, speakers(window)) == ("勇者", ("村人",), "hhhh-")
    board.buttons["remove"].click()
    assert (window.document.script.cast, speakers(window)) == ((), "-----")
    assert board.pages.currentIndex() == 0
    board.buttons["create"].click()
    assert len({line.character for line in window.lines}) == len(window.document.script.cast) == 1
    window.undo_stack.undo()
    window.undo_stack.undo()
    assert speakers(window) == "hhhh-"


def test_one_characters_lines_are_shown_and_edited_alone(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = staged(open_window())
    assert window.filter_bar.isVisible()
    window.filter_bar.box.setCurrentIndex(2)
    window.filter_bar.box.activated.emit(2)
    assert window.script.shown_ids == ["v1", "v3"]
    assert window.filter_bar.count.text() == "2 of 5 lines"
    described = window.model.index(1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert described.startswith("Line 4, 村人"), "numbers are those of the script"
    window.script.selectAll()
    assert window.script.selected_ids == ["v1", "v3"]
    window.script.select_lines(["v3"])
    qtbot.keyClick(window.script, Qt.Key.Key_Up, ALT)
    assert order(window) == "h0 v3 v1 h2 -4"
    qtbot.keyClick(window, Qt.Key.Key_Return, SHIFT)
    window.script.end_editing()
    assert (order(window), speakers(window)) == ("h0 v3 new v1 h2 -4", "hvvvh-")
    window.script.lines_dropped.emit(["v1"], window.model.find_script_row(0))
    assert order(window) == "h0 v1 v3 new h2 -4"
    window.script.selectAll()
    qtbot.keyClick(window.script, Qt.Key.Key_Delete)
    assert (order(window), window.script.shown_ids) == ("h0 h2 -4", [])
    window.commands.add_line()
    window.script.end_editing()
    assert speakers(window)[-1] == "v", "also where no line is left to take it from"
    window.undo_stack.undo()
    window.undo_stack.undo()
    assert window.script.shown_ids == ["v1", "v3", *(line.id for line in window.lines if order(window) and len(line.id) > 4)]
    window.search.open_search()
    window.left.search.sought.setText("。")
    assert window.left.search.count.text().endswith("/ 2"), "what is not shown is not found"
    window.search.close()
    window.script.select_lines(["h0"])
    assert not window.model.is_filtered, "what is asked for is shown"
    window.filter.show_character("")
    assert window.script.shown_ids == ["-4"]
    window.document.reset_script(Script((Line("別の台本。"),)))
    assert window.model.rowCount() == 1
    assert not window.filter_bar.isVisible()


def test_copied_lines_follow_a_character_who_is_renamed_and_recast_meanwhile(open_window: OpenWindow) -> None:
    window = staged(open_window(ready=False))
    window.script.select_lines(["h0"])
    window.commands.copy_lines()
    hero = cast_id(window, "h")
    script = change_character(window.document.script, hero, name="英雄", settings=LineSettings(style="Sad"))
    window.document.apply_edit("", script)
    window.commands.paste_lines()
    assert [(line.character, line.settings.style) for line in window.lines[:2]] == [(hero, "Sad")] * 2
    assert len(window.document.script.cast) == 2
    window.document.reset_script(replace(script, lines=()))
    window.commands.paste_lines()
    assert [one.name for one in window.document.script.cast] == ["英雄", "村人", "勇者"], "in another project it is somebody else"
    assert len({one.id for one in window.document.script.cast}) == 3


def test_what_is_shown_is_played(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = staged(open_window(Settings(text="")), "hvh")
    window.filter.show_character(cast_id(window, "h"))
    window.play_commands.play_through()
    qtbot.waitUntil(lambda: window.model.find_state("h2").last_rendering is not None)
    wait_idle(qtbot, window)
    assert window.model.find_state("v1").last_rendering is None


def test_any_edit_behind_a_filter_leaves_the_other_lines_as_they_are(open_window: OpenWindow) -> None:
    """Whatever is done to the shown lines: the others are the same values in the same order, and the list shows what the script says."""
    window = open_window(ready=False)
    commands, dice = window.commands, random.Random(7)
    edits = [commands.insert_copies, commands.delete_lines, commands.move_up, commands.move_down, commands.add_line]
    edits += [commands.join_lines, commands.copy_lines, commands.paste_lines, window.undo_stack.undo, window.undo_stack.redo]
    edits.append(lambda: commands.add_text("あ\nい", window.model.find_script_row(dice.randint(0, window.model.rowCount()))))
    for _ in range(12):
        staged(window, "".join(dice.choices("hhv-", k=12)))
        window.filter.show_character(cast_id(window, "h"))
        others = [line for line in window.lines if line.character != cast_id(window, "h")]
        for _ in range(15):
            shown = window.script.shown_ids
            if shown:
                first = dice.randrange(len(shown))
                window.script.select_lines(shown[first : first + dice.randint(1, 3)])
            dice.choice(edits)()
            window.script.end_editing()
            hero = cast_id(window, "h")
            assert window.model.is_filtered
            assert [line for line in window.lines if line.character != hero] == others
            assert window.script.shown_ids == [line.id for line in window.lines if line.character == hero]
            assert [window.model.find_script_row(row) for row in range(window.model.rowCount())] == [
                row for row, line in enumerate(window.lines) if line.character == hero
            ]


def paint_list(window: WindowDriver) -> QImage:
    """The list of lines as it is painted now."""
    picture = QImage(window.script.viewport().size(), QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    window.script.viewport().render(painter, QPoint())
    painter.end()
    return picture


def find_card(window: WindowDriver, row: int) -> CardRects:
    return window.script.cards.layout.compute_rects(QRectF(window.script.visualRect(window.model.index(row))))


def list_colours(picture: QImage, area: QRectF) -> set[str]:
    """Every colour in an area of a picture."""
    inside = area.toAlignedRect()
    return {
        picture.pixelColor(x, y).name() for x in range(inside.left(), inside.right() + 1) for y in range(inside.top(), inside.bottom() + 1)
    }


def test_a_card_has_the_colour_of_its_character(open_window: OpenWindow) -> None:
    window = staged(open_window(ready=False))
    picture = paint_list(window)
    found = [
        picture.pixelColor(QPointF(disc.left() + 4, disc.center().y()).toPoint())
        for disc in (find_card(window, row).avatar for row in (1, 4))
    ]
    assert found[0] == find_character_colour(window.document.script.cast[1].colour, "light")
    assert found[1] != found[0]


def test_a_style_of_its_own_is_amber_and_the_same_one_is_not(open_window: OpenWindow) -> None:
    window = staged(open_window(ready=False))
    script = change_settings(window.document.script, ("v1",), style="Sad")
    window.document.apply_edit("styles", recast_character(script, cast_id(window, "h"), {"style": "Angry"}))
    picture = paint_list(window)
    assert LIGHT_THEME.edited in list_colours(picture, find_card(window, 1).style)
    assert LIGHT_THEME.edited not in list_colours(picture, find_card(window, 0).style)
    assert LIGHT_THEME.muted in list_colours(picture, find_card(window, 0).style)


@pytest.mark.parametrize("size", TEXT_SCALES)
def test_who_speaks_has_room_on_the_card_in_every_size_of_text(qapp: QApplication, size: TextSize) -> None:
    font = QFont(qapp.font())
    font.setPointSizeF(MIN_FONT_SIZE_PT * TEXT_SCALES[size])
    layout = CardLayout(font)
    parts = layout.compute_rects(QRectF(0, 0, 800, layout.compute_row_height("はい。", 800)))
    if size == "usual":
        assert parts.card.height() == 40
    for part in (parts.avatar, parts.name, parts.style, parts.text, parts.button):
        assert parts.card.contains(part)
    assert parts.number.right() < parts.avatar.left() < parts.avatar.right() < parts.name.left()
    assert parts.name.right() < parts.text.left() < parts.text.right() < parts.length.left()
    assert parts.name.bottom() <= parts.style.top()
    narrow = layout.compute_rects(QRectF(0, 0, 420, 60))
    assert not narrow.name.width(), "a narrow card has room for the words first"
    wide = [layout.compute_rects(QRectF(0, 0, width, 60)) for width in (3_000, 4_000)]
    assert wide[0].name.width() == wide[1].name.width() > 2 * parts.name.width(), "long names are read where there is room, up to a limit"
    assert wide[0].name.right() < wide[0].text.left() < wide[0].text.right() < wide[0].length.left()


def create_picture(path: Path, colour: str) -> Path:
    picture = QImage(300, 200, QImage.Format.Format_RGB32)
    picture.fill(QColor(colour))
    assert picture.save(str(path))
    return path


def test_a_character_gets_a_picture_and_loses_it_again(open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window = staged(open_window(ready=False))
    hero = window.document.script.cast[0]
    window.cast.open_window()
    dialog = window.cast.window
    dialog.table.selectRow(0)
    chosen = [create_picture(tmp_path / "face.png", "#12ab34")]
    monkeypatch.setattr(cast_controller, "ask_for_file", lambda *_args: chosen[0])
    dialog.form.portrait.click()
    portrait = window.document.script.cast[0].portrait
    row = next(row for row, line in enumerate(window.lines) if line.character == hero.id)
    assert "#12ab34" in list_colours(paint_list(window), find_card(window, row).avatar)
    kept = parse_script(convert_script_to_data(window.document.script)).cast[0]
    assert kept.portrait == portrait
    chosen[0] = tmp_path / "no picture.png"
    chosen[0].write_bytes(b"no picture")
    dialog.form.portrait.click()
    assert "no picture.png" in dialog.error.text()
    assert window.document.script.cast[0].portrait == portrait
    dialog.form.no_portrait.click()
    assert not window.document.script.cast[0].portrait
    assert not dialog.form.no_portrait.isVisibleTo(dialog)
    window.window_actions["undo"].trigger()
    assert window.document.script.cast[0].portrait == portrait


@pytest.mark.parametrize("portrait", ["AAAA", "こ", "iVBORw0KGgo=", "A" * 4001])
def test_what_is_no_picture_in_a_project_leaves_the_letter(open_window: OpenWindow, portrait: str) -> None:
    window = staged(open_window(ready=False))
    hero = window.document.script.cast[0]
    window.document.apply_edit("portrait", change_character(window.document.script, hero.id, portrait=portrait))
    row = next(row for row, line in enumerate(window.lines) if line.character == hero.id)
    disc = find_card(window, row).avatar
    colour = paint_list(window).pixelColor(QPointF(disc.left() + 4, disc.center().y()).toPoint())
    assert colour == find_character_colour(hero.colour, "light")


def test_a_cast_goes_to_another_project(tmp_path: Path, open_window: OpenWindow) -> None:
    window = staged(open_window(ready=False), v=LineSettings(style="Sad"))
    window.cast.open_window()
    window.cast.files.write_cast(tmp_path / "cast.koebako", Project(Script(cast=window.document.script.cast)))
    window.cast.files.wait_until_idle()
    kept = read_project(tmp_path / "cast.koebako")
    assert ([one.name for one in kept.script.cast], kept.script.lines) == (["勇者", "村人"], ())
    window.document.reset_script(Script((Line("あ。"),)))
    window.cast.files.read_cast(tmp_path / "cast.koebako")
    window.cast.files.wait_until_idle()
    assert [(one.name, one.settings.style) for one in window.document.script.cast] == [("勇者", ""), ("村人", "Sad")]
    window.cast.files.read_cast(tmp_path / "cast.koebako")
    window.cast.files.wait_until_idle()
    assert len(window.document.script.cast) == 2, "nobody is there twice"
    write_project(tmp_path / "empty.koebako", Project(Script((Line("い。"),))))
    window.cast.files.read_cast(tmp_path / "empty.koebako")
    window.cast.files.wait_until_idle()
    assert window.cast.window is not None
    assert window.cast.window.error.text() == "This project has no characters."


def test_the_menu_of_a_line_offers_the_cast(open_window: OpenWindow) -> None:
    window = staged(open_window(ready=False))
    window.cast_menu.fill_menu()
    choices = {action.text().partition("\t")[0]: action for action in window.cast_menu.actions()}
    assert choices["勇者"].isChecked()
    choices["村人"].trigger()
    assert speakers(window) == "vvhv-"
    window.window_actions["select_character"].trigger()
    assert window.script.selected_ids == ["h0", "v1", "v3"]


def test_readings_in_doubt_are_found_while_the_checks_are_shown(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(ready=False)
    window.document.reset_script(Script((Line("雨。", id="a"), Line("寒気がする。", id="b"), Line("空く。", id="c"))))
    window.cast.open_window()
    board = window.cast.window
    assert board is not None
    assert window.cast.checks.total == 0, "nothing is read before anybody looks"
    board.tabs.setCurrentIndex(1)
    window.cast.checks.wait_until_idle()
    assert [item.split(":")[0] for item in shown_warnings(board)] == ["Line 2", "Line 3"]
    assert "寒気 → カンキ" in shown_warnings(board)[0]
    assert not board.progress.isVisibleTo(board)
    board.warnings.itemClicked.emit(board.warnings.item(0))
    assert window.selection.current_id == "b"
    edits = Overrides(readings=(ReadingOverride("寒気", "サムケ"),))
    window.document.apply_edit("", replace_overrides(window.document.script, "b", edits))
    qtbot.waitUntil(lambda: [item.split(":")[0] for item in shown_warnings(board)] == ["Line 3"])
    window.cast.checks.forget_readings()
    window.cast.checks.wait_until_idle()
    assert [item.split(":")[0] for item in shown_warnings(board)] == ["Line 3"]


def test_a_voice_from_the_library_is_dropped_on_a_character(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = staged(open_window(), v=LineSettings(voice="gone"))
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    window.window_actions["voice_library"].trigger()
    library = window.library.dialog
    assert library is not None
    window.cast.open_window()
    board = window.cast.window
    assert board is not None
    carried = library.list.mimeData([library.list.item(0)])
    place = board.table.visualRect(board.table.characters.index(1, 1)).center()
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(place, copy, carried, left, Qt.KeyboardModifier.NoModifier)
    drop = QDropEvent(QPointF(place), copy, carried, left, Qt.KeyboardModifier.NoModifier)
    for event in (enter, drop):
        QApplication.sendEvent(board.table.viewport(), event)
        assert event.isAccepted()
    voice = window.catalog.voices[0].id
    assert [line.settings.voice for line in window.lines] == ["", voice, "", voice, ""]
    before = window.document.script
    carried.setData(VOICE_MIME, b"nobody")
    board.table.characters.dropMimeData(carried, copy, -1, -1, board.table.characters.index(0, 1))
    assert window.document.script is before


def shown_warnings(board: CastWindow) -> list[str]:
    return [board.warnings.item(row).text() for row in range(board.warnings.count())]


@pytest.mark.parametrize("text", ["a、b", "a,b", " a ; b ；a", "a\nb"])
def test_aliases_are_separated_as_people_write(text: str) -> None:
    assert split_aliases(text) == ("a", "b")


def test_warnings_name_what_cannot_be_heard() -> None:
    gone = LineSettings(voice="gone")
    builder = CastBuilder()
    hero, villager = builder.add_character("勇者", gone), builder.add_character("村人", LineSettings())
    script = Script((Line("あ。", id="a"), Line("い。", id="b"), Line(" ", id="c"), Line("う。", gone, id="d")), cast=builder.cast)
    script = assign_character(assign_character(script, ["a"], hero.id), ["b", "c"], villager.id)
    found = list_script_warnings(script, lambda voice: voice == "gone", str.upper)
    assert [(warning.line_id, warning.character_id) for warning in found] == [("a", hero.id), ("c", ""), ("d", "")]
    assert "GONE" in found[0].text
