"""A sound system that does not answer is an error after a while, and what is said of it can be read."""

import os
import threading
from pathlib import Path

import pytest

from app.adapters.portaudio import audio_devices
from app.adapters.portaudio.audio_devices import PortAudioThread
from app.common.errors import AudioDeviceError


def test_answers_and_errors_come_from_one_thread() -> None:
    thread = PortAudioThread()
    names = [thread.call_and_wait(lambda: threading.current_thread().name) for _ in range(2)]
    assert names == ["portaudio", "portaudio"]
    assert thread.call_and_wait(lambda: thread.call_and_wait(lambda: 5)) == 5
    with pytest.raises(ZeroDivisionError):
        thread.call_and_wait(lambda: 1 // 0)


def test_no_answer_is_an_error_until_it_comes(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(audio_devices, "CALL_TIMEOUT_S", 0.05)
    thread, answers = PortAudioThread(), threading.Event()

    def silent() -> None:
        with Path(os.devnull).open("wb") as nowhere:  # as sounddevice does while PortAudio starts
            os.dup2(nowhere.fileno(), 2)
        answers.wait(10)

    with pytest.raises(AudioDeviceError, match="not responding"):
        thread.call_and_wait(silent)
    os.write(2, b"read\n")
    assert capfd.readouterr().err == "read\n"
    monkeypatch.setattr(audio_devices, "CALL_TIMEOUT_S", 10.0)
    with pytest.raises(AudioDeviceError):
        thread.call_and_wait(lambda: 5)
    answers.set()
    assert thread.unanswered is not None
    thread.unanswered.result(10)
    assert thread.call_and_wait(lambda: 5) == 5
