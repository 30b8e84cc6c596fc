"""Writes the device forms of a prepared graph: what CPU and device compute is the same, what they are best at is not.

A folder holds `graph.onnx`, for inputs that end before they should, and for a decoder `full.onnx`, for windows that are full; the weights
they share, and `form.json`, which says how inputs are padded and outputs cut.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, numpy_helper

from app.voices.prepare.bert.stored_writer import LARGE_BYTES, DataFile
from app.voices.prepare.device.gathered import gather_diagonals
from app.voices.prepare.device.half import halve, halved
from app.voices.prepare.device.masked import MASK, mask_end
from app.voices.prepare.device.shapes import PROBE, shapes_of
from app.voices.prepare.device.sums import add_in_pairs
from app.voices.prepare.device.uncropped import drop_unread, keep_context
from app.voices.prepare.links import UnknownGraphError

GRAPH_NAME, FULL_NAME, WEIGHTS_NAME, FORM_NAME = "graph.onnx", "full.onnx", "weights.data", "form.json"
FREE = {"bert": "n", "prosody": "T", "flow": "F", "decoder": "W"}
"""What the free size of a graph is called."""
UNFIT = {"Loop", "If", "Scan", "NonZero", "RandomNormalLike"}
"""Operators whose results have sizes that nobody knows beforehand."""


def write_form(source: Path, graph: str, folder: Path, *, half: bool) -> None:
    """Writes the forms of a graph into a folder.

    Args:
        source: a graph of `app.voices.manifest`, or a lean BERT.
        graph: which one: bert, prosody, flow or decoder.
        half: in half precision.

    Raises:
        UnknownGraphError: it is not built like the graphs that we prepare.
        OSError: the disk is full.
    """
    free = FREE[graph]
    weights = _Weights(source.parent, DataFile(folder / WEIGHTS_NAME))
    try:
        masked = _rewritten(source, free, half=half, masked=True, weights=weights)
        onnx.save(masked, str(folder / GRAPH_NAME))
        if graph == "decoder":
            onnx.save(_rewritten(source, free, half=half, masked=False, weights=weights), str(folder / FULL_NAME))
    finally:
        weights.file.close()
    (folder / FORM_NAME).write_text(json.dumps(_described(source, free, half=half)), encoding="utf-8")


def _rewritten(source: Path, free: str, *, half: bool, masked: bool, weights: _Weights) -> onnx.ModelProto:
    model = onnx.load(str(source), load_external_data=False)
    axes = _axes(model, free)
    if UNFIT & {node.op_type for node in model.graph.node}:
        raise UnknownGraphError("sizes that depend on values")
    try:
        keep_context(model)
        add_in_pairs(model.graph)
        gather_diagonals(model.graph, shapes_of(model, free), next(iter(axes.items())))
        drop_unread(model.graph)
        if masked:
            mask_end(model.graph, shapes_of(model, free), free)
    except (LookupError, ValueError) as exc:
        raise UnknownGraphError(str(exc)) from exc
    weights.store(model, halve(model) if half else set())
    return model


def _axes(model: onnx.ModelProto, free: str) -> dict[str, int]:
    """The free axis of each input that has one; UnknownGraphError where there is none, or another size is free as well."""
    found = {}
    for item in model.graph.input:
        names = [dim.dim_param for dim in item.type.tensor_type.shape.dim]
        if any(name and name != free for name in names):
            raise UnknownGraphError(f"{item.name} has a size of its own")
        if free in names:
            found[item.name] = names.index(free)
    if not found:
        raise UnknownGraphError(f"no input has a size {free}")
    return found


def _described(source: Path, free: str, *, half: bool) -> dict[str, Any]:
    """What `form.json` says: the free axis of inputs, and of outputs with how many steps there are to one of the input's."""
    model = onnx.load(str(source), load_external_data=False)
    inputs = _axes(model, free)
    keep_context(model)
    shapes = shapes_of(model, free)
    outputs = {}
    for item in model.graph.output:
        axis = next((place for place, size in enumerate(shapes[item.name]) if size > 0 and size % PROBE == 0), None)
        if axis is None:
            raise UnknownGraphError(f"{item.name} does not grow with the input")
        outputs[item.name] = [axis, shapes[item.name][axis] // PROBE]
    return {"free": free, "mask": MASK, "inputs": inputs, "outputs": outputs, "half": half}


@dataclass(slots=True)
class _Weights:
    """One file for the weights of several graphs.

    Attributes:
        folder: where the source keeps its own.
    """

    folder: Path
    file: DataFile
    _stored: dict[str, TensorProto] = field(default_factory=dict)

    def store(self, model: onnx.ModelProto, half: set[str]) -> None:
        """Makes the tensors of a model refer to the file; those named are stored in half precision."""
        for tensor in model.graph.initializer:
            if tensor.name in self._stored:
                tensor.CopyFrom(self._stored[tensor.name])
                continue
            array = numpy_helper.to_array(tensor, str(self.folder))
            array = halved(array) if tensor.name in half else array
            if array.nbytes < LARGE_BYTES:
                tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
            else:
                self.file.store(array, tensor)
                self._stored[tensor.name] = TensorProto()
                self._stored[tensor.name].CopyFrom(tensor)
