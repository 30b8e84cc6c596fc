"""What differs between the kinds of voices."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.core.delivery import Delivery
from app.core.sound.manners import MANNERS, USUAL_MANNER
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
        is_unused = name in architecture.unused_numbers or (name == "seed" and not architecture.draws_noise)
        assert voice.limit_numbers(request) == (SynthesisRequest("雨") if is_unused else request)


def test_styles_are_rows_and_of_a_voice_with_styles_by_speaker_those_of_its_speakers() -> None:
    assert [traits().find_style_row(speaker, style) for speaker in (0, 1) for style in (0, 1)] == [0, 1, 0, 1]
    voice = kokoro()
    assert [voice.find_style_row(speaker, 0) for speaker in (0, 1)] == [1, 2]
    assert {voice.find_style_row(speaker, 1) for speaker in (0, 1)} == {3}
    brisk, quiet = MANNERS[:2]
    styles = {0: "Neutral", brisk.style_id: brisk.name, quiet.style_id: quiet.name, 1: "混声"}
    voice = kokoro(rows=8, styles=styles)
    rows = {style: [voice.find_style_row(speaker, style) for speaker in (0, 1)] for style in styles}
    assert rows == {0: [1, 2], brisk.style_id: [3, 4], quiet.style_id: [5, 6], 1: [7, 7]}


def test_a_manner_joins_its_numbers_to_those_of_a_line_at_the_weight_of_the_style() -> None:
    manner = MANNERS[1]
    voice = kokoro(rows=5, styles={0: "Neutral", manner.style_id: manner.name})
    line = SynthesisRequest("雨", style=manner.style_id, speed=1.5, pitch=1.0)
    spoken = voice.limit_numbers(line)
    assert (spoken.speed, spoken.pitch, spoken.intonation) == (1.5 * manner.speed, 1.0 + manner.pitch, manner.intonation)
    plain = replace(line, style_weight=0.0)
    assert voice.limit_numbers(plain) == plain
    assert voice.find_manner(replace(line, style_weight=0.5)).energy == manner.energy / 2
    # The vectors of the rows are their numbers: at weight 0 the speaker, at 1 the manner's own row.
    assert [voice.build_style_vector(1, manner.style_id, weight)[0] for weight in (0.0, 0.5, 1.0)] == [2.0, 3.0, 4.0]
    assert traits(styles={0: "Neutral", manner.style_id: manner.name}, style_vectors=np.zeros((32, 256), np.float32)).find_manner(line) == (
        USUAL_MANNER
    ), "only a voice with manners has them"


def test_variation_makes_a_voice_without_noise_follow_the_seed() -> None:
    line = SynthesisRequest("雨", seed=7)
    assert kokoro().limit_numbers(line).seed == 0
    assert kokoro().limit_numbers(replace(line, variation=1.0)).seed == 7
    assert traits().limit_numbers(replace(line, variation=1.0)) == line


def test_blends_are_numbered_past_the_manners() -> None:
    names = ["Neutral", *(manner.name for manner in MANNERS), *(f"混声{number}" for number in range(1, 30))]
    numbered = KOKORO_ARCHITECTURE.assign_style_ids(names)
    assert list(numbered.values()) == names
    assert [number for number, name in numbered.items() if name.startswith("混声")] == [*range(1, 28), 32, 33]


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
    assert SBV2_ARCHITECTURE.draws_noise
    assert not SBV2_ARCHITECTURE.takes_melody
