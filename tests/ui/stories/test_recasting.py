"""A task of a working day: a script names six characters; one gets another voice, three lines change, one is somebody else's: what is exported again."""

import time
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.cli.main import main
from app.core.script.characters import assign_character
from app.core.script.project import Project
from app.core.script.script import replace_texts
from app.export.manifest_store import JOURNAL_NAME, MANIFEST_NAME
from app.interchange.koebako_files import write_project
from app.settings.user_settings import Settings
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.window_driver import WindowDriver

CHARACTERS = ("勇者", "村人", "魔王", "王女", "商人", "語り手")
LINES = 200


def export_changed(qtbot: QtBot, window: WindowDriver, folder: Path) -> tuple[str, float]:
    """Export what changed by the page, and return its summary and the seconds of the program."""
    began = time.monotonic()
    window.window_actions["export"].trigger()
    page, before = window.export.dialog, window.export.run
    assert page is not None
    page.form.pattern.edit.setText("$id$_$character$")
    page.form.only_changed.setChecked(True)
    qtbot.waitUntil(lambda: page.export_button.isEnabled() and page.files.rowCount() == LINES, timeout=WAIT_MS)
    page.export_button.click()
    qtbot.waitUntil(lambda: window.export.run is not before, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.export.run is not None and window.export.run.is_over, timeout=6 * WAIT_MS)
    wait_idle(qtbot, window)
    qtbot.waitUntil(lambda: (folder / MANIFEST_NAME).is_file() and not (folder / JOURNAL_NAME).exists(), timeout=WAIT_MS)
    assert window.export.progress is not None
    return window.export.progress.title.text(), time.monotonic() - began


def read_stamps(folder: Path) -> dict[str, int]:
    return {item.name: item.stat().st_mtime_ns for item in folder.glob("*.wav")}


@pytest.mark.slow
def test_a_recast_hero_and_what_is_exported_again(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, script = tmp_path / "voice", tmp_path / "game.csv"
    out.mkdir()
    rows = [f"l{number:03d},{CHARACTERS[number % 6]},{number}番です。" for number in range(LINES)]
    script.write_text("\n".join(("id,登場人物,台詞", *rows)), encoding="utf-8")
    window = open_window(Settings(text="", save_folder=str(out)))
    window.catalog.refresh_voices()
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    monkeypatch.setattr("app.ui.interchange.script_files.ask_for_files", lambda *_words: [script])
    window.window_actions["import"].trigger()
    qtbot.waitUntil(lambda: window.importing.dialog is not None, timeout=WAIT_MS)
    assert window.importing.dialog is not None
    with qtbot.waitSignal(window.importing.finished, timeout=WAIT_MS):
        window.importing.dialog.import_button.click()  # every character has a speaker that nobody else has
    cast = window.document.script.cast
    assert [one.name for one in cast] == list(CHARACTERS)
    assert len({(one.settings.voice, one.settings.speaker, one.settings.style) for one in cast}) >= 3
    file = tmp_path / "game.koebako"
    window.project.path = file
    summary, first_s = export_changed(qtbot, window, out)
    assert summary.startswith(f"{LINES} written.")
    stamps = read_stamps(out)

    window.script.select_lines(["l000"])
    window.window_actions["show_cast"].trigger()
    board = window.cast.window
    assert board is not None
    styles = board.form.voice.styles
    assert styles.findData("Sad") >= 0, (board.table.current, [(voice.id, voice.styles) for voice in window.catalog.voices])
    styles.setCurrentIndex(styles.findData("Sad"))  # Ctrl+Shift+K, the list, the style: three clicks for another voice of the hero
    assert {line.settings.style for line in window.lines if line.character == cast[0].id} == {"Sad"}, board.table.current
    board.close()
    summary, recast_s = export_changed(qtbot, window, out)
    of_hero = len([number for number in range(LINES) if number % 6 == 0])
    assert summary.startswith(f"{of_hero} written, {LINES - of_hero} unchanged.")
    recast = read_stamps(out)
    assert {name for name in stamps if recast[name] != stamps[name]} == {name for name in stamps if name.endswith("勇者.wav")}

    texts = dict.fromkeys(("l001", "l002", "l003"), "変わりました。")
    villager, merchant = cast[1], cast[4]
    assert villager.settings == merchant.settings, "there are fewer speakers than characters"
    changed = replace_texts(window.document.script, texts)
    window.document.apply_edit("x", assign_character(changed, ["l007"], merchant.id))
    summary, again_s = export_changed(qtbot, window, out)
    assert summary.startswith(f"3 written, 1 renamed, {LINES - 4} unchanged.")
    after = read_stamps(out)
    assert len(after) == LINES
    written = {"l001_村人.wav", "l002_魔王.wav", "l003_王女.wav"}
    assert {name for name in after if after[name] != recast.get(name)} == written | {"l007_商人.wav"}
    assert after["l007_商人.wav"] == recast["l007_村人.wav"]

    write_project(file, Project(window.document.script))
    capsys.readouterr()
    assert main(["export", str(file), "-o", str(out), "--pattern", "$id$_$character$", "--only", "changed"]) == 0
    assert f"{LINES} unchanged." in capsys.readouterr().err
    assert read_stamps(out) == after
    print(f"first export {first_s:.1f} s, after a recast {recast_s:.1f} s, after three changes and a new name {again_s:.1f} s")
