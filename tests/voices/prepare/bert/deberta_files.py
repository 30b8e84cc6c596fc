"""DeBERTa models for tests: random weights as Hugging Face stores them, and what exporters make of one and the same graph."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.voices.safetensors_file import write_safetensors

WORDS = "model.deberta."


def vocabulary(size: int) -> str:
    """A `vocab.txt` of the usual marks and hiragana."""
    return "".join(
        f"{token}\n" for token in ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]", *(chr(0x3041 + index) for index in range(size - 5))]
    )


def write_published(
    folder: Path,
    *,
    hidden: int,
    heads: int,
    inner: int,
    outlier: float = 1.0,
    seed: int = 0,
    layers: int = 1,
    unread: int = 0,
    **config: Any,
) -> Path:
    """A folder with model.safetensors, config.json and vocab.txt; two layers more than are needed.

    Args:
        outlier: how far one channel stands out after every layer norm; what reads it is as much smaller, so that it matters little.
        unread: how many of those two are in the file, too.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    known = {
        "num_hidden_layers": layers + 2,
        "num_attention_heads": heads,
        "hidden_size": hidden,
        "intermediate_size": inner,
        "vocab_size": 80,
    }
    fixed = {
        "model_type": "deberta-v2",
        "relative_attention": True,
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
        "hidden_act": "gelu",
    }
    fixed |= {"pos_att_type": ["p2c", "c2p"], "layer_norm_eps": 1e-7, "position_buckets": 256}
    (folder / "config.json").write_text(json.dumps(fixed | known | config))
    (folder / "vocab.txt").write_text(vocabulary(80), encoding="utf-8")
    tensors: dict[str, np.ndarray] = {}

    def matrix(name: str, outputs: int, inputs: int, *rest: int, read_by_norm: bool = True) -> None:
        weight = rng.standard_normal((outputs, inputs, *rest)) / np.sqrt(inputs)
        if read_by_norm:
            weight[:, 0] /= outlier
        tensors[f"{name}.weight"], tensors[f"{name}.bias"] = weight, rng.standard_normal(outputs) * 0.05

    def norm(name: str) -> None:
        tensors[f"{name}.weight"], tensors[f"{name}.bias"] = 1 + 0.1 * rng.standard_normal(hidden), 0.05 * rng.standard_normal(hidden)
        tensors[f"{name}.weight"][0] *= outlier

    tensors["embeddings.word_embeddings.weight"] = rng.standard_normal((80, hidden))
    tensors["encoder.rel_embeddings.weight"] = rng.standard_normal((512, hidden))
    for name in ("embeddings.LayerNorm", "encoder.LayerNorm", "encoder.conv.LayerNorm"):
        norm(name)
    matrix("encoder.conv.conv", hidden, hidden, 3)
    for layer in range(layers + unread):
        for part in ("query_proj", "key_proj", "value_proj"):
            matrix(f"encoder.layer.{layer}.attention.self.{part}", hidden, hidden)
        matrix(f"encoder.layer.{layer}.attention.output.dense", hidden, hidden, read_by_norm=False)
        matrix(f"encoder.layer.{layer}.intermediate.dense", inner, hidden)
        matrix(f"encoder.layer.{layer}.output.dense", hidden, inner, read_by_norm=False)
        norm(f"encoder.layer.{layer}.attention.output.LayerNorm")
        norm(f"encoder.layer.{layer}.output.LayerNorm")
    stored = {f"deberta.{name}": values.astype(np.float16 if outlier == 1.0 else np.float32) for name, values in tensors.items()}
    return write_safetensors(folder / "model.safetensors", stored)


Change = Callable[[onnx.ModelProto], None]


def renamed(model: onnx.ModelProto) -> None:
    """As exported from the bare model, not from the one with a head."""
    _rename(model, lambda name: name.removeprefix(WORDS) if name.startswith(WORDS) else name)


def int32_and_token_types(model: onnx.ModelProto) -> None:
    """Inputs of another width, and one that nothing reads."""
    graph = model.graph
    casts = []
    for value in graph.input:
        value.type.tensor_type.elem_type = TensorProto.INT32
        _rename_inputs(graph, value.name, f"{value.name}.wide")
        casts.append(helper.make_node("Cast", [value.name], [f"{value.name}.wide"], to=TensorProto.INT64))
    graph.input.append(helper.make_tensor_value_info("token_type_ids", TensorProto.INT32, ["batch_size", "sequence_length"]))
    _put_first(graph, casts)


def turned_output(model: onnx.ModelProto) -> None:
    """[1, width, n] instead of [n, width]."""
    graph = model.graph
    for node in graph.node:
        for index, name in enumerate(node.output):
            if name == "output":
                node.output[index] = "rows"
    graph.node.append(helper.make_node("Transpose", ["rows"], ["columns"], perm=[1, 0]))
    graph.node.append(helper.make_node("Unsqueeze", ["columns", "axis0"], ["output"]))
    graph.initializer.append(numpy_helper.from_array(np.array([0]), "axis0"))
    del graph.output[0].type.tensor_type.shape.dim[:]
    for size in (1, 64, "n"):
        graph.output[0].type.tensor_type.shape.dim.add(**{"dim_param" if isinstance(size, str) else "dim_value": size})


def products_and_sums(model: onnx.ModelProto) -> None:
    """Gemm as raw exports have it: MatMul, then Add, its weight behind a Transpose."""
    nodes = []
    arrays = {item.name: item for item in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type != "Gemm":
            nodes.append(node)
            continue
        rows, weight, bias = node.input
        arrays[weight].CopyFrom(numpy_helper.from_array(numpy_helper.to_array(arrays[weight]).T.copy(), weight))
        nodes.append(helper.make_node("Transpose", [weight], [f"{weight}.turned"], perm=[1, 0]))
        nodes.append(helper.make_node("MatMul", [rows, f"{weight}.turned"], [f"{node.output[0]}.product"]))
        nodes.append(helper.make_node("Add", [bias, f"{node.output[0]}.product"], node.output))
    _replace(model.graph, nodes)


def turned_gemm(model: onnx.ModelProto) -> None:
    """Gemm with transB, as the newer exporter writes linear layers."""
    arrays = {item.name: item for item in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Gemm":
            weight = arrays[node.input[1]]
            weight.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weight).T.copy(), weight.name))
            next(item for item in node.attribute if item.name == "transB").i = 1


def older_opset(model: onnx.ModelProto) -> None:
    """Opset 17 has no Gelu: it is written out."""
    nodes = []
    for name, value in (("root", np.sqrt(2.0)), ("one", 1.0), ("half", 0.5)):
        model.graph.initializer.append(numpy_helper.from_array(np.array(value, np.float32), f"gelu.{name}"))
    for node in model.graph.node:
        if node.op_type != "Gelu":
            nodes.append(node)
            continue
        x, y = node.input[0], node.output[0]
        steps = (
            ("Div", [x, "gelu.root"], "a"),
            ("Erf", [f"{y}.a"], "b"),
            ("Add", [f"{y}.b", "gelu.one"], "c"),
            ("Mul", [x, f"{y}.c"], "d"),
        )
        nodes += [helper.make_node(kind, inputs, [f"{y}.{mark}"]) for kind, inputs, mark in steps]
        nodes.append(helper.make_node("Mul", [f"{y}.d", "gelu.half"], [y]))
    _replace(model.graph, nodes)
    model.opset_import[0].version = 17


def unfolded_positions(model: onnx.ModelProto) -> None:
    """Position embeddings that the graph itself normalises and projects, as raw exports do. Another function than before."""
    graph, rng = model.graph, np.random.default_rng(5)
    stored = {item.name: item for item in graph.initializer}
    nodes = [helper.make_node("LayerNormalization", ["rel", "g", "b"], ["rel.normed"], axis=-1, epsilon=1e-7)]
    for short, name, shape in (
        ("rel", "rel_embeddings.weight", (512, 64)),
        ("g", "LayerNorm.weight", (64,)),
        ("b", "LayerNorm.bias", (64,)),
    ):
        graph.initializer.append(numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32), f"{WORDS}encoder.{name}"))
        nodes[0].input[["rel", "g", "b"].index(short)] = f"{WORDS}encoder.{name}"
    graph.initializer.append(numpy_helper.from_array(np.array([512, 4, 16]), "by_head"))
    for layer in range(3):
        for part, table in (("query_proj", "Expand_output_0"), ("key_proj", "Expand_1_output_0")):
            bias = f"{WORDS}encoder.layer.{layer}.attention.self.{part}.bias"
            weight = next(node.input[1] for node in graph.node if node.op_type == "Gemm" and node.input[2] == bias)
            folded = f"/model/deberta/encoder/layer.{layer}/attention/self/{table}"
            graph.initializer.remove(stored[folded])
            nodes.append(helper.make_node("MatMul", ["rel.normed", weight], [f"{folded}.a"]))
            nodes.append(helper.make_node("Add", [f"{folded}.a", bias], [f"{folded}.b"]))
            nodes.append(helper.make_node("Reshape", [f"{folded}.b", "by_head"], [f"{folded}.c"]))
            nodes.append(helper.make_node("Transpose", [f"{folded}.c"], [folded], perm=[1, 0, 2]))
    _put_first(graph, nodes)


def _replace(graph: onnx.GraphProto, nodes: list[onnx.NodeProto]) -> None:
    kept = list(nodes)
    del graph.node[:]
    graph.node.extend(kept)


def _put_first(graph: onnx.GraphProto, nodes: list[onnx.NodeProto]) -> None:
    _replace(graph, [*nodes, *graph.node])


def _rename_inputs(graph: onnx.GraphProto, old: str, new: str) -> None:
    for node in graph.node:
        for index, name in enumerate(node.input):
            if name == old:
                node.input[index] = new


def _rename(model: onnx.ModelProto, new_name: Callable[[str], str]) -> None:
    for item in model.graph.initializer:
        item.name = new_name(item.name)
    for node in model.graph.node:
        for index, name in enumerate(node.input):
            node.input[index] = new_name(name)
