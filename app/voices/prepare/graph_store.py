"""Graphs on disk: the nodes in a small file, the weights next to it in one that ONNX Runtime maps instead of reading.

A real voice opens in half the time and a fraction of the memory that way, and so does its source while the two are compared.
"""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError, EncodeError  # type: ignore[import-untyped]  # stubs would be one more package
from onnx.external_data_helper import set_external_data

from app.common.errors import OutputFileError, VoiceError
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.voices.prepare.graph_walk import iterate_graphs
from app.voices.untrusted.regular_file import describe_incomplete_download

MIN_EXTERNAL_BYTES = 1024  # shorter tensors stay in the graph: shapes and axes are needed when it is read


def load_graph(graph: Path | bytes, *, with_external_weights: bool = True) -> onnx.ModelProto:
    """Return a graph with its weights, by choice without those in another file; raise VoiceError if it cannot be read."""
    try:
        return onnx.load_from_string(graph) if isinstance(graph, bytes) else onnx.load(str(graph), load_external_data=with_external_weights)
    except (DecodeError, OSError, ValueError, onnx.checker.ValidationError) as exc:
        # ValueError and ValidationError come from external weights whose description is false.
        raise VoiceError(
            localize("ONNX モデルとして読み込めません。", "This is not a valid ONNX model."),
            describe_incomplete_download(),
        ) from exc


def serialise_graph(model: onnx.ModelProto) -> bytes:
    """Return a graph with its weights as the bytes of one file; raise VoiceError if it is larger than ONNX allows."""
    try:
        return bytes(model.SerializeToString())
    except (EncodeError, ValueError) as exc:
        raise VoiceError(
            localize("ONNX モデルが大きすぎます。", "This ONNX model is too large."),
            localize("ONNX モデルのサイズは 2 GB までです。", "An ONNX model can be up to 2 GB."),
        ) from exc


def store_graph(model: onnx.ModelProto, folder: Path, name: str) -> str:
    """Write `name.onnx`, whose file name is returned, and, if there are weights, `name.bin` into a folder; the model loses its weights, and knows where they are. Raises OutputFileError."""
    file_name = f"{name}.onnx"
    # The container's metadata holds icons and samples, which would stay in every graph.
    del model.metadata_props[:]
    try:
        # The option of `onnx.save` for that fails where the current folder has a file of that name.
        for tensor in _list_large_weights(model):
            set_external_data(tensor, f"{name}.bin")
        onnx.save(model, str(folder / file_name))
    except (OSError, EncodeError, ValueError) as exc:
        reason = describe_reason(exc)
        raise OutputFileError(
            localize(f"声のファイルを書き込めません: {folder / file_name}", f"A file of the voice cannot be written: {folder / file_name}"),
            localize(f"ディスクの空き容量を確認してください。（{reason}）", f"Check the free disk space. ({reason})"),
        ) from exc
    return file_name


def store_graph_pair(model: onnx.ModelProto, variant: onnx.ModelProto, folder: Path, name: str, suffix: str) -> tuple[str, str]:
    """Write a graph and a variant of it, whose name is that of the graph, a dot and a suffix; it takes the weights that are equal from the file of the graph. Raises OutputFileError."""
    known = {tensor.raw_data: tensor for tensor in _list_large_weights(model)}
    file_name = store_graph(model, folder, name)
    for tensor in _list_large_weights(variant):
        stored = known.get(tensor.raw_data)
        if stored is not None:
            tensor.ClearField("raw_data")
            tensor.data_location = stored.data_location
            tensor.external_data.extend(stored.external_data)
    return file_name, store_graph(variant, folder, f"{name}.{suffix}")


def _list_large_weights(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    """Return the tensors that are in memory and long enough for a file of their own."""
    tensors = chain.from_iterable(inner.initializer for inner in iterate_graphs(model.graph))
    return [tensor for tensor in tensors if tensor.HasField("raw_data") and len(tensor.raw_data) >= MIN_EXTERNAL_BYTES]


@dataclass(frozen=True, slots=True)
class PreparedGraphs:
    """The three graphs of a voice, as `app.voices.prepared_voice` describes them; `emoji` where the prosody graph knows the symbols of emoji."""

    prosody: onnx.ModelProto
    flow: onnx.ModelProto
    decoder: onnx.ModelProto
    margin_frames: int
    emoji: bool = False
