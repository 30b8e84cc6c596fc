"""Small graphs in ONNX's text form, simplified and compared with what they were."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import onnx
import onnx.parser
from onnx import TensorProto

from app.adapters.ort.graph_session import open_cpu_session
from app.voices.prepare.simplify.known_tensors import KnownTensor
from app.voices.prepare.simplify.subgraph import SubgraphPort, SubgraphSpec, simplify_subgraph
from app.voices.prepare.simplify.symbolic_sizes import FREE_SIZE

TYPES: dict[int, type] = {TensorProto.FLOAT: np.float32, TensorProto.INT64: np.int64, TensorProto.BOOL: np.bool_}


class Rewritten:
    """A graph `(float[1,C,T] x, …) => (… y)` and its simplified form, of which the batch axis of `x` and `y` is off."""

    def __init__(
        self, body: str, opset: int = 17, constants: Mapping[str, np.ndarray] | None = None, known: Mapping[str, KnownTensor] | None = None
    ) -> None:
        self.source = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["" : {opset}]>\n{body}')
        for name, array in (constants or {}).items():
            self.source.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
        inputs = [self._port(item) for item in self.source.graph.input if item.name not in (known or {})]
        outputs = [
            SubgraphPort(item.name, item.name, (FREE_SIZE,) * (len(item.type.tensor_type.shape.dim) - 1))
            for item in self.source.graph.output
        ]
        self.model = simplify_subgraph(self.source, SubgraphSpec("test", "T", inputs, outputs, known or {}))
        onnx.checker.check_model(self.model)

    @staticmethod
    def _port(item: onnx.ValueInfoProto) -> SubgraphPort:
        shape = tuple(FREE_SIZE if dim.dim_param else dim.dim_value for dim in item.type.tensor_type.shape.dim)
        return SubgraphPort(item.name, item.name, shape[1:], shape, item.type.tensor_type.elem_type)

    @property
    def ops(self) -> Counter[str]:
        """How often each operator occurs, border reshapes apart."""
        ends = {item.name for item in self.model.graph.input} | {item.name for item in self.model.graph.output}
        return Counter(
            node.op_type for node in self.model.graph.node if node.op_type != "Reshape" or not ends & {*node.input, *node.output}
        )

    def assert_same(self, lengths: Sequence[int] = (3, 7, 40), told: Mapping[str, object] | None = None) -> None:
        """Both forms compute the same, for several lengths."""
        before = open_cpu_session(self.source.SerializeToString(), "source")
        after = open_cpu_session(self.model.SerializeToString(), "simplified")
        for length in lengths:
            feed = {item.name: self._values(item, length) for item in self.source.graph.input}
            feed |= {name: np.asarray(length) for name in told or {}}
            for one, other in zip(before.run_graph(feed), after.run_graph(feed), strict=True):
                np.testing.assert_allclose(one[0], other, rtol=1e-5, atol=1e-6)

    @staticmethod
    def _values(item: onnx.ValueInfoProto, length: int) -> np.ndarray:
        shape = [length if dim.dim_param else dim.dim_value for dim in item.type.tensor_type.shape.dim]
        rng = np.random.default_rng(length)
        return (3 * rng.standard_normal(shape)).astype(TYPES[item.type.tensor_type.elem_type])
