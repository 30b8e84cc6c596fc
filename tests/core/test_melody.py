"""The melody that is made from tones."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.sound.melody import QUESTION_RISE, add_question_rise, build_melody
from app.core.sound.ports import STEPS_PER_FRAME, Melody
from app.core.sound.tone_levels import ACCENT_PEAK, FINAL_LOWERING, HIGHEST, LOWEST, MAX_DECLINATION
from app.core.sound.voice_traits import KOKORO_ARCHITECTURE
from app.core.synthesis_types import Float64, Phones, SynthesisRequest
from app.core.text.pronunciation import Word, convert_words_to_phones
from tests.core.numpy_voice import traits

MEDIAN_HZ = 200.0
FRAMES = 6  # 150 ms, as of a slow speaker: smoothing ends within a phone
PLAIN = SynthesisRequest("")
# Its sound is where its frames are.
ARCHITECTURE = replace(KOKORO_ARCHITECTURE, sound_lead_s=0.0, styles_by_speaker=False)
VOICE = replace(traits(), sampling_rate=24000, hop_length=600, architecture=ARCHITECTURE, median_f0=(MEDIAN_HZ, MEDIAN_HZ))
# In semitones: what declines within a word is less.
SOME = 1.0


def melody_of(phones: Phones, request: SynthesisRequest = PLAIN, frames: int = FRAMES) -> Melody:
    return build_melody(phones, np.full(len(phones.phones), frames), request, VOICE)


def semitones(phones: Phones, request: SynthesisRequest = PLAIN, frames: int = FRAMES) -> Float64:
    """Over the median, one row a phone."""
    f0 = melody_of(phones, request, frames).f0.astype(np.float64)
    return 12 * np.log2(f0 / MEDIAN_HZ).reshape(len(phones.phones), -1)


def words(*kana: tuple[str, int] | str) -> Phones:
    return convert_words_to_phones([Word(item, "") if isinstance(item, str) else Word(item[0], *item) for item in kana])


RAIN, SWEET = words(("アメ", 1)), words(("アメ", 0))


def test_the_pitch_falls_after_the_accent_and_rises_into_a_phrase() -> None:
    _, a, _, e, _ = semitones(RAIN).mean(axis=1)
    assert a - e > 3 * SOME
    _, a, _, e, _ = semitones(SWEET).mean(axis=1)
    assert e - a > 3 * SOME


def test_a_phrase_goes_down_once_after_its_accent() -> None:
    phones = words(("アマガエル", 3), ("ヲ", 0))
    vowels = [row for row, phone in zip(semitones(phones).mean(axis=1), phones.phones, strict=True) if phone in "aeiou"]
    steps = np.diff(vowels)
    assert [step > SOME for step in steps[:1]] == [True]
    assert steps.argmin() == 2, "after the third mora"
    assert steps.min() < -3 * SOME


@pytest.mark.parametrize("pitch", [-6.0, -0.5, 3.0, 6.0])
def test_pitch_moves_it_by_so_many_semitones_and_changes_nothing_else(pitch: float) -> None:
    moved = semitones(RAIN, replace(PLAIN, pitch=pitch)) - semitones(RAIN)
    assert np.abs(moved - pitch).max() < 1e-4


@pytest.mark.parametrize("intonation", [0.0, 0.5, 2.0])
def test_intonation_scales_what_leaves_the_median(intonation: float) -> None:
    scaled = semitones(RAIN, replace(PLAIN, intonation=intonation))
    assert np.abs(scaled - intonation * semitones(RAIN)).max() < 1e-4


def test_without_intonation_only_the_pitch_is_left() -> None:
    flat = melody_of(words(("アメ", 1), "?"), replace(PLAIN, intonation=0.0, pitch=12.0 / 4)).f0
    assert np.abs(flat - MEDIAN_HZ * 2 ** (1 / 4)).max() < 1e-3


def test_its_weight_is_the_accent_fidelity() -> None:
    assert melody_of(RAIN).weight == 1.0
    assert melody_of(RAIN, replace(PLAIN, accent_fidelity=0.25)).weight == 0.25
    assert np.array_equal(melody_of(RAIN, replace(PLAIN, accent_fidelity=0.25)).f0, melody_of(RAIN).f0)


def rising_phones(phones: Phones) -> list[list[str]]:
    """The phones in which each question rises."""
    rows = melody_of(phones).questions.reshape(-1, len(phones.phones), FRAMES * STEPS_PER_FRAME)
    return [[phone for phone, steps in zip(phones.phones, row, strict=True) if steps.all()] for row in rows if row.any()]


@pytest.mark.parametrize(
    ("kana", "rising"),
    [("アメ", ["e"]), ("ナニ", ["i"]), ("アン", ["a", "N"]), ("アッ", ["a", "q"]), ("ソウカア", ["a", "a"]), ("エ", ["e"])],
)
def test_a_question_rises_in_its_last_vowel_and_in_what_lengthens_it(kana: str, rising: list[str]) -> None:
    assert rising_phones(words((kana, 1), "?")) == [[*rising, "?"]]
    assert rising_phones(words((kana, 1), ".")) == []


def test_a_question_inside_a_sentence_raises_nothing_behind_it() -> None:
    assert rising_phones(words(("アメ", 1), "?", ("ハレ", 1), ".")) == [["e", "?"]]
    assert rising_phones(words(("アメ", 1), "?", ("ハレ", 1), "?")) == [["e", "?"], ["e", "?"]]


def test_a_predicted_question_rises_in_its_last_mora() -> None:
    phones = words(("アメ", 1), "?")
    steps = np.full(len(phones.phones), FRAMES)
    said = np.zeros(steps.sum())
    add_question_rise(said, phones, steps)
    rows = said.reshape(-1, FRAMES)
    assert rows[: phones.phones.index("e")].max() == 0
    assert np.all(np.diff(rows[phones.phones.index("e")]) > 0)
    assert rows[-1] == pytest.approx(QUESTION_RISE)


def test_a_pause_is_no_jump() -> None:
    """Inside a mark the pitch moves no faster than it declines, or as the next mora begins."""
    phones = words(("アメ", 0), ",", ("アメ", 0), ".")
    pause = semitones(phones, frames=20)[phones.phones.index(",")]
    assert np.abs(np.diff(pause)).max() < 1.5
    assert np.abs(np.diff(pause[:20])).max() < 0.2


def test_it_declines_within_a_breath_group_and_begins_anew_behind_a_mark() -> None:
    level = words(("アアアアアアアアアアアア", 0))
    rows = semitones(level)[4:-1].mean(axis=1)
    assert np.all(np.diff(rows) < 0)
    both = words(("アメアメアメ", 0), ",", ("アメアメアメ", 0), ".")
    rows, mark = semitones(both).mean(axis=1), both.phones.index(",")
    assert rows[mark + 4] > rows[mark - 1]


def test_the_edges_have_the_pitch_beside_them() -> None:
    rows = semitones(RAIN, frames=20)
    assert rows[0].mean() == pytest.approx(rows[1].mean(), abs=SOME)
    assert rows[-1].mean() == pytest.approx(rows[-2].mean(), abs=2 * SOME)


def test_it_leads_as_the_sound_of_the_voice_does() -> None:
    leading = replace(VOICE, architecture=replace(ARCHITECTURE, sound_lead_s=0.05))
    plain, led = (build_melody(RAIN, np.full(len(RAIN.phones), FRAMES), PLAIN, voice).f0 for voice in (VOICE, leading))
    assert np.array_equal(led[:-4], plain[4:])
    assert np.all(led[-4:] == plain[-1])


def test_it_is_about_the_median_of_the_style_that_speaks() -> None:
    other = replace(VOICE, median_f0=(100.0, MEDIAN_HZ))
    sung = [build_melody(RAIN, np.full(len(RAIN.phones), FRAMES), replace(PLAIN, style=style), other).f0 for style in (0, 1)]
    assert np.allclose(sung[1], 2 * sung[0])


MARKS = st.sampled_from([",", ".", "?", "!", "'"])
KANA = st.text(st.sampled_from("アイカサタナハマンッ"), min_size=1, max_size=5)
SENTENCES = st.lists(st.one_of(st.tuples(KANA, st.integers(0, 5)), MARKS), max_size=10)


@given(SENTENCES, st.floats(-6, 6), st.floats(0, 2), st.data())
def test_every_sentence_has_a_melody_that_can_be_sung(
    kana: list[tuple[str, int] | str], pitch: float, intonation: float, data: st.DataObject
) -> None:
    phones = words(*(item if isinstance(item, str) else (item[0], min(item[1], len(item[0]))) for item in kana))
    sizes = st.lists(st.integers(0, 30), min_size=len(phones.phones), max_size=len(phones.phones))
    frames = np.array(data.draw(sizes), np.int64)
    frames[0] += 1
    melody = build_melody(phones, frames, replace(PLAIN, pitch=pitch, intonation=intonation), VOICE)
    assert melody.f0.dtype == np.float32
    assert len(melody.f0) == STEPS_PER_FRAME * frames.sum()
    assert np.all(np.isfinite(melody.f0))
    assert melody.f0.min() > 0


@given(SENTENCES)
def test_it_leaves_its_range_at_no_speed(kana: list[tuple[str, int] | str]) -> None:
    phones = words(*(item if isinstance(item, str) else (item[0], min(item[1], len(item[0]))) for item in kana))
    widest = HIGHEST - LOWEST + ACCENT_PEAK + MAX_DECLINATION + FINAL_LOWERING
    for frames in (3, 12):
        rows = semitones(phones, frames=frames)
        assert rows.max() - rows.min() <= widest + 1e-3


@given(st.lists(st.tuples(KANA, st.integers(0, 5)), min_size=1, max_size=6))
def test_its_mean_is_the_median_of_the_speaker(kana: list[tuple[str, int]]) -> None:
    phones = words(*((text, min(accent, len(text))) for text, accent in kana), ".")
    assert semitones(phones)[1:-2].mean() == pytest.approx(0, abs=1e-3)
