"""What is remembered: nothing sounds different for it, nothing runs that need not run, and work is done ahead only where there is time."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.lru_cache import LRUCache
from app.core.sound.pipeline import PREPARE_AHEAD_S, Pipeline
from app.core.sound.render_caches import RenderCaches
from app.core.synthesis_types import BOUNDS, AudioChunk, Float16, MoraOverride, Overrides, PauseOverride, StageTiming, SynthesisRequest
from tests.core.numpy_voice import NumpyVoice, traits

REQUEST = SynthesisRequest("abc、de。fg。", id="r", seed=5)
EDITED = Overrides(moras=(MoraOverride(1, tone=1, length_s=0.4),), pauses=(PauseOverride(1, 0.3),))

# Numbers of which a request has two values here; whatever is added to BOUNDS is drawn as well.
DRAWN = {"style_weight", "speed", "pitch", "intonation", "sdp_ratio", "noise", "noise_w", "bert_weight", "volume"}
OTHERS = {name: st.sampled_from([bounds.default, bounds.high]) for name, bounds in BOUNDS.items() if name not in DRAWN}
requests = st.builds(
    SynthesisRequest,
    text=st.sampled_from(["abc、de。fg。", "a", "xyz。abc、de。", "a" * 30]),
    speaker=st.integers(0, 1),
    style=st.integers(0, 1),
    style_weight=st.sampled_from([0.0, 1.0]),
    speed=st.sampled_from([1.0, 1.5]),
    pitch=st.sampled_from([0.0, 0.0, 0.0, 2.0]),
    intonation=st.sampled_from([1.0, 1.0, 1.0, 2.0]),
    sdp_ratio=st.sampled_from([0.0, 0.5]),
    noise=st.sampled_from([0.0, 0.6]),
    noise_w=st.sampled_from([0.0, 0.8]),
    bert_weight=st.sampled_from([1.0, 0.5]),
    assist_text=st.sampled_from(["", "q"]),
    volume=st.sampled_from([1.0, 0.5, 2.0]),
    pauses=st.sampled_from([{}, {",": 0.2}]),
    seed=st.integers(0, 1),
    overrides=st.sampled_from([Overrides(), EDITED]),
    **OTHERS,
)


def pipeline(voice: NumpyVoice, caches: RenderCaches | None = None, *, opaque: bool = False) -> Pipeline:
    return Pipeline(voice, voice, voice, "numpy", voice, opaque, traits(), "numpy", caches or RenderCaches(), voice)


def heard(over: Pipeline, request: SynthesisRequest) -> list[tuple[bytes, object]]:
    return [(chunk.samples.tobytes(), chunk.phones) for chunk in over.synthesize(request)]


@given(st.lists(requests, min_size=2, max_size=6))
def test_whatever_came_before_every_request_sounds_as_if_it_were_the_first(line: list[SynthesisRequest]) -> None:
    remembering, forgetful = pipeline(NumpyVoice()), RenderCaches(*(LRUCache(1, 1) for _ in range(4)))  # type: ignore[arg-type]
    for request in [*line, *line]:
        assert heard(remembering, request) == heard(pipeline(NumpyVoice(), forgetful), request)


@pytest.mark.parametrize(
    ("change", "runs"),
    [
        ({}, set()),
        ({"volume": 0.3}, set()),
        ({"pitch": 2.0}, {"pitch"}),
        ({"intonation": 0.5}, {"pitch"}),
        ({"pitch": -2.0, "volume": 0.5}, {"pitch"}),
        ({"pitch": 2.0, "speed": 1.2}, {"flow", "decode", "pitch"}),
        ({"pre_silence_s": 0.5, "post_silence_s": 0.0}, set()),
        ({"speed": 1.2}, {"flow", "decode"}),
        ({"pauses": {",": 0.5}}, {"flow", "decode"}),
        ({"overrides": Overrides(moras=(MoraOverride(0, length_s=0.5),))}, {"flow", "decode"}),
        ({"overrides": Overrides(moras=(MoraOverride(0, pitch=2.0),))}, {"pitch"}),
        ({"noise": 0.1}, {"flow", "decode"}),
        ({"noise_w": 0.1}, {"prosody", "flow", "decode"}),
        ({"seed": 9}, {"prosody", "flow", "decode"}),
        ({"style": 1}, {"prosody", "flow", "decode"}),
        ({"style_weight": 2.0, "style": 1}, {"prosody", "flow", "decode"}),
        ({"speaker": 1}, {"prosody", "flow", "decode"}),
        ({"sdp_ratio": 0.9}, {"prosody", "flow", "decode"}),
        ({"bert_weight": 0.9}, {"prosody", "flow", "decode"}),
        ({"overrides": Overrides(moras=(MoraOverride(0, tone=1),))}, {"prosody", "flow", "decode"}),
        ({"assist_text": "q"}, {"g2p", "bert", "prosody", "flow", "decode"}),
    ],
)
def test_a_change_runs_what_depends_on_it_and_nothing_else(change: dict[str, Any], runs: set[str]) -> None:
    voice = NumpyVoice()
    over = pipeline(voice)
    request = replace(REQUEST, text="abc、de。")
    list(over.synthesize(request))
    voice.runs.clear()
    timings: list[StageTiming] = []
    list(over.synthesize(replace(request, **change), timings.append))
    assert set(voice.runs) == runs
    assert {timing.stage for timing in timings if not timing.cache_hit} >= runs - {"g2p"}
    assert not {timing.stage for timing in timings if timing.cache_hit} & (runs - {"g2p", "bert"})


def test_an_edit_of_one_sentence_leaves_the_others_alone() -> None:
    voice = NumpyVoice()
    over = pipeline(voice)
    list(over.synthesize(REQUEST))
    voice.runs.clear()
    list(over.synthesize(replace(REQUEST, text="abc、de。gg。")))
    assert voice.runs["prosody"] == voice.runs["bert"] == 1


def test_an_opaque_voice_repeats_a_take_too() -> None:
    voice = NumpyVoice()
    over = pipeline(voice, opaque=True)
    first = heard(over, REQUEST)
    voice.runs.clear()
    assert heard(over, REQUEST) == first
    assert not voice.runs


def test_what_is_remembered_cannot_be_changed_by_who_hears_it() -> None:
    over = pipeline(NumpyVoice())
    for chunk in over.synthesize(REQUEST):
        if not chunk.silence:
            with pytest.raises(ValueError, match="read-only"):
                chunk.samples[0] = 1


def test_a_cancelled_sentence_is_not_remembered() -> None:
    over = pipeline(NumpyVoice())
    request = replace(REQUEST, text="a" * 60)
    seen: list[AudioChunk] = []
    seen.extend(over.synthesize(request, cancelled=lambda: len(seen) == 2))
    assert len(over.caches.renderings) == 0
    assert heard(over, request) == heard(pipeline(NumpyVoice()), request)


@dataclass
class Stored:
    """Features beyond the end of the program."""

    kept: dict[tuple[str, str], Float16] = field(default_factory=dict)

    def get(self, bert_id: str, text: str) -> Float16 | None:
        return self.kept.get((bert_id, text))

    def put(self, bert_id: str, text: str, features: Float16) -> None:
        self.kept[bert_id, text] = features


def test_stored_features_are_as_good_as_new_ones() -> None:
    stored = Stored()
    first = heard(pipeline(NumpyVoice(), RenderCaches(stored=stored)), REQUEST)
    voice = NumpyVoice()
    timings: list[StageTiming] = []
    over = pipeline(voice, RenderCaches(stored=stored))
    again = [(chunk.samples.tobytes(), chunk.phones) for chunk in over.synthesize(REQUEST, timings.append)]
    assert again == first
    assert "bert" not in voice.runs
    assert all(timing.cache_hit for timing in timings if timing.stage in ("bert", "tokenize"))


def stages_by_chunk(queued_s: float) -> tuple[list[int], list[tuple[bytes, object]]]:
    """After which chunk (counted from 0) each sentence's prosody was ready, and what was heard."""
    chunks: list[tuple[bytes, object]] = []
    ready: list[int] = []

    def on_stage(timing: StageTiming) -> None:
        if timing.stage == "prosody":
            ready.append(len(chunks))

    text = "".join(f"{letter * 12}。" for letter in "abcd")
    for chunk in pipeline(NumpyVoice()).synthesize(replace(REQUEST, text=text), on_stage, queued_s=lambda: queued_s):
        chunks.append((chunk.samples.tobytes(), chunk.phones))
    return ready, chunks


def test_the_next_sentence_is_prepared_ahead_when_enough_sound_waits() -> None:
    in_turn, sound = stages_by_chunk(PREPARE_AHEAD_S / 2)
    ahead, same = stages_by_chunk(PREPARE_AHEAD_S * 2)
    assert same == sound, "what runs ahead sounds the same"
    assert in_turn[0] == ahead[0]
    assert all(early < late for early, late in zip(ahead[1:], in_turn[1:], strict=True))


def test_cancelling_reaches_what_runs_ahead() -> None:
    voice = NumpyVoice()
    stop = False

    def on_stage(timing: StageTiming) -> None:
        nonlocal stop
        stop = stop or (timing.sentence == 1 and timing.stage == "bert")

    request = replace(REQUEST, text="aaaaaaaaaaaa。bbbbbbbbbbbb。")
    list(pipeline(voice).synthesize(request, on_stage, lambda: stop, lambda: 100.0))
    assert voice.runs["prosody"] == 1


def test_takes_stay_within_their_bounds() -> None:
    caches = RenderCaches(renderings=LRUCache(4, 1 << 20))
    over = pipeline(NumpyVoice(), caches)
    for seed in range(20):
        list(over.synthesize(replace(REQUEST, seed=seed)))
    assert caches.renderings.bytes_held <= 1 << 20
    assert len(caches.renderings) <= 4


def test_a_warm_up_runs_every_graph_although_all_is_remembered() -> None:
    voice = NumpyVoice()
    over = pipeline(voice)
    for _ in range(2):
        voice.runs.clear()
        over.warm_up()
        assert set(voice.runs) == {"g2p", "bert", "prosody", "flow", "decode"}
    assert len(over.caches.renderings) == 0
