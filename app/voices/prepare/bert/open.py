"""Opens a BERT file of any kind for reading its weights."""

from __future__ import annotations

from pathlib import Path

from app.errors import AppError, VoiceError
from app.language import localized
from app.voices.prepare.bert.onnx_graph import open_onnx
from app.voices.prepare.bert.onnx_source import OnnxSource
from app.voices.prepare.bert.safetensors_source import SafetensorsSource
from app.voices.prepare.bert.source import not_deberta

PREFERRED = ("model.onnx", "model_fp16.onnx", "deberta.onnx", "model.safetensors")
SUFFIXES = (".onnx", ".safetensors")


def open_source(path: Path) -> OnnxSource | SafetensorsSource:
    """The weights of a model; VoiceError where it is no DeBERTa as Style-Bert-VITS2 needs it."""
    if path.suffix == ".safetensors":
        return SafetensorsSource(path)
    graph = open_onnx(path)
    try:
        return OnnxSource(graph)
    except AppError:
        raise
    except Exception as exc:  # a stranger's graph is wired in any way: names that are no text, nodes without results, tensors without data
        raise not_deberta(f"{path.name}: {type(exc).__name__}") from exc


def find_model(source: Path) -> Path:
    """The file of the model: the one given, or the best of a folder, the exact one first; VoiceError where there is none."""
    if source.is_file() and source.suffix in SUFFIXES:
        return source
    if source.is_dir():
        known = [source / name for name in PREFERRED if (source / name).is_file()]
        others = sorted(item for item in source.iterdir() if item.suffix in SUFFIXES)
        if known or len(others) == 1:
            return (known or others)[0]
    raise VoiceError(
        localized(f"BERT のモデルがありません: {source}", f"There is no BERT model at {source}"),
        localized(
            "model_fp16.onnx、model.onnx、model.safetensors のいずれか、またはそれを含むフォルダーを指定してください。",
            "Specify model_fp16.onnx, model.onnx or model.safetensors, or the folder that contains it.",
        ),
    )
