"""A project between starts: killed, closed, reopened, its file changed or gone meanwhile."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.common.files.paths import find_data_dir
from app.interchange.koebako_files import read_project
from app.settings.user_settings import Settings, save_settings
from app.ui.script import autosave
from app.ui.script.autosave import load_autosave
from tests.ui.conftest import WAIT_MS, OpenWindow, write
from tests.ui.projects.project_deeds import opened, project_file, saved, texts
from tests.ui.window_driver import start_window_program

REPOSITORY = Path(__file__).parents[3]
TYPE_INTO_A_PROJECT = """
def type_more():
    if window.script.editor is None:
        window.commands.edit_current_line()
    QTest.keyClicks(window.script.editor, "x")
    print(window.lines[0].text, flush=True)
timer = QTimer(window)
timer.timeout.connect(type_more)
window.projects.opened.connect(lambda: timer.start(200))
"""
SAVE_FOR_EVER = """
import sys
from pathlib import Path
from app.core.script.project import Project
from app.core.script.script import Line, Script
from app.interchange.koebako_files import write_project
for number in range(10_000):
    write_project(Path(sys.argv[1]), Project(script=Script(tuple(Line(f"{number} 回目。", id=str(row)) for row in range(500)))))
    print(number, flush=True)
"""


@pytest.fixture
def _soon_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autosave, "AUTOSAVE_DELAY_MS", 50)


def test_names_that_the_version_before_kept_beside_the_script_are_its_cast() -> None:
    parts = {
        "format": "koebako-project",
        "version": 1,
        "script": {"version": 1, "lines": []},
        "characters": [{"name": "勇者", "speaker": "勇者"}],
    }
    script = {"version": 1, "lines": [{"id": "a", "text": "雨。", "settings": {"voice": "勇者"}}], "current": "a"}
    kept = script | {"project": {"file": "a.koebako", "digest": "", "is_changed": True, "parts": parts}}
    autosave.locate_autosave_file().parent.mkdir(parents=True, exist_ok=True)
    autosave.locate_autosave_file().write_text(json.dumps(kept), encoding="utf-8")
    found = load_autosave()
    assert found.script is not None
    assert [one.name for one in found.script.cast] == ["勇者"]
    assert found.script.lines[0].character == found.script.cast[0].id
    assert found.origin.parts.script.cast == ()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kill -9")
def test_a_killed_window_loses_seconds_and_no_saved_file(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    file = project_file(tmp_path / "朗読.koebako", "雨。", "雪。")
    before = file.read_bytes()
    save_settings(Settings(text="", load_voice="first_use"))  # nothing is spoken
    process = start_window_program(TYPE_INTO_A_PROJECT, file)
    assert process.stdout is not None
    typed: list[tuple[float, str]] = []
    for line in process.stdout:
        typed.append((time.monotonic(), line.strip()))
        if typed[-1][0] - typed[0][0] > 6:
            break
    process.kill()
    killed = time.monotonic()
    process.communicate(timeout=30)
    assert file.read_bytes() == before
    must_be_there = [text for at, text in typed if killed - at > 5][-1]
    assert "x" in must_be_there
    window = open_window(ready=False)
    assert texts(window)[0].startswith(must_be_there)
    assert texts(window)[1] == "雪。"
    assert window.windowTitle() == "● 朗読 – Koebako"
    saved(qtbot, window)
    assert read_project(file).script.lines == window.lines
    assert [item for item in tmp_path.iterdir() if item.suffix == ".part"] == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kill -9")
def test_a_program_that_is_killed_while_it_saves_leaves_a_whole_file(tmp_path: Path) -> None:
    file = tmp_path / "a.koebako"
    for _ in range(4):
        writer = subprocess.Popen([sys.executable, "-c", SAVE_FOR_EVER, file], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        assert writer.stdout.readline() == "0\n"
        time.sleep(random.uniform(0, 0.05))
        writer.kill()
        writer.communicate()
        assert len({line.text for line in read_project(file).script.lines}) == 1


def test_a_closed_window_asks_nothing_and_comes_back_as_it_was(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    file = project_file(tmp_path / "a.koebako", "雨。")
    window = open_window(ready=False)
    opened(qtbot, window, file)
    window.project.change_parts(export={"format": "flac"})
    write(window, "雪。")
    window.close()
    assert window.projects.question is None
    again = open_window(ready=False)
    assert (texts(again), again.windowTitle()) == (["雪。"], "● a – Koebako")
    assert again.project_parts.export == {"format": "flac"}
    saved(qtbot, again)
    again.close()
    third = open_window(ready=False)
    assert (texts(third), third.windowTitle()) == (["雪。"], "a – Koebako")


@pytest.mark.parametrize("changed", [False, True])
def test_a_file_that_was_changed_between_starts(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, changed: bool) -> None:
    file = project_file(tmp_path / "a.koebako", "雨。")
    window = open_window(ready=False)
    opened(qtbot, window, file)
    if changed:
        write(window, "雪。")
    window.close()
    project_file(file, "ほかで書いた。")
    again = open_window(ready=False)
    if not changed:
        qtbot.waitUntil(lambda: texts(again) == ["ほかで書いた。"], timeout=WAIT_MS)
        assert "reloaded" in again.banner.message.text()
        assert again.windowTitle() == "a – Koebako"
        return
    qtbot.wait(300)
    assert (texts(again), again.windowTitle()) == (["雪。"], "● a – Koebako")
    again.projects.save_project()
    qtbot.waitUntil(lambda: again.projects.question is not None, timeout=WAIT_MS)
    assert read_project(file).script.lines[0].text == "ほかで書いた。"


@pytest.mark.usefixtures("_soon_kept")
def test_a_file_that_holds_it_all_is_known_again(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    """The program ended between writing the project and noting that it had."""
    file = project_file(tmp_path / "a.koebako", "雨。")
    window = open_window(ready=False)
    opened(qtbot, window, file)
    write(window, "雪。")
    qtbot.waitUntil(lambda: load_autosave().origin.is_changed, timeout=WAIT_MS)
    kept = (find_data_dir() / "autosave.json").read_bytes()
    saved(qtbot, window)
    window.close()
    (find_data_dir() / "autosave.json").write_bytes(kept)
    again = open_window(ready=False)
    qtbot.waitUntil(lambda: again.windowTitle() == "a – Koebako", timeout=WAIT_MS)
    write(again, "風。")
    saved(qtbot, again)
    assert again.projects.question is None


def test_a_project_whose_file_is_gone_is_not_lost(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    file = project_file(tmp_path / "a.koebako", "雨。")
    window = open_window(ready=False)
    opened(qtbot, window, file)
    window.close()
    file.unlink()
    again = open_window(ready=False)
    qtbot.waitUntil(lambda: again.windowTitle() == "● a – Koebako", timeout=WAIT_MS)
    assert texts(again) == ["雨。"]
    saved(qtbot, again)
    assert read_project(file).script.lines[0].text == "雨。"


def test_a_broken_note_of_the_project_costs_its_name_only(open_window: OpenWindow, tmp_path: Path) -> None:
    find_data_dir().mkdir(parents=True)
    (find_data_dir() / "autosave.json").write_text(
        '{"version": 1, "lines": [{"id": "a", "text": "雨。"}], "project": {"file": 3, "parts": []}}', encoding="utf-8"
    )
    window = open_window(ready=False)
    assert texts(window) == ["雨。"]
    assert window.project.path is None
