"""Measures whether a voice speaks as long with a candidate: the share of symbols that last the same number of frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import RunnableSession
from app.adapters.ort.ort_synthesizer import OrtBert
from app.common.files import paths
from app.compose.text_front_end import open_g2p
from app.core.sound.result_metrics import compute_equal_share
from app.core.synthesis_types import BERT_WIDTH, Float32, Int64, Phones
from app.install.calibration_sentences import VOICE_CALIBRATION_SENTENCES
from app.install.duration_agreement import open_prosody_model, predict_symbol_frames
from app.voices.installed_voices import list_installed_voices
from app.voices.prepared_voice import Voice


@dataclass(slots=True)
class FramesByBert:
    """Sentences read with one BERT and spoken by one voice, up to how long each symbol lasts."""

    voice: Voice
    vocabulary: Path
    _sentences: list[Phones] = field(default_factory=list)
    _exact: list[Int64] = field(default_factory=list)

    def record_expected(self, exact: RunnableSession) -> None:
        """Record the frames that follow from the exact graph."""
        g2p = open_g2p()
        self._sentences = [g2p.convert_sentence(text) for text in VOICE_CALIBRATION_SENTENCES]
        self._exact = self._predict_frames(exact, self.vocabulary)

    def compute_equal_share(self, session: RunnableSession, vocabulary: Path | None) -> float:
        """Return the share, 0 … 1, of equal frames with another graph of this BERT, which may have a vocabulary of its own."""
        return compute_equal_share(self._exact, self._predict_frames(session, vocabulary or self.vocabulary))

    def _predict_frames(self, session: RunnableSession, vocabulary: Path) -> list[Int64]:
        tokenizer, runner = CharTokenizer(vocabulary), OrtBert(session, "", BERT_WIDTH)
        model = open_prosody_model(self.voice)
        features: list[Float32] = [runner.run_graph(tokenizer.encode(phones.text)) for phones in self._sentences]
        return [predict_symbol_frames(self.voice, model, *given) for given in zip(self._sentences, features, strict=True)]


def find_voice_for(bert_id: str) -> Voice | None:
    """Return an installed voice that was trained with this BERT, or None."""
    usable = (
        voice for voice in list_installed_voices(paths.list_voice_dirs()) if voice.manifest.bert == bert_id and "prosody" in voice.graphs
    )
    return next(usable, None)
