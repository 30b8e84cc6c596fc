"""The weights from which the lean graph is built: the tensors of a DeBERTa by the names that Hugging Face's implementation gives them."""

from dataclasses import dataclass
from typing import Protocol

from app.common.errors import VoiceError
from app.common.language import choose_by_frontend, localize
from app.core.synthesis_types import Float32

MAX_REASON_LENGTH = 200  # in characters; the reason may quote text from a stranger's file

UNUSED_TOP_LAYERS = 2  # Style-Bert-VITS2 reads `hidden_states[-3]`: what the third layer from the top is given by the one below


@dataclass(frozen=True, slots=True)
class DebertaSizes:
    """Sizes of one model; `layers` counts those that the features depend on, `hidden` is the width of a token between layers, `inner` inside the feed-forward part."""

    layers: int
    heads: int
    hidden: int
    inner: int
    vocabulary: int
    epsilon: float

    @property
    def head_width(self) -> int:
        """Return how many numbers of a token one head works with."""
        return self.hidden // self.heads


def count_needed_layers(layer_count: int) -> int:
    """Return how many layers of a whole model the features depend on; raise ValueError when too few are there."""
    if layer_count <= UNUSED_TOP_LAYERS:
        raise ValueError(f"a model of {layer_count} layers")
    return layer_count - UNUSED_TOP_LAYERS


class DebertaWeights(Protocol):
    """Weights of one model of this `architecture`, read when asked for, so that a gigabyte of them is never held twice."""

    architecture: DebertaSizes

    def read_tensor(self, name: str) -> Float32:
        """Return the tensor called `name` (without `model.deberta.`) as float32; raise VoiceError if there is none."""

    def read_matrix(self, name: str) -> Float32:
        """Return the matrix of the linear layer `name` as (inputs, outputs)."""

    def read_position_tables(self, layer: int) -> tuple[Float32, Float32]:
        """Return the positions as keys and as queries of a layer, projected and with bias: each (rows, hidden)."""


def build_not_deberta_error(reason: str) -> VoiceError:
    """Return the error for a file that holds something else; the reason may quote the file."""
    if len(reason) > MAX_REASON_LENGTH:
        reason = reason[:MAX_REASON_LENGTH] + "…"
    get = choose_by_frontend(
        localize(
            "声のカードの「BERT をダウンロード…」でダウンロードしてください。", "download it with “Download BERT…” on the card of a voice."
        ),
        localize("koebako bert add --hub でダウンロードしてください。", "download it with `koebako bert add --hub`."),
    )
    return VoiceError(
        localize(
            f"この BERT は追加できません。Style-Bert-VITS2 が使う DeBERTa-v2 ではないようです（{reason}）。",
            f"This BERT cannot be used: it is not a DeBERTa-v2 as used by Style-Bert-VITS2 ({reason}).",
        ),
        localize(
            f"deberta-v2-large-japanese-char-wwm の model_fp16.onnx、model.onnx、model.safetensors のいずれかを選ぶか、{get}",
            f"Choose model_fp16.onnx, model.onnx or model.safetensors of deberta-v2-large-japanese-char-wwm, or {get}",
        ),
    )
