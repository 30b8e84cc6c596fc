"""What the pipeline remembers, and what each thing depends on: a change of anything else finds it again.

phones     text, readings, whether emoji are spoken, whether memos are left out
features   BERT, text
prosody    voice, BERT, phones and tones, style, speaker, sdp ratio, BERT weight, assist text, noise of durations
renderings prosody, speed, pauses and lengths, noise, seed, place in the request — all but the volume; and with another pitch, pitch and intonation
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.core.cache import LRUCache
from app.core.durations import FrameTarget
from app.core.ports import G2P, FeatureStore, Prosody
from app.core.types import Float16, Float32, Phones, PhoneTiming, ReadingOverride, SynthesisRequest

if TYPE_CHECKING:
    from app.core.pitch import PitchChange


@dataclass(frozen=True, slots=True)
class Rendering:
    """One rendering of a sentence, before the volume is set.

    Attributes:
        pieces: samples of each window, read-only.
        timings: of its phones.
        frames: frames of the whole sentence.
    """

    pieces: tuple[Float32, ...]
    timings: tuple[PhoneTiming, ...]
    frames: int

    @property
    def size(self) -> int:
        """Bytes held; a piece may be a part of a larger window."""
        return 100 * len(self.timings) + sum((piece if piece.base is None else piece.base).nbytes for piece in self.pieces)


@dataclass(slots=True)
class Caches:
    """Share them between pipelines, so that a change of voice and back finds everything again.

    Attributes:
        stored: features kept beyond the end of the program, if any.
    """

    phones: LRUCache[Phones] = field(default_factory=lambda: LRUCache(2048, 16 << 20))
    features: LRUCache[Float16] = field(default_factory=lambda: LRUCache(1024, 32 << 20))
    prosody: LRUCache[Prosody] = field(default_factory=lambda: LRUCache(256, 16 << 20))
    renderings: LRUCache[Rendering] = field(default_factory=lambda: LRUCache(512, 64 << 20))
    stored: FeatureStore | None = None

    def clear(self) -> None:
        """Forgets everything in memory."""
        for cache in (self.phones, self.features, self.prosody, self.renderings):
            cache.clear()

    def forget_sound(self) -> None:
        """Forgets what came out of a voice's graphs; text and features stay."""
        self.prosody.clear()
        self.renderings.clear()


def remembered_phones(
    g2p: G2P,
    cache: LRUCache[Phones] | None,
    text: str,
    readings: tuple[ReadingOverride, ...] = (),
    *,
    emoji: bool = False,
    doubts: bool = False,
    memos: bool = False,
) -> tuple[Phones, bool]:
    """Phones of a sentence, and whether they were remembered; what is converted now is remembered from now on, with doubts or without."""
    memos = memos or g2p.memos
    key = (text, readings, emoji, memos)
    for known in (True,) if doubts else (True, False):
        if cache is not None and (found := cache.get((*key, known))) is not None:
            return found, True
    phones = g2p.convert(text, readings, emoji=emoji, doubts=doubts, memos=memos)
    if cache is not None:
        cache.put((*key, doubts), phones, phones.size)
    return phones, False


def prosody_key(graphs: tuple[str, str], request: SynthesisRequest, style: Float32, phones: Phones, sentence: int) -> Hashable:
    """What the prosody of a sentence depends on. `graphs` name the voice and its BERT; `style` is the vector, weight included."""
    drawn = (request.seed, sentence) if request.noise_w else None
    assist = (request.assist_text, request.assist_weight) if request.assist_weight else None
    numbers = (request.speaker, request.sdp_ratio, request.noise_w, request.bert_weight)
    return graphs, phones, style.tobytes(), numbers, assist, drawn


def rendering_key(prosody: Hashable, request: SynthesisRequest, targets: Sequence[FrameTarget], sentence: int) -> Hashable:
    """What the samples of a sentence depend on, the volume left out."""
    return prosody, request.speed, tuple(targets), request.noise, request.seed, sentence


def pitched_key(rendering: Hashable, change: PitchChange | None) -> Hashable:
    """What the samples of a sentence depend on when its pitch is changed after the decoder."""
    return rendering if change is None else (rendering, change)
