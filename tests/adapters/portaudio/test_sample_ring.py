"""The queue between writer and audio callback: nothing lost, nothing doubled, nothing allocated."""

import sys
import threading
import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest
import soxr

from app.adapters.portaudio.sample_ring import SampleRing
from app.adapters.resampler import RateConverter
from app.core.synthesis_types import Float32

RATE = 48_000


def ramp(count: int, start: int = 1) -> Float32:
    return np.arange(start, start + count, dtype=np.float32)


def block(frames: int, channels: int = 2) -> Float32:
    return np.full((frames, channels), 99, dtype=np.float32)


def test_samples_come_out_in_order_whatever_the_pieces() -> None:
    generator = np.random.default_rng(1)
    ring = SampleRing(1000, RATE)
    sent, heard = ramp(20_000), []
    put = 0
    while ring.read < len(sent):
        put += ring.put_samples(sent[put : put + int(generator.integers(0, 700))])
        out = block(int(generator.integers(1, 400)))
        before = ring.read
        ring.fill_output(out)
        taken = ring.read - before
        assert not out[taken:].any()
        heard.append(out[:taken].copy())
    both = np.concatenate(heard)
    np.testing.assert_array_equal(both[:, 0], sent)
    np.testing.assert_array_equal(both[:, 1], sent)


@pytest.fixture
def fast_switching() -> Iterator[None]:
    """Threads take turns every 50 µs, so that they meet at every line."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    yield
    sys.setswitchinterval(before)


def test_a_writer_and_a_reader_in_two_threads(fast_switching: None) -> None:
    ring = SampleRing(500, RATE)
    sent = ramp(100_000)
    stop = threading.Event()

    def write() -> None:
        put = 0
        while put < len(sent) and not stop.is_set():
            put += ring.put_samples(sent[put : put + 333])

    writer = threading.Thread(target=write)
    writer.start()
    heard, out = [], block(128, 1)
    try:
        for _ in range(2_000_000):
            before = ring.read
            ring.fill_output(out)
            heard.append(out[: ring.read - before, 0].copy())
            if ring.read == len(sent):
                break
    finally:
        stop.set()
        writer.join()
    np.testing.assert_array_equal(np.concatenate(heard), sent)


@pytest.mark.parametrize("what", ["samples", "wrapped samples", "silence", "a gap", "a fade", "the pre-roll"])
def test_the_callback_allocates_no_buffer(what: str) -> None:
    ring = SampleRing(100_000, RATE)
    out = block(65_536)
    if what == "wrapped samples":
        ring.put_samples(ramp(90_000))
        ring.fill_output(block(90_000))
    if what not in ("silence", "the pre-roll"):
        ring.begin_request()
        ring.put_samples(ramp(70_000))
    if what == "a gap":
        ring.fill_output(block(60_000))
    if what == "a fade":
        ring.discard_queue()
    if what == "the pre-roll":
        ring.add_silence(70_000)
    tracemalloc.start()
    try:
        ring.fill_output(out)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000  # views and iterators; a buffer for this block would be half a megabyte


def test_gaps_count_only_within_a_request_that_has_started() -> None:
    ring = SampleRing(1000, RATE)
    ring.fill_output(block(64))
    ring.begin_request()
    ring.fill_output(block(64))
    assert (ring.underruns, ring.underrun_frames) == (0, 0)
    ring.put_samples(ramp(100))
    ring.fill_output(block(64))
    ring.fill_output(block(64))  # 36 samples, 28 missing
    ring.fill_output(block(64))
    assert (ring.underruns, ring.underrun_frames) == (1, 92)
    ring.end_request(10)
    ring.fill_output(block(64))  # only the 10 that are still to come are missing
    assert (ring.underruns, ring.underrun_frames) == (1, 102)
    ring.put_samples(ramp(10))
    ring.fill_output(block(64))
    ring.begin_request()
    ring.fill_output(block(64))
    assert (ring.underruns, ring.underrun_frames) == (1, 102)
    ring.put_samples(ramp(10))
    ring.fill_output(block(16))
    assert (ring.underruns, ring.underrun_frames) == (2, 108)


def test_a_request_that_fills_the_ring_more_than_once_ends_without_a_gap() -> None:
    ring = SampleRing(100, RATE)
    samples = ramp(250)
    ring.begin_request()
    ring.end_request(len(samples))
    while len(samples):
        samples = samples[ring.put_samples(samples) :]
        ring.fill_output(block(50))
    while ring.pending:
        ring.fill_output(block(64))
    assert ring.underruns == 0


@pytest.mark.parametrize("frames", [16, 100, 239, 240, 241, 1000])
def test_stopping_falls_to_silence_within_one_block_and_keeps_the_next_request(frames: int) -> None:
    ring = SampleRing(RATE, RATE)
    ring.begin_request()
    ring.put_samples(np.ones(10_000, dtype=np.float32))
    ring.fill_output(block(frames))
    ring.discard_queue()
    ring.begin_request()
    ring.put_samples(ramp(5))
    out = block(frames)
    ring.fill_output(out)
    if frames < 245:
        ring.fill_output(following := block(1000))
        out = np.concatenate([out, following])
    sound = out[:, 0]
    start = int(np.flatnonzero(sound == 5)[0]) - 4
    assert start <= 240
    assert np.all(np.diff(sound[:start]) < 0)
    assert sound[0] == 1
    assert sound[start - 1] <= (0.2 if frames < 100 else 0.02)
    np.testing.assert_array_equal(sound[start : start + 5], ramp(5))
    assert not sound[start + 5 :].any()


def test_the_pre_roll_comes_first() -> None:
    ring = SampleRing(1000, RATE)
    ring.add_silence(100)
    ring.put_samples(ramp(64))
    for _ in range(2):
        ring.fill_output(out := block(64))
        assert not out.any()
    ring.fill_output(out)
    np.testing.assert_array_equal(out[:, 0], ramp(64))


@pytest.mark.parametrize(("rate", "to"), [(44_100, 48_000), (48_000, 44_100), (24_000, 44_100)])
def test_pieces_convert_as_the_whole_would(rate: int, to: int) -> None:
    whole = np.random.default_rng(2).uniform(-1, 1, rate).astype(np.float32)
    converter = RateConverter(to)
    for _ in range(2):  # a second sound starts afresh
        pieces = [converter.convert_rate(whole[at : at + 777], rate) for at in range(0, rate, 777)]
        np.testing.assert_array_equal(np.concatenate([*pieces, converter.flush_filter()]), soxr.resample(whole, rate, to))


def test_the_same_rate_passes_through() -> None:
    samples = ramp(100)
    assert RateConverter(44_100).convert_rate(samples, 44_100) is samples


def test_a_gap_between_silence_and_the_first_sound_is_no_underrun_but_later_ones_are() -> None:
    ring = SampleRing(100, 1000)
    out = np.zeros((10, 1), np.float32)
    ring.begin_request()
    ring.put_samples(np.zeros(10, np.float32))
    ring.allow_gap()
    for _ in range(3):  # the first sound is still being computed
        ring.fill_output(out)
    assert ring.underruns == 0
    ring.put_samples(np.ones(15, np.float32))
    for _ in range(2):
        ring.fill_output(out)
    assert (ring.underruns, ring.underrun_frames) == (1, 5)
