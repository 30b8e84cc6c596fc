"""The inputs that a graph declares, and values made to fit them."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.adapters.ort.runtime_session import RuntimeSession
from app.common.errors import VoiceError
from app.common.language import localize

_DTYPE_BY_NAME = {"float": np.float32, "float16": np.float16, "double": np.float64, "int64": np.int64, "int32": np.int32, "bool": np.bool_}


def _parse_dtype(declared: str) -> np.dtype[Any]:
    """Return the dtype of a declaration: `tensor(int64)` → int64."""
    try:
        return np.dtype(_DTYPE_BY_NAME[declared.removeprefix("tensor(").removesuffix(")")])
    except KeyError as exc:
        raise VoiceError(
            localize(
                f"この音声モデルの入力の型 {declared} には対応していません。",
                f"This model has an input of type {declared}, which is not supported.",
            ),
            localize("Style-Bert-VITS2 の声を選んでください。", "Choose a Style-Bert-VITS2 voice."),
        ) from exc


def read_input_types(session: RuntimeSession) -> dict[str, tuple[np.dtype[Any], int]]:
    """Return dtype and rank by declared name."""
    return {item.name: (_parse_dtype(item.type), len(item.shape)) for item in session.get_inputs()}


def fit_value(name: str, value: Any, dtype: np.dtype[Any], rank: int) -> np.ndarray:
    """Return a value in the dtype and rank that an input declares; raise VoiceError if there is none."""
    if value is None:
        raise VoiceError(
            localize(f"この音声モデルには未対応の入力「{name}」があります。", f"This model requires an unknown input, “{name}”."),
            localize("Style-Bert-VITS2 の声を選んでください。", "Choose a Style-Bert-VITS2 voice."),
        )
    array = np.asarray(value, dtype)
    while array.ndim < rank:
        array = array[np.newaxis]
    while array.ndim > rank and array.shape[0] == 1:
        # What `array[0]` gives of one axis is no array.
        array = array.reshape(array.shape[1:])
    return array
