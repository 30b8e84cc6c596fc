"""Opens a BERT file of any kind for reading its weights."""

from __future__ import annotations

from pathlib import Path

from app.common.errors import AppError, VoiceError
from app.common.language import localize
from app.voices.prepare.bert.deberta_onnx import OnnxDebertaWeights
from app.voices.prepare.bert.deberta_safetensors import SafetensorsDebertaWeights
from app.voices.prepare.bert.deberta_weights import build_not_deberta_error
from app.voices.prepare.bert.onnx_index import open_onnx_index

PREFERRED_MODEL_NAMES = ("model.onnx", "model_fp16.onnx", "deberta.onnx", "model.safetensors")
BERT_SUFFIXES = (".onnx", ".safetensors")


def open_deberta_weights(path: Path) -> OnnxDebertaWeights | SafetensorsDebertaWeights:
    """Open the weights of a model; raise VoiceError unless it is a DeBERTa as Style-Bert-VITS2 needs it."""
    if path.suffix == ".safetensors":
        return SafetensorsDebertaWeights(path)
    graph = open_onnx_index(path)
    try:
        return OnnxDebertaWeights(graph)
    except AppError:
        raise
    except Exception as exc:
        # A stranger's graph may hold names that are no text, nodes without results, or tensors without data.
        raise build_not_deberta_error(f"{path.name}: {type(exc).__name__}") from exc


def find_bert_file(source: Path) -> Path:
    """Return the file of the model: the given one, or the best of a folder, the exact one first; raise VoiceError if there is none."""
    if source.is_file() and source.suffix in BERT_SUFFIXES:
        return source
    if source.is_dir():
        known = [source / name for name in PREFERRED_MODEL_NAMES if (source / name).is_file()]
        others = sorted(item for item in source.iterdir() if item.suffix in BERT_SUFFIXES)
        if known or len(others) == 1:
            return (known or others)[0]
    raise VoiceError(
        localize(f"BERT のモデルがありません: {source}", f"There is no BERT model at {source}"),
        localize(
            "model_fp16.onnx、model.onnx、model.safetensors のいずれか、またはそれを含むフォルダーを指定してください。",
            "Specify model_fp16.onnx, model.onnx or model.safetensors, or the folder that contains it.",
        ),
    )
