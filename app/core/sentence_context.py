"""What the stages of a sentence use, whichever sentence it is."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.core.ports import G2P, BertRunner, OpaqueSynthesizer, PitchTracker, Synthesizer, Tokenizer
from app.core.renderings import Caches
from app.core.voice import VoiceTraits


@dataclass(slots=True)
class SentenceContext:
    """The parts of one voice.

    Attributes:
        bert_id, sound_id: name the BERT and the voice's graphs, and where they run, in the keys of caches.
        caches: share them between pipelines, so that a change of voice keeps them.
        tracker: finds the pitch where a request changes it; needed for nothing else.
    """

    g2p: G2P
    tokenizer: Tokenizer
    bert: BertRunner
    bert_id: str
    synthesizer: Synthesizer | OpaqueSynthesizer
    opaque: bool
    voice: VoiceTraits
    sound_id: str = ""
    caches: Caches = field(default_factory=Caches)
    tracker: PitchTracker | None = None
