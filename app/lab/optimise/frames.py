"""Whether a voice speaks as long with a candidate: the share of symbols that last the same number of frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from app import paths
from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.bert import OrtBert
from app.adapters.ort.session import Session, open_session
from app.adapters.ort.synthesizer import OrtSynthesizer
from app.compose.text import open_g2p
from app.core.types import BERT_WIDTH, Float32, Int64, Phones
from app.install.equal_share import frames_of
from app.install.sentences import SENTENCES
from app.voices.library import installed_voices
from app.voices.voice import Voice


@dataclass(slots=True)
class FramesByBert:
    """Sentences read with one BERT and spoken by one voice, up to how long each symbol lasts."""

    voice: Voice
    vocabulary: Path
    _sentences: list[Phones] = field(default_factory=list)
    _exact: list[Int64] = field(default_factory=list)

    def expect(self, exact: Session) -> None:
        """What the exact graph makes of them."""
        g2p = open_g2p()
        self._sentences = [g2p.convert(text) for text in SENTENCES]
        self._exact = self._frames(exact, self.vocabulary)

    def equal_share(self, session: Session, vocabulary: Path | None) -> float:
        """0 … 1, of another graph of this BERT, which may have a vocabulary of its own."""
        found = self._frames(session, vocabulary or self.vocabulary)
        return float(np.mean(np.concatenate([a == b for a, b in zip(self._exact, found, strict=True)])))

    def _frames(self, session: Session, vocabulary: Path) -> list[Int64]:
        tokenizer, runner = CharTokenizer(vocabulary), OrtBert(session, "", BERT_WIDTH)
        prosody = open_session(self.voice.graphs["prosody"], "cpu", self.voice.manifest.name).session
        synthesizer = OrtSynthesizer(prosody, None, prosody, self.voice.manifest.multilingual)  # nothing is decoded
        features: list[Float32] = [runner.run(tokenizer.encode(phones.text)) for phones in self._sentences]
        return [frames_of(self.voice, synthesizer, *given) for given in zip(self._sentences, features, strict=True)]


def voice_for(bert_id: str) -> Voice | None:
    """An installed voice that was trained with this BERT."""
    usable = (voice for voice in installed_voices(paths.voice_dirs()) if voice.manifest.bert == bert_id and "prosody" in voice.graphs)
    return next(usable, None)
