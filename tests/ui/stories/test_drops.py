"""Files dropped on the window: each does what it can do, and what cannot be used is told in a sentence."""

import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.common.files.paths import find_data_dir
from app.install.staging_folders import MOVE_LOCK_NAME, find_staging_dir
from app.settings.user_settings import Settings
from app.ui.tasks.process_task import TaskState
from tests.install.voice_files import aivmx
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.voices.test_voice_controller import HELLO, UUIDS, until
from tests.ui.window_driver import WindowDriver


@pytest.fixture
def reference(tiny_models: Path) -> Path:
    return tiny_models


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    return open_window(Settings(text=HELLO), ready=False)


def drop(target: QWidget, *files: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    entered = QDragEnterEvent(QPoint(5, 5), *how)
    QApplication.sendEvent(target, entered)
    assert entered.isAccepted()
    QApplication.sendEvent(target, QDropEvent(QPointF(5, 5), *how))


def drop_scripts(qtbot: QtBot, window: WindowDriver, target: QWidget, *files: Path) -> None:
    """Files whose lines are there when it returns."""
    with qtbot.waitSignal(window.importing.finished, timeout=WAIT_MS):
        drop(target, *files)


def texts(window: WindowDriver) -> list[str]:
    return [line.text for line in window.lines]


def written(file: Path, text: str, encoding: str = "utf-8") -> Path:
    file.write_text(text, encoding=encoding)
    return file


def test_text_becomes_lines_where_the_selection_is(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    for target in (window, window.script.viewport()):
        drop_scripts(qtbot, window, target, written(tmp_path / "a.txt", "雨。\n\n雪。\n", "cp932"))
        assert sorted(texts(window)) == sorted([HELLO, "雨。", "雪。"])
        assert len(window.script.selected_ids) == 2
        window.undo_stack.undo()
        assert texts(window) == [HELLO], "one step, however many lines"


def test_a_table_of_speakers_and_words(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    drop(window, written(tmp_path / "a.CSV", "花子,雨が降る。\n太郎,雪が降る。\n"))
    until(qtbot, lambda: window.importing.dialog is not None)
    assert window.importing.dialog is not None
    first, second = window.importing.dialog.names.rows
    assert first.style.currentData() != second.style.currentData(), "speakers that nobody has yet are suggested"
    second.voice.setCurrentIndex(0)  # later: the name is kept
    with qtbot.waitSignal(window.importing.finished, timeout=WAIT_MS):
        window.importing.dialog.import_button.click()
    assert [(line.settings.voice, line.text) for line in window.lines[1:]] == [("", "雨が降る。"), ("太郎", "雪が降る。")]
    assert [one.name for one in window.document.script.cast] == ["花子", "太郎"]


def test_a_text_file_without_text_is_told(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    cases = (
        ("empty.txt", b"", "contains no text"),
        ("blank.csv", b"\n , \n\n", "contains no text"),
        ("rules.md", b"---\n\n***\n", "contains no text"),
        ("picture.txt", b"\x89PNG\r\n\x1a\n\0\0\0", "cannot be read as text"),
    )
    for name, content, said in cases:
        window.banner.hide()
        (tmp_path / name).write_bytes(content)
        drop_scripts(qtbot, window, window, tmp_path / name)
        assert texts(window) == [HELLO]
        assert window.banner.isVisible()
        assert name in window.banner.message.text()
        assert said in window.banner.message.text()


@pytest.mark.slow
@pytest.mark.usefixtures("_voices_prepared_once")
def test_a_zip_with_a_voice_and_one_without(qtbot: QtBot, window: WindowDriver, reference: Path, tmp_path: Path) -> None:
    for name, content in (("voice.zip", aivmx(reference, tmp_path / "花子.aivmx", name="花子", uuid=UUIDS[0])), ("other.zip", None)):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("読んでください.txt", "ようこそ")
            if content is not None:
                archive.write(content, "花子/花子.aivmx")
    drop(window, tmp_path / "voice.zip", tmp_path / "other.zip")
    good, bad = window.task_queue.jobs
    until(qtbot, lambda: bad.stage is TaskState.FAILED)
    assert good.stage is TaskState.DONE
    assert good.results[-1]["name"] == "花子"
    assert bad.error is not None
    assert "other.zip" in bad.error.message
    assert texts(window) == [HELLO]


@pytest.mark.usefixtures("_voices_prepared_once")
def test_five_at_once(qtbot: QtBot, window: WindowDriver, reference: Path, tmp_path: Path) -> None:
    """Two texts, of which one is broken, a voice, a picture, and a file that is gone by now."""
    (tmp_path / "broken.txt").write_bytes(b"\0\xff\0\xfe" * 9)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    voice = aivmx(reference, tmp_path / "花子.aivmx", name="花子", uuid=UUIDS[0])
    drop_scripts(
        qtbot,
        window,
        window,
        written(tmp_path / "a.md", "# 題\n\n- 雨。\n"),
        tmp_path / "broken.txt",
        voice,
        tmp_path / "picture.png",
        tmp_path / "gone.sbv2",
    )
    assert texts(window) == [HELLO, "題", "雨。"], "what can be read is read"
    assert "broken.txt" in window.banner.message.text()
    added, picture, gone = window.task_queue.jobs
    panel = window.jobs_panel
    assert window.messages.wanted_cards == [panel, window.banner]
    window.messages.more.click()
    assert panel.isVisible(), "beside the newest message where all are wanted"
    assert len(panel.rows) == 3
    until(qtbot, lambda: gone.stage is TaskState.FAILED)
    assert [job.stage for job in (added, picture, gone)] == [TaskState.DONE, TaskState.FAILED, TaskState.FAILED]
    for job, name in ((picture, "picture.png"), (gone, "gone.sbv2")):
        assert job.error is not None
        assert name in job.error.message
        assert job.error.hint
        panel.rows[job].close_button.click()
    until(qtbot, lambda: window.catalog.find_voice(UUIDS[0]) is not None)
    assert all(line.settings.voice == "" for line in window.lines), "of several voices none is chosen for the lines"


def test_cancelled_in_the_middle_of_preparing_nothing_stays(qtbot: QtBot, window: WindowDriver, reference: Path, tmp_path: Path) -> None:
    drop(window, aivmx(reference, tmp_path / "花子.aivmx", name="花子", uuid=UUIDS[0]))
    (job,) = window.task_queue.jobs
    until(qtbot, lambda: job.advance.step in ("cutting", "building", "checking"))
    assert [item for item in find_staging_dir().iterdir() if item.is_dir()]
    window.jobs_panel.rows[job].close_button.click()
    assert not window.jobs_panel.isVisible()
    until(qtbot, lambda: not any(find_staging_dir().iterdir()) or [item.name for item in find_staging_dir().iterdir()] == [MOVE_LOCK_NAME])
    assert not [item for item in (find_data_dir() / "voices").glob("*") if not item.name.startswith(".")]
    assert window.catalog.find_voice(UUIDS[0]) is None
