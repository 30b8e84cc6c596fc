"""Which network a voice is: sizes read from its tensors, and from its settings what no tensor shows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from app.errors import VoiceError
from app.language import localized
from app.voices.prepare.weights.nanairo import TRANSFORMER, kind_table, require_own_speakers, symbol_count
from app.voices.prepare.weights.tensors import ANY, Weights
from app.voices.untrusted.limits import LARGEST_HOP_SAMPLES, LARGEST_LAYER_NUMBER
from app.voices.untrusted.settings import Section

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


def read_architecture(config: Section, weights: Weights) -> Architecture:
    """Sizes from `config.json` and the tensors; a VoiceError says which part of a voice is not supported."""
    model = config.section("model", required=True)
    _refuse_other_networks(model, weights)
    hidden = weights.take("enc_p.emb.weight", ANY, ANY).shape[1]
    heads = model.whole("n_heads", 2, 1, max(hidden, 1))
    if hidden % heads:
        raise model.wrong("n_heads", localized(f"{hidden} を {heads} で割り切れません", f"{heads} does not divide {hidden}"))
    rates, dilations = _decoder_stages(config, model, weights)
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


def _decoder_stages(config: Section, model: Section, weights: Weights) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Upsampling rates and dilations, which only the settings state; a VoiceError where they contradict each other or the weights."""
    rates = model.wholes("upsample_rates", (8, 8, 2, 2, 2), 1, LARGEST_LAYER_NUMBER)
    dilations = model.whole_lists("resblock_dilation_sizes", ((1, 3, 5),) * 3, 1, LARGEST_LAYER_NUMBER)
    data = config.section("data", required=True)
    hop, made = data.whole("hop_length", 512, 1, LARGEST_HOP_SAMPLES), math.prod(rates)
    if made != hop:
        raise data.wrong(
            "hop_length",
            localized(f"{hop} ですが、upsample_rates の積は {made} です", f"it is {hop}, but upsample_rates multiply to {made}"),
        )
    stages, blocks = weights.count("dec.ups"), weights.count("dec.resblocks")
    if stages != len(rates):
        raise _other_count(model, "upsample_rates", len(rates), stages)
    if blocks != stages * len(dilations):
        raise _other_count(model, "resblock_dilation_sizes", len(dilations), blocks // max(stages, 1))
    return rates, dilations


def _other_count(model: Section, key: str, stated: int, found: int) -> VoiceError:
    return model.wrong(
        key, localized(f"{stated} 個ありますが、重みには {found} 個です", f"it has {stated} items, but the weights have {found}")
    )


def _refuse_other_networks(model: Section, weights: Weights) -> None:
    """Networks that the published trainer offers but no public voice uses, and those that are no SBV2 at all."""
    if "enc_p.style_proj.weight" not in weights or "dec.conv_pre.weight" not in weights:
        raise _unsupported("Style-Bert-VITS2 の声の重みではありません。", "These weights are not from a Style-Bert-VITS2 voice.")
    require_own_speakers(weights)
    if not model.truth("use_transformer_flow", True) or "flow.flows.0.enc.attn_layers.0.conv_q.weight" not in weights:
        raise _unsupported("Transformer 以外の flow を使う声には対応していません。", "Voices without a transformer flow are not supported.")
    if model.whole("resblock", 1, 0, LARGEST_LAYER_NUMBER) != 1 or "dec.resblocks.0.convs2.0.bias" not in weights:
        raise _unsupported("resblock 2 を使う声には対応していません。", "Voices with resblock type 2 are not supported.")


def _unsupported(ja: str, en: str) -> VoiceError:
    return VoiceError(localized(ja, en), localized("Style-Bert-VITS2 の声を選んでください。", "Choose a Style-Bert-VITS2 voice."))
