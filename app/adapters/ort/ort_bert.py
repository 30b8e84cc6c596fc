"""Token ids to features by a BERT graph of any exporter."""

from __future__ import annotations

import numpy as np

from app.adapters.ort.graph_session import RunnableSession
from app.common.errors import VoiceError
from app.common.language import localize
from app.core.synthesis_types import BERT_WIDTH, Float32, Int64


class OrtBert:
    """Implements `app.core.sound.ports.BertRunner`.

    Attributes:
        id: which BERT this is; voices name the one they were trained with.
    """

    def __init__(self, session: RunnableSession, bert_id: str, width: int = BERT_WIDTH) -> None:
        self._session = session
        self._width = width
        self.id = bert_id

    def run_graph(self, token_ids: Int64) -> Float32:
        """Return float32 (n, 1024) for int64 (n,), rows of [CLS] and [SEP] included."""
        values = {"input_ids": token_ids, "attention_mask": np.ones_like(token_ids), "token_type_ids": np.zeros_like(token_ids)}
        output = self._session.run_graph(values, self._session.outputs[:1])[0]
        return arrange_rows_by_token(output, len(token_ids), self._width)

    def terminate(self) -> None:
        """Stop a run in progress."""
        self._session.terminate()


def arrange_rows_by_token(output: np.ndarray, tokens: int, width: int = BERT_WIDTH) -> Float32:
    """Return [1, n, width], [1, width, n], [width, n] or [n, width] in the order (n, width)."""
    features = output[0] if output.ndim == 3 else output
    if features.shape != (tokens, width) and features.shape == (width, tokens):
        features = features.T
    if features.shape != (tokens, width):
        raise VoiceError(
            localize(
                f"BERT の出力の形 {output.shape} が想定と異なります。",
                f"The BERT outputs an unexpected shape, {output.shape}.",
            ),
            localize("Style-Bert-VITS2 用の BERT を選んでください。", "Choose a BERT made for Style-Bert-VITS2."),
        )
    return np.asarray(features, np.float32)
