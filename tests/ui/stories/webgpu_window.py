"""WebGPU in the window, for real: in a process that sees an adapter, which `test_webgpu` starts."""

from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.adapters.ort.devices.device_sessions import OpenedSession, open_session
from app.compose import device_opening
from app.ui.display_names import format_backends
from tests.adapters.ort.test_webgpu import LIMIT_S
from tests.faulty_device import FAULTS, FaultyDevice, raising
from tests.recording_player import RecordingPlayer
from tests.ui import conftest
from tests.ui.conftest import OpenWindow, speak, wait_idle
from tests.ui.stories.test_backends import NEVER, choose, used

TEXT, LONGER = "はい。", "はい。今日は。"
# A software adapter compiles for half a minute, beside other programs for minutes.
LONG_WAIT_MS = 400_000
# The sines of WebGPU's language, several times over in one sentence, in 16 bits.
MOST_APART = 2e-3


class RealDevice(FaultyDevice):
    """Computes where it is asked to, and fails in the run of number `at`."""

    def open(self, model: Any, place: str, name: str, store: Any = None) -> OpenedSession:
        self.opened.append((name, place))
        found = open_session(model, place, name, store)
        if found.backend != "cpu":
            self.watch(found, name)
        return found


@pytest.mark.timeout(LIMIT_S)
def test_chosen_in_the_window_it_speaks_and_when_it_is_lost_the_line_ends_on_the_cpu(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conftest, "WAIT_MS", LONG_WAIT_MS)
    device, player = RealDevice(raising(FAULTS["webgpu-lost"][0]), NEVER), RecordingPlayer()
    monkeypatch.setattr(device_opening, "open_session", device.open)
    window = open_window(open_player=lambda _device, _rate: player)
    expected = player.sound(speak(qtbot, window, TEXT))
    whole = player.sound(speak(qtbot, window, LONGER))
    assert window.status.backends.findData("webgpu") >= 0, "offered because an adapter is there"
    choose(window, "webgpu")
    wait_idle(qtbot, window)
    assert used(window) == {"cpu", "webgpu"}, "by default the flow and the decoder"
    sound = player.sound(speak(qtbot, window, TEXT))
    assert len(device.runs) > 0
    assert sound.shape == expected.shape
    assert np.abs(sound - expected).max() <= MOST_APART
    assert not np.array_equal(sound, expected), "computed elsewhere"
    assert not window.banner.isVisible()
    assert "decode: webgpu" in window.status.actual.toolTip().lower()
    placed = {stage: format_backends(window.history.compute_stage_row(stage).backends) for stage in ("prosody", "flow", "decode")}
    assert placed == {"prosody": "CPU", "flow": "WebGPU", "decode": "WebGPU"}, "as the table of the latency graph has it"
    device.at = len(device.runs) + 2
    request = speak(qtbot, window, LONGER)
    assert len(device.runs) == device.at, "lost in the middle, and not asked again"
    assert player.requests[request][-1].last
    sound = player.sound(request)
    assert sound.shape == whole.shape
    assert np.abs(sound - whole).max() <= MOST_APART
    assert used(window) == {"cpu"}
    assert window.banner.message.text() == "WebGPU cannot be used; the CPU is used instead."
    assert "is lost" in window.banner.details.text.toPlainText()
    assert window.status.backend == "webgpu", "what was asked for stays"
