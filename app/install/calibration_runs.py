"""Records graph inputs and sound of a voice for a few sentences; its other forms are made and judged by these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import GraphSession, RunnableSession, open_session
from app.adapters.ort.ort_bert import OrtBert
from app.adapters.ort.ort_synthesizer import OrtSynthesizer
from app.common.files import paths
from app.compose.text_front_end import open_g2p
from app.core.durations import compute_symbol_frames, expand_prior
from app.core.ports import Prosody, ProsodyInput
from app.core.synthesis_types import BERT_WIDTH, Float32, Int64, Phones
from app.install.calibration_sentences import VOICE_CALIBRATION_SENTENCES, build_prosody_input
from app.voices.bert_models import list_installed_berts
from app.voices.prepared_voice import Voice
from app.voices.voice_manifest import VoiceManifest

# Sentences whose frames are looked at.
FRAME_SENTENCE_COUNT = 6
MAX_CALIBRATION_FRAMES = 100  # of a sentence
# With features of another BERT, or of none, a symbol may become very long.
MAX_CALIBRATION_SYMBOL_FRAMES = 20
# As a request has it by default.
CALIBRATION_NOISE = 0.6

WrapSession = Callable[[str, GraphSession], RunnableSession]


class RecordingSession:
    """A session that keeps what it is given.

    Attributes:
        given: of every run, the values that the graph declares.
    """

    def __init__(self, session: RunnableSession) -> None:
        self.given: list[dict[str, Any]] = []
        self.inputs, self.outputs, self.terminate = session.inputs, session.outputs, session.terminate
        self._session = session

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Run the graph and record the run."""
        self.given.append({name: value for name, value in values.items() if name in self.inputs})
        return self._session.run_graph(values, outputs)


@dataclass(frozen=True, slots=True)
class CalibrationSentence:
    """One sentence as the prosody graph is given it; `number` seeds its noise."""

    number: int
    values: ProsodyInput


class CalibrationVoice:
    """A voice's three graphs, each in one form or another."""

    def __init__(self, manifest: VoiceManifest, sessions: dict[str, RunnableSession]) -> None:
        self._info = manifest
        flow = sessions.get("flow")
        self._synthesizer = OrtSynthesizer(sessions["prosody"], flow, sessions["decoder"], manifest.multilingual)

    def run_prosody(self, sentence: CalibrationSentence) -> tuple[Prosody, Int64]:
        """Log durations with the prior, and frames per symbol."""
        found = self._synthesizer.run_prosody(sentence.values)
        return found, np.minimum(compute_symbol_frames(found.logw, 1.0, self._info.durations), MAX_CALIBRATION_SYMBOL_FRAMES)

    def build_decoder_input(self, sentence: CalibrationSentence, prosody: Prosody, frames: Int64) -> Float32:
        """Build the decoder's input, (D, F), F at most LONGEST_FRAMES."""
        values = sentence.values
        noise = np.random.default_rng(sentence.number)
        given = expand_prior(prosody, frames, noise, CALIBRATION_NOISE, 1.0, values.speaker, values.style_vector)
        return self._synthesizer.run_flow(given)[:, :MAX_CALIBRATION_FRAMES]

    def decode_samples(self, sentence: CalibrationSentence, z: Float32) -> Float32:
        """Return the sound of a sentence."""
        count, noise = z.shape[1], None
        if self._synthesizer.takes_decoder_noise:
            noise = np.random.default_rng(sentence.number).standard_normal(count * self._info.hop_length, dtype=np.float32)
        return self._synthesizer.decode_window(z, noise, sentence.values.speaker, (0, count))

    def speak_sentence(self, sentence: CalibrationSentence, frames: Int64) -> Float32:
        """From text to sound, with durations that are given."""
        prosody, _ = self.run_prosody(sentence)
        return self.decode_samples(sentence, self.build_decoder_input(sentence, prosody, frames))


def build_calibration_sentences(voice: Voice, texts: Sequence[str] = VOICE_CALIBRATION_SENTENCES) -> list[CalibrationSentence]:
    """Return the sentences with features of the voice's own BERT, or noise if it is missing; speakers and styles take turns."""
    g2p = open_g2p()
    phones = [g2p.convert_sentence(text) for text in texts]
    found = zip(phones, _compute_token_features(voice.manifest.bert, phones), strict=True)
    return [CalibrationSentence(number, _build_values(voice, number, *given)) for number, given in enumerate(found)]


def compute_decoder_inputs(voice: Voice, wrap_session: WrapSession) -> list[tuple[Float32, int]]:
    """Return the inputs of a voice's decoder for some sentences, z (D, F) and the speaker.

    Args:
        wrap_session: may put something between us and the sessions of prosody and flow.
    """
    names = [name for name in ("prosody", "flow") if name in voice.graphs]
    sessions = {name: wrap_session(name, open_session(voice.graphs[name], "cpu", voice.manifest.name).session) for name in names}
    voiced = CalibrationVoice(voice.manifest, sessions | {"decoder": sessions["prosody"]})  # nothing is decoded
    sentences = build_calibration_sentences(voice, VOICE_CALIBRATION_SENTENCES[1 : 1 + FRAME_SENTENCE_COUNT])
    return [(voiced.build_decoder_input(item, *voiced.run_prosody(item)), item.values.speaker) for item in sentences]


def _compute_token_features(bert_id: str, sentences: Iterable[Phones]) -> list[Float32]:
    """Return token features (n, 1024), or noise if the BERT is missing."""
    bert = next((item for item in list_installed_berts(paths.list_bert_dirs()) if item.id == bert_id), None)
    if bert is None:
        rng = np.random.default_rng(0)
        return [rng.standard_normal((len(phones.word2ph), BERT_WIDTH), dtype=np.float32) for phones in sentences]
    tokenizer = CharTokenizer(bert.vocabulary)
    runner = OrtBert(open_session(bert.graphs.get("int8", bert.graphs["float32"]), "cpu", "BERT").session, bert.id)
    return [runner.run_graph(tokenizer.encode(phones.text)) for phones in sentences]


def _build_values(voice: Voice, number: int, phones: Phones, tokens: Float32) -> ProsodyInput:
    info = voice.manifest
    speaker, style = (items[number % len(items)].id if items else 0 for items in (info.speakers, info.styles))
    return build_prosody_input(voice, phones, tokens, speaker=speaker, style=style, seed=number)
