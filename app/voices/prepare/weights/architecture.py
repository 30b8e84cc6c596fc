"""Which network a voice is: sizes read from its tensors, and from its settings what no tensor shows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.errors import VoiceError
from app.json_text import whole
from app.language import localized
from app.voices.prepare.weights.nanairo import TRANSFORMER, kind_table, require_own_speakers, symbol_count
from app.voices.prepare.weights.tensors import ANY, Weights
from app.voices.untrusted.limits import LARGEST_LAYER_NUMBER

LANGUAGE_INPUTS = {"bert_proj": "bert", "ja_bert_proj": "ja_bert", "en_bert_proj": "en_bert"}


@dataclass(frozen=True, slots=True)
class Architecture:
    """Sizes of one voice.

    Attributes:
        hidden: channels of the text encoder.
        inter: channels of the prior and of z.
        gin: width of a speaker embedding.
        heads: attention heads.
        upsample_rates: of the decoder, outermost last; their product is the hop length.
        dilations: per residual block of a decoder stage, the dilations of its convolutions.
        bert_inputs: projection name → input name; three in multilingual voices.
        symbols: rows of the table of symbols.
        kinds: name of the table of symbol kinds, which the durations look at; None without one.
        transformer_durations: the durations come from transformers instead of convolutions.
    """

    hidden: int
    inter: int
    gin: int
    heads: int
    upsample_rates: tuple[int, ...]
    dilations: tuple[tuple[int, ...], ...]
    bert_inputs: dict[str, str]
    symbols: int
    kinds: str | None
    transformer_durations: bool


def read_architecture(config: Mapping[str, Any], weights: Weights) -> Architecture:
    """Sizes from `config.json` and the tensors; a VoiceError says which part of a voice is not supported."""
    _refuse_other_networks(config, weights)
    hidden = weights.take("enc_p.emb.weight", ANY, ANY).shape[1]
    try:
        model = config["model"]
        heads = whole(model["n_heads"], 1, max(hidden, 1))
        rates = tuple(whole(rate, 1, LARGEST_LAYER_NUMBER) for rate in model["upsample_rates"])
        dilations = tuple(
            tuple(whole(dilation, 1, LARGEST_LAYER_NUMBER) for dilation in block) for block in model["resblock_dilation_sizes"]
        )
        if hidden % heads:
            raise ValueError("sizes out of range")
        if math.prod(rates) != int(config["data"]["hop_length"]):
            raise ValueError("the decoder does not make a frame's samples")
        if weights.count("dec.ups") != len(rates) or weights.count("dec.resblocks") != len(rates) * len(dilations):
            raise ValueError("decoder stages that have no weights, or weights of no stage")
    except (KeyError, TypeError, ValueError, OverflowError) as exc:
        raise VoiceError(
            localized(
                "声の設定（config.json）が壊れているか、不足しています。",
                "The settings of this voice (config.json) are damaged or incomplete.",
            ),
            localized("声をもう一度ダウンロードしてください。", "Download the voice again."),
        ) from exc
    return Architecture(
        hidden=hidden,
        inter=weights.take("enc_p.proj.weight", ANY, hidden, 1).shape[0] // 2,
        gin=weights.take("emb_g.weight", ANY, ANY).shape[1],
        heads=heads,
        upsample_rates=rates,
        dilations=dilations,
        bert_inputs={layer: name for layer, name in LANGUAGE_INPUTS.items() if f"enc_p.{layer}.weight" in weights},
        symbols=symbol_count(weights, hidden),
        kinds=kind_table(weights, hidden),
        transformer_durations=TRANSFORMER in weights,
    )


def _refuse_other_networks(config: Mapping[str, Any], weights: Weights) -> None:
    """Networks that the published trainer offers but no public voice uses, and those that are no SBV2 at all."""
    model = config.get("model")
    settings = model if isinstance(model, dict) else {}
    if "enc_p.style_proj.weight" not in weights or "dec.conv_pre.weight" not in weights:
        raise _unsupported("Style-Bert-VITS2 の声の重みではありません。", "These weights are not from a Style-Bert-VITS2 voice.")
    require_own_speakers(weights)
    if settings.get("use_transformer_flow", True) is not True or "flow.flows.0.enc.attn_layers.0.conv_q.weight" not in weights:
        raise _unsupported("Transformer 以外の flow を使う声には対応していません。", "Voices without a transformer flow are not supported.")
    if str(settings.get("resblock", "1")) != "1" or "dec.resblocks.0.convs2.0.bias" not in weights:
        raise _unsupported("resblock 2 を使う声には対応していません。", "Voices with resblock type 2 are not supported.")


def _unsupported(ja: str, en: str) -> VoiceError:
    return VoiceError(localized(ja, en), localized("Style-Bert-VITS2 の声を選んでください。", "Choose a Style-Bert-VITS2 voice."))
