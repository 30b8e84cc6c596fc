"""What lies beside a sound: exact against its samples, and read back by other programs' parsers."""

import inspect
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pysubs2
import pytest
import soundfile
from praatio import textgrid

from app.adapters import speech_activity
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.script.script import Line, LineSettings
from app.core.synthesis_types import MoraOverride, Overrides, PauseOverride
from app.export.export_plan import PlannedFile
from app.export.export_renderer import FileRenderer, WrittenFile, find_ids_by_name
from app.export.export_settings import SIDECAR_KINDS, TIMING_UNITS, ExportSettings, SidecarKind, TimingUnit
from app.export.sidecar_formats import (
    SIDECAR_FORMATS,
    SidecarFormat,
    SpokenFile,
    SpokenLine,
    TimedMora,
    TimedText,
    format_ass,
    format_hts_labels,
    format_srt,
    format_vtt,
)
from app.ui.export.export_form import CUE_SIDECARS

TEXT = "こんにちは、世界。今日は\n「いい」天気ですね？"
RATE, HOP = 44_100, 512


@pytest.fixture(scope="module")
def speaker() -> Speaker:
    """The voice that ships."""
    return open_speaker(None, "cpu")


def write(speaker: Speaker, file: Path, *lines: Line, **settings: object) -> WrittenFile:
    renderer = FileRenderer(lambda _voice: speaker, find_ids_by_name)
    written = renderer.write_file(PlannedFile(file, lines), ExportSettings(sidecars=SIDECAR_KINDS, **settings))  # type: ignore[arg-type]
    assert written is not None
    return written


@pytest.fixture(scope="module")
def written(speaker: Speaker, tmp_path_factory: pytest.TempPathFactory) -> WrittenFile:
    """One line with everything beside it."""
    file = tmp_path_factory.mktemp("one") / "声.wav"
    return write(speaker, file, Line(TEXT, LineSettings(seed=3, style="Happy"), id="a"), subtype="float")


@pytest.mark.parametrize("cut", [0, 1])
def test_a_sound_that_was_heard_has_the_times_of_its_line(speaker: Speaker, written: WrittenFile, tmp_path: Path, cut: int) -> None:
    samples, rate = soundfile.read(written.file, dtype="float32")
    heard = samples[: len(samples) - cut]
    item = PlannedFile(tmp_path / "声.wav", (Line(TEXT, LineSettings(seed=3, style="Happy"), id="a"),))
    settings = ExportSettings(sidecars=("txt", "lab"), subtype="float")
    again = FileRenderer(lambda _voice: speaker, find_ids_by_name).write_recorded_file(item, settings, (heard, rate))
    assert again is not None
    assert np.array_equal(soundfile.read(item.file, dtype="float32")[0], heard)
    assert beside(again, ".txt").read_bytes() == beside(written, ".txt").read_bytes()
    assert beside(again, ".lab").exists() == (not cut), "another sound has other times"
    if not cut:
        assert beside(again, ".lab").read_bytes() == beside(written, ".lab").read_bytes()


def beside(written: WrittenFile, suffix: str) -> Path:
    return written.file.with_suffix(suffix)


def tiles(path: Path) -> list[tuple[int, int, str]]:
    rows = (line.split(" ") for line in path.read_text(encoding="utf-8").splitlines())
    return [(int(start), int(end), phone) for start, end, phone in rows]


def test_no_voice_is_refined_while_files_are_written(speaker: Speaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stages: list[str] = []
    monkeypatch.setattr(speech_activity, "record_speech", lambda: stages.append("stage"))
    write(speaker, tmp_path / "a.wav", Line("どちらにしますか。", id="a"))
    assert len(stages) >= 4


def test_lab_tiles_the_sound_to_its_last_sample(written: WrittenFile) -> None:
    content = beside(written, ".lab").read_bytes()
    assert not content.startswith(b"\xef\xbb\xbf")
    found = tiles(beside(written, ".lab"))
    frames = soundfile.info(written.file).frames
    assert found[0][0] == 0
    assert found[-1][1] == round(frames * 10_000_000 / RATE)
    assert found[0][2] == found[-1][2] == "pau"
    assert all(before[1] == after[0] for before, after in pairwise(found))
    assert all(start < end for start, end, _ in found)
    assert not any(before[2] == after[2] == "pau" for before, after in pairwise(found))


def test_times_within_a_phrase_lie_on_frames_of_the_voice(written: WrittenFile) -> None:
    """Its beginning and its end lie where its sound does."""
    data = json.loads(beside(written, ".json").read_text(encoding="utf-8"))
    inner = [mora["end_s"] for mora, after in pairwise(data["moras"]) if mora["end_s"] == after["start_s"]]
    assert len(inner) > len(data["moras"]) / 2
    for sentence in data["sentences"]:
        borders = [second for second in inner if sentence["start_s"] < second < sentence["end_s"]]
        for border, after in pairwise(borders):
            frames = (after - border) * RATE / HOP
            assert frames == pytest.approx(round(frames), abs=0.02)


def test_sentences_begin_and_end_with_their_sound(written: WrittenFile) -> None:
    samples, _ = soundfile.read(written.file, dtype="float32")
    for sentence in json.loads(beside(written, ".json").read_text(encoding="utf-8"))["sentences"]:
        start, end = (round(sentence[name] * RATE) for name in ("start_s", "end_s"))
        loud = np.abs(samples[start:end]).max() / 100
        edge = round(0.01 * RATE)
        assert max(np.abs(samples[start : start + edge]).max(), np.abs(samples[end - edge : end]).max()) > loud
        assert np.abs(samples[max(0, start - 2 * edge) : start - edge]).max(initial=0) < 1.5 * loud


def test_pauses_are_silent_and_the_sound_is_not(written: WrittenFile) -> None:
    samples, _ = soundfile.read(written.file, dtype="float32")
    power = [
        np.sqrt(np.mean(samples[start * RATE // 10_000_000 : end * RATE // 10_000_000] ** 2))
        for start, end, _ in tiles(beside(written, ".lab"))
    ]
    names = [name for _, _, name in tiles(beside(written, ".lab"))]
    vowels = [value for value, name in zip(power, names, strict=True) if name in "aiueo"]
    silences = [value for value, name in zip(power, names, strict=True) if name == "pau"]
    assert max(silences[0], silences[-1]) < 0.2 * np.median(vowels)


def test_lengths_that_were_set_by_hand_are_exact(speaker: Speaker, tmp_path: Path) -> None:
    edits = Overrides(moras=(MoraOverride(1, tone=0, length_s=0.5),), pauses=(PauseOverride(0, 0.75),))
    made = write(speaker, tmp_path / "a.wav", Line("さくら、さく。", overrides=edits))
    line = made.spoken.lines[0]
    frame = HOP / RATE
    assert line.moras[1].end_s - line.moras[1].start_s == pytest.approx(0.5, abs=frame)
    assert line.moras[1].tone == 0
    shorter = replace(edits, pauses=(PauseOverride(0, 0.5),))
    before = write(speaker, tmp_path / "b.wav", Line("さくら、さく。", overrides=shorter)).spoken.lines[0]
    assert line.moras[4].start_s - before.moras[4].start_s == pytest.approx(0.25, abs=frame)


def test_json_says_all_and_ends_with_the_sound(written: WrittenFile) -> None:
    data = json.loads(beside(written, ".json").read_text(encoding="utf-8"))
    info = soundfile.info(written.file)
    assert (data["samples"], data["sampling_rate"]) == (info.frames, info.samplerate)
    assert data["text"] == TEXT
    assert data["reading"] == "".join(mora["kana"] for mora in data["moras"])
    assert (data["voice"], data["speaker"], data["style"], data["seed"]) == ("mei", "Mei", "Happy", 3)
    assert data["settings"]["speed"] == 1.0
    assert "Nagoya Institute of Technology" in data["credit"]
    assert data["phones"][-1]["end_s"] * RATE == pytest.approx(info.frames, abs=1)
    assert "".join(sentence["text"] for sentence in data["sentences"]).replace("\n", "") == TEXT.replace("\n", "")
    assert "".join(phrase["text"] for phrase in data["phrases"]) == data["reading"]
    assert {mora["tone"] for mora in data["moras"]} == {0, 1}


def test_praat_reads_the_textgrid(written: WrittenFile) -> None:
    grid = textgrid.openTextgrid(str(beside(written, ".TextGrid")), includeEmptyIntervals=True)
    length = soundfile.info(written.file).frames / RATE
    assert grid.tierNames == ("phones", "moras", "phrases", "sentences")
    for name in grid.tierNames:
        entries = grid.getTier(name).entries
        assert entries[0].start == 0
        assert entries[-1].end == pytest.approx(length, abs=1e-8)
        assert all(before.end == after.start for before, after in pairwise(entries))
    spoken = [entry.label for entry in grid.getTier("moras").entries if entry.label]
    assert "".join(spoken) == written.spoken.lines[0].reading


@pytest.mark.parametrize("unit", TIMING_UNITS)
def test_subtitles_are_read_by_others(speaker: Speaker, tmp_path: Path, unit: TimingUnit) -> None:
    made = write(speaker, tmp_path / "a.wav", Line(TEXT), Line("はい。<b>&"), unit=unit)
    texts = {}
    for suffix in (".srt", ".vtt", ".ass"):
        subtitles = pysubs2.load(str(beside(made, suffix)))
        assert all(event.start < event.end for event in subtitles)
        assert subtitles[-1].end <= round(1000 * made.spoken.length_s)
        assert all(before.end <= after.start for before, after in pairwise(subtitles))
        texts[suffix] = "".join(event.plaintext for event in subtitles)
    lines = made.spoken.lines
    counts = {"line": 2, "sentence": 5, "phrase": sum(len(line.phrases) for line in lines), "mora": sum(len(line.moras) for line in lines)}
    assert len(pysubs2.load(str(beside(made, ".srt")))) == counts[unit]
    if unit in ("phrase", "mora"):
        assert texts[".srt"] == "".join(line.reading for line in made.spoken.lines)
    assert texts[".ass"] == "".join(line.reading for line in made.spoken.lines)


def test_karaoke_does_not_drift(speaker: Speaker, tmp_path: Path) -> None:
    made = write(
        speaker,
        tmp_path / "a.wav",
        Line("今日はとてもいい天気なので、駅前の公園まで歩いて行って、写真をたくさん撮りました。" * 4),
        unit="mora",
    )
    line = made.spoken.lines[0]
    for event, sentence in zip(pysubs2.load(str(beside(made, ".ass"))), line.sentences, strict=True):
        now = event.start
        starts = []
        for length, kana in re.findall(r"\{\\k(\d+)\}([^{]*)", event.text):
            if kana:
                starts.append(now)
            now += 10 * int(length)
        expected = [1000 * mora.start_s for mora in line.moras if sentence.start_s <= mora.start_s < sentence.end_s]
        assert starts == pytest.approx(expected, abs=5.01)


@pytest.mark.parametrize(("sound", "rate"), [("wav", 22_050), ("wav", 48_000), ("flac", 0), ("ogg", 24_000), ("opus", 0), ("mp3", 0)])
def test_every_format_has_the_same_times(speaker: Speaker, written: WrittenFile, tmp_path: Path, sound: str, rate: int) -> None:
    made = write(speaker, tmp_path / f"a.{sound}", Line(TEXT, LineSettings(seed=3, style="Happy")), sound=sound, rate=rate)
    info = soundfile.info(made.file)
    assert info.samplerate == (rate or (48_000 if sound == "opus" else RATE)) == made.spoken.rate
    assert info.frames / info.samplerate == pytest.approx(made.spoken.length_s, abs=0.06 if sound == "mp3" else 1 / info.samplerate)
    assert made.spoken.length_s == pytest.approx(written.spoken.length_s, abs=1 / info.samplerate)
    assert [mora.start_s for mora in made.spoken.lines[0].moras] == [mora.start_s for mora in written.spoken.lines[0].moras]
    decoded, _ = soundfile.read(made.file, dtype="float32", always_2d=True)
    original, _ = soundfile.read(written.file, dtype="float32")
    loud = [np.sqrt(np.mean(part**2)) for part in (decoded, original)]
    assert loud[0] == pytest.approx(loud[1], rel=0.05)
    assert tiles(beside(made, ".lab"))[-1][1] == round(made.spoken.samples * 10_000_000 / made.spoken.rate)


def test_stereo_and_quality(speaker: Speaker, tmp_path: Path) -> None:
    line = Line("こんにちは、世界。")
    sizes = [
        write(speaker, tmp_path / f"{quality}.opus", line, sound="opus", quality=quality).file.stat().st_size
        for quality in ("small", "standard", "high")
    ]
    assert sizes[0] < sizes[1] < sizes[2]
    both, _ = soundfile.read(write(speaker, tmp_path / "a.wav", line, stereo=True).file)
    assert np.array_equal(both[:, 0], both[:, 1])


def test_several_lines_follow_each_other(speaker: Speaker, tmp_path: Path) -> None:
    first, second = Line("はい。", id="1"), Line("いいえ。", id="2")
    alone = [write(speaker, tmp_path / f"{line.id}.wav", line) for line in (first, second)]
    both = write(speaker, tmp_path / "both.wav", first, second)
    assert both.spoken.samples == sum(item.spoken.samples for item in alone)
    assert both.spoken.lines[1].start_s == pytest.approx(alone[0].spoken.length_s, abs=1e-9)
    found = tiles(beside(both, ".lab"))
    assert [phone for *_, phone in found if phone != "pau"] == [
        phone for item in alone for *_, phone in tiles(beside(item, ".lab")) if phone != "pau"
    ]
    data = json.loads(beside(both, ".json").read_text(encoding="utf-8"))
    assert [line["id"] for line in data["lines"]] == ["1", "2"]


def test_the_labels_of_the_voice_that_ships_stay_as_they_are(written: WrittenFile) -> None:
    golden = Path(__file__).with_name("golden.lab")
    names = [name for *_, name in tiles(golden)]
    assert [name for *_, name in tiles(beside(written, ".lab"))] == names
    # Another processor may round a duration to the next frame.
    assert np.allclose([row[0] for row in tiles(golden)], [row[0] for row in tiles(beside(written, ".lab"))], atol=3 * HOP / RATE * 1e7)


def line_of(*moras: TimedMora, sentences: tuple[TimedText, ...] = (), phones: tuple[TimedText, ...] = ()) -> SpokenLine:
    return SpokenLine("a", "a", "", 0, "", "話,者", "", {}, "", 0.0, 1.0, sentences, (), moras, phones)


def test_a_voice_without_times_has_sentences_only() -> None:
    spoken = SpokenFile((line_of(sentences=(TimedText("はい。", 0.1, 0.9),)),), 1000, 1000)
    assert format_hts_labels(spoken) is None
    assert "はい。" in format_srt(spoken, "mora")
    assert "はい。" in format_ass(spoken, "mora")


def list_cue_formats(formats: Mapping[SidecarKind, SidecarFormat]) -> tuple[SidecarKind, ...]:
    """The formats whose text depends on the unit of their cues."""
    spoken = SpokenFile((line_of(sentences=(TimedText("はい。", 0.1, 0.5), TimedText("え。", 0.5, 0.9))),), 1000, 1000)
    return tuple(kind for kind, form in formats.items() if form.format_text(spoken, "line") != form.format_text(spoken, "sentence"))


def test_every_format_is_listed_and_the_unit_is_offered_for_those_that_have_cues() -> None:
    added = dict(SIDECAR_FORMATS) | {"planted": SidecarFormat(".planted", "Planted", format_srt)}
    assert list_cue_formats(added) != CUE_SIDECARS  # type: ignore[arg-type]
    assert tuple(added) != SIDECAR_KINDS
    assert list_cue_formats(SIDECAR_FORMATS) == CUE_SIDECARS
    assert tuple(SIDECAR_FORMATS) == SIDECAR_KINDS
    assert {form.suffix for form in SIDECAR_FORMATS.values()} <= set(re.findall(r'"(\.\w+)"', inspect.getsource(sys.modules[__name__])))


def test_what_would_be_markup_is_text() -> None:
    spoken = SpokenFile((line_of(sentences=(TimedText("a --> <i>\n\n{\\k9}b", 0.1, 0.9),)),), 1000, 1000)
    assert len(pysubs2.SSAFile.from_string(format_srt(spoken, "sentence"))) == 1
    assert "&lt;i&gt;" in format_vtt(spoken, "sentence")
    assert "--&gt;" in format_vtt(spoken, "sentence")
    event = pysubs2.SSAFile.from_string(format_ass(spoken, "sentence"))[0]
    assert event.plaintext == "a --> <i> ｛＼k9｝b"
    assert event.name == "話 者"


def test_a_phone_without_time_and_silence_of_no_length() -> None:
    """At both ends is `pau`, even where a line begins with its first phone."""
    spoken = SpokenFile((line_of(phones=(TimedText("a", 0.0, 0.5), TimedText("q", 0.5, 0.5), TimedText("b", 0.5, 1.0))),), 10, 10)
    assert format_hts_labels(spoken) == "0 0 pau\n0 5000000 a\n5000000 10000000 b\n10000000 10000000 pau\n"


def test_readers_see_the_words_alone(speaker: Speaker, tmp_path: Path) -> None:
    noted = Line("{薔薇|ばら}の花[明るく。]が。囁（ささや）く。［＃終わり］", LineSettings(memos=True))
    made = write(speaker, tmp_path / "a.wav", noted, unit="sentence")
    plain = write(speaker, tmp_path / "b.wav", Line("薔薇の花が。囁く。"), unit="sentence")
    assert [event.plaintext for event in pysubs2.load(str(beside(made, ".srt")))] == ["薔薇の花が。", "囁く。"]
    for suffix in (".srt", ".ass", ".lab", ".TextGrid", ".txt"):
        assert beside(made, suffix).read_text(encoding="utf-8") == beside(plain, suffix).read_text(encoding="utf-8")
