"""The ears' own measures on invented sound, without a recogniser: `tests/benchmarks/hearing.py` and its parts."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from app.compose.text_front_end import open_g2p
from app.core.synthesis_types import PhoneTiming
from app.core.text.phone_ids import map_phones_to_moras
from app.export.sidecar_formats import SpokenFile, SpokenLine, TimedText, format_hts_labels, format_srt
from app.service.wav_stream import convert_to_pcm, pack_wav_header
from tests.benchmarks import hearing
from tests.benchmarks.hearing import CARRIER, HeardLines, list_heard_japanese, read_texts, summarise_misses
from tests.benchmarks.hearing_judges import RECOGNISER, Judges, Sound
from tests.benchmarks.hearing_routes import ROUTES, Person, edit_lengths
from tests.benchmarks.line_measures import (
    is_first_mora_devoiced,
    measure_edge_misses,
    measure_first_mora,
    measure_first_step,
    measure_last_rise,
    measure_levels,
    read_cues,
    read_phrases,
)
from tests.benchmarks.mora_comparison import compare_moras, count_wrong_words, split_moras

RATE = 24000
MEI = Person("mei", "Mei", 0, 0, "Mei", "Neutral")


def make_buzz(length_s: float, hz: float = 200.0) -> np.ndarray:
    """A voiced sound of several harmonics."""
    times = np.arange(round(length_s * RATE)) / RATE
    return np.asarray(0.1 * sum(np.sin(2 * np.pi * hz * number * times) / number for number in range(1, 12)), np.float32)


def make_silence(length_s: float) -> np.ndarray:
    return np.zeros(round(length_s * RATE), np.float32)


def make_line() -> tuple[np.ndarray, list[TimedText]]:
    """Two phrases with a pause between them, and their labels."""
    sound = np.concatenate([make_silence(0.2), make_buzz(0.4), make_silence(0.2), make_buzz(0.3), make_silence(0.3)])
    return sound, [TimedText("a m e", 0.2, 0.6), TimedText("k i", 0.8, 1.1)]


@pytest.mark.parametrize(
    ("one", "other"), [("センセイ", "センセー"), ("オオキイ", "オーキー"), ("ツヅク", "ツズク"), ("キョウワ", "キョーワ"), ("ヲ", "オ")]
)
def test_readings_of_one_sound_have_the_same_morae(one: str, other: str) -> None:
    assert split_moras(one) == split_moras(other)
    assert split_moras("ショッパイネ、スー") == ["ショ", "ッ", "パ", "イ", "ネ", "ス", "ー"]


def test_what_was_not_heard_is_found_at_the_place_where_it_is_missing() -> None:
    said = split_moras("ヤマダサン")
    start, end, both = (compare_moras(said, split_moras(heard)) for heard in ("ダサン", "ヤマダ", "ヤマダサン"))
    assert (start.wrong, start.start_heard, start.end_heard) == (2, False, True)
    assert (end.wrong, end.start_heard, end.end_heard) == (2, True, False)
    assert (both.wrong, both.start_heard, both.end_heard) == (0, True, True)
    assert compare_moras(said, split_moras("マッタクチガウコトバ")).wrong == len(said)


def test_a_line_without_its_first_60_ms_misses_its_labels() -> None:
    sound, labels = make_line()
    cut = sound.copy()
    cut[round(0.2 * RATE) : round(0.26 * RATE)] = 0
    whole, late = (measure_edge_misses(samples, RATE, labels) for samples in (sound, cut))
    assert all(miss is not None and max(abs(miss.start_s), abs(miss.end_s)) <= 0.01 for miss in whole)
    assert [miss and miss.stop_first for miss in whole] == [False, True]
    assert late[0] is not None
    assert late[0].start_s == pytest.approx(0.06, abs=0.01)
    assert late[1:] == whole[1:]
    shares = [summarise_misses(misses)[1] for misses in (whole, late, [*late[:1], None])]
    assert shares == ["1.00", "0.50", "0.00"]


def test_phrases_and_cues_are_read_as_the_program_writes_them() -> None:
    phones = (TimedText("a", 0.2, 0.6), TimedText("pau", 0.6, 0.8), TimedText("k", 0.8, 0.9), TimedText("i", 0.9, 1.1))
    sentences = (TimedText("あ、", 0.2, 0.7), TimedText("き", 0.7, 1.1))
    line = SpokenLine("1", "あ、き", "アキ", 0, "mei", "Mei", "Neutral", {}, "", 0.0, 1.4, sentences=sentences, phones=phones)
    spoken = SpokenFile((line,), RATE, round(1.4 * RATE))
    assert read_phrases(format_hts_labels(spoken) or "") == [TimedText("a", 0.2, 0.6), TimedText("k i", 0.8, 1.1)]
    assert [(cue.start_s, cue.end_s) for cue in read_cues(format_srt(spoken, "sentence"))] == [(0.2, 0.7), (0.7, 1.1)]


def test_a_first_mora_that_is_not_spoken_has_neither_energy_nor_pitch() -> None:
    phones = [PhoneTiming("_", 0, 0.0, 0.1), PhoneTiming("a", 1, 0.1, 0.3), PhoneTiming("m", 0, 0.3, 0.35), PhoneTiming("e", 0, 0.35, 0.6)]
    fall, rise = (
        np.concatenate([make_silence(0.1), make_buzz(0.2, pair[0]), make_buzz(0.3, pair[1])]) for pair in ((250, 180), (180, 250))
    )
    lost = fall.copy()
    lost[: round(0.3 * RATE)] = 0
    assert measure_first_mora(fall, RATE, phones) > -6 > -60 > measure_first_mora(lost, RATE, phones)
    assert measure_first_step(fall, RATE, phones) == pytest.approx(12 * np.log2(180 / 250), abs=0.5)
    assert measure_first_step(rise, RATE, phones) == pytest.approx(12 * np.log2(250 / 180), abs=0.5)
    assert np.isnan(measure_first_step(lost, RATE, phones))
    assert not is_first_mora_devoiced(phones)
    assert is_first_mora_devoiced([PhoneTiming(phone, 0, 0.0, 0.1) for phone in ("_", "k", "i", "q", "t", "o")])


def test_the_last_run_alone_says_how_far_a_question_rises() -> None:
    unvoiced = np.full(20, np.nan)
    fall, run = np.linspace(12, 0, 80), np.concatenate([np.linspace(3, 2, 20), np.linspace(2, 7, 20), np.full(3, 7.0)])
    assert measure_last_rise(np.concatenate([fall, unvoiced, run, unvoiced])) == pytest.approx(5, abs=0.1)
    assert measure_last_rise(np.concatenate([fall, unvoiced, run, unvoiced, np.zeros(3)])) == pytest.approx(5, abs=0.1)
    assert measure_last_rise(np.concatenate([run, unvoiced, fall])) < 0
    assert np.isnan(measure_last_rise(unvoiced))


def test_levels_count_what_is_over_full_scale() -> None:
    quiet = make_buzz(3.0)
    loud = quiet / np.abs(quiet).max() * 1.1
    found = measure_levels([quiet, loud], RATE)
    assert found.peak == pytest.approx(1.1)
    assert (found.lines_over, found.samples_over) == (1, int((np.abs(loud) > 1).sum()))
    assert measure_levels([quiet, quiet], RATE).lufs == pytest.approx(measure_levels([2 * quiet], RATE).lufs - 20 * np.log10(2), abs=0.01)


def test_silence_around_a_line_makes_no_other_sound() -> None:
    line = make_buzz(0.1)
    padded = np.concatenate([make_silence(0.3), line, make_silence(0.2)])
    assert (
        Sound.from_float(line, RATE).digest == Sound.from_float(padded, RATE).digest != Sound.from_float(make_buzz(0.1, 201.0), RATE).digest
    )
    file = io.BytesIO(pack_wav_header(len(line), RATE, 1) + convert_to_pcm(line))
    assert Sound.from_pcm(*soundfile.read(file, dtype="int16")).digest == Sound.from_float(line, RATE).digest
    assert Sound.from_float(make_silence(0.1), RATE).samples.size == 0


def test_a_sound_that_was_heard_before_starts_no_process(tmp_path: Path) -> None:
    sound = Sound.from_float(make_buzz(0.1), RATE)
    (tmp_path / f"{RECOGNISER}.jsonl").write_text(json.dumps({"sound": sound.digest, "text": "雨"}) + "\n", encoding="utf-8")
    judges = Judges(tmp_path / "no python", cache_dir=tmp_path)
    assert judges.recognise_text(sound) == "雨"
    with pytest.raises(FileNotFoundError):
        judges.recognise_text(Sound.from_float(make_buzz(0.2), RATE))


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoken: list[str] = []

    class DeafJudges:
        def recognise_text(self, _sound: Sound, _language: str = "ja") -> str:
            return "雨です。"

    def route(_person: Person, _speed: float, texts: list[str]) -> Iterator[Sound]:
        for text in texts:
            spoken.append(text)
            yield Sound.from_float(make_buzz(0.1), RATE)

    monkeypatch.setitem(ROUTES, "speak", route)
    for texts in (["雨です。"], ["雨です。", "飴だ。"]):
        judges: Any = DeafJudges()
        heard = HeardLines(tmp_path / "heard.jsonl", judges)
        heard.hear_lines(MEI, "speak", 1.0, texts)
    assert spoken == ["雨です。", "飴だ。"]
    assert "| mei | Mei | speak | 1.0 | 2 | 1.00 | 0.50 | 28.6% |" in heard.format_rows()


def test_the_lines_are_what_the_page_says_and_the_pairs_differ_in_their_first_step() -> None:
    assert (len(read_texts("line", "question", "two")), len(read_texts("question")), len(read_texts("pair"))) == (60, 10, 19)
    assert len(read_texts("line", "question", "two", count=8)) == 8
    for pair in read_texts("pair"):
        found = [open_g2p().convert_sentence(CARRIER.format(word)) for word in pair.split("/")]
        assert found[0].phones == found[1].phones
        last_tones = [dict(zip(map_phones_to_moras(phones.phones), phones.tones, strict=True)) for phones in found]
        assert [(tones[0], tones[1]) for tones in last_tones] == [(1, 0), (0, 1)], pair


def test_an_edited_query_has_other_lengths() -> None:
    query = {"accent_phrases": [{"moras": [{"vowel_length": 1.0}, {"vowel_length": 1.0}]}], "speedScale": 2.0}
    edited = edit_lengths(query)
    assert [mora["vowel_length"] for mora in edited["accent_phrases"][0]["moras"]] == [1.15, 0.9]
    assert edited["speedScale"] == 2.0
    assert edited["prePhonemeLength"] == edited["postPhonemeLength"] == 0.05


def test_every_part_can_be_asked_for_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["hearing", "--lines", "8"])
    assert hearing.parse_options().parts == ["heard", "words", "labels", "accents", "questions", "levels", "picture"]
    monkeypatch.setattr("sys.argv", ["hearing", "opinions", "--speeds", "1", "0.8"])
    assert (hearing.parse_options().parts, hearing.parse_options().speeds) == (["opinions"], [1.0, 0.8])


def test_english_words_are_compared_without_case_marks_and_figures() -> None:
    assert count_wrong_words("The train leaves in ten minutes.", "the train leaves in 10 minutes") == (0, 6)
    assert count_wrong_words("I don't know.", "You don’t know it") == (2, 3)
    assert count_wrong_words("Hello.", "") == (1, 1)


def test_only_the_japanese_of_a_mixed_line_counts() -> None:
    assert list_heard_japanese("新しいcoffeeを飲む。", "新しい紅茶を飲む。") == [True] * 8
    assert list_heard_japanese("新しいcoffeeを飲む。", "新しいコーヒーを読む。").count(False) == 1
    assert (len(read_texts("english")), len(read_texts("mixed"))) == (40, 40)
