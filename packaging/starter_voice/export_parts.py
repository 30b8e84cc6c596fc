"""What the voice's graphs share: the sizes of what they hand on, residual convolutions, and what speaker and style do."""

import math

import numpy as np
from cast import BORROWED, CAST, PLACE, SPEAKERS, STYLES
from export_bert import array
from graph import Graph
from network import STATE_WIDTH, STATES, Block
from teacher import CENT, RATE, STEP

HOP = 2 * STEP
TICKS = HOP / (RATE * 0.005)  # teacher frames of 5 ms in a frame of 512 samples
VECTORS = STATES * STATE_WIDTH
PRIOR = VECTORS + STATES + 1


class Roles:
    """What speaker and style do in one graph: (1, ROLE_WIDTH) `vector` for the network, (1, 3) `moves` of log F0, log length and level.

    `speaker` (1,) and `style` (1, STYLES) are the bounded inputs.

    A style moves its speaker's Neutral linearly; beyond a weight of 1.2 it levels off smoothly, so that no weight breaks the voice.
    """

    def __init__(self, graph: Graph, vectors: np.ndarray, balance: np.ndarray) -> None:
        own = np.concatenate([np.zeros((len(CAST), 1)), balance], 1).astype(np.float32)
        borrowed: dict[str, tuple[float, ...]] = {
            style: (cents * CENT, math.log1p(longer), 0.0) for style, (cents, longer) in BORROWED.items()
        }
        self._graph, self.style = graph, _bounded_style(graph)
        last = graph.integers(np.array(len(SPEAKERS) - 1))
        self.speaker = graph.op("Clip", graph.input("sid", "i64", 1), graph.integers(np.array(0)), last)
        self.vector = self._of(vectors, {})
        self.moves = self._of(own, borrowed)

    def _of(self, table: np.ndarray, borrowed: dict[str, tuple[float, ...]]) -> str:
        """The speaker's row of `table` for Neutral, moved by the style as far as its weight goes."""
        graph, neutral, shifts = self._graph, [], []
        for speaker in SPEAKERS:
            base = table[PLACE[speaker, STYLES[0]]]
            lacking = {style: np.array(borrowed.get(style, np.zeros_like(base)), np.float32) for style in STYLES}
            neutral.append(base)
            shifts.append([table[PLACE[speaker, s]] - base if (speaker, s) in PLACE else lacking[s] for s in STYLES])
        own = graph.op("Gather", graph.weight(np.array(neutral), False), self.speaker)
        shift = graph.op("Squeeze", graph.op("Gather", graph.weight(np.array(shifts), False), self.speaker), graph.ints(0))
        return graph.op("Add", own, graph.op("MatMul", self.style, shift))


def _bounded_style(graph: Graph) -> str:
    raw = graph.cut(graph.input("style_vec", "f32", 256), 0, len(STYLES))
    over = graph.op("Relu", graph.op("Sub", raw, graph.number(1.2)))
    soft = graph.op("Mul", graph.op("Tanh", graph.op("Div", over, graph.number(0.4))), graph.number(0.4))
    bounded = graph.op("Clip", raw, graph.number(-0.5), graph.number(1.2))
    return graph.shape(graph.op("Add", bounded, soft), 1, -1)


def block(graph: Graph, part: Block, x: str, role: str | None = None) -> str:
    """One residual convolution."""
    normed = graph.norm(x, array(part.norm.weight), array(part.norm.bias))
    inner = graph.conv(normed, array(part.conv.weight), array(part.conv.bias), part.conv.dilation[0])
    inner = graph.op("Relu", inner) if part.role is None or role is None else moved(graph, inner, role, part)
    return graph.op("Add", x, graph.linear(inner, array(part.back.weight), array(part.back.bias)))


def moved(graph: Graph, inner: str, role: str, part: Block) -> str:
    """Inner units after a role's shifts, threshold and scales."""
    shift = graph.linear(role, array(part.role.weight))
    scale = graph.op("Add", graph.linear(role, array(part.scale.weight)), graph.number(1))
    return graph.op("Mul", graph.op("Relu", graph.op("Add", inner, shift)), scale)
