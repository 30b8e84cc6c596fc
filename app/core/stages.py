"""The stages a sentence passes, in order: g2p, tokenize, bert, expand, then prosody, flow and decode (or synthesis), pitch where it is changed, audio."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np

from app.core.durations import FrameTarget, expand, symbol_frames
from app.core.edits import Place, frame_targets, phone_timings, readings_in, shape_targets, symbols_of_phone, timed_frames
from app.core.limits import check_phones
from app.core.phones import PhoneIds, phones_to_ids
from app.core.pitch import PitchChange, PitchShift
from app.core.ports import OpaqueSynthesizer, Prosody, ProsodyInput, Synthesizer, WholeInput
from app.core.renderings import Rendering, pitched_key, prosody_key, remembered_phones, rendering_key
from app.core.sentence_context import SentenceContext
from app.core.text_stages import features_of
from app.core.timing import StageClock
from app.core.types import AudioChunk, Float32, Int64, Phones, PhoneTiming, Sentence, SynthesisRequest
from app.core.waveform import apply_gain, trim_tail
from app.core.windows import plan_fixed_windows, plan_windows

if TYPE_CHECKING:
    from collections.abc import Hashable

DURATION_NOISE, PRIOR_NOISE, DECODER_NOISE = range(3)  # streams of their own: a change of one noise leaves the others alone


def phones_of(context: SentenceContext, request: SynthesisRequest, sentence: Sentence, clock: StageClock) -> Phones:
    """Phones of a sentence, without the tones a user set."""
    readings = readings_in(sentence, request)
    clock.start()
    how = {"emoji": context.voice.emoji, "memos": request.memos}
    phones, hit = remembered_phones(context.g2p, context.caches.phones, sentence.text, readings, **how)
    clock.stop("g2p", cache_hit=hit, phones=len(phones.phones))
    check_phones(len(phones.phones))
    return phones


@dataclass(slots=True)
class Stages:
    """One sentence on its way from phones to sound, each stage timed: first `prepare`, then `sound`.

    Attributes:
        phones: with the tones a user set.
        place: where the sentence stands in the line.
        shape: frames of each phone with its blanks, where they are decided already; None leaves a phone to the voice.
    """

    context: SentenceContext
    request: SynthesisRequest
    clock: StageClock
    style: Float32
    phones: Phones
    place: Place
    shape: tuple[int | None, ...] = ()
    _ids: PhoneIds = field(init=False)
    _targets: list[FrameTarget] = field(init=False)
    _key: Hashable = field(init=False)
    _rendering: Rendering | None = field(init=False)
    _decoded: Rendering | None = None
    _change: PitchChange | None = None
    _features: Float32 | None = None
    _prosody: Prosody | None = None

    def prepare(self) -> None:
        """Everything before the first frame: does nothing that is remembered, and may be done ahead of time."""
        context, request, voice = self.context, self.request, self.context.voice
        self._ids = phones_to_ids(self.phones, multilingual=voice.multilingual, add_blank=voice.add_blank, emoji=voice.emoji)
        if self.shape:
            self._targets = shape_targets(self.shape, voice)
        else:
            self._targets = frame_targets(self.phones, request.overrides, request.pauses, self.place, 1 / request.speed, voice)
        key = prosody_key((context.sound_id, context.bert_id), request, self.style, self.phones, self.clock.sentence)
        self._key = rendering_key(key, request, self._targets, self.clock.sentence)
        self._change = PitchChange.of(request)
        self._rendering = context.caches.renderings.get(pitched_key(self._key, self._change))
        if self._rendering is None and self._change is not None:
            self._decoded = context.caches.renderings.get(self._key)
        known = self._rendering is not None or self._decoded is not None
        if not known and not context.opaque:
            self._prosody = context.caches.prosody.get(key)
        tokens, symbols = len(self.phones.text) + 2, len(self._ids.phones)
        if known or self._prosody is not None:
            for stage in ("tokenize", "bert", "expand"):
                self.clock.skip(stage, tokens=tokens, phones=symbols)
            if not context.opaque:
                self.clock.skip("prosody", phones=symbols)
            return
        self._features = features_of(self.phones.text, self._ids, context, request, self.clock)
        if not context.opaque:
            self._prosody = self._run_prosody(self._features)
            self._features = None
            context.caches.prosody.put(key, self._prosody, self._prosody.size)

    def lengths(self) -> tuple[int, ...]:
        """Frames of each phone with its blanks, after `prepare`; a voice of one graph speaks for it, and may not report them: then nothing."""
        if self.context.opaque and self._rendering is None and self._decoded is None:
            for _ in self.sound():
                pass
            self._rendering = self.context.caches.renderings.get(pitched_key(self._key, self._change))
        if (known := self._rendering or self._decoded) is not None:
            return timed_frames(known.timings, self.context.voice)
        if self._prosody is None:
            return ()
        frames = symbol_frames(self._prosody.logw, 1 / self.request.speed, self.context.voice.durations, self._targets)
        return timed_frames(phone_timings(self.phones, frames, self.context.voice), self.context.voice)

    @property
    def frames(self) -> int:
        """Of the whole sentence, where it was spoken before; else 0."""
        known = self._rendering or self._decoded
        return 0 if known is None else known.frames

    def sound(self) -> Iterator[AudioChunk]:
        """Sound of the sentence, in pieces."""
        if (again := self._rendering) is not None:
            timings, made = again.timings, self._again(again, pitched=self._change is not None)
        else:
            timings, made = self._made()
        for index, piece in enumerate(made):
            yield self._chunk(piece, () if index else timings)

    def _made(self) -> tuple[tuple[PhoneTiming, ...], Iterator[Float32]]:
        """Timings and samples with the pitch that is wanted; all that is made is remembered, also as it comes from the decoder."""
        if self._decoded is not None:
            timings, frames, made = self._decoded.timings, self._decoded.frames, self._again(self._decoded)
        else:
            timings, frames, made = self._whole() if self.context.opaque else self._windows()
            made = self._remembered(self._key, timings, frames, made)
        if self._change is None:
            return timings, made
        return timings, self._remembered(pitched_key(self._key, self._change), timings, frames, self._pitched(self._change, made))

    def _remembered(self, key: Hashable, timings: tuple[PhoneTiming, ...], frames: int, made: Iterator[Float32]) -> Iterator[Float32]:
        """Passes pieces on, and remembers them when all have come."""
        pieces: list[Float32] = []
        for piece in made:
            piece.flags.writeable = False  # consumers must not change what is cached
            pieces.append(piece)
            yield piece
        rendering = Rendering(tuple(pieces), timings, frames)
        self.context.caches.renderings.put(key, rendering, rendering.size)

    def _again(self, rendering: Rendering, *, pitched: bool = False) -> Iterator[Float32]:
        """A rendering that is remembered: nothing runs."""
        for index, piece in enumerate(rendering.pieces):
            if self.context.opaque:
                self.clock.skip("synthesis", frames=rendering.frames, samples=len(piece))
            else:
                if index == 0:
                    self.clock.skip("flow", frames=rendering.frames)
                self.clock.skip("decode", samples=len(piece))
            if pitched:
                self.clock.skip("pitch", samples=len(piece))
            yield piece

    def _pitched(self, change: PitchChange, pieces: Iterator[Float32]) -> Iterator[Float32]:
        """The pieces at another pitch, cut otherwise."""
        assert self.context.tracker is not None
        shift = PitchShift(change, self.context.tracker, self.context.voice.sampling_rate)
        for piece in pieces:
            shift.feed(piece)
            yield from self._steps(shift)
        shift.end()
        yield from self._steps(shift)

    def _steps(self, shift: PitchShift) -> Iterator[Float32]:
        while shift.ready:
            self.clock.start()
            samples = shift.step()
            self.clock.stop("pitch", samples=len(samples))
            if len(samples):
                yield samples

    def _run_prosody(self, features: Float32) -> Prosody:
        request, ids = self.request, self._ids
        self.clock.start()
        noise = self._noise(DURATION_NOISE).standard_normal((2, len(ids.phones)), dtype=np.float32)
        noise *= np.float32(request.noise_w)
        prosody = cast(Synthesizer, self.context.synthesizer).prosody(
            ProsodyInput(ids.phones, ids.tones, ids.language, features, self.style, request.speaker, request.sdp_ratio, noise, ids.kinds)
        )
        self.clock.stop("prosody", phones=len(ids.phones))
        return prosody

    def _windows(self) -> tuple[tuple[PhoneTiming, ...], int, Iterator[Float32]]:
        """Durations, then all frames, then samples window by window."""
        request, voice = self.request, self.context.voice
        assert self._prosody is not None
        self.clock.start()
        length_scale = 1 / request.speed
        frames = symbol_frames(self._prosody.logw, length_scale, voice.durations, self._targets)
        frame_input = expand(self._prosody, frames, self._noise(PRIOR_NOISE), request.noise, length_scale, request.speaker, self.style)
        z = cast(Synthesizer, self.context.synthesizer).flow(frame_input)
        self.clock.stop("flow", phones=len(self._ids.phones), frames=z.shape[1])
        return phone_timings(self.phones, frames, voice), z.shape[1], self._decode(z, frames)

    def _decode(self, z: Float32, frames: Int64) -> Iterator[Float32]:
        voice, hop, count = self.context.voice, self.context.voice.hop_length, z.shape[1]
        noise = self._noise(DECODER_NOISE).standard_normal(count * hop, dtype=np.float32) if voice.decoder_noise else None
        tail = int(frames[: symbols_of_phone(len(self.phones.phones) - 1, voice.add_blank)[0]].sum())
        plan = plan_fixed_windows if voice.fixed_windows else plan_windows
        for window in plan(count, voice.windows, voice.margin_frames):
            self.clock.start()
            part = None if noise is None else noise[window.start * hop : window.end * hop]
            frames_in, wanted = z[:, window.start : window.end], (window.exact - window.start, window.last - window.start)
            samples = cast(Synthesizer, self.context.synthesizer).decode(frames_in, part, self.request.speaker, wanted)
            samples = samples[(window.first - window.exact) * hop :]
            self.clock.stop("decode", frames=window.end - window.start, samples=len(samples))
            yield trim_tail(samples, voice.sampling_rate, max(0, tail - window.first) * hop) if window.last == count else samples

    def _whole(self) -> tuple[tuple[PhoneTiming, ...], int, Iterator[Float32]]:
        """A voice of one graph: all samples at once."""
        request, voice, ids = self.request, self.context.voice, self._ids
        assert self._features is not None
        self.clock.start()
        samples, frames = cast(OpaqueSynthesizer, self.context.synthesizer).synthesize(
            WholeInput(
                ids.phones, ids.tones, ids.language, self._features, self.style, request.speaker,
                1 / request.speed, request.sdp_ratio, request.noise, request.noise_w,
            )
        )  # fmt: skip
        count = len(samples) // voice.hop_length
        self.clock.stop("synthesis", phones=len(ids.phones), frames=count, samples=len(samples))
        timings = () if frames is None else phone_timings(self.phones, frames, voice)
        return timings, count, iter([trim_tail(samples, voice.sampling_rate)])

    def _chunk(self, samples: Float32, timings: tuple[PhoneTiming, ...]) -> AudioChunk:
        """The audio stage: the volume is set."""
        self.clock.start()
        samples = apply_gain(samples, self.request.volume)
        self.clock.stop("audio", samples=len(samples))
        return AudioChunk(samples, self.context.voice.sampling_rate, self.request.id, self.clock.sentence, phones=timings)

    def _noise(self, stream: int) -> np.random.Generator:
        """Noise that depends on the seed, the sentence and what it is for, and on nothing else."""
        return np.random.default_rng((self.request.seed, self.clock.sentence, stream))
