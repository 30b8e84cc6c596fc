"""The sizes of a voice's network, read from its tensors, or from its settings where no tensor shows them."""

import math
from dataclasses import dataclass

from app.common.errors import VoiceError
from app.common.language import localize
from app.core.symbols import NANAIRO_SYMBOL_COUNT, SYMBOLS
from app.core.text.phone_ids import SYMBOL_KIND_COUNT
from app.voices.prepare.weights.weight_layers import ANY_SIZE, VoiceWeights
from app.voices.untrusted.sbv2_config import ConfigSection
from app.voices.untrusted.voice_limits import MAX_HOP_SAMPLES, MAX_LAYER_NUMBER

# A Nanairo voice shows by its tensors alone: its settings may be another's, or lost on the way.
# Nanairo grew in four stages that call themselves the same: A has more symbols, B transformers for the durations and kinds of symbols, C another
# name for the kinds, D another way to a speaker that Koebako does not take. What is beyond them is refused, as its meaning is not known.

SYMBOL_TABLE_NAME = "enc_p.emb.weight"
KIND_TABLE_NAMES = ("duration_symbol_type_emb.weight", "duration_token_type_emb.weight")  # of the stages C and D, and of B
DURATION_TRANSFORMER_WEIGHT = "dp.transformer_encoder.attn_layers.0.conv_q.weight"
SPEAKER_TABLE_NAME = "emb_g.weight"
_SPEAKER_VECTOR_TENSORS = ("speaker_adapter.gate_logit", "speaker_projection_scale", "speaker_isometric_projection")


def count_symbols(weights: VoiceWeights, hidden: int) -> int:
    """Return the rows of the table of symbols, JP-Extra's or Nanairo's; raise VoiceError for any other."""
    rows = weights.take_tensor(SYMBOL_TABLE_NAME, ANY_SIZE, hidden).shape[0]
    if rows > NANAIRO_SYMBOL_COUNT:
        raise _build_unknown_table_error(
            f"記号が {rows} 個ある声には対応していません（Nanairo の記号は {NANAIRO_SYMBOL_COUNT} 個です）。",
            f"Voices with {rows} symbols are not supported (Nanairo has {NANAIRO_SYMBOL_COUNT}).",
        )
    return NANAIRO_SYMBOL_COUNT if rows == NANAIRO_SYMBOL_COUNT else weights.take_tensor(SYMBOL_TABLE_NAME, len(SYMBOLS), hidden).shape[0]


def find_kind_table(weights: VoiceWeights, hidden: int) -> str | None:
    """Return the name of the table of symbol kinds, None if there is none; raise VoiceError if its kinds are unknown."""
    name = next((name for name in KIND_TABLE_NAMES if name in weights), None)
    if name is not None and (kinds := weights.take_tensor(name, ANY_SIZE, hidden).shape[0]) != SYMBOL_KIND_COUNT:
        raise _build_unknown_table_error(
            f"記号の種類が {kinds} 個ある声には対応していません（{name}、Nanairo の種類は {SYMBOL_KIND_COUNT} 個です）。",
            f"Voices with {kinds} kinds of symbols are not supported ({name}; Nanairo has {SYMBOL_KIND_COUNT}).",
        )
    return name


def refuse_vector_speakers(weights: VoiceWeights) -> None:
    """Raise VoiceError for a voice whose speaker can only be given as a vector."""
    if SPEAKER_TABLE_NAME in weights:
        return
    if any(name in weights for name in _SPEAKER_VECTOR_TENSORS):
        raise _build_unknown_table_error(
            "外部の話者埋め込み（speaker embedding）が必要な Nanairo の声には対応していません。",
            "Nanairo voices that require an external speaker embedding are not supported.",
            localize("話者を含む声を選んでください。", "Choose a voice that has its own speakers."),
        )
    raise _build_unsupported_error(
        "話者の埋め込みを含まない声には対応していません。", "Voices without a speaker embedding are not supported."
    )


def _build_unknown_table_error(ja: str, en: str, hint: str | None = None) -> VoiceError:
    return VoiceError(localize(ja, en), hint or localize("Koebako を更新してください。", "Update Koebako."))


BERT_INPUT_BY_PROJECTION = {"bert_proj": "bert", "ja_bert_proj": "ja_bert", "en_bert_proj": "en_bert"}


@dataclass(frozen=True, slots=True)
class VoiceSizes:
    """Sizes of one voice."""

    hidden: int  # hidden, inter, gin: channels of the text encoder, channels of the prior and of z, width of a speaker embedding
    inter: int
    gin: int
    heads: int
    upsample_rates: tuple[int, ...]  # of the decoder, outermost last; their product is the hop length
    dilations: tuple[tuple[int, ...], ...]  # per residual block of a decoder stage, the dilations of its convolutions
    bert_inputs: dict[str, str]  # projection name → input name; three in multilingual voices
    symbol_count: int  # rows of the table of symbols
    kind_table: str | None  # name of the table of symbol kinds, which the durations look at; None without one
    has_transformer_durations: bool


def read_voice_sizes(config: ConfigSection, weights: VoiceWeights) -> VoiceSizes:
    """Return the sizes from `config.json` and the tensors; raise VoiceError with the part of the voice that is not supported."""
    model = config.read_section("model", is_required=True)
    _refuse_other_networks(model, weights)
    hidden = weights.take_tensor("enc_p.emb.weight", ANY_SIZE, ANY_SIZE).shape[1]
    heads = model.read_integer("n_heads", 2, 1, max(hidden, 1))
    if hidden % heads:
        raise model.build_field_error("n_heads", localize(f"{hidden} を {heads} で割り切れません", f"{heads} does not divide {hidden}"))
    rates, dilations = _read_decoder_stages(config, model, weights)
    return VoiceSizes(
        hidden=hidden,
        inter=weights.take_tensor("enc_p.proj.weight", ANY_SIZE, hidden, 1).shape[0] // 2,
        gin=weights.take_tensor("emb_g.weight", ANY_SIZE, ANY_SIZE).shape[1],
        heads=heads,
        upsample_rates=rates,
        dilations=dilations,
        bert_inputs={layer: name for layer, name in BERT_INPUT_BY_PROJECTION.items() if f"enc_p.{layer}.weight" in weights},
        symbol_count=count_symbols(weights, hidden),
        kind_table=find_kind_table(weights, hidden),
        has_transformer_durations=DURATION_TRANSFORMER_WEIGHT in weights,
    )


def _read_decoder_stages(
    config: ConfigSection, model: ConfigSection, weights: VoiceWeights
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Return upsampling rates and dilations, which only the settings state; raise VoiceError if they contradict each other or the weights."""
    rates = model.read_integers("upsample_rates", (8, 8, 2, 2, 2), 1, MAX_LAYER_NUMBER)
    dilations = model.read_integer_lists("resblock_dilation_sizes", ((1, 3, 5),) * 3, 1, MAX_LAYER_NUMBER)
    data = config.read_section("data", is_required=True)
    hop, product = data.read_integer("hop_length", 512, 1, MAX_HOP_SAMPLES), math.prod(rates)
    if product != hop:
        reason = localize(f"{hop} ですが、upsample_rates の積は {product} です", f"it is {hop}, but upsample_rates multiply to {product}")
        raise data.build_field_error("hop_length", reason)
    stages, blocks = weights.count_layers("dec.ups"), weights.count_layers("dec.resblocks")
    if stages != len(rates):
        raise _build_count_mismatch_error(model, "upsample_rates", len(rates), stages)
    if blocks != stages * len(dilations):
        raise _build_count_mismatch_error(model, "resblock_dilation_sizes", len(dilations), blocks // max(stages, 1))
    return rates, dilations


def _build_count_mismatch_error(model: ConfigSection, key: str, stated: int, actual: int) -> VoiceError:
    reason = localize(f"{stated} 個ありますが、重みには {actual} 個です", f"it has {stated} items, but the weights have {actual}")
    return model.build_field_error(key, reason)


def _refuse_other_networks(model: ConfigSection, weights: VoiceWeights) -> None:
    """Raise VoiceError for networks that the published trainer offers but no public voice uses, and for networks of other models."""
    if "enc_p.style_proj.weight" not in weights or "dec.conv_pre.weight" not in weights:
        raise _build_unsupported_error(
            "Style-Bert-VITS2 の声の重みではありません。", "These weights are not from a Style-Bert-VITS2 voice."
        )
    refuse_vector_speakers(weights)
    if not model.read_boolean("use_transformer_flow", True) or "flow.flows.0.enc.attn_layers.0.conv_q.weight" not in weights:
        raise _build_unsupported_error(
            "Transformer 以外の flow を使う声には対応していません。", "Voices without a transformer flow are not supported."
        )
    if model.read_integer("resblock", 1, 0, MAX_LAYER_NUMBER) != 1 or "dec.resblocks.0.convs2.0.bias" not in weights:
        raise _build_unsupported_error("resblock 2 を使う声には対応していません。", "Voices with resblock type 2 are not supported.")


def _build_unsupported_error(ja: str, en: str) -> VoiceError:
    return VoiceError(localize(ja, en), localize("Style-Bert-VITS2 の声を選んでください。", "Choose a Style-Bert-VITS2 voice."))
