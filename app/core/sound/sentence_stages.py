"""The stages that a sentence passes, in order.

They are g2p, tokenize, bert, expand, then prosody, flow and decode (or synthesis), pitch where it is changed, and audio.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from app.core.sound.acoustic import NoiseStreams, SentenceContext
from app.core.sound.durations import FrameTarget, PhraseEnding, expand_to_phones, round_features
from app.core.sound.edit_targets import (
    LineOffset,
    advance_timings,
    build_frame_targets,
    build_phone_timings,
    build_shape_targets,
    count_phone_frames,
    list_mora_offsets,
    list_phrase_endings,
    select_readings,
)
from app.core.sound.melody import build_melody_of_symbols, build_offset_curve, create_untimed_error, fit_to_least_change
from app.core.sound.pitch_shift import PitchChange, PitchShift
from app.core.sound.ports import Melody, Prosody, ProsodyInput, SingleGraphInput, SingleGraphSynthesizer
from app.core.sound.reading_variation import draw_log_lengths
from app.core.sound.render_caches import SentenceRendering, build_pitched_key, build_prosody_key, build_rendering_key, find_phones
from app.core.sound.stage_clock import StageClock
from app.core.sound.waveform import PeakLimiter, apply_gain, check_samples, fade_in, trim_tail
from app.core.symbols import EDGE_SYMBOL, PUNCTUATION
from app.core.synthesis_types import (
    AudioChunk,
    Float16,
    Float32,
    Int64,
    LineSentence,
    Phones,
    PhoneTiming,
    SynthesisRequest,
    check_phone_count,
)
from app.core.text.phone_ids import PhoneIds

LONGEST_BERT_TEXT = 510  # with [CLS] and [SEP] these characters fill the 512 positions that a BERT was trained on
OPENING_FADE_S = 0.01


def compute_features(text: str, ids: PhoneIds, context: SentenceContext, request: SynthesisRequest, clock: StageClock) -> Float32:
    """Return the features of the phones of a normalised text, float32 (1024, T)."""
    tokens, assist = _compute_token_features(text, context, clock), _compute_assist_features(context, request, clock)
    clock.start_stage()
    features = expand_to_phones(tokens, ids.word2ph, request.bert_weight, assist, request.assist_weight)
    clock.stop_stage("expand", tokens=len(tokens), phones=len(ids.phones))
    return features


def _compute_token_features(text: str, context: SentenceContext, clock: StageClock) -> Float16:
    """Return the features of a text of any length, float16 (n, 1024); a text longer than a BERT takes is read in pieces."""
    pieces = [text[start : start + LONGEST_BERT_TEXT] for start in range(0, len(text), LONGEST_BERT_TEXT)] or [""]
    results = [_run_bert(piece, context, clock) for piece in pieces]
    if len(results) == 1:
        return results[0]
    # Each piece has its own [CLS] and [SEP]; only the first and the last one stay.
    return np.concatenate([results[0][:1], *(piece[1:-1] for piece in results), results[-1][-1:]])


def _run_bert(text: str, context: SentenceContext, clock: StageClock) -> Float16:
    bert_id, caches = context.bert_id, context.caches
    clock.start_stage()
    features = caches.features.get((bert_id, text))
    hit = features is not None
    if features is None and caches.stored is not None:
        features = caches.stored.get(bert_id, text)
    if features is not None:
        clock.skip_stage("tokenize", tokens=len(features))
        clock.stop_stage("bert", cache_hit=True, tokens=len(features))
    else:
        assert context.tokenizer is not None
        assert context.bert is not None
        token_ids = context.tokenizer.encode(text)
        clock.stop_stage("tokenize", tokens=len(token_ids))
        clock.start_stage()
        features = round_features(context.bert.run_graph(token_ids))
        clock.stop_stage("bert", tokens=len(token_ids))
        if caches.stored is not None:
            caches.stored.put(bert_id, text, features)
    if not hit:
        caches.features.put((bert_id, text), features, features.nbytes)
    return features


def _compute_assist_features(context: SentenceContext, request: SynthesisRequest, clock: StageClock) -> Float16 | None:
    if not request.assist_text.strip() or not request.assist_weight:
        return None
    phones, _ = find_phones(context.g2p, context.caches.phones, request.assist_text, emoji=context.voice.emoji)
    # The text of the phones is normalised, as BERT expects it.
    return _compute_token_features(phones.text, context, clock)


def convert_to_phones(context: SentenceContext, request: SynthesisRequest, sentence: LineSentence, clock: StageClock) -> Phones:
    """Return the phones of a sentence, without the tones that the user set."""
    readings = select_readings(sentence, request)
    clock.start_stage()
    how = {"emoji": context.voice.emoji, "memos": request.memos, "english": context.voice.architecture.should_read_english(request)}
    phones, hit = find_phones(context.g2p, context.caches.phones, sentence.text, readings, **how)
    clock.stop_stage("g2p", cache_hit=hit, phones=len(phones.phones))
    check_phone_count(len(phones.phones))
    return phones


@dataclass(slots=True)
class SentenceStages:
    """One sentence on its way from phones to sound, each stage timed: first `prepare_sentence`, then `render_chunks`."""

    context: SentenceContext
    request: SynthesisRequest
    clock: StageClock
    style: Float32
    phones: Phones  # phones with the tones that the user set
    offset: LineOffset  # morae and marks of the line before the sentence
    # Frames of each phone with its blanks, where already decided; None leaves a phone to the voice.
    phone_frames: tuple[int | None, ...] = ()
    _ids: PhoneIds = field(init=False)
    _targets: list[FrameTarget] = field(init=False)
    _key: Hashable = field(init=False)
    _final_rendering: SentenceRendering | None = field(init=False)
    _decoded_rendering: SentenceRendering | None = None
    _change: PitchChange | None = None
    _flow_offsets: tuple[float, ...] = ()
    _features: Float32 | None = None
    _prosody: Prosody | None = None

    def prepare_sentence(self) -> None:
        """Run everything before the first frame that is not cached; the call may come ahead of the sentence's turn."""
        context, request, voice = self.context, self.request, self.context.voice
        self._ids = voice.encode_phones(self.phones)
        edges = self._ids.edges
        if self.phone_frames:
            self._targets = build_shape_targets(self.phone_frames, edges)
        else:
            self._targets = build_frame_targets(
                self.phones, edges, request.overrides, request.pauses, self.offset, 1 / request.speed, voice
            )
        graphs = (context.graphs_id, context.bert_id)
        kind, sentence = voice.architecture, self.clock.sentence
        symbols = self._ids.phones.tobytes()
        key = build_prosody_key(graphs, request, self.style, self.phones, sentence, symbols, draws_noise=kind.draws_noise)
        self._divide_pitch()
        manner = voice.find_manner(request) if kind.takes_melody else None
        self._key = build_rendering_key(key, request, self._targets, sentence, manner=manner, flow_offsets=self._flow_offsets)
        self._final_rendering = context.caches.renderings.get(build_pitched_key(self._key, self._change))
        # The decoder's own sound is cached along with the changed one, so another pitch decodes nothing again.
        if self._final_rendering is None and self._change is not None:
            self._decoded_rendering = context.caches.renderings.get(self._key)
        is_rendered = self._final_rendering is not None or self._decoded_rendering is not None
        if not is_rendered and not context.is_single_graph:
            self._prosody = context.caches.prosody.get(key)
        tokens, symbol_count = len(self.phones.text) + 2, len(self._ids.phones)
        if is_rendered or self._prosody is not None:
            for stage in ("tokenize", "bert", "expand") if context.bert is not None else ():
                self.clock.skip_stage(stage, tokens=tokens, phones=symbol_count)
            if not context.is_single_graph:
                self.clock.skip_stage("prosody", phones=symbol_count)
            self._change_lengths()
            return
        if context.bert is not None:
            self._features = compute_features(self.phones.text, self._ids, context, request, self.clock)
        if not context.is_single_graph:
            self._prosody = self._run_prosody(self._features)
            self._features = None
            context.caches.prosody.put(key, self._prosody, self._prosody.size)
            self._change_lengths()

    def _change_lengths(self) -> None:
        """Change the lengths that the voice predicted as the manner and the variation ask for."""
        voice, request = self.context.voice, self.request
        manner = voice.find_manner(request)
        if self._prosody is None or (manner.pauses == 1 and not request.variation):
            return
        logs = draw_log_lengths(self.phones, self._noise.draw_lengths_variation, request.variation, manner.pauses)
        self._prosody = replace(self._prosody, logw=self._prosody.logw + np.repeat(logs, np.diff(self._ids.edges)).astype(np.float32))

    def _divide_pitch(self) -> None:
        """Divide the pitch into what the flow makes and what is changed behind the decoder."""
        request, voice = self.request, self.context.voice
        offsets = list_mora_offsets(self.phones, request.overrides, self.offset)
        takes_melody = voice.architecture.takes_melody
        # What is drawn is not scaled by the intonation, which is scaled behind the decoder where there is no melody.
        if voice.flow_pitch_offset and (takes_melody or request.intonation == 1):
            self._flow_offsets, offsets = offsets, ()
        # A voice that takes a melody has its pitch there.
        outer_request = replace(request, pitch=0.0, intonation=1.0) if takes_melody else request
        self._change = PitchChange.from_request(outer_request, offsets)

    def measure_phones(self) -> tuple[int, ...]:
        """Return the frames of each phone with its blanks, after `prepare_sentence`.

        A voice of one graph has to speak for this, and may not report frames; the result is then empty.
        """
        if self.context.is_single_graph and self._final_rendering is None and self._decoded_rendering is None:
            for _ in self.render_chunks():
                pass
            self._final_rendering = self.context.caches.renderings.get(build_pitched_key(self._key, self._change))
        if (rendering := self._final_rendering or self._decoded_rendering) is not None:
            return count_phone_frames(rendering.timings, self.context.voice)
        if self._prosody is None:
            return ()
        return tuple(np.add.reduceat(self._compute_frames(self._prosody), self._ids.edges[:-1]).tolist())

    def _compute_frames(self, prosody: Prosody) -> Int64:
        """Return the frames of each symbol that are heard, int64 (T,)."""
        return self.context.acoustic_model.compute_frames(prosody, 1 / self.request.speed, self._targets, self._list_endings())

    def _list_endings(self) -> list[PhraseEnding]:
        return list_phrase_endings(self.phones, self._ids.edges, self.context.voice)

    @property
    def frames(self) -> int:
        """Return the frames of the whole sentence if it was spoken before; else 0."""
        rendering = self._final_rendering or self._decoded_rendering
        return 0 if rendering is None else rendering.frames

    def render_chunks(self) -> Iterator[AudioChunk]:
        """Yield the sound of the sentence in pieces."""
        if (again := self._final_rendering) is not None:
            timings, sound = again.timings, self._repeat_cached_rendering(again, is_pitched=self._change is not None)
        else:
            timings, sound = self._render_sentence()
        voice = self.context.voice
        heard_timings = advance_timings(timings, voice.architecture.sound_lead_s)
        for index, piece in enumerate(self._limit_pieces(sound)):
            yield AudioChunk(piece, voice.sampling_rate, self.request.id, self.clock.sentence, phones=() if index else heard_timings)

    def _render_sentence(self) -> tuple[tuple[PhoneTiming, ...], Iterator[Float32]]:
        """Return timings and samples at the wanted pitch; both these and the decoder's own samples are cached."""
        if self._decoded_rendering is not None:
            timings, frames, sound = (
                self._decoded_rendering.timings,
                self._decoded_rendering.frames,
                self._repeat_cached_rendering(self._decoded_rendering),
            )
        else:
            timings, frames, sound = self._run_single_graph() if self.context.is_single_graph else self._run_graphs()
            sound = self._cache_while_yielding(self._key, timings, frames, sound)
        if self._change is None:
            return timings, sound
        return timings, self._cache_while_yielding(
            build_pitched_key(self._key, self._change), timings, frames, self._shift_pitch(self._change, timings, sound)
        )

    def _cache_while_yielding(
        self, key: Hashable, timings: tuple[PhoneTiming, ...], frames: int, sound: Iterator[Float32]
    ) -> Iterator[Float32]:
        """Yield the pieces, and cache them once all have come; VoiceError for one that is no sound."""
        pieces: list[Float32] = []
        for piece in sound:
            check_samples(piece, self.context.voice.name)
            # Consumers must not change samples that are cached.
            piece.flags.writeable = False
            pieces.append(piece)
            yield piece
        # Only a complete rendering is stored: a consumer that stops early never gets here.
        rendering = SentenceRendering(tuple(pieces), timings, frames)
        self.context.caches.renderings.put(key, rendering, rendering.size)

    def _repeat_cached_rendering(self, rendering: SentenceRendering, *, is_pitched: bool = False) -> Iterator[Float32]:
        """Yield the pieces of a cached rendering and report its stages as skipped."""
        for index, piece in enumerate(rendering.pieces):
            if self.context.is_single_graph:
                self.clock.skip_stage("synthesis", frames=rendering.frames, samples=len(piece))
            else:
                if index == 0:
                    self.clock.skip_stage("flow", frames=rendering.frames)
                self.clock.skip_stage("decode", samples=len(piece))
            if is_pitched:
                self.clock.skip_stage("pitch", samples=len(piece))
            yield piece

    def _shift_pitch(self, change: PitchChange, timings: tuple[PhoneTiming, ...], pieces: Iterator[Float32]) -> Iterator[Float32]:
        """Yield the sound at another pitch, cut into other pieces."""
        assert self.context.tracker is not None
        voice = self.context.voice
        curve = build_offset_curve(timings, change.mora_offsets, voice.architecture.sound_lead_s)
        if change.mora_offsets and not timings:
            raise create_untimed_error(voice.name)
        shift = PitchShift(change, self.context.tracker, voice.sampling_rate, curve)
        for piece in pieces:
            shift.feed_samples(piece)
            yield from self._run_shift(shift)
        shift.end_input()
        yield from self._run_shift(shift)

    def _run_shift(self, shift: PitchShift) -> Iterator[Float32]:
        while shift.is_ready:
            self.clock.start_stage()
            samples = shift.shift_block()
            self.clock.stop_stage("pitch", samples=len(samples))
            if len(samples):
                yield samples

    def _run_prosody(self, features: Float32 | None) -> Prosody:
        request, ids = self.request, self._ids
        self.clock.start_stage()
        noise = self._noise.draw_duration_noise(len(ids.phones))
        noise *= np.float32(request.noise_w)
        prosody = self.context.acoustic_model.predict_prosody(
            ProsodyInput(ids.phones, ids.tones, ids.language, features, self.style, request.speaker, request.sdp_ratio, noise, ids.kinds)
        )
        self.clock.stop_stage("prosody", phones=len(ids.phones))
        return prosody

    def _run_graphs(self) -> tuple[tuple[PhoneTiming, ...], int, Iterator[Float32]]:
        """Run the graphs: durations, then all frames, then samples window by window."""
        request, model, prosody = self.request, self.context.acoustic_model, self._prosody
        assert prosody is not None
        self.clock.start_stage()
        length_scale = 1 / request.speed
        frames = self._compute_frames(prosody)
        timings = build_phone_timings(self.phones, self._ids.edges, frames, model.voice)
        kind = model.voice.architecture
        curve = build_offset_curve(timings, self._flow_offsets, kind.sound_lead_s, kind.pitch_smear_s)
        z = model.compute_flow(
            prosody,
            frames,
            noise=self._noise.draw_prior_noise(len(prosody.mean), int(frames.sum())) if request.noise and len(prosody.log_scale) else None,
            noise_scale=request.noise,
            length_scale=length_scale,
            speaker=request.speaker,
            style_vector=self.style,
            melody=self._build_melody(prosody, frames),
            pitch_offset=None if curve is None else curve.build_steps(int(frames.sum()), model.voice),
            endings=self._list_endings(),
        )
        self.clock.stop_stage("flow", phones=len(self._ids.phones), frames=z.shape[1])
        return timings, z.shape[1], self._decode_windows(z, frames)

    def _build_melody(self, prosody: Prosody, frames: Int64) -> Melody | None:
        """Return the melody that the flow is given; where it is neither all ours nor all the voice's own, its own is computed first."""
        request, model = self.request, self.context.acoustic_model
        edges, voice = self._ids.edges, model.voice
        melody = build_melody_of_symbols(self.phones, edges, frames, request, voice, self._noise.draw_melody_variation)
        if melody is None or not 0 < melody.weight < 1:
            return melody
        scale = 1 / request.speed
        own_hz = model.compute_own_pitch(
            prosody,
            frames,
            length_scale=scale,
            speaker=request.speaker,
            style_vector=self.style,
            melody=melody,
            endings=self._list_endings(),
        )
        phone_frames = np.add.reduceat(frames, edges[:-1])
        return melody if own_hz is None else fit_to_least_change(melody, own_hz.astype(np.float64), self.phones, phone_frames, voice)

    def _decode_windows(self, z: Float32, frames: Int64) -> Iterator[Float32]:
        """Yield the samples window by window, each one timed, without the inaudible tail."""
        model, voice, count = self.context.acoustic_model, self.context.voice, z.shape[1]
        noise = self._noise.draw_decoder_noise(count * voice.hop_length) if voice.decoder_noise else None
        tail = int(frames[: self._ids.edges[-2]].sum())
        sounding = self._count_sounding_frames(frames, count)
        for window in model.plan_windows(sounding):
            self.clock.start_stage()
            samples = model.decode_window(z, window, noise=noise, speaker=self.request.speaker, style_vector=self.style)
            self.clock.stop_stage("decode", frames=window.end - window.start, samples=len(samples))
            if window.first == 0 and voice.architecture.heard_opening_frames is not None:
                # The decoder sees nothing of what was dropped before, and clicks where it begins.
                samples = fade_in(samples, round(OPENING_FADE_S * voice.sampling_rate))
            # Only the last `_` may lose its silence: a pause that the user set is never trimmed.
            kept_samples = max(0, tail - window.first) * voice.hop_length
            yield trim_tail(samples, voice.sampling_rate, kept_samples) if window.last == count else samples
        if (silent := min(tail, count) - sounding) > 0:
            yield np.zeros(silent * voice.hop_length, np.float32)

    def _count_sounding_frames(self, frames: Int64, count: int) -> int:
        """Return how many of `count` frames pass until nothing sounds any more: a long mark at the end is silence, a third of a short line."""
        voice = self.context.voice
        if voice.architecture.mark_release_s is None:
            return count
        phones = self.phones.phones
        last = max((index for index, phone in enumerate(phones) if phone not in PUNCTUATION and phone != EDGE_SYMBOL), default=0)
        spoken = int(frames[: self._ids.edges[last + 1]].sum())
        return min(count, spoken + round(voice.architecture.mark_release_s * voice.sampling_rate / voice.hop_length))

    def _run_single_graph(self) -> tuple[tuple[PhoneTiming, ...], int, Iterator[Float32]]:
        request, voice, ids = self.request, self.context.voice, self._ids
        assert self._features is not None
        self.clock.start_stage()
        samples, frames = cast(SingleGraphSynthesizer, self.context.synthesizer).synthesize(
            SingleGraphInput(
                ids.phones, ids.tones, ids.language, self._features, self.style, request.speaker,
                1 / request.speed, request.sdp_ratio, request.noise, request.noise_w,
            )
        )  # fmt: skip
        count = len(samples) // voice.hop_length
        self.clock.stop_stage("synthesis", phones=len(ids.phones), frames=count, samples=len(samples))
        timings = () if frames is None else build_phone_timings(self.phones, ids.edges, frames, voice)
        return timings, count, iter([trim_tail(samples, voice.sampling_rate)])

    def _limit_pieces(self, pieces: Iterator[Float32]) -> Iterator[Float32]:
        """Yield the pieces at the wanted volume and below full scale, as the audio stage."""
        limiter = PeakLimiter(self.context.voice.sampling_rate)
        for piece in pieces:
            self.clock.start_stage()
            samples = limiter.limit_samples(apply_gain(piece, self.request.volume))
            self.clock.stop_stage("audio", samples=len(samples))
            yield samples
        if len(held_samples := limiter.flush_samples()):
            yield held_samples

    @property
    def _noise(self) -> NoiseStreams:
        return NoiseStreams((self.request.seed, self.clock.sentence))
