"""What the lean graph is built from: the tensors of a DeBERTa by the names that Hugging Face's implementation gives them."""

from __future__ import annotations

from typing import Protocol

from app.core.types import Float32
from app.errors import VoiceError
from app.language import by_frontend, localized
from app.voices.prepare.bert.architecture import Architecture

LONGEST_REASON = 200  # characters, as it may quote what a stranger wrote


class Tensors(Protocol):
    """Weights of one model, read when asked for, so that a gigabyte of them is never held twice.

    Attributes:
        architecture: its sizes.
    """

    architecture: Architecture

    def tensor(self, name: str) -> Float32:
        """The tensor called `name` (without `model.deberta.`) as float32; VoiceError where there is none."""

    def product(self, name: str) -> Float32:
        """The matrix of the linear layer `name` as (inputs, outputs)."""

    def places(self, layer: int) -> tuple[Float32, Float32]:
        """Positions as keys and as queries of a layer, projected and with bias: each (rows, hidden)."""


def not_deberta(reason: str) -> VoiceError:
    """The file holds something else; the reason may quote it."""
    if len(reason) > LONGEST_REASON:
        reason = reason[:LONGEST_REASON] + "…"
    get = by_frontend(
        localized(
            "声のカードの「BERT をダウンロード…」でダウンロードしてください。", "download it with “Download BERT…” on the card of a voice."
        ),
        localized("koebako bert add --hub でダウンロードしてください。", "download it with `koebako bert add --hub`."),
    )
    return VoiceError(
        localized(
            f"この BERT は追加できません。Style-Bert-VITS2 が使う DeBERTa-v2 ではないようです（{reason}）。",
            f"This BERT cannot be used: it is not a DeBERTa-v2 as used by Style-Bert-VITS2 ({reason}).",
        ),
        localized(
            f"deberta-v2-large-japanese-char-wwm の model_fp16.onnx、model.onnx、model.safetensors のいずれかを選ぶか、{get}",
            f"Choose model_fp16.onnx, model.onnx or model.safetensors of deberta-v2-large-japanese-char-wwm, or {get}",
        ),
    )
