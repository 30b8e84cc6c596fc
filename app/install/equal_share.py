"""Measures whether a voice speaks the same with a BERT in int8: the same number of frames for nearly every symbol."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.bert import OrtBert
from app.adapters.ort.session import open_session
from app.adapters.ort.synthesizer import OrtSynthesizer
from app.compose import open_g2p
from app.core.durations import symbol_frames
from app.core.features import phone_features
from app.core.phones import phones_to_ids
from app.core.ports import ProsodyInput
from app.core.style import style_vector
from app.core.types import Float32, Int64, Phones
from app.voices.bert import PRECISIONS, Bert, Precision
from app.voices.voice import Voice

SENTENCES = (  # 1,600 symbols: the share is then known to half a percent
    "こんにちは。",
    "本当にそう思いますか？",
    "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。",
    "昨日の会議では、新しい計画について三時間も話し合いました！",
    "電車が遅れたため、約束の時間に間に合わないかもしれません。",
    "すみません、もう少しゆっくり話していただけますか？",
    "東京都では、来週から気温が下がる見込みです。",
    "彼女は静かに本を閉じて、窓の外の雪を眺めていた。",
    "夕方には家に帰って、温かいお茶を飲みながら本を読みました。",
    "この件につきましては、後ほど担当者からご連絡いたします。",
    "雨が止んだら、みんなで海を見に行こうよ！",
    "そのとき、遠くで鐘の音が静かに鳴り響いた。",
    "申し訳ありませんが、その質問にはお答えできません。",
    "朝早く起きて、庭の花に水をやるのが日課です。",
    "新しい技術が、人々の暮らしを少しずつ変えている。",
    "何か困ったことがあれば、いつでも言ってくださいね。",
)
NOISE_W, SDP_RATIO = 0.8, 0.2  # as a request has them by default


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
        _frames(voice, synthesizer, phones, exact) == _frames(voice, synthesizer, phones, quantised)
        for phones, exact, quantised in zip(reading.sentences, reading.features["float32"], reading.features["int8"], strict=True)
    ]
    return float(np.concatenate(equal).mean())


def _frames(voice: Voice, synthesizer: OrtSynthesizer, phones: Phones, tokens: Float32) -> Int64:
    """Frames of each symbol, with the same noise every time."""
    info = voice.manifest
    ids = phones_to_ids(phones, multilingual=info.multilingual, add_blank=info.add_blank)
    noise = np.random.default_rng(0).standard_normal((2, len(ids.phones)), dtype=np.float32) * np.float32(NOISE_W)
    style = style_vector(voice.style_vectors, min((item.id for item in info.styles), default=0), 1.0)
    speaker = min((item.id for item in info.speakers), default=0)
    features = phone_features(tokens, ids.word2ph)
    values = ProsodyInput(ids.phones, ids.tones, ids.language, features, style, speaker, SDP_RATIO, noise, ids.kinds)
    return symbol_frames(synthesizer.prosody(values).logw, 1.0, info.durations)
