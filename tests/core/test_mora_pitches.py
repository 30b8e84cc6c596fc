"""The pitch of each mora, measured in a sound whose pitch is known and expected from tones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.world_pitch import WorldPitchEstimator
from app.core.sound.line_melody import measure_mora_pitches, predict_mora_pitches
from app.core.synthesis_types import PhoneTiming
from app.core.text.phone_ids import count_moras
from app.core.text.pronunciation import Word, convert_words_to_phones
from tests.core.test_pitch_shift import voiced

RATE = 16000


def test_each_mora_has_the_pitch_that_it_sounds_at() -> None:
    sound = np.concatenate([voiced(120, 0.3, RATE), np.zeros(RATE // 10, np.float32), voiced(180, 0.3, RATE)])
    phones = [("_", 0.0, 0.0), ("a", 0.0, 0.3), ("q", 0.3, 0.4), ("k", 0.4, 0.42), ("a", 0.42, 0.7), (".", 0.7, 0.7)]
    found = measure_mora_pitches(sound, RATE, [PhoneTiming(phone, 0, start, end) for phone, start, end in phones], WorldPitchEstimator())
    assert found == (pytest.approx(120, rel=0.01), None, pytest.approx(180, rel=0.01))


def test_tones_tell_which_mora_is_high_before_anything_was_spoken() -> None:
    phones = convert_words_to_phones([Word("雨", "アメ", 1), Word("っ", "ッ"), Word("箸", "ハシ", 1)])
    first, second, closed, *_ = predict_mora_pitches(phones)
    assert closed is None
    assert first is not None
    assert second is not None
    assert first > second + 2
    assert predict_mora_pitches(phones, intonation=2.0)[0] == pytest.approx(2 * first)


@given(st.lists(st.text(st.sampled_from("アイカサマンッ"), min_size=1, max_size=5) | st.sampled_from([",", ".", "?"]), max_size=5))
def test_every_mora_has_a_place_in_the_preview(words: list[str]) -> None:
    phones = convert_words_to_phones([Word(word, "" if word in ",.?" else word) for word in words])
    assert len(predict_mora_pitches(phones)) == count_moras(phones.phones)
