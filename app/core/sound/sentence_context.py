"""The parts of a voice that the stages of every sentence use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from app.core.sound.acoustic import AcousticModel
from app.core.sound.ports import G2P, BertRunner, PitchTracker, SingleGraphSynthesizer, Synthesizer, Tokenizer
from app.core.sound.render_caches import RenderCaches
from app.core.sound.voice_traits import VoiceTraits


@dataclass(slots=True)
class SentenceContext:
    """The parts of one voice.

    Attributes:
        tokenizer, bert: None for a voice that needs no BERT.
        bert_id, graphs_id: name the BERT and the voice's graphs, and where they run, in the keys of caches.
        caches: share them between pipelines, so that a change of voice keeps them.
        tracker: finds the pitch where a request changes it; needed for nothing else.
    """

    g2p: G2P
    tokenizer: Tokenizer | None
    bert: BertRunner | None
    bert_id: str
    synthesizer: Synthesizer | SingleGraphSynthesizer
    is_single_graph: bool
    voice: VoiceTraits
    graphs_id: str = ""
    caches: RenderCaches = field(default_factory=RenderCaches)
    tracker: PitchTracker | None = None

    @property
    def acoustic_model(self) -> AcousticModel:
        """Return the acoustic model of a voice that is not one graph."""
        return AcousticModel(synthesizer=cast(Synthesizer, self.synthesizer), voice=self.voice)
