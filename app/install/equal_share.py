"""Measures whether a voice speaks the same with a BERT in int8: the same number of frames for nearly every symbol."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.bert import OrtBert
from app.adapters.ort.session import open_session
from app.adapters.ort.synthesizer import OrtSynthesizer
from app.compose.text import open_g2p
from app.core.durations import symbol_frames
from app.core.types import Float32, Int64, Phones
from app.install.sentences import SENTENCES, prosody_input
from app.voices.bert import PRECISIONS, Bert, Precision
from app.voices.voice import Voice


@dataclass(frozen=True, slots=True)
class Reading:
    """What a BERT makes of the sentences: their phones, and their token features (n, 1024) by precision."""

    sentences: list[Phones]
    features: dict[Precision, list[Float32]]


def read_by(bert: Bert) -> Reading:
    """Lets a BERT read the sentences in both precisions, one after the other: the exact one takes a gigabyte."""
    g2p, tokenizer = open_g2p(), CharTokenizer(bert.vocabulary)
    sentences = [g2p.convert(text) for text in SENTENCES]
    texts = [tokenizer.encode(phones.text) for phones in sentences]
    features = {}
    for precision in PRECISIONS:
        runner = OrtBert(open_session(bert.graphs[precision], "cpu", "BERT").session, bert.id)
        features[precision] = [runner.run(ids) for ids in texts]
    return Reading(sentences, features)


def equal_share(voice: Voice, reading: Reading) -> float:
    """The share of symbols that last as many frames with int8 features as with exact ones, 0..1.

    A voice of one graph cannot be measured; it keeps the exact features.
    """
    prosody = open_session(voice.graphs["prosody"], "cpu", voice.manifest.name).session
    synthesizer = OrtSynthesizer(prosody, None, prosody, voice.manifest.multilingual)  # nothing is decoded
    equal = [
        frames_of(voice, synthesizer, phones, exact) == frames_of(voice, synthesizer, phones, quantised)
        for phones, exact, quantised in zip(reading.sentences, reading.features["float32"], reading.features["int8"], strict=True)
    ]
    return float(np.concatenate(equal).mean())


def frames_of(voice: Voice, synthesizer: OrtSynthesizer, phones: Phones, tokens: Float32) -> Int64:
    """Frames of each symbol, with the same noise every time."""
    info = voice.manifest
    speaker, style = (min((item.id for item in items), default=0) for items in (info.speakers, info.styles))
    values = prosody_input(voice, phones, tokens, speaker=speaker, style=style)
    return symbol_frames(synthesizer.prosody(values).logw, 1.0, info.durations)
