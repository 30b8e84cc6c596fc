"""Distinguishes a Nanairo voice from a JP-Extra one by its tensors alone: its settings may be another's, or lost on the way.

Nanairo grew in four stages that call themselves the same: A has more symbols, B transformers for the durations and kinds of symbols, C another
name for the kinds, D another way to a speaker that Koebako does not take. What lies beyond them is refused, as its meaning is not known.
"""

from __future__ import annotations

from app.common.errors import VoiceError
from app.common.language import localize
from app.core.symbol_kinds import SYMBOL_KIND_COUNT
from app.core.symbols import NANAIRO_SYMBOL_COUNT, SYMBOLS
from app.voices.prepare.weights.checked_weights import ANY_SIZE, VoiceWeights

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
    if name is None:
        return None
    kinds = weights.take_tensor(name, ANY_SIZE, hidden).shape[0]
    if kinds != SYMBOL_KIND_COUNT:
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
    raise VoiceError(
        localize("話者の埋め込みを含まない声には対応していません。", "Voices without a speaker embedding are not supported."),
        localize("Style-Bert-VITS2 の声を選んでください。", "Choose a Style-Bert-VITS2 voice."),
    )


def _build_unknown_table_error(ja: str, en: str, hint: str | None = None) -> VoiceError:
    newer = localize("Koebako を更新してください。", "Update Koebako.")
    return VoiceError(localize(ja, en), hint or newer)
