"""A project of VOICEVOX becomes ours, is edited and exported; the program is killed, and nothing of it is lost."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pysubs2
import pytest
import soundfile
from pytestqt.qtbot import QtBot

from app.interchange.koebako_files import read_project
from app.ui.script.autosave import locate_autosave_file
from tests.interchange.peers import phrase, query, vvproj
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.projects.project_deeds import opened, saved, texts

REPOSITORY = Path(__file__).parents[3]
DAY = """
import os, sys, time
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from app.core.script.script import replace_text
from tests.ui.window_driver import install_driver
source, file, out = map(Path, sys.argv[1:4])
del sys.argv[1:]
WindowDriver = install_driver()
start = WindowDriver.show_and_start

def wait(what):
    end = time.monotonic() + 60
    while not what():
        if time.monotonic() > end:
            os._exit(1)
        QTest.qWait(20)

def day(window):
    wait(lambda: window.catalog.is_read and not window.controller.is_busy)
    window.document.reset_script(type(window.document.script)())
    window.importing.import_files([source])
    wait(lambda: window.importing.dialog is not None)
    dialog = window.importing.dialog
    for row in dialog.names.rows:
        row.voice.setCurrentIndex(1)
        row.voice.activated.emit(1)
    dialog.import_button.click()
    wait(lambda: len(window.lines) == 2)
    line = window.lines[1]
    window.document.apply_edit("edit", replace_text(window.document.script, line.id, "お元気ですか。"))
    QFileDialog.getSaveFileName = lambda *_words: (str(file), "")
    window.projects.save_project()
    wait(lambda: file.is_file() and not window.project.is_changed)
    window.export.open_dialog()
    page = window.export.dialog
    page.form.folder.show_value(str(out))
    page.form.sidecars.choose_kinds(("srt", "lab"))
    wait(lambda: page.export_button.isEnabled() and page.files.rowCount() == 2)
    page.export_button.click()
    wait(lambda: window.export.run is not None and window.export.run.is_over)
    window.document.apply_edit("edit", replace_text(window.document.script, line.id, "また明日。"))
    print("typed", flush=True)

def begin(window):
    start(window)
    QTimer.singleShot(0, lambda: try_day(window))

def try_day(window):
    try:
        day(window)
    except BaseException as exc:
        print(repr(exc), file=sys.stderr, flush=True)
        os._exit(1)

WindowDriver.show_and_start = begin
from app.ui.main import main
sys.exit(main())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kill -9")
def test_import_assign_edit_export_kill_recover_reopen(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    source, file, out = tmp_path / "a.vvproj", tmp_path / "一日.koebako", tmp_path / "out"
    out.mkdir()
    asked = query(phrase(["コ", "ン", "ニ", "チ", "ワ"], 1), speedScale=1.2)
    source.write_bytes(vvproj("0.25.0", [("こんにちは。", 3, asked), ("さようなら。", 8, None)]))
    process = subprocess.Popen(
        [sys.executable, "-c", DAY, source, file, out],
        cwd=REPOSITORY,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    until = time.monotonic() + 5  # what is older than this is never lost
    while time.monotonic() < until and "また明日。" not in (
        locate_autosave_file().read_text("utf-8") if locate_autosave_file().exists() else ""
    ):
        time.sleep(0.05)
    process.kill()
    _, said = process.communicate(timeout=30)
    assert first == "typed\n", said[-2000:]
    before = file.read_bytes()
    assert [line.text for line in read_project(file).script.lines] == ["こんにちは。", "お元気ですか。"]
    sounds = sorted(out.glob("*.wav"))
    assert len(sounds) == 2
    for sound in sounds:
        (cue,) = pysubs2.load(str(sound.with_suffix(".srt")))
        assert 0 <= cue.start < cue.end <= round(1000 * soundfile.info(sound).duration)
        assert sound.with_suffix(".lab").read_text(encoding="utf-8").startswith("0 ")

    window = open_window()
    assert texts(window) == ["こんにちは。", "また明日。"]
    assert window.windowTitle() == "● 一日 – Koebako"
    assert file.read_bytes() == before
    line = window.lines[0]
    assert (line.settings.voice, line.settings.speed, line.overrides.moras[0].tone) == ("", 1.2, 1)
    saved(qtbot, window)
    again = open_window(ready=False)
    qtbot.waitUntil(lambda: not again.project.is_changed, timeout=WAIT_MS)  # the file holds what was kept
    opened(qtbot, again, file)
    assert texts(again) == ["こんにちは。", "また明日。"]
    qtbot.waitUntil(lambda: again.project.path == file, timeout=WAIT_MS)
