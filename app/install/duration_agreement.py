"""Measures whether a voice speaks the same with a BERT in int8: the same number of frames for nearly every symbol."""

from __future__ import annotations

from dataclasses import dataclass

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import open_cpu_session
from app.adapters.ort.ort_synthesizer import OrtBert
from app.compose.graph_sessions import build_acoustic_model
from app.compose.text_front_end import open_g2p
from app.core.sound.acoustic import AcousticModel
from app.core.sound.result_metrics import compute_equal_share
from app.core.synthesis_types import Float32, Int64, Phones
from app.install.calibration_sentences import VOICE_CALIBRATION_SENTENCES, build_prosody_input
from app.voices.bert_models import BERT_PRECISIONS, BertModel, BertPrecision
from app.voices.prepared_voice import Voice


@dataclass(frozen=True, slots=True)
class BertReading:
    """A BERT's reading of the sentences: their phones, and their token features (n, 1024) by precision."""

    sentences: list[Phones]
    features: dict[BertPrecision, list[Float32]]


def read_with_bert(bert: BertModel) -> BertReading:
    """Read the sentences with a BERT in both precisions, one after the other: the exact one takes a gigabyte."""
    g2p, tokenizer = open_g2p(), CharTokenizer(bert.vocabulary)
    sentences = [g2p.convert_sentence(text) for text in VOICE_CALIBRATION_SENTENCES]
    texts = [tokenizer.encode(phones.text) for phones in sentences]
    features = {}
    for precision in BERT_PRECISIONS:
        runner = OrtBert(open_cpu_session(bert.graphs[precision], "BERT"), bert.id)
        features[precision] = [runner.run_graph(ids) for ids in texts]
    return BertReading(sentences, features)


def measure_duration_agreement(voice: Voice, reading: BertReading) -> float:
    """Return the share of symbols that last as many frames with int8 features as with exact ones, 0..1.

    A voice of one graph cannot be measured; it keeps the exact features.
    """
    model = open_prosody_model(voice)
    exact, quantised = (
        [predict_symbol_frames(voice, model, *given) for given in zip(reading.sentences, reading.features[precision], strict=True)]
        for precision in BERT_PRECISIONS
    )
    return compute_equal_share(exact, quantised)


def open_prosody_model(voice: Voice) -> AcousticModel:
    """Open the prosody graph of a voice on the CPU; the model that comes back can do no more than predict prosody."""
    return build_acoustic_model(voice, {"prosody": open_cpu_session(voice.graphs["prosody"], voice.manifest.name)})


def predict_symbol_frames(voice: Voice, model: AcousticModel, phones: Phones, tokens: Float32) -> Int64:
    """Return the frames of each symbol, int64 (T,), with the same noise every time; `tokens` are BERT's features (n, 1024)."""
    info = voice.manifest
    speaker, style = (min((item.id for item in items), default=0) for items in (info.speakers, info.styles))
    values = build_prosody_input(voice, phones, tokens, speaker=speaker, style=style)
    return model.compute_frames(model.predict_prosody(values))
