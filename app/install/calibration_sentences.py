"""Sentences by which forms of a voice are made and judged, and how its prosody graph is given one."""

from __future__ import annotations

import numpy as np

from app.core.sound.durations import expand_to_phones
from app.core.sound.ports import ProsodyInput
from app.core.synthesis_types import Float32, Phones
from app.voices.prepared_voice import Voice

# 1,600 symbols: the share is then known to half a percent.
VOICE_CALIBRATION_SENTENCES = (
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
# As a request has them by default.
NOISE_W, SDP_RATIO = 0.8, 0.2


def build_prosody_input(voice: Voice, phones: Phones, tokens: Float32, *, speaker: int, style: int, seed: int = 0) -> ProsodyInput:
    """Return the input of one sentence as a request has it by default.

    Args:
        tokens: features of its BERT tokens (n, 1024).
        speaker, style: ids.
        seed: of the noise.
    """
    traits = voice.build_traits()
    ids = traits.encode_phones(phones)
    noise = np.random.default_rng(seed).standard_normal((2, len(ids.phones)), dtype=np.float32) * np.float32(NOISE_W)
    return ProsodyInput(
        phones=ids.phones,
        tones=ids.tones,
        language=ids.language,
        features=expand_to_phones(tokens, ids.word2ph) if voice.manifest.bert else None,
        style_vector=traits.build_style_vector(speaker, style, 1.0),
        speaker=speaker,
        sdp_ratio=SDP_RATIO,
        sdp_noise=noise,
        kinds=ids.kinds,
    )
