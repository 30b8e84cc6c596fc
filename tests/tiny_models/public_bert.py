"""The graph of a tiny DeBERTa-v2 (He et al. 2021) as public exporters write it: positions projected and folded, one layer after another."""

import numpy as np
import onnx
from onnx import TensorProto, helper

from app.core.synthesis_types import Float32
from app.voices.prepare.bert.lean_deberta import MAX_TOKENS, build_bucket_table
from tests.tiny_models.graph_builder import GraphBuilder

VOCABULARY, HIDDEN, INNER, HEADS, BUCKETS = 500, 64, 128, 4, 256
LAYERS_READ = 3  # hidden_states[-3] of five layers
EPSILON = 1e-7
OPSET = 20
PREFIX = "model.deberta."
WHOLE, FLOAT = TensorProto.INT64, TensorProto.FLOAT


def make_bert_weights(seed: int = 0) -> dict[str, Float32]:
    """Return random weights by the names of Hugging Face's implementation."""
    random = np.random.default_rng(seed)
    weights: dict[str, np.ndarray] = {}

    def add_layer(name: str, outputs: int, inputs: int, *rest: int) -> None:
        weights[f"{name}.weight"] = 0.02 * random.standard_normal((outputs, inputs, *rest))
        weights[f"{name}.bias"] = 0.05 * random.standard_normal(outputs)

    def add_norm(name: str) -> None:
        weights[f"{name}.weight"] = 1 + 0.1 * random.standard_normal(HIDDEN)
        weights[f"{name}.bias"] = 0.05 * random.standard_normal(HIDDEN)

    weights["embeddings.word_embeddings.weight"] = 0.02 * random.standard_normal((VOCABULARY, HIDDEN))
    weights["encoder.rel_embeddings.weight"] = 0.02 * random.standard_normal((2 * BUCKETS, HIDDEN))
    for name in ("embeddings.LayerNorm", "encoder.LayerNorm", "encoder.conv.LayerNorm"):
        add_norm(name)
    add_layer("encoder.conv.conv", HIDDEN, HIDDEN, 3)
    for number in range(LAYERS_READ):
        name = f"encoder.layer.{number}"
        for part in ("query_proj", "key_proj", "value_proj"):
            add_layer(f"{name}.attention.self.{part}", HIDDEN, HIDDEN)
        add_layer(f"{name}.attention.output.dense", HIDDEN, HIDDEN)
        add_layer(f"{name}.intermediate.dense", INNER, HIDDEN)
        add_layer(f"{name}.output.dense", HIDDEN, INNER)
        add_norm(f"{name}.attention.output.LayerNorm")
        add_norm(f"{name}.output.LayerNorm")
    return {name: values.astype(np.float32) for name, values in weights.items()}


def make_public_bert(weights: dict[str, Float32]) -> onnx.ModelProto:
    """Return the graph input_ids, attention_mask [batch, n] → output float32 [n, 64]."""
    return _PublicBert(weights).build()


class _PublicBert:
    """Writes one graph."""

    def __init__(self, weights: dict[str, Float32]) -> None:
        self._weights = weights
        self._op = GraphBuilder(OPSET)
        self._products = 1000  # as the exporter numbers its matrices

    def build(self) -> onnx.ModelProto:
        op = self._op
        op.path = "model/deberta/embeddings"
        words = op("Gather", self._stored("embeddings.word_embeddings.weight"), "input_ids")
        self._mask = op("Cast", op("Unsqueeze", "attention_mask", op.whole(2)), to=FLOAT)
        embedded = op("Mul", self._norm("embeddings.LayerNorm", words), self._mask)
        op.path = "model/deberta/encoder"
        self._seen = op("Mul", op("Unsqueeze", "attention_mask", op.whole(1, 2)), op("Unsqueeze", "attention_mask", op.whole(1, 3)))
        self._batch, self._length = (op("Gather", op("Shape", embedded), op.whole_number(axis)) for axis in (0, 1))
        self._heads = op("Mul", self._batch, op.whole_number(HEADS))
        self._rows_of_keys = self._bucket_rows()
        value = embedded
        for number in range(LAYERS_READ):
            value = self._layer(number, value)
            if number == 0:
                value = self._convolution(embedded, value)
        op.nodes.append(helper.make_node("Gather", [value, op.whole_number(0)], ["output"], name="/Gather", axis=0))
        inputs = [helper.make_tensor_value_info(name, WHOLE, ["batch_size", "sequence_length"]) for name in ("input_ids", "attention_mask")]
        outputs = [helper.make_tensor_value_info("output", FLOAT, ["sequence_length", HIDDEN])]
        return op.finish("main_graph", inputs, outputs)

    def _stored(self, name: str) -> str:
        return self._op.weight(PREFIX + name, self._weights[name])

    def _norm(self, name: str, value: str) -> str:
        return self._op("LayerNormalization", value, self._stored(f"{name}.weight"), self._stored(f"{name}.bias"), axis=-1, epsilon=EPSILON)

    def _linear(self, name: str, value: str) -> str:
        """A Gemm over rows, whose matrix has a number for a name: [batch, n, outputs]."""
        op, matrix = self._op, self._weights[f"{name}.weight"].T
        self._products += 1
        stored = op.weight(f"onnx::MatMul_{self._products}", matrix)
        rows = op("Reshape", value, op.whole(-1, matrix.shape[0]))
        made = op("Gemm", rows, stored, self._stored(f"{name}.bias"), alpha=1.0, beta=1.0, transA=0, transB=0)
        return op("Reshape", made, self._shape(self._batch, self._length, matrix.shape[1]))

    def _bucket_rows(self) -> str:
        """The row of the position table for every pair of tokens, [n, n] int64."""
        op = self._op
        places = op("Range", op.whole_number(0), self._length, op.whole_number(1))
        apart = op("Sub", op("Unsqueeze", places, op.whole(1)), op("Unsqueeze", places, op.whole(0)))
        return op("Gather", op.whole(*build_bucket_table(2 * BUCKETS).tolist()), op("Add", apart, op.whole_number(MAX_TOKENS - 1)))

    def _layer(self, number: int, value: str) -> str:
        op, name = self._op, f"encoder.layer.{number}"
        op.path = f"model/deberta/encoder/layer.{number}"
        mixed = self._linear(f"{name}.attention.output.dense", self._attend(number, value))
        value = self._norm(f"{name}.attention.output.LayerNorm", op("Add", mixed, value))
        bent = op.gelu(self._linear(f"{name}.intermediate.dense", value))
        return self._norm(f"{name}.output.LayerNorm", op("Add", self._linear(f"{name}.output.dense", bent), value))

    def _attend(self, number: int, value: str) -> str:
        op, name, width = self._op, f"encoder.layer.{number}.attention.self", HIDDEN // HEADS
        query, key, values = (self._by_head(self._linear(f"{name}.{part}_proj", value)) for part in ("query", "key", "value"))
        scale = op.number(float(np.sqrt(3 * width)))
        scores = op("Div", op("MatMul", query, op("Transpose", key, perm=[0, 2, 1])), scale)
        place_keys = self._places(number, "key_proj", "Expand_1_output_0")
        place_queries = self._places(number, "query_proj", "Expand_output_0")
        pairs = op("Expand", op("Unsqueeze", self._rows_of_keys, op.whole(0)), op("Shape", scores))
        place_keys, place_queries = (op("Tile", table, self._shape(self._batch, 1, 1)) for table in (place_keys, place_queries))
        to_places = op("MatMul", query, op("Transpose", place_keys, perm=[0, 2, 1]))
        scores = op("Add", scores, op("Div", op("GatherElements", to_places, pairs, axis=2), scale))
        from_places = op("MatMul", key, op("Transpose", place_queries, perm=[0, 2, 1]))
        # The opposite of row r is 2 * BUCKETS - r, but for a row 0, whose opposite would lie behind the table.
        opposite = op("Clip", op("Sub", op.whole_number(2 * BUCKETS), pairs), op.whole_number(0), op.whole_number(2 * BUCKETS - 1))
        gathered = op("Transpose", op("GatherElements", from_places, opposite, axis=2), perm=[0, 2, 1])
        scores = op("Add", scores, op("Div", gathered, scale))
        square = op("Reshape", scores, self._shape(self._batch, HEADS, self._length, self._length))
        hidden = op("Not", op("Cast", self._seen, to=TensorProto.BOOL))
        shares = op("Softmax", op("Where", hidden, op.number(float(np.finfo(np.float32).min)), square), axis=-1)
        mixed = op("MatMul", op("Reshape", shares, self._shape(self._heads, self._length, self._length)), values)
        rows = op("Transpose", op("Reshape", mixed, self._shape(self._batch, HEADS, self._length, width)), perm=[0, 2, 1, 3])
        return op("Reshape", rows, self._shape(self._batch, self._length, HIDDEN))

    def _shape(self, *sizes: int | str) -> str:
        return self._op.vector(*sizes)

    def _by_head(self, value: str) -> str:
        """[batch, n, 64] to [batch * 4, n, 16]."""
        op, width = self._op, HIDDEN // HEADS
        by_head = op("Reshape", value, self._shape(self._batch, self._length, HEADS, width))
        return op("Reshape", op("Transpose", by_head, perm=[0, 2, 1, 3]), self._shape(self._heads, self._length, width))

    def _places(self, number: int, part: str, folded: str) -> str:
        """The table of positions, normed, projected and by head, [4, 512, 16], as the exporter folds it."""
        name = f"encoder.layer.{number}.attention.self"
        rows = self._weights["encoder.rel_embeddings.weight"].astype(np.float64)
        rows = (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + EPSILON)
        rows = rows * self._weights["encoder.LayerNorm.weight"] + self._weights["encoder.LayerNorm.bias"]
        made = rows @ self._weights[f"{name}.{part}.weight"].T + self._weights[f"{name}.{part}.bias"]
        by_head = made.reshape(2 * BUCKETS, HEADS, HIDDEN // HEADS).transpose(1, 0, 2)
        return self._op.weight(f"/model/deberta/encoder/layer.{number}/attention/self/{folded}", by_head)

    def _convolution(self, embedded: str, value: str) -> str:
        op, name = self._op, "encoder.conv"
        op.path = "model/deberta/encoder/conv"
        kernel, bias = self._stored(f"{name}.conv.weight"), self._stored(f"{name}.conv.bias")
        beside = op("Conv", op("Transpose", embedded, perm=[0, 2, 1]), kernel, bias, kernel_shape=[3], pads=[1, 1])
        beside = op.gelu(op("Mul", op("Transpose", beside, perm=[0, 2, 1]), self._mask))
        return op("Mul", self._norm(f"{name}.LayerNorm", op("Add", value, beside)), self._mask)
