"""The acoustic model of a prepared voice: symbols become prosody, frames, a flow and, window by window, samples.

The pipeline, the verification of an imported voice, calibration and the lab all synthesise through it, so that the code which is
verified is the code that speaks. Noise comes in as arrays; `NoiseStreams` draws them from a seed.

Frames are decoded in windows, small ones first, to start early. Nothing is padded: zeros would leak into speech through biases. The CPU's last
window grows in steps of a few frames. Devices compile a graph for every shape: there all windows have one of a few widths, and the last one moves back to end with the sentence.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from app.core.sound.durations import FrameTarget, PhraseEnding, compute_flow_frames, compute_symbol_frames, expand_prior
from app.core.sound.ports import (
    G2P,
    STEPS_PER_FRAME,
    BertRunner,
    MelodicSynthesizer,
    Melody,
    PitchTracker,
    Prosody,
    ProsodyInput,
    SingleGraphSynthesizer,
    Synthesizer,
    Tokenizer,
)
from app.core.sound.render_caches import RenderCaches
from app.core.sound.voice_traits import VoiceTraits
from app.core.synthesis_types import Float32, Int64

WINDOW_STEP_FRAMES = 8  # the last window grows by multiples of this; on average half a step is computed twice


@dataclass(frozen=True, slots=True)
class NoiseStreams:
    """The standard normal noise of one sentence, which depends on its seed and on nothing else.

    Each kind of noise has a random stream of its own, so a change of one leaves the others alone.
    """

    seed: tuple[int, ...]

    def draw_duration_noise(self, symbols: int) -> Float32:
        """Return the noise of the duration predictor, float32 (2, T)."""
        return self._create_generator(0).standard_normal((2, symbols), dtype=np.float32)

    def draw_prior_noise(self, channels: int, frames: int) -> Float32:
        """Return the noise of the prior, float32 (C, F)."""
        return self._create_generator(1).standard_normal((channels, frames), dtype=np.float32)

    def draw_decoder_noise(self, samples: int) -> Float32:
        """Return the noise of the decoder, float32 (N,)."""
        return self._create_generator(2).standard_normal(samples, dtype=np.float32)

    def draw_lengths_variation(self, count: int) -> Float32:
        """Return the numbers by which the lengths of this reading differ, float32 (count,)."""
        return self._create_generator(3).standard_normal(count, dtype=np.float32)

    def draw_melody_variation(self, count: int) -> Float32:
        """Return the numbers by which the melody of this reading differs, float32 (count,)."""
        return self._create_generator(4).standard_normal(count, dtype=np.float32)

    def _create_generator(self, stream: int) -> np.random.Generator:
        return np.random.default_rng((*self.seed, stream))


@dataclass(frozen=True, slots=True)
class DecodeWindow:
    """A window of frames [start, end) for the decoder; of its output [exact, last) is correct and [first, last) is new."""

    start: int
    end: int
    exact: int
    first: int
    last: int


def plan_windows(frames: int, sizes: Sequence[int], margin: int) -> list[DecodeWindow]:
    """Return windows whose [first, last) cover `frames` without gap or overlap; the result depends on the arguments alone.

    Args:
        sizes: new frames per window, in order; the last size repeats. The window at the end takes up to a margin more or any less.
        margin: frames of context the decoder needs on each side.
    """
    windows: list[DecodeWindow] = []
    done = 0
    while done < frames:
        size = sizes[min(len(windows), len(sizes) - 1)]
        if done + size + margin >= frames:
            exact = max(0, frames - -(-(frames - done) // WINDOW_STEP_FRAMES) * WINDOW_STEP_FRAMES)
            windows.append(DecodeWindow(max(0, exact - margin), frames, exact, done, frames))
            break
        windows.append(DecodeWindow(max(0, done - margin), done + size + margin, done, done, done + size))
        done += size
    return windows


def list_window_widths(sizes: Sequence[int], margin: int) -> list[int]:
    """Return the widths in frames of the decoder's windows, the smallest first, for devices that compile for every width."""
    return sorted({size + 2 * margin for size in sizes})


def plan_fixed_windows(frames: int, sizes: Sequence[int], margin: int) -> list[DecodeWindow]:
    """Plan as `plan_windows`, but with widths from `list_window_widths`; only a sentence shorter than the smallest width has its own."""
    widths = list_window_widths(sizes, margin)
    if frames <= widths[0]:
        return [DecodeWindow(0, frames, 0, 0, frames)]
    windows: list[DecodeWindow] = []
    done = 0
    while done < frames:
        planned = sizes[min(len(windows), len(sizes) - 1)] + 2 * margin
        start = max(0, done - margin)
        allowed = [width for width in widths if width <= min(planned, frames)] or widths[:1]
        closing = [width for width in allowed if start + width >= frames]
        if closing:
            start = frames - closing[0]
            windows.append(DecodeWindow(start, frames, start + margin if start else 0, done, frames))
            break
        end = start + allowed[-1]
        windows.append(DecodeWindow(start, end, done, done, end - margin))
        done = end - margin
    return windows


@dataclass(frozen=True, slots=True, kw_only=True)
class AcousticModel:
    """The graphs of a prepared voice, with the durations and the decode windows that are computed between them."""

    synthesizer: Synthesizer
    voice: VoiceTraits  # says how durations are rounded and how the decoder is run

    def predict_prosody(self, values: ProsodyInput) -> Prosody:
        """Return log durations (T,) and the prior (C, T) of each symbol."""
        return self.synthesizer.run_prosody(values)

    def compute_frames(
        self, prosody: Prosody, length_scale: float = 1.0, targets: Sequence[FrameTarget] = (), endings: Sequence[PhraseEnding] = ()
    ) -> Int64:
        """Return the frames of each symbol that are heard, int64 (T,), at 1 / speed; `targets` fixes the length of stretches."""
        opening_frames = self.voice.architecture.heard_opening_frames
        rule = self.voice.durations
        return compute_symbol_frames(prosody.logw, length_scale, rule, targets, endings=endings, opening_frames=opening_frames)

    def compute_flow(
        self,
        prosody: Prosody,
        frames: Int64,
        *,
        noise: Float32 | None,
        noise_scale: float,
        length_scale: float,
        speaker: int,
        style_vector: Float32,
        melody: Melody | None = None,
        pitch_offset: Float32 | None = None,
        endings: Sequence[PhraseEnding] = (),
    ) -> Float32:
        """Return the decoder's input for all frames that are heard, float32 (D, F).

        Where the voice needs a longer opening than is heard, the flow gets the rest before it, and what that becomes is dropped.

        Args:
            frames: of each symbol, int64 (T,), from `compute_frames`.
            noise: standard normal, float32 (C, F); None leaves the prior as it is.
            length_scale: 1 / speed.
            style_vector: float32 (256,).
            pitch_offset: semitones that are added to the pitch, float32 (STEPS_PER_FRAME, F), for flows that take them.
            endings: with which `frames` were computed.
        """
        frames, unheard = self._add_unheard_opening(prosody, frames, length_scale, endings)
        noise, pitch_offset = (None if values is None else _add_columns_before(values, unheard) for values in (noise, pitch_offset))
        voiced = (None if melody is None else _begin_earlier(melody, unheard), pitch_offset)
        z = self.synthesizer.run_flow(expand_prior(prosody, frames, noise, noise_scale, length_scale, speaker, style_vector, *voiced))
        return z[:, unheard:]

    def compute_own_pitch(
        self,
        prosody: Prosody,
        frames: Int64,
        *,
        length_scale: float,
        speaker: int,
        style_vector: Float32,
        melody: Melody,
        endings: Sequence[PhraseEnding],
    ) -> Float32 | None:
        """Return the pitch that a voice which takes a melody has by itself, in Hz, float32 (STEPS_PER_FRAME · F,); None where its graph does not say.

        Args:
            melody: whose intonation and energy count; the rest as of `compute_flow`.
        """
        frames, unheard = self._add_unheard_opening(prosody, frames, length_scale, endings)
        own = _begin_earlier(replace(melody, weight=0.0), unheard)
        values = expand_prior(prosody, frames, None, 0.0, length_scale, speaker, style_vector, own)
        pitch = cast(MelodicSynthesizer, self.synthesizer).find_pitch(values)
        return None if pitch is None else pitch[:, unheard:].T.reshape(-1)

    def _add_unheard_opening(
        self, prosody: Prosody, frames: Int64, length_scale: float, endings: Sequence[PhraseEnding]
    ) -> tuple[Int64, int]:
        has_opening = self.voice.architecture.heard_opening_frames is not None
        return compute_flow_frames(prosody.logw, frames, length_scale, self.voice.durations, endings, has_opening=has_opening)

    def plan_windows(self, frames: int) -> list[DecodeWindow]:
        """Return the windows in which so many frames are decoded, in order."""
        plan = plan_fixed_windows if self.voice.fixed_windows else plan_windows
        return plan(frames, self.voice.windows, self.voice.margin_frames)

    def decode_window(
        self, z: Float32, window: DecodeWindow, *, noise: Float32 | None, speaker: int, style_vector: Float32 | None = None
    ) -> Float32:
        """Return the new samples of a window of all frames z (D, F), float32 ((last − first)·hop,).

        `noise` (F·hop,) is that of all frames, of which every window takes its part; None for a decoder that takes none.
        """
        hop = self.voice.hop_length
        window_noise = None if noise is None else noise[window.start * hop : window.end * hop]
        frame_range = (window.exact - window.start, window.last - window.start)
        samples = self.synthesizer.decode_window(z[:, window.start : window.end], window_noise, speaker, frame_range, style_vector)
        return samples[(window.first - window.exact) * hop :]

    def decode_windows(self, z: Float32, *, noise: Float32 | None, speaker: int, style_vector: Float32 | None = None) -> Iterator[Float32]:
        """Yield the samples of all frames z (D, F), window by window."""
        for window in self.plan_windows(z.shape[1]):
            yield self.decode_window(z, window, noise=noise, speaker=speaker, style_vector=style_vector)

    def decode_all_frames(self, z: Float32, *, noise: Float32 | None, speaker: int, style_vector: Float32 | None = None) -> Float32:
        """Return the samples of all frames z (D, F), decoded at once."""
        count = z.shape[1]
        return self.decode_window(z, DecodeWindow(0, count, 0, 0, count), noise=noise, speaker=speaker, style_vector=style_vector)


def _begin_earlier(melody: Melody, frames: int) -> Melody:
    """Return the melody with its beginning held for so many frames more before it."""
    f0, questions = (_add_columns_before(rows, STEPS_PER_FRAME * frames) for rows in (melody.f0[None], melody.questions))
    return replace(melody, f0=f0[0], questions=questions)


def _add_columns_before(values: Float32, count: int) -> Float32:
    """Return values (rows, columns) with the first column so many times more before it."""
    return np.concatenate((np.repeat(values[:, :1], count, axis=1), values), axis=1)


@dataclass(slots=True)
class SentenceContext:
    """The parts of one voice."""

    g2p: G2P
    tokenizer: Tokenizer | None  # tokenizer, bert: none for a voice that needs no BERT
    bert: BertRunner | None
    bert_id: str  # bert_id, graphs_id: name the BERT and the voice's graphs, and where they run, in the keys of caches
    synthesizer: Synthesizer | SingleGraphSynthesizer
    is_single_graph: bool
    voice: VoiceTraits
    graphs_id: str = ""
    caches: RenderCaches = field(default_factory=RenderCaches)  # share them between pipelines, so that a change of voice keeps them
    tracker: PitchTracker | None = None  # finds the pitch where a request changes it; needed for nothing else

    @property
    def acoustic_model(self) -> AcousticModel:
        """Return the acoustic model of a voice that is not one graph."""
        return AcousticModel(synthesizer=cast(Synthesizer, self.synthesizer), voice=self.voice)
