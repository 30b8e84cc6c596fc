"""The export page over files that are not ours: whatever they are and whatever is answered, none is lost that the question did not name."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.core.script.script import Line, Script
from app.export.export_plan import PlannedFile
from app.export.export_renderer import FileRenderer, WrittenFile
from app.export.manifest_store import JOURNAL_NAME, MANIFEST_NAME
from app.settings.user_settings import Settings
from app.ui.export.export_controller import ExportDialog
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.export.test_page import wait_over
from tests.ui.window_driver import WindowDriver

MINE, PROFILE = "mine\n", "export PATH=~/bin\n"
SCRIPT = Script((Line("雨が降る。", id="a"), Line("雪が積もる。", id="b")))


@dataclass(frozen=True, slots=True)
class Situation:
    """Something in the way.

    Attributes:
        chosen: on the page.
        first: exports with this pattern before anything is in the way.
        foreign: names of our user's own files there; `link` leads to a file elsewhere.
        asked: names that the question has.
        free: what is written whatever the answer is, but "Cancel".
        numbered: what "Add numbers" writes beside that.
    """

    chosen: dict[str, Any]
    foreign: tuple[str, ...]
    asked: tuple[str, ...]
    free: tuple[str, ...]
    numbered: tuple[str, ...]
    first: str = ""
    link: str = ""


SITUATIONS = {
    "the text that the script was made of": Situation(
        {"pattern": "story", "files": "joined", "sidecars": ("txt",)}, ("story.txt",), ("story.txt",), (), ("story 2.txt", "story 2.wav")
    ),
    "a subtitle that was corrected": Situation(
        {"pattern": "$id$", "sidecars": ("srt",)},
        ("a.srt",),
        ("a.wav", "b.wav"),
        (),
        ("a 2.srt", "a 2.wav", "b 2.srt", "b 2.wav"),
        first="$id$",
    ),
    "a link to a file elsewhere": Situation(
        {"pattern": "$id$", "sidecars": ("txt",)}, ("a.txt",), ("a.txt",), ("b.txt", "b.wav"), ("a 2.txt", "a 2.wav"), link="a.txt"
    ),
    "a subtitle where a file is to be renamed": Situation(
        {"pattern": "$number$", "sidecars": ("srt",), "only_changed": True},
        ("001.srt",),
        ("001.srt",),
        ("002.srt", "002.wav"),
        ("001 2.srt", "001 2.wav"),
        first="$id$",
    ),
    "a table where a list is to be": Situation(
        {"game": "csv"}, ("voice_lines.csv",), ("voice_lines.csv",), ("a.wav", "b.wav"), ("voice_lines 2.csv",)
    ),
}


def fill_in(page: ExportDialog, chosen: dict[str, Any]) -> None:
    """What a user chooses on the page."""
    form = page.form
    ways: dict[str, Callable[[Any], object]] = {
        "pattern": form.pattern.edit.setText,
        "files": form.files.choose_value,
        "sidecars": form.sidecars.choose_kinds,
        "game": form.game.choose_value,
        "only_changed": form.only_changed.setChecked,
    }
    for name, value in chosen.items():
        ways[name](value)


def begin(qtbot: QtBot, window: WindowDriver, folder: Path, chosen: dict[str, Any]) -> ExportDialog:
    """Presses the button of the page, once it is ready for what was chosen."""
    window.window_actions["export"].trigger()
    page = window.export.dialog
    assert page is not None
    page.form.folder.show_value(str(folder))
    fill_in(page, chosen)
    qtbot.waitUntil(lambda: not page.export_button.isEnabled() or page.files.rowCount() > 0, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: page.export_button.isEnabled() and page.files.rowCount() > 0, timeout=WAIT_MS)
    page.export_button.click()
    return page


def finish(qtbot: QtBot, window: WindowDriver, before: object) -> None:
    qtbot.waitUntil(lambda: window.export.run is not before, timeout=WAIT_MS)
    wait_over(qtbot, window)


def listed(folder: Path) -> set[str]:
    return {item.name for item in folder.iterdir() if not item.name.startswith(".")}


def is_kept(file: Path) -> bool:
    return file.read_text(encoding="utf-8") in (MINE, PROFILE)


def put_in_the_way(situation: Situation, folder: Path, profile: Path) -> None:
    """Our user's own files, in place of what an export may have left there."""
    for one in situation.foreign:
        (folder / one).unlink(missing_ok=True)
        if one == situation.link:
            (folder / one).symlink_to(profile)
        else:
            (folder / one).write_text(MINE, encoding="utf-8")


@pytest.mark.parametrize("name", SITUATIONS)
def test_files_in_the_way(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, name: str) -> None:
    situation, profile = SITUATIONS[name], tmp_path / "profile"
    if situation.link and sys.platform == "win32":
        pytest.skip("links need a right there")
    profile.write_text(PROFILE, encoding="utf-8")
    window = open_window(Settings(text=""))
    window.document.reset_script(SCRIPT)
    for answer in ("Cancel", "Skip", "Add numbers", "Replace"):
        folder = tmp_path / answer / "out"
        folder.mkdir(parents=True)
        window.project.path = folder.parent / "story.koebako"
        if situation.first:
            before = window.export.run
            begin(qtbot, window, folder, situation.chosen | {"pattern": situation.first, "only_changed": False})
            finish(qtbot, window, before)
            qtbot.waitUntil(
                lambda folder=folder: (folder / MANIFEST_NAME).is_file() and not (folder / JOURNAL_NAME).exists(), timeout=WAIT_MS
            )
        put_in_the_way(situation, folder, profile)
        look_at_answer(qtbot, window, folder, situation, answer)
        assert profile.read_text(encoding="utf-8") == PROFILE


def look_at_answer(qtbot: QtBot, window: WindowDriver, folder: Path, situation: Situation, answer: str) -> None:
    """Nothing is lost but what the question named, and that only by "Replace"."""
    there, before = listed(folder), window.export.run
    page = begin(qtbot, window, folder, situation.chosen)
    qtbot.waitUntil(lambda: window.export.question is not None, timeout=WAIT_MS)
    question = window.export.question
    assert isinstance(question, QMessageBox)
    assert tuple(question.informativeText().splitlines()) == situation.asked
    next(button for button in question.buttons() if button.text() == answer).click()
    if answer == "Cancel":
        page.reject()
        assert listed(folder) == there
    else:
        finish(qtbot, window, before)
        made = {*situation.free, *(situation.numbered if answer == "Add numbers" else ())}
        qtbot.waitUntil(lambda: listed(folder) >= made, timeout=WAIT_MS)
        assert answer != "Skip" or listed(folder) <= there | made
    for one in situation.foreign:
        if answer == "Replace":
            qtbot.waitUntil(lambda one=one: not is_kept(folder / one), timeout=WAIT_MS)
        assert is_kept(folder / one) == (answer != "Replace"), one
        assert (folder / one).is_symlink() == (one == situation.link and answer != "Replace")


def test_what_appears_meanwhile_is_kept_and_told(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file = FileRenderer.write_file

    def write_late(renderer: FileRenderer, item: PlannedFile, *asked: Any) -> WrittenFile | None:
        (tmp_path / "b.wav").write_text(MINE, encoding="utf-8")
        return write_file(renderer, item, *asked)

    monkeypatch.setattr(FileRenderer, "write_file", write_late)
    window = open_window(Settings(text="", save_folder=str(tmp_path)))
    window.document.reset_script(SCRIPT)
    begin(qtbot, window, tmp_path, {"pattern": "$id$"})
    finish(qtbot, window, None)
    run = window.export.run
    assert run is not None
    assert run.fatal is not None
    assert "already exists" in run.fatal.message
    assert window.export.progress is not None
    assert "b.wav" in window.export.progress.state.text()
    assert (tmp_path / "b.wav").read_text(encoding="utf-8") == MINE
    assert listed(tmp_path) >= {"a.wav"}
