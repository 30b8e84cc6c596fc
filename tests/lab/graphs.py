"""Small graphs that are no voice, and subjects made without preparing a whole voice."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.lab.lab_subject import LabSubject
from app.lab.report_rows import Row
from app.voices.containers.voice_sources import read_voice_source
from app.voices.prepare.graph_cutting import cut_voice_graph
from app.voices.prepare.graph_store import load_graph


def cut_subject(path: Path) -> LabSubject:
    """A voice as it came and cut, not proved: preparing it takes five times as long."""
    cut = cut_voice_graph(load_graph(path))
    prepared = {name: getattr(cut, name).SerializeToString() for name in ("prosody", "flow", "decoder")}
    return LabSubject(path.parent.name, {"whole": path}, prepared, read_voice_source(path))


def looped(path: Path, turns: int, size: int) -> Path:
    """`x` (size, size) times a matrix (size, size), `turns` times over, in a loop."""
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["on"]),
            helper.make_node("MatMul", ["x", "matrix"], ["part"]),
            helper.make_node("Add", ["so_far", "part"], ["more"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("turn", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("so_far", TensorProto.FLOAT, [size, size]),
        ],
        [helper.make_tensor_value_info("on", TensorProto.BOOL, []), helper.make_tensor_value_info("more", TensorProto.FLOAT, [size, size])],
        [numpy_helper.from_array(np.ones((size, size), np.float32), "matrix")],
    )
    nodes = [helper.make_node("Loop", ["turns", "yes", "begin"], ["y"], name="/net/Loop", body=body)]
    values = {"turns": np.array(turns), "yes": np.array(True), "begin": np.zeros((size, size), np.float32)}
    return saved(path, nodes, values, [size, size])


def saved(path: Path, nodes: list[onnx.NodeProto], values: dict[str, Any], shape: list[int | str]) -> Path:
    """A graph `x` float32 → `y`."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in values.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path))
    return path


def of_type(rows: list[Row], kind: str, **wanted: object) -> list[dict[str, Any]]:
    """The rows of a kind with these values."""
    return [row for row in rows if row["type"] == kind and all(row.get(name) == value for name, value in wanted.items())]
