"""The stages a sentence passes, in order: g2p, tokenize, bert, expand, then prosody, flow and decode (or synthesis), audio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from app.core.durations import expand, symbol_frames
from app.core.edits import Place, frame_targets, phone_timings, readings_in, symbols_of_phone
from app.core.features import phone_features
from app.core.phones import PhoneIds, phones_to_ids
from app.core.ports import FrameInput, OpaqueSynthesizer, ProsodyInput, Synthesizer, WholeInput
from app.core.timing import StageClock
from app.core.types import AudioChunk, Float32, Int64, Phones, PhoneTiming, Sentence, SynthesisRequest
from app.core.waveform import apply_gain, trim_tail
from app.core.windows import plan_windows

if TYPE_CHECKING:
    from app.core.pipeline import Pipeline

LONGEST_BERT_TEXT = 510  # characters; with [CLS] and [SEP] the 512 positions a BERT was trained on
DURATION_NOISE, PRIOR_NOISE, DECODER_NOISE = range(3)  # streams of their own: a change of one noise leaves the others alone


@dataclass(slots=True)
class Stages:
    """One request on its way through the stages, each of which is timed."""

    pipeline: Pipeline
    request: SynthesisRequest
    clock: StageClock
    style: Float32

    def g2p(self, sentence: Sentence) -> Phones:
        """Phones of a sentence, without the tones a user set."""
        readings = readings_in(sentence, self.request)
        key = (sentence.text, readings)
        self.clock.start()
        phones = self.pipeline.phones.get(key)
        hit = phones is not None
        if phones is None:
            phones = self.pipeline.g2p.convert(sentence.text, readings)
            self.pipeline.phones.put(key, phones, 100 + 60 * len(phones.phones))
        self.clock.stop("g2p", cache_hit=hit, phones=len(phones.phones))
        return phones

    def speak(self, phones: Phones, place: Place, cancelled: Callable[[], bool]) -> Iterator[AudioChunk]:
        """Sound of one sentence, in pieces."""
        tokens, assist = self._token_features(phones.text), self._assist_features()
        if cancelled():
            return
        self.clock.start()
        voice = self.pipeline.voice
        ids = phones_to_ids(phones, multilingual=voice.multilingual, add_blank=voice.add_blank)
        features = phone_features(tokens, ids.word2ph, self.request.bert_weight, assist, self.request.assist_weight)
        self.clock.stop("expand", tokens=len(tokens), phones=len(ids.phones))
        yield from self._whole(phones, ids, features) if self.pipeline.opaque else self._prepared(phones, ids, features, place, cancelled)

    def _token_features(self, text: str) -> Float32:
        """Features of a text of any length; what is longer than a BERT takes is read in pieces."""
        pieces = [text[start : start + LONGEST_BERT_TEXT] for start in range(0, len(text), LONGEST_BERT_TEXT)] or [""]
        results = [self._bert(piece) for piece in pieces]
        if len(results) == 1:
            return results[0]
        return np.concatenate([results[0][:1], *(piece[1:-1] for piece in results), results[-1][-1:]])

    def _bert(self, text: str) -> Float32:
        self.clock.start()
        token_ids = self.pipeline.tokenizer.encode(text)
        self.clock.stop("tokenize", tokens=len(token_ids))
        key = (self.pipeline.bert_id, text)
        self.clock.start()
        features = self.pipeline.features.get(key)
        hit = features is not None
        if features is None:
            features = self.pipeline.bert.run(token_ids)
            self.pipeline.features.put(key, features, features.nbytes)
        self.clock.stop("bert", cache_hit=hit, tokens=len(token_ids))
        return features

    def _assist_features(self) -> Float32 | None:
        if not self.request.assist_text.strip() or not self.request.assist_weight:
            return None
        text = self.pipeline.g2p.convert(self.request.assist_text).text  # normalised, as BERT expects it
        return self._token_features(text)

    def _prepared(
        self, phones: Phones, ids: PhoneIds, features: Float32, place: Place, cancelled: Callable[[], bool]
    ) -> Iterator[AudioChunk]:
        """Durations first, then all frames, then samples window by window."""
        frame_input, frames = self._frames(phones, ids, features, place)
        if cancelled():
            return
        synthesizer, voice = cast(Synthesizer, self.pipeline.synthesizer), self.pipeline.voice
        z = synthesizer.flow(frame_input)
        self.clock.stop("flow", phones=len(ids.phones), frames=z.shape[1])
        hop, count = voice.hop_length, z.shape[1]
        noise = self._noise(DECODER_NOISE).standard_normal(count * hop, dtype=np.float32) if voice.decoder_noise else None
        tail = int(frames[: symbols_of_phone(len(phones.phones) - 1, voice.add_blank)[0]].sum())
        timings = phone_timings(phones, frames, voice)
        for window in plan_windows(count, voice.windows, voice.margin_frames):
            if cancelled():
                return
            self.clock.start()
            part = None if noise is None else noise[window.start * hop : window.end * hop]
            samples = synthesizer.decode(z[:, window.start : window.end], part, self.request.speaker)
            samples = samples[(window.first - window.start) * hop : (window.last - window.start) * hop]
            self.clock.stop("decode", frames=window.end - window.start, samples=len(samples))
            keep = max(0, tail - window.first) * hop if window.last == count else len(samples)
            yield self._chunk(samples, keep, timings if window.first == 0 else ())

    def _frames(self, phones: Phones, ids: PhoneIds, features: Float32, place: Place) -> tuple[FrameInput, Int64]:
        """Runs the prosody graph and expands its result; leaves the clock running for the flow stage."""
        request, voice = self.request, self.pipeline.voice
        self.clock.start()
        noise = self._noise(DURATION_NOISE).standard_normal((2, len(ids.phones)), dtype=np.float32)
        noise *= np.float32(request.noise_w)
        prosody = cast(Synthesizer, self.pipeline.synthesizer).prosody(
            ProsodyInput(ids.phones, ids.tones, ids.language, features, self.style, request.speaker, request.sdp_ratio, noise)
        )
        self.clock.stop("prosody", phones=len(ids.phones))
        self.clock.start()
        length_scale = 1 / request.speed
        targets = frame_targets(phones, request.overrides, request.pauses, place, length_scale, voice)
        frames = symbol_frames(prosody.logw, length_scale, voice.durations, targets)
        rng = self._noise(PRIOR_NOISE)
        return expand(prosody, frames, rng, request.noise, length_scale, request.speaker, self.style), frames

    def _whole(self, phones: Phones, ids: PhoneIds, features: Float32) -> Iterator[AudioChunk]:
        """A voice of one graph: all samples at once."""
        request, voice = self.request, self.pipeline.voice
        self.clock.start()
        samples, frames = cast(OpaqueSynthesizer, self.pipeline.synthesizer).synthesize(
            WholeInput(
                ids.phones, ids.tones, ids.language, features, self.style, request.speaker,
                1 / request.speed, request.sdp_ratio, request.noise, request.noise_w,
            )
        )  # fmt: skip
        self.clock.stop("synthesis", phones=len(ids.phones), frames=len(samples) // voice.hop_length, samples=len(samples))
        yield self._chunk(samples, 0, () if frames is None else phone_timings(phones, frames, voice))

    def _chunk(self, samples: Float32, keep: int, timings: tuple[PhoneTiming, ...]) -> AudioChunk:
        """The audio stage: the silent tail after `keep` samples goes, the volume is set."""
        self.clock.start()
        rate = self.pipeline.voice.sampling_rate
        if keep < len(samples):
            samples = trim_tail(samples, rate, keep)
        samples = apply_gain(samples, self.request.volume)
        self.clock.stop("audio", samples=len(samples))
        return AudioChunk(samples, rate, self.request.id, self.clock.sentence, phones=timings)

    def _noise(self, stream: int) -> np.random.Generator:
        """Noise that depends on the seed, the sentence and what it is for, and on nothing else."""
        return np.random.default_rng((self.request.seed, self.clock.sentence, stream))
