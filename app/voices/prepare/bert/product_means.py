"""A lean graph that outputs the mean of what goes into each of its products, for int8 to be centred on."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, helper

WEIGHT_SUFFIX = ".weight"


def write_product_mean_graph(lean: Path, path: Path) -> None:
    """Write a graph beside a lean one in float32 that shares its weights: input_ids [n] → for each product an output of its name [inputs].

    Raises:
        OSError: the disk is full.
    """
    model = onnx.load(str(lean), load_external_data=False)
    expose_product_means(model)
    onnx.save(model, str(path))


def expose_product_means(model: onnx.ModelProto) -> None:
    """Replace the output of a lean graph by the means of its products, in place."""
    graph = model.graph
    weights = {item.name: item.dims[0] for item in graph.initializer if item.name.endswith(WEIGHT_SUFFIX)}
    products = [(node.input[0], node.input[1]) for node in graph.node if node.op_type == "MatMul" and node.input[1] in weights]
    del graph.output[:]
    for rows, weight in products:
        name = weight.removesuffix(WEIGHT_SUFFIX)
        graph.node.append(helper.make_node("ReduceMean", [rows], [name], name=f"mean/{name}", axes=[0], keepdims=0))
        graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [weights[weight]]))
