"""The real pipeline with the real front end, BERT and voice that ship."""

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import psutil
import pytest

from app.common.errors import InputError
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.lru_cache import LRUCache
from app.core.sound.pipeline import Pipeline
from app.core.sound.render_caches import RenderCaches
from app.core.synthesis_types import (
    MAX_SENTENCE_PHONES,
    MoraOverride,
    Overrides,
    PauseOverride,
    ReadingOverride,
    StageTiming,
    SynthesisRequest,
)
from app.core.text.sentence_splitting import SENTENCE_LENGTH_LIMIT

SHORT = "あいうえおかきくけこさしすせそたちつてとなにぬねの"
QUIET = SynthesisRequest("雨が降る、橋を渡る。雨がやんだ。", noise=0.0, noise_w=0.0)


@pytest.fixture(scope="module")
def speaker() -> Speaker:
    return open_speaker()


@pytest.fixture
def pipeline(speaker: Speaker) -> Pipeline:
    return speaker.pipeline


def sound(pipeline: Pipeline, request: SynthesisRequest) -> np.ndarray:
    return np.concatenate([chunk.samples for chunk in pipeline.synthesize(request) if not chunk.silence])


@pytest.mark.parametrize(
    "text",
    [
        "あ",
        "うん",
        "えっ？！",
        "ｶﾅﾊﾝｶｸ",
        "I love Tokyo 2025!",
        "https://example.com/a?b=c",
        "😀🍣はい",
        "\ud800壊れた文字\udfff",
        "\x00\x07制御\u202e文字",
        "ｗｗｗｗｗ",
        "あーーーーーーー",
        "グァンとクァルテットとヴョルン",
        "①㈱㌔→★",
        "１２３４５６７８９０円",
        "𠮷野家で𩸽を食べる",
        pytest.param("あ" * 700, marks=pytest.mark.slow),
        "漢" * 300,
    ],
)
def test_anything_is_spoken_and_sounds_sane(pipeline: Pipeline, text: str) -> None:
    samples = sound(pipeline, SynthesisRequest(text))
    assert np.isfinite(samples).all()
    assert 0.1 < len(samples) / 44100 < 0.5 * len(text) + 5
    assert 0.01 < np.abs(samples).max() < 0.9


def test_windowed_decoding_equals_decoding_in_one_piece(pipeline: Pipeline) -> None:
    windowed = sound(pipeline, QUIET)
    whole = Pipeline(
        pipeline.g2p,
        pipeline.tokenizer,
        pipeline.bert,
        pipeline.bert_id,
        pipeline.synthesizer,
        False,
        replace(pipeline.voice, windows=(10_000,)),
    )
    assert np.abs(windowed - sound(whole, QUIET)).max() < 1e-5


def test_the_same_seed_is_bit_identical_and_caches_change_nothing(pipeline: Pipeline) -> None:
    request = replace(QUIET, noise=0.6, noise_w=0.8, seed=9)
    first = sound(pipeline, request)
    assert np.array_equal(first, sound(pipeline, request))
    pipeline.caches.clear()
    assert np.array_equal(first, sound(pipeline, request))


def test_a_reading_override_is_heard_where_it_was_set(pipeline: Pipeline) -> None:
    def phones(overrides: Overrides) -> list[str]:
        chunks = pipeline.synthesize(replace(QUIET, overrides=overrides))
        return ["".join(timing.phone for timing in chunk.phones) for chunk in chunks if chunk.phones]

    plain = phones(Overrides())
    every = phones(Overrides(readings=(ReadingOverride("雨", "レイン"),)))
    second = phones(Overrides(readings=(ReadingOverride("雨", "レイン", occurrence=1),)))
    assert "amega" in plain[0]
    assert "amega" in plain[1]
    assert "reiNga" in every[0]
    assert "reiNga" in every[1]
    assert second[0] == plain[0]
    assert "reiNga" in second[1]


def test_lengths_and_pauses_come_out_as_asked(pipeline: Pipeline) -> None:
    edits = Overrides(moras=(MoraOverride(1, length_s=0.6),), pauses=(PauseOverride(0, 0.8),))
    (timings, *_) = [chunk.phones for chunk in pipeline.synthesize(replace(QUIET, overrides=edits)) if chunk.phones]
    frame = 512 / 44100
    assert timings[3].end_s - timings[2].start_s == pytest.approx(0.6, abs=frame)  # m e
    comma = next(timing for timing in timings if timing.phone == ",")
    assert comma.end_s - comma.start_s == pytest.approx(0.8, abs=frame)


def test_speed_keeps_the_pitch(pipeline: Pipeline) -> None:
    lengths = {speed: len(sound(pipeline, replace(QUIET, speed=speed))) for speed in (0.5, 1.0, 2.0)}
    assert lengths[0.5] == pytest.approx(2 * lengths[1.0], rel=0.08)
    assert lengths[2.0] == pytest.approx(0.5 * lengths[1.0], rel=0.08)


def sentences(count: int) -> Iterator[str]:
    """Sentences that differ, so that no cache answers for them."""
    for number in range(count):
        yield f"{number}番目の文では、{number * 7}個のりんごを{number % 12 + 1}月に数えました。"


def test_a_huge_text_starts_at_once(pipeline: Pipeline) -> None:
    text = "".join(sentences(4000))
    assert len(text) > 100_000
    timings: list[StageTiming] = []
    spoken = itertools.islice((chunk for chunk in pipeline.synthesize(SynthesisRequest(text), timings.append) if not chunk.silence), 1)
    assert len(next(spoken).samples) > 0
    assert {timing.sentence for timing in timings} == {0}


@pytest.mark.slow
def test_memory_stays_flat_over_many_sentences(pipeline: Pipeline) -> None:
    text = "".join(f"{first}{second}。" for first in SHORT for second in SHORT)  # as many caches, graphs run and sounds as with longer ones
    over = replace(
        pipeline, caches=RenderCaches(LRUCache(16, 1 << 20), LRUCache(16, 1 << 20), LRUCache(16, 1 << 20), LRUCache(16, 1 << 20))
    )
    process = psutil.Process()
    held: dict[int, float] = {}
    began = time.perf_counter()
    for chunk in over.synthesize(SynthesisRequest(text)):
        if chunk.sentence in (150, 300, 450):
            held.setdefault(chunk.sentence, process.memory_info().rss / 2**20)
        if chunk.sentence > 450:
            break
    print(f"resident MB by sentence: {held}; {time.perf_counter() - began:.1f} s")
    # Caches that are full from the start: whatever still grows would grow for ever.
    assert held[450] - held[150] < 16


def test_readings_that_no_memory_would_hold_are_refused_in_a_sentence(pipeline: Pipeline) -> None:
    assert len(pipeline.g2p.convert_sentence("㍿" * SENTENCE_LENGTH_LIMIT).phones) <= MAX_SENTENCE_PHONES, (
        "the longest that can be written is spoken"
    )
    endless = Overrides((ReadingOverride("あ", "ン" * 200),))
    with pytest.raises(InputError, match="phones"):
        list(pipeline.synthesize(SynthesisRequest("あ" * 60, overrides=endless)))
    assert list(pipeline.synthesize(SynthesisRequest("あ。", overrides=endless)))
