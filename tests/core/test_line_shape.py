"""Reading of a line, edits of its shape, and what becomes of them when the text changes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.core.sound.line_edits import (
    MAX_COMPARED_PAIRS,
    find_phrase,
    list_phrases,
    may_toggle_phrase,
    move_overrides_to_text,
    move_readings,
    reset_phrase,
    set_accent,
    set_mora_length,
    set_pause_length,
    set_word_reading,
    toggle_phrase,
)
from app.core.sound.line_reading import LineReading, read_line
from app.core.sound.line_sound import PEAK_BIN_S, LineSound
from app.core.synthesis_types import AudioChunk, MoraOverride, Overrides, PauseOverride, PhoneTiming, PhraseOverride, ReadingOverride
from app.core.text.phone_ids import count_marks, count_moras
from app.core.text.sentence_splitting import split_sentences

G2P = OpenJTalkG2P()
TEXT = "今日は2026年、ｶﾅ混じりの東京タワーです。……「え？」と言った。"
WORDS = ("今日は", "駅前の", "東京タワーで", "猫が", "歩いて", "、", "。", "……", "2026年", "ABC", "！", "きれいな", " ", "\n", "☆")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=10).map("".join)


def read(
    text: str, readings: tuple[ReadingOverride, ...] = (), emoji: bool = False, memos: bool = False, english: bool = False
) -> LineReading:
    return read_line(text, readings, G2P, emoji=emoji, memos=memos, english=english)


def kana(reading: LineReading, start: int, end: int) -> str:
    return "".join(mora.kana for mora in reading.moras[start:end])


def test_words_know_their_text_and_their_morae() -> None:
    reading = read(TEXT)
    found = {TEXT[word.start : word.end]: kana(reading, word.first_mora, word.end_mora) for word in reading.words}
    assert found["2026"] == "ニセンニジューロク"
    assert found["ｶﾅ"] == "カナ"
    assert found["東京タワー"] == "トーキョータワー"
    assert [reading.marks[word.first_mark].phone for word in reading.words if TEXT[word.start : word.end] == "、"] == [","]
    assert kana(reading, *_of(list_phrases(reading, Overrides())[-1])) == "イッタ"


def _of(phrase: object) -> tuple[int, int]:
    return phrase.start, phrase.end  # type: ignore[attr-defined]


@given(TEXTS)
def test_a_reading_counts_like_the_pipeline(text: str) -> None:
    reading = read(text)
    phones = [G2P.convert_sentence(sentence.text).phones for sentence in split_sentences(text, G2P.split_words)]
    assert len(reading.moras) == sum(count_moras(one) for one in phones)
    assert len(reading.marks) == sum(count_marks(one) for one in phones)
    assert "".join(text[word.start : word.end] for word in reading.words) == text
    for before, after in zip(reading.words, reading.words[1:], strict=False):
        assert (before.end_mora, before.end_mark) == (after.first_mora, after.first_mark)
        assert before.end <= after.start
    phrases = list_phrases(reading, Overrides())
    assert [mora for phrase in phrases for mora in range(phrase.start, phrase.end)] == list(range(len(reading.moras)))
    assert [tone for phrase in phrases for tone in phrase.tones] == [mora.tone for mora in reading.moras]


@given(st.data())
def test_accents_can_be_set_and_taken_back(data: st.DataObject) -> None:
    reading = read(TEXT)
    mora = data.draw(st.integers(0, len(reading.moras) - 1))
    phrase = find_phrase(list_phrases(reading, Overrides()), mora)
    accent = data.draw(st.integers(0, phrase.end - phrase.start - 1))
    edited = set_accent(reading, Overrides(), mora, accent)
    after = find_phrase(list_phrases(reading, edited), mora)
    assert _of(after) == _of(phrase)
    assert after.accent == accent
    assert all(phrase.start <= edit.mora < phrase.end for edit in edited.moras)
    assert reset_phrase(reading, edited, mora) == Overrides()
    if phrase.accent and phrase.tones == after.tones:
        assert edited == Overrides(), "what the front end says anyway is no edit"


@given(st.data())
def test_phrases_split_and_join(data: st.DataObject) -> None:
    reading = read(TEXT)
    mora = data.draw(st.integers(0, len(reading.moras) - 1))
    before = list_phrases(reading, Overrides())
    edited = toggle_phrase(reading, Overrides(), mora)
    starts = {phrase.start for phrase in before} ^ ({mora} if may_toggle_phrase(reading, mora) else set())
    after = list_phrases(reading, edited)
    assert {phrase.start for phrase in after} == starts
    for phrase in after:
        rises = sum(a < b for a, b in zip(phrase.tones, phrase.tones[1:], strict=False))
        assert rises <= 1, "a phrase rises once"
    again = toggle_phrase(reading, edited, mora)
    assert {phrase.start for phrase in list_phrases(reading, again)} == {phrase.start for phrase in before}
    assert again.phrases == ()


def test_lengths_are_kept_in_bounds() -> None:
    overrides = set_mora_length(set_pause_length(Overrides(), 2, -1.0), 3, 99.0)
    assert [pause.length_s for pause in overrides.pauses] + [mora.length_s for mora in overrides.moras] == [0.0, 10.0]
    assert set_pause_length(set_mora_length(overrides, 3, None), 2, None) == Overrides()


def test_in_a_long_line_edits_before_and_behind_a_change_stay() -> None:
    """Too long to be compared letter by letter: only what stands between the first and the last difference counts as changed."""
    sentence = "東京タワーはきれいです。"
    old = sentence * 20
    assert len(old) ** 2 > MAX_COMPARED_PAIRS
    new = sentence * 10 + "猫がいます。" + sentence * 10
    readings = tuple(ReadingOverride("東京タワー", "スカイツリー", occurrence=number) for number in (9, 10))
    assert [edit.occurrence for edit in move_readings(readings, old, new)] == [9, 10]
    each, more = len(read(sentence).moras), len(read("猫がいます。").moras)
    overrides = Overrides(moras=(MoraOverride(9 * each, 0), MoraOverride(10 * each, 1)), pauses=(PauseOverride(15, 1.0),), text=old)
    settled = move_overrides_to_text(overrides, new, read)
    assert [edit.mora for edit in settled.moras] == [9 * each, 10 * each + more]
    assert [edit.mark for edit in settled.pauses] == [16]


@given(TEXTS, TEXTS, st.sampled_from(["", "、", "。"]))
def test_edits_of_untouched_words_stay(before: str, after: str, mark: str) -> None:
    """Whatever is written in sentences before and behind, the edits in this one stay on the same kana."""
    core = "、東京タワーはきれいですね。"
    old = "はい。" + core
    new = f"{before}。{core}{mark}{after}"
    reading = read(old)
    target = next(word for word in reading.words if old[word.start : word.end] == "きれい")
    pause = next(word for word in reading.words if old[word.start : word.end] == "。" and word.start > target.start)
    overrides = Overrides(
        (ReadingOverride("東京タワー", "スカイツリー", occurrence=0),),
        (MoraOverride(target.first_mora, 0, 0.3),),
        phrases=(PhraseOverride(target.first_mora, True),),
        text=old,
    )
    with_readings = read(old, overrides.readings)
    shift = len(with_readings.moras) - len(reading.moras)
    moras = (replace(overrides.moras[0], mora=target.first_mora + shift),)
    overrides = set_pause_length(
        replace(overrides, moras=moras, phrases=(PhraseOverride(target.first_mora + shift, True),)), pause.first_mark, 0.9
    )
    settled = move_overrides_to_text(overrides, new, read)
    found = read(new, settled.readings)
    if not mark and after[:1] in "今駅猫歩2A":
        assert [(found.marks[edit.mark].moras_before, edit.length_s) for edit in settled.pauses] == [(settled.moras[0].mora + 6, 0.9)]
    if "東京タワー" not in before + after and "きれい" not in before + after:
        assert [(found.moras[edit.mora].kana, edit.tone, edit.length_s) for edit in settled.moras] == [("キ", 0, 0.3)]
        assert "スカイツリー" in kana(found, 0, len(found.moras))
        assert [edit.mora for edit in settled.phrases] == [edit.mora for edit in settled.moras]
    assert settled.text in (new, old)
    assert all(edit.mora < len(found.moras) for edit in settled.moras)
    assert move_overrides_to_text(replace(settled, text=new), new, read) == replace(settled, text=new)


def test_edits_go_with_their_word() -> None:
    old = "今日は晴れです。"
    overrides = set_accent(read(old), Overrides(text=old), 4, 1)
    assert [edit.mora for edit in overrides.moras] == [3, 4, 5, 6], "ハレデス"
    assert [edit.mora for edit in move_overrides_to_text(overrides, "今日は雨です。", read).moras] == [5, 6], "デス"
    gone = move_overrides_to_text(overrides, "さようなら", read)
    assert (gone.moras, gone.pauses) == ((), ())
    assert move_overrides_to_text(overrides, old, read) is overrides


def test_readings_find_their_occurrence_again() -> None:
    edit = ReadingOverride("風", "フー", occurrence=1)
    assert move_readings((edit,), "風と風", "風、風と風") == (replace(edit, occurrence=2),)
    assert move_readings((edit,), "風と風", "風と雨") == ()
    everywhere = replace(edit, occurrence=None)
    assert move_readings((everywhere,), "風と風", "雨") == (everywhere,)


def test_a_reading_replaces_the_one_before() -> None:
    reading = read("風と風")
    last = reading.words[-1]
    readings = set_word_reading(reading, last, "フー")
    assert readings == (ReadingOverride("風", "フー", occurrence=1),)
    again = read("風と風", readings)
    assert kana(again, again.words[-1].first_mora, again.words[-1].end_mora) == "フー"
    assert set_word_reading(again, again.words[-1], "") == ()
    assert set_word_reading(again, replace(last, start=last.end), "フー") == again.readings  # a word without letters of its own


@given(st.lists(st.integers(0, 700), min_size=1, max_size=12))
def test_an_outline_does_not_depend_on_the_pieces(sizes: list[int]) -> None:
    samples = np.random.default_rng(1).uniform(-1, 1, sum(sizes)).astype(np.float32)
    pieces = np.split(samples, np.cumsum(sizes)[:-1])
    whole, parts = LineSound("a"), LineSound("a")
    whole.add_chunk(AudioChunk(samples, 10_000, "a", 0))
    for piece in pieces:
        parts.add_chunk(AudioChunk(piece, 10_000, "a", 0))
    size = round(PEAK_BIN_S * 10_000)
    assert np.array_equal(whole.peaks, parts.peaks)
    assert len(whole.peaks) == len(samples) // size
    assert parts.length_s == pytest.approx(len(samples) / 10_000)
    if len(whole.peaks):
        assert whole.peaks[0] == np.abs(samples[:size]).max()


def test_times_of_a_line_with_two_sentences() -> None:
    reading = read("あ。い。")
    sound = LineSound("a")
    assert sound.compute_spans(reading) is None
    silence = np.zeros(100, np.float32)
    sound.add_chunk(AudioChunk(silence, 1000, "a", 0, silence=True))
    timings = tuple(PhoneTiming(phone, 0, at / 10, (at + 1) / 10) for at, phone in enumerate("_a._"))
    sound.add_chunk(AudioChunk(np.zeros(400, np.float32), 1000, "a", 0, phones=timings))
    times = sound.compute_spans(reading)
    assert times is not None
    assert [(span.start_s, span.end_s) for span in times.moras] == [pytest.approx((0.2, 0.3)), pytest.approx((0.5, 0.5))]
    sound.add_chunk(
        AudioChunk(
            np.zeros(400, np.float32),
            1000,
            "a",
            1,
            phones=tuple(replace(one, phone="i" if one.phone == "a" else one.phone) for one in timings),
        )
    )
    times = sound.compute_spans(reading)
    assert times is not None
    assert times.moras[1].start_s == pytest.approx(0.6)
    assert times.marks[1].length_s == pytest.approx(0.1)
    assert sound.compute_spans(read("あい。う。")) is None
