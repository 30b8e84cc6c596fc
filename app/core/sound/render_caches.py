"""The caches of the pipeline, and the inputs of each cached value: a change of anything else finds the value again.

phones     text, readings, whether emoji are spoken, whether memos are left out, whether English is spoken as English
features   BERT, text
prosody    voice, BERT, phones and tones, symbols, style, speaker, sdp ratio, BERT weight, assist text, noise of durations
renderings prosody, speed, pauses and lengths, noise, seed, place in the request — all but the volume; with another pitch also pitch,
           intonation and what was drawn by mora, and in a voice that takes a melody always pitch, intonation and accent fidelity
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.core.lru_cache import LRUCache
from app.core.sound.durations import FrameTarget
from app.core.sound.ports import G2P, FeatureStore, Prosody
from app.core.synthesis_types import Float16, Float32, Phones, PhoneTiming, ReadingOverride, SynthesisRequest

if TYPE_CHECKING:
    from app.core.sound.manners import Manner
    from app.core.sound.pitch_shift import PitchChange


@dataclass(frozen=True, slots=True)
class SentenceRendering:
    """One rendering of a sentence, before the volume is set; `pieces`: samples of each window, read-only."""

    pieces: tuple[Float32, ...]
    timings: tuple[PhoneTiming, ...]
    frames: int

    @property
    def size(self) -> int:
        """Return the bytes held; a piece may be a view of a larger window, which then counts whole."""
        return 100 * len(self.timings) + sum((piece if piece.base is None else piece.base).nbytes for piece in self.pieces)


@dataclass(slots=True)
class RenderCaches:
    """The caches of a pipeline. Pipelines share them, so that a change of voice and back finds everything again."""

    phones: LRUCache[Phones] = field(default_factory=lambda: LRUCache(2048, 16 << 20))
    features: LRUCache[Float16] = field(default_factory=lambda: LRUCache(1024, 32 << 20))
    prosody: LRUCache[Prosody] = field(default_factory=lambda: LRUCache(256, 16 << 20))
    renderings: LRUCache[SentenceRendering] = field(default_factory=lambda: LRUCache(512, 64 << 20))
    stored: FeatureStore | None = None  # features kept beyond the end of the program, if any

    def clear(self) -> None:
        """Forget everything in memory."""
        for cache in (self.phones, self.features, self.prosody, self.renderings):
            cache.clear()

    def forget_sound(self) -> None:
        """Forget the output of a voice's graphs; phones and features stay."""
        self.prosody.clear()
        self.renderings.clear()


def find_phones(
    g2p: G2P,
    cache: LRUCache[Phones] | None,
    text: str,
    readings: tuple[ReadingOverride, ...] = (),
    *,
    emoji: bool = False,
    doubts: bool = False,
    memos: bool = False,
    english: bool = False,
) -> tuple[Phones, bool]:
    """Return the phones of a sentence, and True if they came from the cache. New phones are cached, with doubts or without."""
    memos = memos or g2p.should_skip_memos
    key = (text, readings, emoji, memos, english)
    # Phones with doubts serve a caller who needs none, but not the other way round.
    for has_doubts in (True,) if doubts else (True, False):
        if cache is not None and (found := cache.get((*key, has_doubts))) is not None:
            return found, True
    phones = g2p.convert_sentence(text, readings, emoji=emoji, doubts=doubts, memos=memos, english=english)
    if cache is not None:
        cache.put((*key, doubts), phones, phones.size)
    return phones, False


def build_prosody_key(
    graphs: tuple[str, str],
    request: SynthesisRequest,
    style: Float32,
    phones: Phones,
    sentence: int,
    symbols: bytes = b"",
    *,
    draws_noise: bool = True,
) -> Hashable:
    """Return the key of a sentence's prosody. `graphs` name the voice and its BERT; `style` is the weighted vector.

    `symbols` are what the voice reads: equal phones may be written in two ways, with the spaces of other accent phrases.
    """
    # Without noise nothing is drawn, so the seed must not make another key.
    drawn = (request.seed, sentence) if request.noise_w and draws_noise else None
    assist = (request.assist_text, request.assist_weight) if request.assist_weight else None
    numbers = (request.speaker, request.sdp_ratio, request.noise_w, request.bert_weight)
    return graphs, phones, symbols, style.tobytes(), numbers, assist, drawn


def build_rendering_key(
    prosody: Hashable,
    request: SynthesisRequest,
    targets: Sequence[FrameTarget],
    sentence: int,
    *,
    manner: Manner | None = None,
    flow_offsets: tuple[float, ...] = (),
) -> Hashable:
    """Return the key of a sentence's samples: everything they depend on but the volume, and the pitch only where the voice takes a melody.

    `manner` is that of a voice that takes a melody; `flow_offsets` are semitones by mora, where the flow makes them.
    """
    melody = None if manner is None else (manner, request.pitch, request.intonation, request.accent_fidelity, request.variation)
    return prosody, request.speed, tuple(targets), request.noise, request.seed, sentence, melody, flow_offsets


def build_pitched_key(rendering: Hashable, change: PitchChange | None) -> Hashable:
    """Return the key of a sentence's samples after its pitch was changed behind the decoder."""
    return rendering if change is None else (rendering, change)
