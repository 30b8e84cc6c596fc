"""Opens a BERT file of any kind for reading its weights: safetensors, or a DeBERTa read back from an exported ONNX file."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from app.common.errors import AppError, VoiceError
from app.common.files.untrusted_json import parse_object, require_int, require_number
from app.common.files.whole_files import read_bounded
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.voices.prepare.bert.deberta_weights import DebertaSizes, build_not_deberta_error, count_needed_layers
from app.voices.prepare.bert.onnx_index import OnnxGraphIndex, open_onnx_index, read_attributes
from app.voices.untrusted.safetensors_file import SafetensorsFile
from app.voices.untrusted.voice_limits import MAX_VOICE_JSON_BYTES

# Exporters rename the matrices (`onnx::MatMul_1759`) and fold what they can, but biases keep their names. So a matrix is found through
# the bias that is added to its product, and the projected positions through the product in which they meet the content.

DEBERTA_NAME_PATTERN = re.compile(r"(?:^|\.)((?:embeddings|encoder)\..+)$")
QUERY_BIAS_PATTERN = re.compile(r"encoder\.layer\.(\d+)\.attention\.self\.query_proj\.bias$")
DEFAULT_EPSILON = 1e-7
DEFAULT_HEAD_WIDTH = 64
MATMUL_OPS = ("MatMul", "FusedMatMul")

REQUIRED_CONFIG = {
    "model_type": "deberta-v2",
    "relative_attention": True,
    "share_att_key": True,
    "norm_rel_ebd": "layer_norm",
    "hidden_act": "gelu",
}
"""What the lean graph computes; another setting would be another function."""
MAX_CONFIG_SIZE = 1 << 20  # for any size in the configuration: the large model has 24 layers, a width of 1,024 and 22,012 tokens
DEBERTA_PREFIXES = ("model.deberta.", "deberta.", "")


class SafetensorsDebertaWeights:
    """Implements `DebertaWeights`."""

    def __init__(self, path: Path) -> None:
        """Read the header and the configuration; raise VoiceError if the file is something else."""
        self._file = SafetensorsFile(path)
        known = [prefix for prefix in DEBERTA_PREFIXES if f"{prefix}embeddings.word_embeddings.weight" in self._file]
        if not known:
            raise build_not_deberta_error("embeddings.word_embeddings.weight")
        self._prefix = known[0]
        self.architecture = _read_deberta_sizes(path.with_name("config.json"))
        self._check_sizes()

    def read_tensor(self, name: str) -> Float32:
        """Return a tensor; see `DebertaWeights`."""
        try:
            return self._file[self._prefix + name]
        except KeyError as exc:
            raise build_not_deberta_error(name) from exc

    def read_matrix(self, name: str) -> Float32:
        """Return a matrix; see `DebertaWeights`."""
        return self.read_tensor(f"{name}.weight").T

    def read_position_tables(self, layer: int) -> tuple[Float32, Float32]:
        """Return the position tables of a layer; see `DebertaWeights`."""
        return compute_position_tables(self, layer)

    def _check_sizes(self) -> None:
        sizes = self.architecture
        for name, shape in (
            ("embeddings.word_embeddings.weight", (sizes.vocabulary, sizes.hidden)),
            (f"encoder.layer.{sizes.layers - 1}.intermediate.dense.weight", (sizes.inner, sizes.hidden)),
        ):
            if self.read_tensor(name).shape != shape:
                raise build_not_deberta_error(f"{name}: {self.read_tensor(name).shape}")


def compute_position_tables(source: Any, layer: int) -> tuple[Float32, Float32]:
    """Return the tables of `DebertaWeights.read_position_tables` from the position embeddings themselves."""
    sizes: DebertaSizes = source.architecture
    exact = source.read_tensor("encoder.rel_embeddings.weight").astype(np.float64)
    centred = exact - exact.mean(axis=1, keepdims=True)
    rows = (centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + sizes.epsilon)).astype(np.float32)
    rows = rows * source.read_tensor("encoder.LayerNorm.weight") + source.read_tensor("encoder.LayerNorm.bias")
    attention = f"encoder.layer.{layer}.attention.self"
    key, query = (
        rows @ source.read_matrix(f"{attention}.{name}") + source.read_tensor(f"{attention}.{name}.bias")
        for name in ("key_proj", "query_proj")
    )
    return np.asarray(key, np.float32), np.asarray(query, np.float32)


def _read_deberta_sizes(path: Path) -> DebertaSizes:
    try:
        config = parse_object(read_bounded(path, MAX_VOICE_JSON_BYTES))
        for key, value in REQUIRED_CONFIG.items():
            if config.get(key) != value:
                raise build_not_deberta_error(f"config.json: {key} = {config.get(key)}")
        if sorted(config["pos_att_type"]) != ["c2p", "p2c"]:
            raise build_not_deberta_error(f"config.json: pos_att_type = {config['pos_att_type']}")
        return DebertaSizes(
            layers=count_needed_layers(_parse_size(config["num_hidden_layers"])),
            heads=_parse_size(config["num_attention_heads"]),
            hidden=_parse_size(config["hidden_size"]),
            inner=_parse_size(config["intermediate_size"]),
            vocabulary=_parse_size(config["vocab_size"]),
            epsilon=require_number(config["layer_norm_eps"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
        raise build_not_deberta_error(f"config.json: {exc}") from exc


def _parse_size(value: Any) -> int:
    return require_int(value, 1, MAX_CONFIG_SIZE)


class OnnxDebertaWeights:
    """Implements `DebertaWeights`."""

    def __init__(self, graph: OnnxGraphIndex) -> None:
        """Find the layers of a DeBERTa in the graph; raise VoiceError if it is none."""
        self.graph = graph
        self._names = {match[1]: name for name in graph.list_constant_names() if (match := DEBERTA_NAME_PATTERN.search(name))}
        self._shorts = {name: short for short, name in self._names.items()}
        needed = graph.collect_ancestors(graph.model.graph.output[0].name)
        layers = {int(match[1]) for short, name in self._names.items() if name in needed and (match := QUERY_BIAS_PATTERN.match(short))}
        if not layers or layers != set(range(len(layers))):
            raise build_not_deberta_error("encoder.layer.N.attention.self.query_proj.bias")
        vocabulary, hidden = self.read_tensor("embeddings.word_embeddings.weight").shape
        inner = len(self.read_tensor("encoder.layer.0.intermediate.dense.bias"))
        heads = self._find_head_count() or max(1, hidden // DEFAULT_HEAD_WIDTH)
        if hidden % heads:
            raise build_not_deberta_error(f"{hidden} / {heads}")
        norms = (node for node in graph.model.graph.node if node.op_type in ("LayerNormalization", "SkipLayerNormalization"))
        epsilon = next((read_attributes(node).get("epsilon", DEFAULT_EPSILON) for node in norms), DEFAULT_EPSILON)
        self.architecture = DebertaSizes(len(layers), heads, hidden, inner, vocabulary, float(epsilon))
        self._places = dict(self._iterate_folded_positions())

    def read_tensor(self, name: str) -> Float32:
        """Return a tensor; see `DebertaWeights`."""
        if name not in self._names:
            raise build_not_deberta_error(name)
        return np.asarray(self.graph.find_constant(self._names[name]), np.float32)

    def read_matrix(self, name: str) -> Float32:
        """Return a matrix; see `DebertaWeights`."""
        for node in self.graph.iterate_consumers(self._names.get(f"{name}.bias", "")):
            matrix = self._find_bias_matrix(node)
            if matrix is not None:
                return matrix
        return self.read_tensor(f"{name}.weight").T

    def read_position_tables(self, layer: int) -> tuple[Float32, Float32]:
        """Return the position tables of a layer; see `DebertaWeights`."""
        if "encoder.rel_embeddings.weight" in self._names:
            return compute_position_tables(self, layer)
        places = [self._places.get((layer, name)) for name in ("query_proj", "key_proj")]
        if places[0] is None or places[1] is None:
            raise build_not_deberta_error(f"encoder.layer.{layer}: rel_embeddings")
        return self._normalise_position_rows(places[0]), self._normalise_position_rows(places[1])

    def _find_bias_matrix(self, user: onnx.NodeProto) -> Float32 | None:
        if user.op_type == "Gemm":
            matrix, turned = self.graph.find_constant(user.input[1]), bool(read_attributes(user).get("transB", 0))
            return None if matrix is None else np.asarray(matrix.T if turned else matrix, np.float32)
        for operand in user.input if user.op_type == "Add" else ():
            maker = self.graph.find_producer(self.graph.trace_origin(operand))
            if maker is not None and maker.op_type in MATMUL_OPS:
                matrix = self.graph.find_constant(maker.input[1])
                return None if matrix is None else np.asarray(matrix, np.float32)
        return None

    def _find_head_count(self) -> int | None:
        """From the first reshape behind a query: (batch, tokens, heads, width)."""
        waiting = list(self.graph.iterate_consumers(self._names["encoder.layer.0.attention.self.query_proj.bias"]))
        for node in waiting:
            sizes = self._read_constant_sizes(node.input[1]) if node.op_type == "Reshape" else []
            if len(sizes) == 4 and sizes[2]:
                return sizes[2]
            if node.op_type in ("Gemm", "Add", "Reshape") and len(waiting) < 50:
                waiting += self.graph.iterate_consumers(node.output[0])
        return None

    def _read_constant_sizes(self, shape: str) -> list[int | None]:
        whole = self.graph.find_constant(shape)
        if whole is not None:
            return [int(size) for size in whole]
        maker = self.graph.find_producer(shape)
        parts = [self.graph.find_constant(item) for item in maker.input] if maker is not None and maker.op_type == "Concat" else []
        return [int(part.reshape(-1)[0]) if part is not None and part.size == 1 else None for part in parts]

    def _iterate_folded_positions(self) -> Iterator[tuple[tuple[int, str], Float32]]:
        """Yield the constants that queries or keys are multiplied by, with the layer and the projection."""
        for node in self.graph.model.graph.node:
            if node.op_type not in MATMUL_OPS:
                continue
            content, places = (self.graph.trace_origin(item) for item in node.input)
            values = self.graph.find_constant(places)
            if values is not None and values.ndim > 1:
                for projection in self._iterate_projections(content):
                    yield projection, np.asarray(values, np.float32)

    def _iterate_projections(self, content: str) -> Iterator[tuple[int, str]]:
        maker = self.graph.find_producer(content)
        for name in maker.input if maker is not None and maker.op_type in ("Gemm", "Add") else ():
            match = re.match(r"encoder\.layer\.(\d+)\.attention\.self\.(\w+)\.bias$", self._shorts.get(self.graph.trace_origin(name), ""))
            if match:
                yield int(match[1]), match[2]

    def _normalise_position_rows(self, values: Float32) -> Float32:
        """Return folded positions as (rows, hidden), in whatever order the exporter left the axes."""
        hidden, heads, width = self.architecture.hidden, self.architecture.heads, self.architecture.head_width
        values = values.reshape([size for size in values.shape if size > 1])
        if values.ndim == 3:
            if values.shape[0] == heads:
                values = values.transpose(1, 0, 2) if values.shape[2] == width else values.transpose(2, 0, 1)
            values = values.reshape(-1, hidden)
        if values.ndim != 2 or values.shape[1] != hidden or len(values) % 4:
            raise build_not_deberta_error(f"rel_embeddings {values.shape}")
        return values


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
