"""Gives the flow graph an input for a melody by hand: semitones that are added to its log F0 in each half of a frame.

Zeros change no bit. `export.py` does this by itself; a graph that has the input is left as it is.

Usage: `python pitch_input.py flow.onnx…` rewrites graphs in place.
"""

import math
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

INPUT = "pitch_offset"
HALVES = 2
LOWEST_LOG_HZ = math.log(60)


def add_pitch_input(path: Path) -> None:
    """Rewrites a flow graph in place: the offset comes before the bounds of the pitch, so that no phase runs away."""
    model = onnx.load(str(path))
    graph = model.graph
    if INPUT in {item.name for item in graph.input}:
        return
    place, bounded = _find_bounds(graph)
    constants = {"pitch_offset_sizes": np.array([-1, 1], np.int64), "pitch_offset_log": np.array(math.log(2) / 12, np.float32)}
    graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
    graph.input.append(helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, [HALVES, "F"]))
    added = [
        helper.make_node("Transpose", [INPUT], ["pitch_offset_frames"], perm=[1, 0]),
        helper.make_node("Reshape", ["pitch_offset_frames", "pitch_offset_sizes"], ["pitch_offset_column"]),
        helper.make_node("Mul", ["pitch_offset_column", "pitch_offset_log"], ["pitch_offset_scaled"]),
        helper.make_node("Add", [bounded.input[0], "pitch_offset_scaled"], ["pitch_offset_added"]),
    ]
    bounded.input[0] = "pitch_offset_added"
    nodes = [*graph.node[:place], *added, *graph.node[place:]]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, str(path))


def _find_bounds(graph: onnx.GraphProto) -> tuple[int, onnx.NodeProto]:
    """The node that keeps log F0 in its bounds, and its place."""
    lowest = {item.name for item in graph.initializer if not item.dims and np.isclose(numpy_helper.to_array(item), LOWEST_LOG_HZ)}
    found = [(place, node) for place, node in enumerate(graph.node) if node.op_type == "Clip" and node.input[1] in lowest]
    if len(found) != 1:
        raise ValueError("this flow keeps its pitch in no bounds, or in several")
    return found[0]


if __name__ == "__main__":
    for graph_path in sys.argv[1:]:
        add_pitch_input(Path(graph_path))
