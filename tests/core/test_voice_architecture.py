"""What differs between the kinds of voices."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.core.delivery import Delivery
from app.core.sound.voice_traits import ARCHITECTURES, KOKORO_ARCHITECTURE, SBV2_ARCHITECTURE, VoiceArchitecture, VoiceTraits
from app.core.synthesis_types import BOUNDS, Phones, SynthesisRequest
from app.core.text.phone_ids import convert_phones_to_ids, convert_phones_to_tokens
from tests.core.numpy_voice import traits

PHONES = Phones("花", "ハナ", ("_", "h", "a", "n", "a", "_"), (0, 0, 0, 1, 1, 0), (1, 4, 1))


def kokoro(rows: int = 4, **changes: object) -> VoiceTraits:
    """Two speakers, and a blend."""
    vectors = np.arange(rows, dtype=np.float32)[:, None] * np.ones(256, np.float32)
    values = {"architecture": KOKORO_ARCHITECTURE, "style_vectors": vectors, "median_f0": (100.0,) * rows}
    return traits(**(values | changes))


@pytest.mark.parametrize("architecture", ARCHITECTURES.values(), ids=ARCHITECTURES)
def test_a_row_names_numbers_of_a_line_only(architecture: VoiceArchitecture) -> None:
    assert ARCHITECTURES[architecture.name] is architecture
    assert architecture.unused_numbers <= set(Delivery.__dataclass_fields__)


def test_no_number_is_unused_by_every_voice() -> None:
    assert not frozenset.intersection(*(item.unused_numbers for item in ARCHITECTURES.values()))


def test_phones_are_encoded_as_the_voice_reads_them() -> None:
    assert np.array_equal(traits().encode_phones(PHONES).phones, convert_phones_to_ids(PHONES).phones)
    assert np.array_equal(traits(add_blank=False).encode_phones(PHONES).phones, convert_phones_to_ids(PHONES, add_blank=False).phones)
    assert np.array_equal(kokoro().encode_phones(PHONES).phones, convert_phones_to_tokens(PHONES).phones)


@pytest.mark.parametrize("name", [*BOUNDS, "seed", "assist_text"])
def test_numbers_that_change_nothing_are_the_default_and_the_others_stay(name: str) -> None:
    change: dict[str, Any] = {name: {"seed": 7, "assist_text": "嬉しい"}.get(name) or BOUNDS[name].high}
    request = replace(SynthesisRequest("雨"), **change)
    for voice in (traits(), kokoro()):
        architecture = voice.architecture
        is_unused = name in architecture.unused_numbers or (name == "seed" and not architecture.is_seeded)
        assert voice.limit_numbers(request) == (SynthesisRequest("雨") if is_unused else request)


def test_styles_are_rows_and_of_a_voice_with_styles_by_speaker_those_of_its_speakers() -> None:
    assert [traits().find_style_row(speaker, style) for speaker in (0, 1) for style in (0, 1)] == [0, 1, 0, 1]
    voice = kokoro()
    assert [voice.find_style_row(speaker, 0) for speaker in (0, 1)] == [1, 2]
    assert {voice.find_style_row(speaker, 1) for speaker in (0, 1)} == {3}


def test_traits_need_a_vector_for_every_speaker_and_style() -> None:
    with pytest.raises(ValueError, match="more styles"):
        kokoro(rows=3)
    kokoro(rows=3, styles={0: "Neutral"})
    with pytest.raises(ValueError, match="more styles"):
        kokoro(rows=4, speakers={0: "A", 3: "B"})
    with pytest.raises(ValueError, match="more styles"):
        traits(styles={0: "Neutral", 2: "Happy"})


def test_a_voice_that_takes_a_melody_needs_the_pitch_of_every_row() -> None:
    for medians in ((), (100.0,) * 3, (100.0,) * 5):
        with pytest.raises(ValueError, match="median pitch"):
            kokoro(median_f0=medians)
    traits(median_f0=())


def test_the_usual_voice_is_seeded_and_takes_no_melody() -> None:
    assert traits().architecture is SBV2_ARCHITECTURE
    assert SBV2_ARCHITECTURE.is_seeded
    assert not SBV2_ARCHITECTURE.takes_melody
