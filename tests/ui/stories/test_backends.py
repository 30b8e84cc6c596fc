"""The backend selector while things sound, with a device that is there and one that truly fails."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from app.adapters.ort.devices.device_sessions import open_session
from app.common.files.whole_files import write_json
from app.compose import device_opening
from app.compose.device_opening import open_device_journal
from app.settings.user_settings import Settings
from app.ui.shell.status_line import FIGURE_ROLE
from app.ui.tasks.process_task import TaskState
from tests.faulty_device import FAULTS, FaultyDevice, raising
from tests.recording_player import RecordingPlayer
from tests.ui.banner_driver import press_action
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, wait_idle, write
from tests.ui.window_driver import WindowDriver

HELLO = "こんにちは、世界。"
LONG = "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。" * 30
NEVER = 10**6


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FaultyDevice:
    """Offered as CUDA; sound until a test sets the run in which it fails."""
    device = FaultyDevice(raising(FAULTS["removed"][0]), NEVER)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    return device


@pytest.fixture
def paced() -> RecordingPlayer:
    return RecordingPlayer(pace=1.0, queue_s=0.5)


@pytest.fixture
def window(open_window: OpenWindow, paced: RecordingPlayer) -> WindowDriver:
    return open_window(open_player=lambda _device, _rate: paced)


def choose(window: WindowDriver, backend: str) -> None:
    """As a hand does it in the status bar; what this machine does not have stands there for the test."""
    combo = window.status.backends
    if combo.findData(backend) < 0:
        combo.addItem(backend.upper(), backend)
    combo.setCurrentIndex(combo.findData(backend))
    combo.activated.emit(combo.currentIndex())


def begin(qtbot: QtBot, window: WindowDriver) -> None:
    """A long line that sounds now."""
    write(window, LONG)
    window.play_commands.play_or_stop()
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0.1, timeout=WAIT_MS)


def used(window: WindowDriver) -> set[str]:
    assert window.controller.voice is not None
    return {backend for _, backend in window.controller.voice.backends}


def test_switched_while_speaking_it_is_silent_at_once_and_the_next_line_comes_from_there(
    qtbot: QtBot, window: WindowDriver, device: FaultyDevice, paced: RecordingPlayer
) -> None:
    begin(qtbot, window)
    choose(window, "cuda")
    assert not window.speech_state.is_speaking
    assert paced.position is None
    wait_idle(qtbot, window)
    assert used(window) == {"cuda"}
    assert window.status.backend == "cuda"
    assert "bert: cuda" in window.status.actual.toolTip().lower()
    assert not window.banner.isVisible()
    before = len(device.runs)
    paced.pace = float("inf")
    request = speak(qtbot, window, HELLO)
    assert len(device.runs) > before
    assert paced.requests[request][-1].last
    choose(window, "cpu")
    wait_idle(qtbot, window)
    assert used(window) == {"cpu"}
    again = speak(qtbot, window)
    assert np.array_equal(paced.sound(again), paced.sound(request))


def test_a_device_that_fails_while_it_warms_up_is_told_and_cpu_speaks(
    qtbot: QtBot, window: WindowDriver, device: FaultyDevice, paced: RecordingPlayer
) -> None:
    begin(qtbot, window)
    device.at = len(device.runs) + 2
    choose(window, "cuda")
    wait_idle(qtbot, window)
    assert used(window) == {"cpu"}
    assert "887A0005" in window.banner.details.text.toPlainText()
    assert window.banner.message.text() == "CUDA cannot be used; the CPU is used instead.", "one sentence"
    assert "Update the graphics driver" in window.banner.hint.text()
    assert "887A0005" in window.status.actual.toolTip()
    assert window.status.backend == "cuda", "what was asked for stays"
    paced.pace = float("inf")
    request = speak(qtbot, window, HELLO)
    assert paced.requests[request][-1].last
    device.at = NEVER
    choose(window, "cuda")
    assert not window.banner.isVisible(), "another try"
    wait_idle(qtbot, window)
    assert used(window) == {"cuda"}, "a device that is back is used again"
    assert not window.banner.isVisible()


def test_a_driver_that_crashes_is_left_alone_until_the_user_tries_it_again(
    qtbot: QtBot, open_window: OpenWindow, device: FaultyDevice, paced: RecordingPlayer
) -> None:
    """As ctypes shows an access violation to a program of Windows, which lives on."""
    window = open_window(open_player=lambda _device, _rate: paced)
    paced.pace = float("inf")
    choose(window, "cuda")
    wait_idle(qtbot, window)
    device.fault = raising(FAULTS["crashed"][0])
    device.at = crashed = len(device.runs) + 1
    request = speak(qtbot, window, HELLO)
    assert paced.requests[request][-1].last
    assert used(window) == {"cpu"}
    assert len(device.runs) == crashed, "no other graph was tried on it"
    assert "access violation" in window.banner.details.text.toPlainText()
    assert "driver crashed while it was in use" in str(open_device_journal().describe_refusal("cuda")), (
        "the next start leaves it alone as well"
    )
    assert window.banner.action.text() == "Try again"
    device.at = NEVER
    press_action(window.banner, "Try again")
    wait_idle(qtbot, window)
    assert used(window) == {"cuda"}
    assert open_device_journal().describe_refusal("cuda") is None


def test_a_graph_without_room_runs_on_the_cpu_and_nothing_has_failed(
    qtbot: QtBot, window: WindowDriver, device: FaultyDevice, paced: RecordingPlayer
) -> None:
    choose(window, "cuda")
    wait_idle(qtbot, window)
    paced.pace = float("inf")
    device.fault = raising(FAULTS["memory"][0])
    device.at = len(device.runs) + 1
    speak(qtbot, window, HELLO)
    assert used(window) == {"cpu", "cuda"}
    assert window.banner.message.text() == "Some of the work is done on the CPU, not on CUDA."
    assert "BERT runs on the CPU, not on CUDA: it ran out of memory." in window.banner.hint.text()
    assert window.banner.action.isHidden()
    assert window.status.actual.objectName() == "muted", "not in the colour of errors"


def test_whatever_it_raises_in_the_middle_of_a_line_the_line_is_heard_to_its_end(
    qtbot: QtBot, window: WindowDriver, device: FaultyDevice, paced: RecordingPlayer
) -> None:
    paced.pace = float("inf")
    expected = paced.sound(speak(qtbot, window, HELLO))
    texts = {
        "hung": "橋を渡る。",
        "memory": "雨が降る。",
        "refused": "雪が積もる。",
        "cuda": "風が吹く。",
    }  # new ones: nothing of them is remembered
    for fault, text in texts.items():
        raised, sign = FAULTS[fault]
        choose(window, "cuda")
        wait_idle(qtbot, window)
        assert used(window) == {"cuda"}, fault
        device.fault = raising(raised)
        device.at = len(device.runs) + 3
        request = speak(qtbot, window, text + HELLO)
        assert sign.lower() in window.banner.details.text.toPlainText().lower()
        assert window.banner.hint.text()
        assert not window.notice.isVisible()
        assert paced.requests[request][-1].last
        assert np.array_equal(paced.sound(speak(qtbot, window, HELLO)), expected), "from the CPU as before"
        device.at = NEVER
        choose(window, "cpu")
        wait_idle(qtbot, window)


def test_one_that_cannot_even_start_is_told_with_the_reason(
    qtbot: QtBot, window: WindowDriver, device: FaultyDevice, monkeypatch: pytest.MonkeyPatch, paced: RecordingPlayer
) -> None:
    """No stand-in: the ONNX Runtime of this machine without such a device says so itself."""
    monkeypatch.setattr(device_opening, "open_session", open_session)
    backend = "cuda"
    begin(qtbot, window)
    choose(window, backend)
    wait_idle(qtbot, window)
    if used(window) != {"cpu"}:
        pytest.skip("this machine has such a device")
    assert window.banner.isVisible()
    assert "CPU" in window.banner.message.text()
    assert window.banner.hint.text()
    paced.pace = float("inf")
    assert speak(qtbot, window, HELLO) in paced.requests
    assert window.settings.value.backend == backend, "for the next start, where the device may be there"


def test_back_and_forth_faster_than_a_voice_opens(qtbot: QtBot, window: WindowDriver, device: FaultyDevice, paced: RecordingPlayer) -> None:
    begin(qtbot, window)
    for backend in ("cuda", "cpu", "cuda", "cpu", "cuda", "cpu"):
        choose(window, backend)
        window.play_commands.play_or_stop()
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0, timeout=WAIT_MS)
    window.play_commands.stop_playing()
    wait_idle(qtbot, window)
    paced.pace = float("inf")
    request = speak(qtbot, window, HELLO)
    assert paced.requests[request][-1].last
    assert used(window) == {"cpu"}
    assert window.status.backend == "cpu"
    assert not window.banner.isVisible()


def test_what_fails_while_a_file_is_written_does_not_spoil_the_file(
    qtbot: QtBot, window: WindowDriver, device: FaultyDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.ui.playback.test_sound_saving import answer

    write(window, HELLO)
    for name, backend in (("cpu.wav", "cpu"), ("cuda.wav", "cuda")):
        choose(window, backend)
        wait_idle(qtbot, window)
        if backend == "cuda":
            device.at = len(device.runs) + 3
        answer(monkeypatch, tmp_path / name)
        window.window_actions["save_line"].trigger()
        wait_idle(qtbot, window)
    assert window.banner.message.text() == "Exported: cuda.wav"
    assert "887A0005" in window.banner.hint.text(), "what failed on the way is told beside what has become of the file"
    assert "synthesised on the CPU" in window.banner.hint.text()
    assert "887A0005" in window.status.actual.toolTip()
    assert (tmp_path / "cpu.wav").read_bytes() == (tmp_path / "cuda.wav").read_bytes()


@pytest.mark.slow
def test_what_was_measured_stands_beside_each_backend_and_is_still_there_tomorrow(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    assert window.status.backends.itemData(0, FIGURE_ROLE) is None
    window.window_actions["measure"].trigger()
    (job,) = window.task_queue.jobs
    qtbot.waitUntil(lambda: job.stage not in (TaskState.WAITING, TaskState.RUNNING), timeout=3 * WAIT_MS)
    assert job.error is None
    assert "CPU" in window.voice_banner.hint.text().upper()
    wait_idle(qtbot, window)
    window.close()
    again = open_window()
    box = again.status.backends
    for key in ("auto", "cpu"):
        row = box.findData(key)
        assert box.itemData(row, FIGURE_ROLE).endswith(" ms")
        assert "time to first audio" in box.itemData(row, Qt.ItemDataRole.ToolTipRole)
        shown = QStyleOptionViewItem()
        box.itemDelegate().initStyleOption(shown, box.model().index(row, 0))
        assert shown.text == f"{box.itemText(row)}    {box.itemData(row, FIGURE_ROLE)}"
    assert "ms" not in box.currentText(), "the closed box is short"


def test_after_a_crash_the_window_takes_the_cpu_says_so_and_offers_to_try_again(
    qtbot: QtBot, open_window: OpenWindow, paced: RecordingPlayer, device: FaultyDevice
) -> None:
    record = open_device_journal()
    write_json(record._folder / "note-1.json", {"device": record._compute_device_key("cuda"), "process": 2**22 + 1, "started": 1.0})
    window = open_window(Settings(text="", backend="cuda"), open_player=lambda _device, _rate: paced)
    assert used(window) == {"cpu"}
    assert not [place for _, place in device.opened if place != "cpu"]
    assert "crashed while using it" in window.banner.details.text.toPlainText()
    assert "koebako" not in window.banner.details.text.toPlainText()  # a command is no help here
    assert window.banner.action.text() == "Try again"
    press_action(window.banner, "Try again")
    wait_idle(qtbot, window)
    assert used(window) == {"cuda"}
    assert not window.banner.isVisible()
    assert window.settings.value.backend == "cuda"


def test_a_lost_device_is_lost_for_the_voice_opened_next_and_can_be_tried_again(
    qtbot: QtBot, window: WindowDriver, device: FaultyDevice, paced: RecordingPlayer
) -> None:
    choose(window, "cuda")
    wait_idle(qtbot, window)
    paced.pace = float("inf")
    device.at = len(device.runs) + 3
    speak(qtbot, window, HELLO)
    assert used(window) == {"cpu"}
    device.at = NEVER
    opened = len(device.opened)
    window.controller.prepare_voice("mei")
    wait_idle(qtbot, window)
    assert len(device.opened) > opened
    assert {place for _, place in device.opened[opened:]} == {"cpu"}
    press_action(window.banner, "Try again")
    wait_idle(qtbot, window)
    assert used(window) == {"cuda"}


def test_backends_that_are_not_here_are_greyed_and_say_how_they_can_be_had(qtbot: QtBot, open_window: OpenWindow) -> None:
    box = open_window().status.backends
    rows = {box.itemText(row): box.model().index(row, 0) for row in range(box.count())}
    missing = {name: index for name, index in rows.items() if not index.flags() & Qt.ItemFlag.ItemIsEnabled}
    assert "CPU" in rows
    assert "CPU" not in missing
    assert "CoreML" in missing
    for index in missing.values():
        assert index.data(FIGURE_ROLE)
        assert "Koebako" in index.data(Qt.ItemDataRole.ToolTipRole)
