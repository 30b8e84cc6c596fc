"""`koebako speak --play`, heard: what reaches the sound card is what the file holds."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr

from app.cli.main import main
from tests.cli.test_process import LONG_TEXT, MAIN
from tests.null_sink import RATE, NullSink, null_sink

__all__ = ["null_sink"]

pytestmark = pytest.mark.sound


@pytest.mark.alone
def test_what_is_heard_is_what_is_written(null_sink: NullSink, tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    with null_sink.recording() as heard:
        subprocess.run(
            [*MAIN, "speak", "こんにちは、世界。今日はいい天気ですね。", "-o", str(path), "--subtype", "float", "--play"],
            check=True,
            timeout=60,
        )
    written, rate = soundfile.read(path, dtype="float32")
    expected = soxr.resample(written, rate, RATE)
    recorded = heard[0][:, 0]
    assert len(recorded) >= len(expected)
    snr = snr_db(recorded, expected)
    print(f"SNR {snr:.1f} dB")
    assert snr > 40


def snr_db(recorded: np.ndarray, expected: np.ndarray) -> float:
    """How exactly `expected` lies in `recorded`, at the delay that fits best: the sound server delays by parts of a sample."""
    size = len(recorded)
    wanted = np.fft.rfft(expected, size)
    cross = np.fft.rfft(recorded) * np.conj(wanted)
    lag = int(np.argmax(np.fft.irfft(cross, size)))
    hz = np.fft.rfftfreq(size)
    aligned = cross * np.exp(2j * np.pi * hz * lag)
    strong = hz < 0.1  # below 5 kHz, where speech is
    slope = np.sum(hz[strong] * np.angle(aligned[strong]) * np.abs(aligned[strong])) / np.sum(hz[strong] ** 2 * np.abs(aligned[strong]))
    fitted = np.fft.irfft(wanted * np.exp(-2j * np.pi * hz * lag + 1j * slope * hz), size)
    return float(10 * np.log10(np.mean(fitted**2) / np.mean((recorded - fitted) ** 2)))


def test_ctrl_c_while_playing(null_sink: NullSink) -> None:
    with null_sink.recording() as heard:
        process = subprocess.Popen([*MAIN, "speak", LONG_TEXT, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        while json.loads(process.stdout.readline()).get("sentence") != 1:
            assert process.poll() is None
        null_sink.wait_for_sound()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in stderr
    assert np.abs(heard[0]).max() > 0.01
    assert not heard[0][-RATE // 10 :].any()


def test_a_sound_server_that_is_killed_while_it_speaks_costs_no_file(null_sink: NullSink, tmp_path: Path) -> None:
    whole, played = tmp_path / "whole.wav", tmp_path / "played.wav"
    text = LONG_TEXT[: 4 * 31]
    assert main(["speak", text, "--seed", "3", "-o", str(whole)]) == 0
    process = subprocess.Popen(
        [*MAIN, "speak", text, "--seed", "3", "-o", str(played), "--play", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    while json.loads(process.stdout.readline()).get("sentence") != 1:
        assert process.poll() is None
    null_sink.kill()
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 5
    assert b"Traceback" not in stderr
    (error,) = [line["error"] for line in map(json.loads, stdout.splitlines()) if "error" in line]
    assert error["hint"].endswith("The file was written completely.")
    assert played.read_bytes() == whole.read_bytes()


@pytest.mark.skipif(sys.platform != "linux" or any(Path("/proc/asound").glob("card*")), reason="needs a Linux machine without a sound card")
def test_no_audio_device_is_told_and_a_file_still_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PULSE_SERVER": f"unix:{tmp_path}/none", "KOEBAKO_LANG": "en"}
    environment["KOEBAKO_NATURAL_VOICE"] = "off"
    done = subprocess.run([*MAIN, "speak", "はい"], env=environment, capture_output=True, timeout=60, check=False)
    assert done.returncode == 5
    assert b"Traceback" not in done.stderr
    assert len(done.stderr.decode().strip().splitlines()) == 2
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert main(["speak", "はい", "-o", str(tmp_path / "a.wav")]) == 0


def ask_agent(program: subprocess.Popen[bytes], number: int, method: str, **params: object) -> None:
    """Send a request to `koebako mcp`; the answer is to be read from its stdout."""
    assert program.stdin is not None
    program.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
    program.stdin.flush()


def answer_agent(program: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Return the next answer of `koebako mcp`."""
    assert program.stdout is not None
    return dict(json.loads(program.stdout.readline()))


@pytest.fixture
def agent_program(null_sink: NullSink, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`koebako mcp`, initialised, whose sound goes to the null sink."""
    assert null_sink.pid
    program = subprocess.Popen([*MAIN, "mcp", "--folder", str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        ask_agent(program, 1, "initialize", protocolVersion="2025-06-18", clientInfo={"name": "tester"})
        assert "result" in answer_agent(program)
        yield program
    finally:
        program.kill()
        program.communicate()


@pytest.mark.alone
def test_what_an_agent_lets_sound_is_what_it_lets_be_written(
    agent_program: subprocess.Popen[bytes], null_sink: NullSink, tmp_path: Path
) -> None:
    values = {"text": "こんにちは、世界。今日はいい天気ですね。", "speed": 1.25}
    ask_agent(agent_program, 2, "tools/call", name="speak", arguments=values | {"file": "a", "format": "flac"})
    assert not answer_agent(agent_program)["result"]["isError"]
    with null_sink.recording() as heard:
        ask_agent(agent_program, 3, "tools/call", name="speak", arguments=values)
        spoken = answer_agent(agent_program)["result"]
        agent_program.communicate(timeout=60)  # the end of its input: what waits is played, then it ends
    assert agent_program.returncode == 0
    written, rate = soundfile.read(tmp_path / "a.flac", dtype="float32")
    assert spoken["structuredContent"]["seconds"] == pytest.approx(len(written) / rate, abs=0.001)
    snr = snr_db(heard[0][:, 0], soxr.resample(written, rate, RATE))
    print(f"SNR {snr:.1f} dB")
    assert snr > 40


def test_a_cancelled_call_of_an_agent_falls_silent(agent_program: subprocess.Popen[bytes], null_sink: NullSink) -> None:
    with null_sink.recording() as heard:
        ask_agent(agent_program, 2, "tools/call", name="speak", arguments={"text": LONG_TEXT})
        null_sink.wait_for_sound()
        assert agent_program.stdin is not None
        agent_program.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}\n')
        ask_agent(agent_program, 3, "ping")
        assert answer_agent(agent_program) == {"jsonrpc": "2.0", "id": 3, "result": {}}
    assert np.abs(heard[0]).max() > 0.01
    assert not heard[0][-RATE // 10 :].any()
