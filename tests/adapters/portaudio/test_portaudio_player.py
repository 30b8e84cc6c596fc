"""The player, heard: what it plays is recorded and compared sample by sample.

What a sound server does to it is tried with a null sink of a real one; everything else with an output that is pretended in this process.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from app.adapters.portaudio import audio_devices, portaudio_player
from app.adapters.portaudio.audio_devices import AudioDevice, find_output_device, list_output_devices
from app.adapters.portaudio.portaudio_player import PortAudioPlayer
from app.adapters.portaudio.sample_ring import PlayPosition
from app.common.errors import AudioDeviceError
from app.core.synthesis_types import AudioChunk, Float32
from tests.null_sink import RATE, NullSink, null_sink
from tests.pretend_output import PretendOutput, pretend_output

__all__ = ["null_sink", "pretend_output"]  # fixtures are found by their names here

REPOSITORY = Path(__file__).parents[3]
STEP = 0.03  # more than a 440 Hz sine of half the full scale moves within one sample


def sine(seconds: float, rate: int = RATE, hz: float = 440.0) -> Float32:
    """A sine whose first sample is loud, so that a lost start shows."""
    return (0.5 * np.cos(2 * np.pi * hz / rate * np.arange(round(seconds * rate)))).astype(np.float32)


def sweep(seconds: float, rate: int) -> Float32:
    """From 200 to 2,000 Hz, which fits itself at one place only."""
    at = np.arange(round(seconds * rate)) / rate
    return (0.5 * np.cos(2 * np.pi * (200 + 900 / seconds * at) * at)).astype(np.float32)


def chunks(samples: Float32, request: str = "a", rate: int = RATE, size: int = 6000) -> list[AudioChunk]:
    starts = range(0, len(samples), size)
    return [AudioChunk(samples[at : at + size], rate, request, 0, last=at == starts[-1]) for at in starts]


def play(player: PortAudioPlayer, samples: Float32, request: str = "a", rate: int = RATE) -> None:
    for chunk in chunks(samples, request, rate):
        player.write_chunk(chunk)


def sound(heard: list[Float32]) -> Float32:
    """The left channel from the first to the last sample that is not silent."""
    assert np.array_equal(heard[0][:, 0], heard[0][:, 1])
    audible = np.flatnonzero(heard[0][:, 0])
    return heard[0][audible[0] : audible[-1] + 1, 0] if audible.size else np.zeros(0, dtype=np.float32)


def wait_for(condition: Callable[[], bool], timeout_s: float = 10) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.fixture
def player() -> Iterator[PortAudioPlayer]:
    player = PortAudioPlayer()
    yield player
    player.abort_output()
    player.close()


@pytest.mark.sound
@pytest.mark.alone
def test_all_of_it_is_heard_and_nothing_else(null_sink: NullSink, player: PortAudioPlayer) -> None:
    samples = sine(0.8)
    with null_sink.recording() as heard:
        play(player, samples)
        assert player.wait_until_played(10)
        position = player.position
        player.close()
    np.testing.assert_array_equal(sound(heard), samples)
    assert position == PlayPosition("a", len(samples), RATE, True)
    assert player.underruns == player.underrun_frames == 0


def test_close_plays_what_is_left_and_write_opens_again(pretend_output: PretendOutput, player: PortAudioPlayer) -> None:
    samples = sine(0.3)
    with pretend_output.recording() as heard:
        play(player, samples)
        player.close()
        assert player.device == ""
        play(player, samples)
        player.close()
    audible = heard[0][:, 0] != 0
    assert audible.sum() == pytest.approx(2 * len(samples), abs=2)  # a cosine may cross zero exactly


def test_requests_follow_each_other_without_a_gap_on_one_stream(pretend_output: PretendOutput, player: PortAudioPlayer) -> None:
    first, second = sine(0.3), sine(0.4, hz=880)
    seen: list[PlayPosition] = []

    def look() -> bool:
        position = player.position
        assert position is not None
        seen.append(position)
        return False

    with pretend_output.recording() as heard:
        play(player, first, "first")
        play(player, second, "second")
        assert player.wait_until_played(10, cancelled=look)
    assert len(pretend_output.streams) == 1
    np.testing.assert_array_equal(sound(heard), np.concatenate([first, second]))
    assert {position.request_id for position in seen} == {"first", "second"}
    for name, samples in (("first", first), ("second", second)):
        frames = [position.frames for position in seen if position.request_id == name]
        assert frames == sorted(frames)
        assert frames[-1] <= len(samples)
    assert player.played_frames == len(second)
    assert player.underruns == 0


def test_a_second_request_later_on_the_same_stream(pretend_output: PretendOutput, player: PortAudioPlayer) -> None:
    samples = sine(0.2)
    with pretend_output.recording() as heard:
        play(player, samples)
        assert player.wait_until_played(10)
        pretend_output.wait_for_frames(0.2 * RATE)
        play(player, samples, "b")
        assert player.played_frames <= len(samples)
        assert player.wait_until_played(10)
    both = sound(heard)
    np.testing.assert_array_equal(both[: len(samples)], samples)
    np.testing.assert_array_equal(both[-len(samples) :], samples)
    assert len(both) >= 2 * len(samples) + 0.2 * RATE
    assert player.underruns == 0


def test_abort_is_silent_soon_without_a_click_and_the_next_request_is_whole(pretend_output: PretendOutput, player: PortAudioPlayer) -> None:
    following = sine(0.3, hz=880)
    with pretend_output.recording() as heard:
        for chunk in chunks(sine(5)):
            if not chunk.last:
                player.write_chunk(chunk)
        wait_for(lambda: player.played_frames > 0.3 * RATE)
        player.abort_output()
        assert player.position is None
        player.write_chunk(chunks(sine(5))[3])  # one the pipeline had under way
        assert not player.queued_s or player.position is None
        assert player.wait_until_played(10)
        play(player, following, "b")
        assert player.wait_until_played(10)
    both = sound(heard)
    np.testing.assert_array_equal(both[-len(following) :], following)
    first = np.trim_zeros(both[: -len(following)], "b")
    assert 0.3 * RATE < len(first) < 0.3 * RATE + 0.5 * RATE
    assert np.abs(np.diff(np.append(first, 0))).max() < STEP
    assert player.underruns == 0


def test_a_full_queue_waits_and_abort_ends_the_waiting(pretend_output: PretendOutput) -> None:
    player = PortAudioPlayer(queue_s=0.4)
    done = threading.Event()

    def write() -> None:
        for chunk in chunks(sine(20)):
            player.write_chunk(chunk)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    wait_for(lambda: player.played_frames > 0)
    pretend_output.wait_for_frames(0.3 * RATE)
    assert not done.is_set()
    assert 0 < player.queued_s <= 0.4
    player.abort_output()
    assert done.wait(5)
    writer.join()
    player.close()


def test_a_queue_shorter_than_a_chunk_still_plays_all(pretend_output: PretendOutput) -> None:
    player = PortAudioPlayer(queue_s=0.5)  # a writer on a busy machine may be late by that much
    samples = sine(2)
    with pretend_output.recording() as heard:
        player.write_chunk(AudioChunk(samples, RATE, "a", 0, last=True))
        player.close()
    np.testing.assert_array_equal(sound(heard), samples)
    assert player.underruns == 0


def test_a_slow_producer_is_counted_and_loses_nothing(pretend_output: PretendOutput, player: PortAudioPlayer) -> None:
    samples = sine(0.4)
    first, second = samples[:9600], samples[9600:]
    with pretend_output.recording() as heard:
        player.write_chunk(AudioChunk(first, RATE, "a", 0))
        wait_for(lambda: player.underruns == 1 and player.underrun_frames > 4800)
        player.write_chunk(AudioChunk(second, RATE, "a", 0, last=True))
        assert player.wait_until_played(10)
    found = sound(heard)
    assert player.underruns == 1
    assert len(found) == len(samples) + player.underrun_frames
    np.testing.assert_array_equal(found[: len(first)], first)
    np.testing.assert_array_equal(found[-len(second) :], second)
    assert player.played_frames == len(samples)


def test_a_voice_of_another_rate_is_converted_on_the_open_stream(pretend_output: PretendOutput, player: PortAudioPlayer) -> None:
    player.open_device(RATE)
    voice = sweep(0.7, 44_100)
    with pretend_output.recording() as heard:
        play(player, voice, rate=44_100)
        wait_for(lambda: player.played_frames > 0)
        assert player.wait_until_played(10)
    expected = sweep(0.7, RATE)
    found = heard[0][:, 0]
    start = int(np.argmax(np.correlate(found, expected[:4800], "valid")))
    middle = slice(500, len(expected) - 500)
    error = found[start : start + len(expected)][middle] - expected[middle]
    assert 10 * np.log10(np.mean(expected**2) / np.mean(error**2)) > 90
    assert len(sound(heard)) == pytest.approx(len(expected), abs=100)
    assert player.position == PlayPosition("a", len(voice), 44_100, True)
    assert player.underruns == 0


def test_a_rate_that_the_device_refuses(pretend_output: PretendOutput, player: PortAudioPlayer) -> None:
    voice = sine(0.5, rate=400_000)
    with pretend_output.recording() as heard:
        play(player, voice, rate=400_000)
        assert player.wait_until_played(10)
    found = sound(heard)
    assert [stream.rate for stream in pretend_output.streams] == [44_100], "the one that the device prefers"
    assert len(found) == pytest.approx(0.5 * 44_100, rel=0.02)
    spectrum = np.abs(np.fft.rfft(found[1000:-1000] * np.hanning(len(found) - 2000)))
    assert np.argmax(spectrum) * 44_100 / (len(found) - 2000) == pytest.approx(440, abs=5)
    assert player.played_frames == len(voice)


def test_drain_gives_way(pretend_output: PretendOutput, player: PortAudioPlayer) -> None:
    assert player.wait_until_played()  # nothing was played
    play(player, sine(5))
    assert not player.wait_until_played(timeout_s=0.1)
    assert not player.wait_until_played(cancelled=lambda: player.played_frames > 0)
    threading.Timer(0.1, player.abort_output).start()
    assert not player.wait_until_played()


def test_the_callback_needs_no_lock(pretend_output: PretendOutput, player: PortAudioPlayer) -> None:
    play(player, sine(2))
    wait_for(lambda: player.played_frames > 0)
    with player._lock, pretend_output.recording() as heard:
        pretend_output.wait_for_frames(0.2 * RATE)
    assert np.all(np.abs(np.diff(heard[0][:, 0])) < STEP), "the sound breaks off"
    assert np.abs(heard[0]).max() > 0.4


@pytest.mark.sound
def test_a_sink_that_is_unplugged_hands_over_to_the_next(null_sink: NullSink, player: PortAudioPlayer) -> None:
    null_sink.plug("second")
    with null_sink.recording("second") as heard:
        play(player, sine(1.2))
        wait_for(lambda: player.played_frames > 0.3 * RATE)
        null_sink.unplug("first")
        assert player.wait_until_played(20)
    assert 0.5 * RATE < len(sound(heard)) < 1.2 * RATE


@pytest.mark.sound
def test_a_new_device_goes_on_where_the_old_one_stopped_but_only_once(
    null_sink: NullSink, player: PortAudioPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portaudio_player, "MAX_STALLED_POLLS", 200)
    samples = sweep(2, RATE)
    play(player, samples)
    wait_for(lambda: player.played_frames > 0.3 * RATE)
    null_sink.kill()
    null_sink.start()
    played = player.played_frames
    with null_sink.recording() as heard:
        assert not player.wait_until_played(0.6)
        null_sink.kill()
        null_sink.start()
    rest = sound(heard)
    np.testing.assert_array_equal(rest, samples[played : played + len(rest)])
    assert len(rest) > 0.2 * RATE
    with pytest.raises(AudioDeviceError):
        player.wait_until_played()
    assert player.position is None
    assert not player.queued_s


@pytest.mark.alone
@pytest.mark.sound
@pytest.mark.parametrize("step", ["drain", "write"])
def test_a_server_that_dies_is_an_error_and_a_new_one_is_found(null_sink: NullSink, step: str) -> None:
    player = PortAudioPlayer(queue_s=0.5)
    player.write_chunk(AudioChunk(sine(0.4), RATE, "a", 0))
    wait_for(lambda: player.played_frames > 0)
    null_sink.kill()
    go_on = player.wait_until_played if step == "drain" else partial(play, player, sine(20))
    with pytest.raises(AudioDeviceError) as caught:
        go_on()
    assert caught.value.hint
    assert caught.value.exit_code == 5
    with pytest.raises(AudioDeviceError):
        player.write_chunk(AudioChunk(sine(0.1), RATE, "b", 0))
    null_sink.start()
    samples = sine(0.2)
    with null_sink.recording() as heard:
        play(player, samples, "c")
        player.close()
    np.testing.assert_array_equal(sound(heard), samples)


@pytest.mark.sound
def test_a_server_that_stops_answering_does_not_hang_the_program(null_sink: NullSink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portaudio_player, "MAX_STALLED_POLLS", 100)
    monkeypatch.setattr(portaudio_player, "CLOSE_TIMEOUT_S", 0.3)
    player = PortAudioPlayer()
    play(player, sine(5))
    wait_for(lambda: player.played_frames > 0)
    null_sink.freeze()
    with pytest.raises(AudioDeviceError, match=r"sound system|サウンドシステム|output device|再生デバイス"):
        player.wait_until_played()
    looking = threading.Thread(target=audio_devices.refresh_devices)
    looking.start()
    looking.join(5)
    hung = looking.is_alive()
    null_sink.kill()
    looking.join()
    assert not hung
    wait_for(lambda: not any(thread.name == "audio-close" for thread in threading.enumerate()))


@pytest.mark.sound
def test_the_device_can_be_selected(null_sink: NullSink) -> None:
    (device,) = list_output_devices()
    assert device.is_default
    player = PortAudioPlayer(device.label)
    player.open_device(RATE)
    assert player.device == device.label
    player.close()
    with pytest.raises(AudioDeviceError) as caught:
        PortAudioPlayer("no such speaker").open_device(RATE)
    assert device.label in caught.value.hint


def fake(index: int, name: str, host: str = "MME", default: bool = False) -> AudioDevice:
    return AudioDevice(index, name, host, 2, 48_000, default)


@pytest.mark.parametrize(
    ("choice", "index"),
    [(None, 5), (3, 3), ("3", 3), ("Speakers", 4), ("speakers (mme)", 4), ("Speakers (WASAPI)", 3), ("head", 6), ("7", 9), ("usb", 5)],
)
def test_a_choice_means_one_device(monkeypatch: pytest.MonkeyPatch, choice: str | int | None, index: int) -> None:
    devices = [
        fake(3, "Speakers", "WASAPI"),
        fake(4, "Speakers"),
        fake(5, "USB Speakers", default=True),
        fake(6, "Headphones"),
        fake(8, "USB 7", "WASAPI"),
        fake(9, "7"),
    ]
    monkeypatch.setattr(audio_devices, "list_output_devices", lambda: devices)
    assert find_output_device(choice).index == index


@pytest.mark.parametrize("choice", ["", "nothing", "12", 12, "SpeakersX"])
def test_a_choice_that_fits_nothing(monkeypatch: pytest.MonkeyPatch, choice: str | int) -> None:
    monkeypatch.setattr(audio_devices, "list_output_devices", lambda: [fake(3, "Speakers")])
    with pytest.raises(AudioDeviceError):
        find_output_device(choice)


PROGRAM = """
import sys
{before}
from app.adapters.portaudio.audio_devices import list_output_devices
from app.adapters.portaudio.portaudio_player import PortAudioPlayer
from app.common.errors import AudioDeviceError
assert "sounddevice" not in sys.modules
try:
    PortAudioPlayer().open_device(44100)
except AudioDeviceError as exc:
    print(exc, "|", exc.hint)
    {after}
    sys.exit(exc.exit_code)
"""


def run(before: str = "", after: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(before=before, after=after)
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, check=False, env={"KOEBAKO_LANG": "en", **environment}, timeout=60
    )


@pytest.mark.sound
@pytest.mark.parametrize("step", ["starting", "opening"])
def test_a_server_that_never_answers(null_sink: NullSink, step: str) -> None:
    freeze = "import os, signal; os.kill(int(os.environ['SERVER']), signal.SIGSTOP)"
    begun = "from app.adapters.portaudio.audio_devices import load_portaudio; load_portaudio()\n" if step == "opening" else ""
    impatient = "from app.adapters.portaudio import audio_devices as portaudio_thread; portaudio_thread.CALL_TIMEOUT_S = 1.0\n"
    program = PROGRAM.format(before=impatient, after="").replace('assert "sounddevice" not in sys.modules', begun + freeze)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        env={"KOEBAKO_LANG": "en", **null_sink.environment, "SERVER": str(null_sink.pid)},
        timeout=30,
    )
    assert done.returncode == 5, done.stderr
    assert "not responding" in done.stdout


def test_without_the_portaudio_library() -> None:
    # numpy looks at the system as well, and comes first.
    done = run("import numpy, ctypes.util; ctypes.util.find_library = lambda name: None\nsys.platform = 'linux'")
    assert done.returncode == 5, done.stderr
    assert "PortAudio" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="takes the devices away by ALSA's configuration")
def test_a_machine_without_any_output(tmp_path: Path) -> None:
    (tmp_path / "asound.conf").write_text("pcm.!default { type pulse }", encoding="ascii")
    nowhere = {"ALSA_CONFIG_PATH": str(tmp_path / "asound.conf"), "PULSE_SERVER": f"unix:{tmp_path}/none", "HOME": str(tmp_path)}
    done = run(after="assert list_output_devices() == []", **nowhere)
    if "PortAudio" in done.stdout:
        pytest.skip("needs libportaudio2")
    assert done.returncode == 5, done.stderr
    assert "No audio output device" in done.stdout
