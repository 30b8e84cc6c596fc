"""Runs the graphs of a voice or a BERT on a few sentences; their other forms are made and judged by what is recorded here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import RunnableSession, open_cpu_session
from app.adapters.ort.ort_synthesizer import OrtBert
from app.adapters.ort.recording_session import RecordedRun, RecordingSession
from app.common.files import paths
from app.compose.graph_sessions import build_acoustic_model
from app.compose.text_front_end import open_g2p
from app.core.sound.melody import build_melody_of_symbols
from app.core.sound.ports import Prosody, ProsodyInput
from app.core.synthesis_types import BERT_WIDTH, Float32, Int64, Phones, SynthesisRequest
from app.install.bert_verification import build_test_texts
from app.install.calibration_sentences import VOICE_CALIBRATION_SENTENCES, build_prosody_input
from app.voices.bert_models import list_installed_berts, read_bert, read_vocabulary
from app.voices.prepared_voice import Voice, read_prepared_voice

# Sentences whose frames are looked at.
FRAME_SENTENCE_COUNT = 6
MAX_CALIBRATION_FRAMES = 100  # of a sentence
# With features of another BERT, or of none, a symbol may become very long.
MAX_CALIBRATION_SYMBOL_FRAMES = 20
# As a request has it by default.
CALIBRATION_NOISE = 0.6


@dataclass(frozen=True, slots=True)
class CalibrationSentence:
    """One sentence as the prosody graph is given it; `number` seeds its noise, and `phones` say its melody."""

    number: int
    values: ProsodyInput
    phones: Phones


class CalibrationVoice:
    """A voice's three graphs, each in one form or another."""

    def __init__(self, voice: Voice, sessions: Mapping[str, RunnableSession]) -> None:
        self._model = build_acoustic_model(voice, sessions)

    def run_prosody(self, sentence: CalibrationSentence) -> tuple[Prosody, Int64]:
        """Log durations with the prior, and frames per symbol."""
        found = self._model.predict_prosody(sentence.values)
        return found, np.minimum(self._model.compute_frames(found), MAX_CALIBRATION_SYMBOL_FRAMES)

    def build_decoder_input(self, sentence: CalibrationSentence, prosody: Prosody, frames: Int64) -> Float32:
        """Build the decoder's input, (D, F), F at most LONGEST_FRAMES."""
        values = sentence.values
        traits, phones = self._model.voice, sentence.phones
        request = SynthesisRequest(phones.text, speaker=values.speaker)
        z = self._model.compute_flow(
            prosody,
            frames,
            noise=_draw_noise(sentence, (len(prosody.mean), int(frames.sum()))),
            noise_scale=CALIBRATION_NOISE,
            length_scale=1.0,
            speaker=values.speaker,
            style_vector=values.style_vector,
            melody=build_melody_of_symbols(phones, traits.encode_phones(phones).edges, frames, request, traits),
        )
        return z[:, :MAX_CALIBRATION_FRAMES]

    def decode_samples(self, sentence: CalibrationSentence, z: Float32) -> Float32:
        """Return the sound of a sentence."""
        traits = self._model.voice
        noise = _draw_noise(sentence, (z.shape[1] * traits.hop_length,)) if traits.decoder_noise else None
        values = sentence.values
        return self._model.decode_all_frames(z, noise=noise, speaker=values.speaker, style_vector=values.style_vector)


def _draw_noise(sentence: CalibrationSentence, shape: tuple[int, ...]) -> Float32:
    return np.random.default_rng(sentence.number).standard_normal(shape, dtype=np.float32)


def build_calibration_sentences(voice: Voice, texts: Sequence[str] = VOICE_CALIBRATION_SENTENCES) -> list[CalibrationSentence]:
    """Return the sentences with features of the voice's own BERT, or noise if it is missing; speakers and styles take turns."""
    g2p = open_g2p()
    phones = [g2p.convert_sentence(text) for text in texts]
    found = zip(phones, _compute_token_features(voice.manifest.bert, phones), strict=True)
    return [CalibrationSentence(number, _build_values(voice, number, *given), given[0]) for number, given in enumerate(found)]


def record_runs(graph: str, source: Path) -> list[RecordedRun]:
    """Return runs of a graph, several sentences.

    Args:
        graph: bert, prosody, flow or decoder.
        source: its file, in the folder of a prepared voice or of a BERT.

    Raises:
        VoiceError: the folder holds no such thing.
    """
    if graph == "bert":
        bert = read_bert(source.parent)
        known = len(read_vocabulary(source.parent))
        return [RecordedRun({"input_ids": ids}) for ids in build_test_texts(bert.vocabulary, known)]
    voice = read_prepared_voice(source.parent)
    sessions = {
        name: RecordingSession(open_cpu_session(file, voice.manifest.name))
        for name, file in voice.graphs.items()
        if name in ("prosody", "flow")
    }
    speaking = CalibrationVoice(voice, sessions)
    sentences = build_calibration_sentences(voice, VOICE_CALIBRATION_SENTENCES[1 : 1 + FRAME_SENTENCE_COUNT])
    frames = [(speaking.build_decoder_input(item, *speaking.run_prosody(item)), item.values) for item in sentences]
    if graph == "decoder":
        return [
            RecordedRun({"z": z, "sid": values.speaker, "style_vec": values.style_vector, "first": 0, "last": z.shape[1]})
            for z, values in frames
        ]
    return sessions[graph].runs


def fit_to_length(values: Mapping[str, Any], axes: Mapping[str, int], length: int) -> dict[str, Any]:
    """Return the values repeated, or cut, to a length along their free axes."""
    found = dict(values)
    for name, axis in axes.items():
        array = np.asarray(values[name])
        found[name] = np.take(array, np.arange(length) % array.shape[axis], axis=axis)
    if "last" in found:
        found |= {"first": 0, "last": length}
    return found


def _compute_token_features(bert_id: str, sentences: Iterable[Phones]) -> list[Float32]:
    """Return token features (n, 1024), or noise if the BERT is missing."""
    bert = next((item for item in list_installed_berts(paths.list_bert_dirs()) if item.id == bert_id), None)
    if bert is None:
        rng = np.random.default_rng(0)
        return [rng.standard_normal((len(phones.word2ph), BERT_WIDTH), dtype=np.float32) for phones in sentences]
    tokenizer = CharTokenizer(bert.vocabulary)
    runner = OrtBert(open_cpu_session(bert.graphs.get("int8", bert.graphs["float32"]), "BERT"), bert.id)
    return [runner.run_graph(tokenizer.encode(phones.text)) for phones in sentences]


def _build_values(voice: Voice, number: int, phones: Phones, tokens: Float32) -> ProsodyInput:
    info = voice.manifest
    speaker, style = (items[number % len(items)].id if items else 0 for items in (info.speakers, info.styles))
    return build_prosody_input(voice, phones, tokens, speaker=speaker, style=style, seed=number)
