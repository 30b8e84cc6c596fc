"""What distinguishes a Nanairo voice from a JP-Extra one, by its tensors alone: its settings may be another's, or lost on the way.

Nanairo grew in four stages that call themselves the same: A has more symbols, B transformers for the durations and kinds of symbols, C another
name for the kinds, D another way to a speaker that Koebako does not take. What lies beyond them is refused, as its meaning is not known.
"""

from __future__ import annotations

from app.core.symbol_kinds import KIND_COUNT
from app.core.symbols import NANAIRO_SYMBOLS, SYMBOLS
from app.errors import VoiceError
from app.language import localized
from app.voices.prepare.weights.tensors import ANY, Weights

SYMBOL_TABLE = "enc_p.emb.weight"
KIND_TABLES = ("duration_symbol_type_emb.weight", "duration_token_type_emb.weight")  # of the stages C and D, and of B
TRANSFORMER = "dp.transformer_encoder.attn_layers.0.conv_q.weight"
SPEAKER_TABLE = "emb_g.weight"
_OTHER_SPEAKERS = ("speaker_adapter.gate_logit", "speaker_projection_scale", "speaker_isometric_projection")


def symbol_count(weights: Weights, hidden: int) -> int:
    """Rows of the table of symbols: JP-Extra's or Nanairo's; a VoiceError for any other."""
    rows = weights.take(SYMBOL_TABLE, ANY, hidden).shape[0]
    if rows > NANAIRO_SYMBOLS:
        raise _unknown(
            f"記号が {rows} 個ある声には対応していません（Nanairo の記号は {NANAIRO_SYMBOLS} 個です）。",
            f"Voices with {rows} symbols are not supported (Nanairo has {NANAIRO_SYMBOLS}).",
        )
    return NANAIRO_SYMBOLS if rows == NANAIRO_SYMBOLS else weights.take(SYMBOL_TABLE, len(SYMBOLS), hidden).shape[0]


def kind_table(weights: Weights, hidden: int) -> str | None:
    """Name of the table of symbol kinds, None without one; a VoiceError where its kinds are not the known ones."""
    name = next((name for name in KIND_TABLES if name in weights), None)
    if name is None:
        return None
    kinds = weights.take(name, ANY, hidden).shape[0]
    if kinds != KIND_COUNT:
        raise _unknown(
            f"記号の種類が {kinds} 個ある声には対応していません（{name}、Nanairo の種類は {KIND_COUNT} 個です）。",
            f"Voices with {kinds} kinds of symbols are not supported ({name}; Nanairo has {KIND_COUNT}).",
        )
    return name


def require_own_speakers(weights: Weights) -> None:
    """Raises VoiceError for a voice whose speaker can only be given as a vector."""
    if SPEAKER_TABLE in weights:
        return
    if any(name in weights for name in _OTHER_SPEAKERS):
        raise _unknown(
            "外部の話者埋め込み（speaker embedding）が必要な Nanairo の声には対応していません。",
            "Nanairo voices that require an external speaker embedding are not supported.",
            localized("話者を含む声を選んでください。", "Choose a voice that has its own speakers."),
        )
    raise VoiceError(
        localized("話者の埋め込みを含まない声には対応していません。", "Voices without a speaker embedding are not supported."),
        localized("Style-Bert-VITS2 の声を選んでください。", "Choose a Style-Bert-VITS2 voice."),
    )


def _unknown(ja: str, en: str, hint: str | None = None) -> VoiceError:
    newer = localized("Koebako を更新してください。", "Update Koebako.")
    return VoiceError(localized(ja, en), hint or newer)
