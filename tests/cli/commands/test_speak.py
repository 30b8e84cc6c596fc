"""`koebako speak` with the voice that ships."""

import argparse
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.adapters.shared_settings import change_settings
from app.cli.main import main
from app.cli.served_voices import choose_served_voices
from app.common.files import paths
from app.core.script.project import Project
from app.core.script.script import Line, Script
from app.core.sound.line_edits import set_mora_pitches
from app.core.sound.stage_clock import PIPELINE_STAGES
from app.core.synthesis_types import Overrides
from app.interchange.koebako_files import write_project
from tests.pitch_measures import pitch_of

TEXT = "こんにちは、世界。"


def speak(*arguments: object) -> int:
    return main(["speak", *map(str, arguments)])


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_wav_at_the_voices_rate(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    assert speak(TEXT, "-o", path) == 0
    samples, rate = soundfile.read(path)
    assert rate == 44100
    assert samples.ndim == 1
    assert 0.8 < len(samples) / rate < 4
    assert 0.05 < np.abs(samples).max() < 0.9
    assert not samples[: round(0.09 * rate)].any()  # pre-silence
    assert list(tmp_path.glob("*.part*")) == []


def test_json_lines_follow_the_contract(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert speak(TEXT, "-o", tmp_path / "a.wav", "--json", "--seed", 3) == 0
    found = lines(capsys.readouterr().out)
    stages = [line for line in found if line["type"] == "stage"]
    assert set(stages[0]) == {"type", "sentence", "stage", "ms", "cold", "cache_hit", "tokens", "phones", "frames", "samples"}
    assert {str(line["stage"]) for line in stages} == set(PIPELINE_STAGES)
    chunks = [line for line in found if line["type"] == "chunk"]
    samples, _ = soundfile.read(tmp_path / "a.wav")
    assert sum(int(str(line["samples"])) for line in chunks) == len(samples)
    assert [line["at_ms"] for line in chunks] == sorted(line["at_ms"] for line in chunks)  # type: ignore[type-var]
    report = found[-1]
    measured = {"first_audio_ms", "wait_ms", "total_ms", "audio_s", "rtf", "underruns"}
    assert set(report) == {"type", "voice", "speaker", "style", "seed", "backend", "fallback"} | measured
    assert (report["voice"], report["speaker"], report["style"]) == ("mei", "Mei", "Neutral")
    assert report["seed"] == 3
    assert report["fallback"] is None
    assert report["backend"] == dict.fromkeys(["bert", "prosody", "flow", "decode"], "cpu")
    assert 0 < report["first_audio_ms"] <= report["total_ms"]  # type: ignore[operator]


def test_the_same_seed_gives_the_same_samples(tmp_path: Path) -> None:
    """Samples, not bytes: libsndfile writes the time of day into a floating-point WAV."""
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        assert speak(TEXT, "-o", tmp_path / f"{name}.wav", "--seed", seed, "--subtype", "float") == 0
    first, second, third = (soundfile.read(tmp_path / f"{name}.wav", dtype="float32")[0] for name in "abc")
    assert np.array_equal(first, second)
    assert len(first) != len(third) or not np.array_equal(first, third)


def test_style_speed_and_silence_change_the_sound(tmp_path: Path) -> None:
    lengths = {}
    changes: dict[str, list[str | int]] = {"plain": [], "fast": ["--speed", 2], "sad": ["--style", "sad"], "long": ["--post-silence", 2]}
    for name, options in changes.items():
        assert speak(TEXT, "-o", tmp_path / f"{name}.wav", *options) == 0
        lengths[name] = soundfile.info(tmp_path / f"{name}.wav").duration
    assert lengths["fast"] < 0.75 * lengths["plain"]
    assert lengths["long"] == pytest.approx(lengths["plain"] + 1.9, abs=0.01)
    assert (tmp_path / "sad.wav").read_bytes() != (tmp_path / "plain.wav").read_bytes()


def test_a_voice_without_english_says_so_and_sounds_as_ever(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, reading in (("katakana", ()), ("english", ("--latin", "english"))):
        assert speak("Hello、世界。", "-o", tmp_path / f"{name}.wav", *reading) == 0
    assert capsys.readouterr().err.count("speaks no English") == 1
    assert (tmp_path / "katakana.wav").read_bytes() == (tmp_path / "english.wav").read_bytes()
    assert speak(TEXT, "-o", tmp_path / "a.wav", "--latin", "english") == 0
    assert "English" not in capsys.readouterr().err, "there is nothing to say of a Japanese text"


def test_text_from_file_and_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.txt").write_text("\ufeff" + TEXT, encoding="utf-8")
    assert speak("-f", tmp_path / "t.txt", "-o", tmp_path / "a.wav") == 0
    with (tmp_path / "t.txt").open(encoding="utf-8-sig") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert speak("-o", tmp_path / "b.wav") == 0
    assert (tmp_path / "a.wav").read_bytes() == (tmp_path / "b.wav").read_bytes()


def test_a_file_given_as_the_text_is_pointed_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "story.txt").write_text(TEXT, encoding="utf-8")
    assert speak(tmp_path / "story.txt", "-o", tmp_path / "a.wav") == 0
    assert "use -f" in capsys.readouterr().err
    for text in ("あ" * 90, str(tmp_path)):  # too long for a name, or no file
        assert speak(text, "-o", tmp_path / "a.wav") == 0
        assert "-f" not in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["flac", "ogg", "mp3", "opus"])
def test_other_formats(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    assert speak(TEXT, "-o", path, "--rate", 48000, "--stereo") == 0
    info = soundfile.info(path)
    assert info.channels == 2
    assert info.samplerate == 48000


@pytest.mark.parametrize(
    ("arguments", "code", "family", "words"),
    [
        ([" "], 2, "input", "empty"),
        (["。。。"], 2, "input", "nothing in this text"),
        (["あ", "--speed", "9"], 2, "input", "speed"),
        (["あ", "--speed", "fast"], 2, "input", "--speed"),
        (["あ", "--pause", "x"], 2, "input", "pause"),
        (["あ", "--pause", "x=1"], 2, "input", "The pause at"),
        (["あ", "--nonsense"], 2, "input", "--nonsense"),
        (["あ", "-f", "b.txt"], 2, "input", "Both"),
        (["-f", "missing.txt"], 2, "input", "missing.txt"),
        (["あ", "--voice", "mai"], 3, "voice", "mai"),
        (["あ", "--voice", "missing.onnx"], 3, "voice", "missing.onnx"),
        (["あ", "--style", "Hapy"], 3, "voice", "Hapy"),
        (["あ", "--speaker", "Bob"], 3, "voice", "Bob"),
        (["あ", "--backend", "quantum"], 4, "backend", "quantum"),
        (["あ", "-o", "missing/a.wav"], 7, "output_file", "missing"),
        (["あ", "-o", "a.xyz"], 7, "output_file", "xyz"),
        (["あ", "-o", "a.wav", "--subtype", "99"], 2, "input", "--subtype"),
    ],
)
def test_bad_input_gets_one_sentence_and_a_hint(
    arguments: list[str],
    code: int,
    family: str,
    words: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = arguments if "-o" in arguments else [*arguments, "-o", "a.wav"]
    assert speak(*arguments) == code
    shown = capsys.readouterr().err
    assert words in shown
    assert "Traceback" not in shown
    assert 1 <= len(shown.strip().splitlines()) <= 2
    assert speak(*arguments, "--json") == code
    error = lines(capsys.readouterr().out)[-1]["error"]
    assert isinstance(error, dict)
    assert error["family"] == family
    assert words in error["message"]
    assert error["hint"]
    assert list(tmp_path.glob("*.wav*")) == []


def test_a_voice_without_its_bert_is_passed_over_aloud_unless_it_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = paths.find_data_dir() / "voices" / "own"
    shutil.copytree(paths.find_resources_dir() / "voices" / "mei", own)
    manifest = json.loads((own / "voice.json").read_text(encoding="utf-8"))
    (own / "voice.json").write_text(json.dumps(manifest | {"id": "own", "name": "Own", "bert": "missing", "licence": ""}), encoding="utf-8")
    change_settings(lambda settings: replace(settings, default_voice="own"))
    assert speak("あ", "-o", tmp_path / "a.wav") == 0
    assert "“Own” cannot speak without its BERT, so “Mei (starter)” is used" in capsys.readouterr().err
    assert speak("あ", "-o", tmp_path / "b.wav", "--voice", "own") == 3
    assert "requires is missing: “missing”" in capsys.readouterr().err
    assert speak("あ", "-o", tmp_path / "c.wav", "--force-bert") == 0
    assert "cannot speak" not in capsys.readouterr().err
    served, _ = choose_served_voices(argparse.Namespace(voice=None, accept_licence=False, force_bert=False))
    assert [voice.manifest.id for voice in served] == ["mei", "own"]
    assert "so “Mei (starter)” is used" in capsys.readouterr().err


def test_near_names_are_offered(capsys: pytest.CaptureFixture[str]) -> None:
    assert speak("あ", "--style", "Hapy") == 3
    assert "Happy" in capsys.readouterr().err
    assert speak("あ", "--voice", "mai") == 3
    assert "mei" in capsys.readouterr().err


def test_a_backend_that_is_not_here_falls_back_visibly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert speak("あ", "--backend", "coreml", "-o", tmp_path / "a.wav", "--json") == 0
    captured = capsys.readouterr()
    report = lines(captured.out)[-1]
    assert "CoreML" in str(report["fallback"])
    assert report["backend"] == dict.fromkeys(["bert", "prosody", "flow", "decode"], "cpu")
    assert "CoreML" in captured.err


def test_a_melody_is_heard(tmp_path: Path) -> None:
    """In either form of the file; one that moves nothing changes nothing."""
    forms = {
        "all": json.dumps([4] * 8),
        "named": json.dumps({"moras": [{"index": mora, "semitones": 4.0} for mora in range(8)]}),
        "none": "\ufeff[0, null, 0.001, 0, 0, 0, 0, 0, 0, 0]",
    }
    sounds = {}
    for name, melody in forms.items():
        (tmp_path / f"{name}.json").write_text(melody, encoding="utf-8")
        assert speak(TEXT, "-o", tmp_path / f"{name}.wav", "--melody", tmp_path / f"{name}.json") == 0
    drawn = set_mora_pitches(Overrides(), dict.fromkeys(range(8), 4.0))
    write_project(tmp_path / "a.koebako", Project(Script((Line("別の行。"), Line(TEXT, overrides=drawn)))))
    assert speak(TEXT, "-o", tmp_path / "project.wav", "--melody", tmp_path / "a.koebako") == 0
    assert speak("どこにもない行。", "-o", tmp_path / "none.wav", "--melody", tmp_path / "a.koebako") == 2
    assert speak(TEXT, "-o", tmp_path / "plain.wav") == 0
    for name in (*forms, "project", "plain"):
        sounds[name], rate = soundfile.read(tmp_path / f"{name}.wav", dtype="float32")
    assert np.array_equal(sounds["none"], sounds["plain"])
    assert np.array_equal(sounds["all"], sounds["named"])
    assert np.array_equal(sounds["all"], sounds["project"])
    moved = np.log2(pitch_of(sounds["all"], rate) / pitch_of(sounds["plain"], rate))
    assert 12 * np.nanmedian(moved) == pytest.approx(4, abs=0.3)


@pytest.mark.parametrize(
    ("melody", "words"),
    [
        (None, "cannot be read"),
        (b"", "is no melody"),
        (b"\xff\xfe[0]", "is no melody"),
        (b"{}", "is no melody"),
        (b'["1"]', "is no melody"),
        (b"[true]", "is no melody"),
        (b"[NaN]", "is no melody"),
        (b"[[1]]", "is no melody"),
        (b'[1, {"index": 0, "semitones": 1}]', "is no melody"),
        (b'{"moras": {}}', "is no melody"),
        (b'{"moras": [1]}', "is no melody"),
        (b'{"moras": [{"index": 0}]}', "is no melody"),
        (b'{"moras": [{"index": -1, "semitones": 1}]}', "is no melody"),
        (b'{"moras": [{"index": 0, "semitones": 1}, {"index": 0, "semitones": 2}]}', "is no melody"),
        (b"[" * 100_000, "is no melody"),
        (b"[0, 12.5]", "12.5"),
        (b"[0, 0, 0, 0, 0, 0, 0, 0, 1]", "mora number 8, but the text has 8 morae"),
        (b'{"moras": [{"index": 2000000000, "semitones": 1}]}', "mora number 2000000000"),
    ],
)
def test_a_file_that_is_no_melody_is_one_sentence(
    melody: bytes | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.json"
    if melody is not None:
        path.write_bytes(melody)
    assert speak(TEXT, "-o", tmp_path / "a.wav", "--melody", path) == 2
    told = capsys.readouterr().err
    assert words in told
    assert "Traceback" not in told
    assert not (tmp_path / "a.wav").exists()
