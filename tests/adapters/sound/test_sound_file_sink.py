"""Sound files: every format comes back, and whatever goes wrong leaves a clear sentence and no half file."""

import io
import os
import shutil
import subprocess
import sys
import tracemalloc
import wave
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import numpy as np
import pytest
import soundfile

from app.adapters.sound.sound_file_sink import SoundFileSink, WavPipeWriter
from app.adapters.sound.sound_formats import SoundEncoding
from app.common.errors import AppError, InputError, InternalError, OutputFileError
from app.common.language import get_language, set_language
from app.core.synthesis_types import AudioChunk, Float32
from tests.folder_names import FOLDER_NAMES
from tests.small_files import small_files

REPOSITORY = Path(__file__).parents[3]
VOICE_RATE = 44_100


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    before = get_language()
    set_language("en")
    yield
    set_language(before)


def sine(seconds: float = 1.0, rate: int = VOICE_RATE, hz: float = 440.0, gain: float = 0.5) -> Float32:
    return (gain * np.sin(2 * np.pi * hz / rate * np.arange(round(seconds * rate)))).astype(np.float32)


def chunks(samples: Float32, rate: int = VOICE_RATE, size: int = 5000) -> list[AudioChunk]:
    return [AudioChunk(samples[at : at + size], rate, "a", 0) for at in range(0, len(samples), size)]


def save(path: Path | str, samples: Float32, rate: int = VOICE_RATE, **options: object) -> None:
    sink = SoundFileSink(path, rate, **options)  # type: ignore[arg-type]
    for chunk in chunks(samples, rate):
        sink.write_chunk(chunk)
    sink.close()


def snr_db(found: Float32, expected: Float32) -> float:
    """Of the best alignment within 3,000 samples either way: encoders add a delay."""
    middle = expected[6000:-6000]
    correlation = np.correlate(found[3000 : 3000 + len(middle) + 6000], middle, "valid")
    aligned = found[3000 + int(np.argmax(correlation)) :][: len(middle)]
    return float(10 * np.log10(np.sum(middle**2) / max(1e-20, np.sum((aligned - middle) ** 2))))


@pytest.mark.parametrize(
    ("name", "subtype", "stored", "lowest_snr"),
    [
        ("a.wav", None, "PCM_16", 85),
        ("a.wav", "16", "PCM_16", 85),
        ("a.wav", "24", "PCM_24", 130),
        ("a.wav", "float", "FLOAT", 190),
        ("a.flac", None, "PCM_16", 85),
        ("a.flac", "24", "PCM_24", 130),
        ("a.ogg", None, "VORBIS", 20),
        ("声 と 空白.opus", None, "OPUS", 20),
        ("A.MP3", None, "MPEG_LAYER_III", 20),
    ],
)
def test_every_format_comes_back(tmp_path: Path, name: str, subtype: str | None, stored: str, lowest_snr: float) -> None:
    sweep = (0.5 * np.sin(np.cumsum(np.linspace(0.02, 0.2, 2 * VOICE_RATE)))).astype(np.float32)
    save(tmp_path / name, sweep, subtype=subtype)
    found, rate = soundfile.read(tmp_path / name, dtype="float32")
    opus = stored == "OPUS"
    assert soundfile.info(tmp_path / name).subtype == stored
    assert rate == (48_000 if opus else VOICE_RATE)
    assert len(found) / rate == pytest.approx(2.0, abs=0.06 if stored == "MPEG_LAYER_III" else 0.001)
    if opus:
        sweep = np.interp(np.arange(96_000) / 48_000, np.arange(len(sweep)) / VOICE_RATE, sweep).astype(np.float32)
    assert snr_db(found, sweep) > lowest_snr
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".ogg", ".opus", ".mp3"])
def test_no_sound_at_all_is_no_file(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(OutputFileError, match="no audio"):
        save(tmp_path / f"a{suffix}", np.zeros(0, dtype=np.float32))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".ogg", ".opus", ".mp3"])
def test_one_sample_is_a_file(tmp_path: Path, suffix: str) -> None:
    save(tmp_path / f"a{suffix}", np.zeros(1, dtype=np.float32))
    assert 0 < soundfile.info(tmp_path / f"a{suffix}").duration < 0.1


def test_stereo_has_the_same_sound_twice(tmp_path: Path) -> None:
    save(tmp_path / "a.wav", sine(), channels=2, subtype="float")
    found, _ = soundfile.read(tmp_path / "a.wav", dtype="float32")
    assert found.shape == (VOICE_RATE, 2)
    np.testing.assert_array_equal(found[:, 0], sine())
    np.testing.assert_array_equal(found[:, 1], sine())


@pytest.mark.parametrize("rate", [8_000, 24_000, 48_000, 96_000])
def test_another_rate_keeps_length_and_sound(tmp_path: Path, rate: int) -> None:
    sink = SoundFileSink(tmp_path / "a.wav", VOICE_RATE, subtype="float", rate=rate)
    for chunk in chunks(sine()):
        sink.write_chunk(chunk)
    sink.close()
    found, stored_rate = soundfile.read(tmp_path / "a.wav", dtype="float32")
    assert stored_rate == rate
    assert len(found) == rate
    edge = rate // 50
    assert np.abs(found - sine(rate=rate))[edge:-edge].max() < 1e-5


def test_lines_of_voices_with_different_rates_join(tmp_path: Path) -> None:
    sink = SoundFileSink(tmp_path / "a.wav", VOICE_RATE, subtype="float")
    for rate in (VOICE_RATE, 24_000, VOICE_RATE):
        for chunk in chunks(sine(rate=rate), rate):
            sink.write_chunk(chunk)
    sink.close()
    found, _ = soundfile.read(tmp_path / "a.wav", dtype="float32")
    assert len(found) == 3 * VOICE_RATE
    for start in (0, VOICE_RATE, 2 * VOICE_RATE):
        part = found[start : start + VOICE_RATE]
        assert np.abs(part - sine())[1000:-1000].max() < 1e-5


def test_loud_samples_are_clipped_and_do_not_wrap(tmp_path: Path) -> None:
    loud = np.array([0, 0.5, 1, 1.5, 40, -1, -1.5, -40], dtype=np.float32)
    for subtype in ("16", "24", "float"):
        save(tmp_path / "a.wav", loud, subtype=subtype)
        found, _ = soundfile.read(tmp_path / "a.wav", dtype="float32")
        np.testing.assert_allclose(found, np.clip(loud, -1, 1), atol=1e-4)


def test_the_file_appears_under_its_name_only_when_complete(tmp_path: Path) -> None:
    target = tmp_path / "a.wav"
    target.write_bytes(b"old")
    sink = SoundFileSink(target, VOICE_RATE)
    sink.write_chunk(AudioChunk(sine(), VOICE_RATE, "a", 0))
    assert target.read_bytes() == b"old"
    (part,) = set(tmp_path.iterdir()) - {target}
    assert part.name.startswith(".a.wav-")
    assert part.name.endswith(".part")
    sink.close()
    sink.close()
    sink.abort_output()
    assert soundfile.info(target).frames == VOICE_RATE
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".ogg", ".opus", ".mp3"])
def test_abort_leaves_nothing_and_keeps_what_was_there(tmp_path: Path, suffix: str, capfd: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / f"a{suffix}"
    target.write_bytes(b"old")
    sink = SoundFileSink(target, VOICE_RATE)
    sink.write_chunk(AudioChunk(sine(), VOICE_RATE, "a", 0))
    sink.abort_output()
    sink.abort_output()
    sink.close()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]
    with pytest.raises(InternalError):
        sink.write_chunk(AudioChunk(sine(), VOICE_RATE, "a", 0))
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.wav").symlink_to(tmp_path / "real" / "a.wav")
    save(tmp_path / "link.wav", sine())
    assert (tmp_path / "link.wav").is_symlink()
    assert soundfile.info(tmp_path / "real" / "a.wav").frames == VOICE_RATE


def test_the_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    save(tmp_path / "a.wav", sine(0.1))
    (tmp_path / "b").touch()
    assert (tmp_path / "a.wav").stat().st_mode == (tmp_path / "b").stat().st_mode


def refusal(path: Path | str, **options: object) -> AppError:
    with pytest.raises(AppError) as caught:
        SoundFileSink(path, VOICE_RATE, **options)  # type: ignore[arg-type]
    return caught.value


@pytest.mark.parametrize("name", FOLDER_NAMES)
@pytest.mark.parametrize("suffix", [".wav", ".mp3"])
def test_a_folder_and_a_file_may_have_any_name(tmp_path: Path, name: str, suffix: str) -> None:
    path = tmp_path / name / (Path(name).name + suffix)
    path.parent.mkdir(parents=True)
    save(path, sine())
    assert [item.name for item in path.parent.iterdir()] == [path.name]
    with path.open("rb") as file:  # the reader is not what is tried here
        assert soundfile.read(file)[1] == VOICE_RATE


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("missing/a.wav", "the folder does not exist"),
        ("file/a.wav", "file” is not a folder"),
        ("folder.wav", "it is a folder"),
        pytest.param("あ" * 90 + ".wav", "the name is too long", marks=pytest.mark.skipif(sys.platform == "win32", reason="fits there")),
        ("a\0b.wav", "embedded null"),
    ],
)
def test_places_that_cannot_be_written_are_told_before_any_work(tmp_path: Path, place: str, sentence: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.wav").mkdir()
    error = refusal(tmp_path / place)
    assert isinstance(error, OutputFileError)
    assert sentence in error.message
    assert error.hint
    assert {p.name for p in tmp_path.iterdir()} == {"file", "folder.wav"}


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs /proc, a place where nobody can make files")
def test_a_place_where_nobody_may_write(tmp_path: Path) -> None:
    error = refusal("/proc/self/a.wav")
    assert isinstance(error, OutputFileError)
    assert error.exit_code == 7
    assert "not writable" in error.message


@pytest.mark.skipif(sys.platform != "linux", reason="makes a file of a Linux program's own")
def test_the_file_of_a_running_program(tmp_path: Path) -> None:
    program = tmp_path / "sleep.wav"
    program.write_bytes(Path("/bin/sleep").read_bytes())
    program.chmod(0o755)
    with subprocess.Popen([program, "30"]) as running:
        try:
            error = refusal(program)
        finally:
            running.kill()
    assert isinstance(error, OutputFileError)
    assert "in use" in error.message


@pytest.mark.skipif(sys.platform != "win32", reason="only Windows keeps a file from being replaced while it is open")
def test_a_file_that_another_program_has_open_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(b"old")
    with path.open("rb"), pytest.raises(OutputFileError, match="in use"):
        save(path, sine())
    assert path.read_bytes() == b"old"
    assert [item.name for item in tmp_path.iterdir()] == ["a.wav"]


@pytest.mark.parametrize("name", ["a", "a.txt", "a.wav.bak", ".wav", "a.m4a"])
def test_an_unknown_suffix_names_the_possible_ones(tmp_path: Path, name: str) -> None:
    error = refusal(tmp_path / name)
    assert isinstance(error, OutputFileError)
    assert all(suffix in error.hint for suffix in (".wav", ".flac", ".ogg", ".opus", ".mp3"))


@pytest.mark.parametrize(
    ("name", "options", "hint"),
    [
        ("a.flac", {"subtype": "float"}, "Available: 16 24"),
        ("a.mp3", {"subtype": "16"}, "Omit --subtype."),
        ("a.wav", {"subtype": "32"}, "Available: 16 24 float"),
        ("a.opus", {"rate": 44_100}, "Available: 8000 12000 16000 24000 48000"),
        ("a.mp3", {"rate": 96_000}, "Available: 8000 "),
        ("a.wav", {"rate": 10}, "Choose a rate from 8000 to 192000."),
        ("a.wav", {"rate": 10_000_000}, "Choose a rate from 8000 to 192000."),
        ("a.wav", {"channels": 3}, ""),
    ],
)
def test_options_that_a_format_does_not_have(tmp_path: Path, name: str, options: dict[str, object], hint: str) -> None:
    error = refusal(tmp_path / name, **options)
    assert isinstance(error, InputError)
    assert error.hint.startswith(hint)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("voice", "stored"), [(22_050, 24_000), (44_100, 48_000), (96_000, 48_000)])
def test_opus_takes_the_nearest_rate_above(tmp_path: Path, voice: int, stored: int) -> None:
    sink = SoundFileSink(tmp_path / "a.opus", voice)
    sink.write_chunk(AudioChunk(sine(rate=voice), voice, "a", 0))
    sink.close()
    with (tmp_path / "a.opus").open("rb") as file:  # Opus always decodes at 48 kHz; the header tells what went in
        head = file.read(64)
    at = head.index(b"OpusHead") + 12
    assert int.from_bytes(head[at : at + 4], "little") == stored


def write_until_full(folder: Path, suffix: str) -> OutputFileError:
    noise = np.random.default_rng(0).uniform(-1, 1, 10 * VOICE_RATE).astype(np.float32)
    with pytest.raises(OutputFileError) as caught:
        save(folder / f"a{suffix}", noise)
    return caught.value


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".ogg", ".opus", ".mp3"])
def test_a_disk_that_fills_up(tmp_path: Path, suffix: str, capfd: pytest.CaptureFixture[str]) -> None:
    with small_files(40_000):
        error = write_until_full(tmp_path, suffix)
    assert "the disk is full" in error.message
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("suffix", [".wav", ".mp3"])
def test_a_really_full_disk(tmp_path: Path, suffix: str) -> None:
    if shutil.which("mount") is None:
        pytest.skip("needs mount")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", tmp_path], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("a small disk can only be made as root")
    try:
        error = write_until_full(tmp_path, suffix)
        assert "the disk is full" in error.message
        assert not list(tmp_path.iterdir())
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_ctrl_c_within_a_write_is_not_lost(tmp_path: Path) -> None:
    sink = SoundFileSink(tmp_path / "a.wav", VOICE_RATE)
    part = sink._output._part_file  # type: ignore[union-attr]

    class Interrupted(io.FileIO):
        def write(self, data: object) -> int:
            raise KeyboardInterrupt

    part._file.close()
    part._file = Interrupted(part._part_path, "r+")
    with pytest.raises(KeyboardInterrupt):
        sink.write_chunk(AudioChunk(sine(5), VOICE_RATE, "a", 0))
    assert not list(tmp_path.iterdir())


def test_memory_stays_the_same_however_long_the_sound(tmp_path: Path) -> None:
    sink = SoundFileSink(tmp_path / "a.flac", VOICE_RATE, rate=48_000)
    chunk = AudioChunk(sine(), VOICE_RATE, "a", 0)
    sink.write_chunk(chunk)
    tracemalloc.start()
    try:
        for _ in range(60):
            sink.write_chunk(chunk)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    sink.close()
    assert soundfile.info(tmp_path / "a.flac").frames == 61 * 48_000
    assert kept < 100_000


PIPE_PROGRAM = """
import sys, numpy as np
from app.adapters.sound.sound_file_sink import SoundFileSink
from app.core.synthesis_types import AudioChunk
sink = SoundFileSink("-", 44100, subtype=sys.argv[1])
samples = (0.5 * np.sin(np.arange(44100) * 0.06)).astype(np.float32)
for at in range(0, 44100, 4000):
    sink.write_chunk(AudioChunk(samples[at:at + 4000], 44100, "a", 0))
    if len(sys.argv) > 2 and at == 0:
        sys.stdin.read(1)
sink.close()
"""
PIPED = (0.5 * np.sin(np.arange(VOICE_RATE) * 0.06)).astype(np.float32)


def piped(subtype: str, **options: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PIPE_PROGRAM, subtype, *(["wait"] if "stdin" in options else [])]
    return subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload]


@pytest.mark.parametrize(("subtype", "tolerance"), [("16", 4e-5), ("24", 2e-7), ("float", 0)])
def test_a_pipe_is_a_wav_that_soundfile_reads(subtype: str, tolerance: float) -> None:
    with piped(subtype, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        # libsndfile does not read pipes of Windows.
        source = io.BytesIO(program.stdout.read()) if sys.platform == "win32" else program.stdout.fileno()
        found, rate = soundfile.read(source, dtype="float32", closefd=False)
        rest = program.communicate()[1]
    assert rest == b""
    assert rate == VOICE_RATE
    assert len(found) == VOICE_RATE
    np.testing.assert_allclose(found, PIPED, atol=tolerance)


def test_a_pipe_gets_the_first_chunk_before_the_last_is_made() -> None:
    with piped("16", stdout=subprocess.PIPE, stdin=subprocess.PIPE) as program:
        assert program.stdout is not None
        first = program.stdout.read(44 + 8000)  # comes although the program still waits
        assert first[:4] == b"RIFF"
        assert program.poll() is None
        rest, _ = program.communicate(b"x")
    assert len(first) + len(rest) == 44 + 2 * VOICE_RATE


@pytest.mark.parametrize("mode", ["wb", "ab"])
def test_standard_output_that_is_a_file_gets_its_lengths_unless_it_is_appended_to(tmp_path: Path, mode: str) -> None:
    target = tmp_path / "out.wav"
    with target.open(mode) as out, piped("16", stdout=out) as program:
        assert program.communicate()[1] == b""
    assert target.stat().st_size == 44 + 2 * VOICE_RATE
    assert soundfile.info(target).frames == VOICE_RATE
    if mode == "wb":
        with wave.open(str(target)) as read:
            assert read.getnframes() == VOICE_RATE


def test_an_odd_number_of_bytes_is_padded_in_a_file() -> None:
    out = io.BytesIO()
    pipe = WavPipeWriter(SoundEncoding("WAV", "PCM_24", VOICE_RATE, 1), out)
    pipe.write_frames(PIPED[:101, None])
    pipe.close()
    data = out.getvalue()
    assert len(data) % 2 == 0
    assert int.from_bytes(data[4:8], "little") == len(data) - 8
    assert int.from_bytes(data[40:44], "little") == 303
    assert soundfile.info(io.BytesIO(data)).frames == 101


def test_a_reader_that_leaves_is_told_and_leaves_no_noise() -> None:
    body = PIPE_PROGRAM.replace("range(0, 44100, 4000)", "list(range(0, 44100, 4000)) * 100")
    program = "from app.common.errors import OutputFileError\ntry:\n" + indent(body, "    ")
    program += "except OutputFileError as exc:\n    sys.exit(exc.exit_code)\n"
    with subprocess.Popen([sys.executable, "-c", program, "16"], cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(44)
        running.stdout.close()
        noise = running.stderr.read()
        assert running.wait(20) == 7
    assert noise == b""


def test_a_program_without_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    error = refusal("-")
    assert isinstance(error, OutputFileError)


@pytest.mark.parametrize("linked", [False, True])
def test_what_is_no_plain_file_is_not_replaced(tmp_path: Path, linked: bool) -> None:
    if sys.platform == "win32":
        pytest.skip("needs a named pipe")
    pipe = tmp_path / "pipe.wav"
    os.mkfifo(pipe)
    target = tmp_path / "link.wav" if linked else pipe
    if linked:
        target.symlink_to(pipe)
    with pytest.raises(OutputFileError, match="not a file"):
        SoundFileSink(target, VOICE_RATE)
    assert pipe.is_fifo()
    assert sorted(item.name for item in tmp_path.iterdir()) == sorted({"pipe.wav", target.name})
