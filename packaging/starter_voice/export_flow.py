"""The student's second graph, `flow.onnx`: the frame decoder, and the running phase of the pulse train.

It picks the state that a frame falls into and works on two frames of 256 samples per frame of 512.
"""

import math
from pathlib import Path

import numpy as np
from export_bert import array
from export_parts import PRIOR, TICKS, VECTORS, Roles, block
from graph import DOUBLE, END, FLOAT, Graph
from network import LONGEST, STATE_WIDTH, STATES, Frames
from teacher import RATE, STEP


def _frame_inputs(graph: Graph, z_p: str) -> tuple[str, str]:
    """For both halves of every frame, the vector of its state (F, 2, 64), and that with where in state and phone it is (F, 140)."""
    position, length = graph.input("frame_position", "f32", "F"), graph.input("phone_frames", "f32", "F")
    states = graph.shape(graph.cut(z_p, 0, VECTORS, axis=1), -1, STATES, STATE_WIDTH)
    shares = graph.cut(z_p, VECTORS, VECTORS + STATES, axis=1)
    starts = graph.op("Unsqueeze", graph.op("CumSum", shares, graph.integers(np.array(1)), exclusive=1), graph.ints(1))
    length, position = graph.shape(length, -1, 1), graph.shape(position, -1, 1)
    half = graph.op("Div", graph.weight(np.array([[-0.25, 0.25]], np.float32)), length)
    place = graph.op("Unsqueeze", graph.op("Add", position, half), graph.ints(2))
    begun = graph.op("Cast", graph.op("GreaterOrEqual", place, starts), to=FLOAT)
    chosen = graph.op("Sub", begun, graph.pad(graph.cut(begun, 1, END, axis=2), 0, 1, axis=2))
    vectors = graph.op("MatMul", chosen, states)
    share = graph.op("MatMul", chosen, graph.op("Unsqueeze", shares, graph.ints(2)))
    start = graph.op("MatMul", chosen, graph.op("Transpose", starts, perm=[0, 2, 1]))
    in_state = graph.op("Clip", graph.op("Div", graph.op("Sub", place, start), share), graph.number(0), graph.number(1))
    nominal = graph.op("Div", graph.op("Mul", length, graph.number(TICKS)), graph.input("length_scale", "f32"))
    nominal = graph.op("Unsqueeze", graph.op("Min", nominal, graph.number(LONGEST)), graph.ints(2))
    passed = graph.op("Mul", nominal, place)
    left = graph.op("Sub", nominal, passed)
    times = [graph.op("Add", passed, left), graph.op("Mul", nominal, share), passed, left]
    logs = [graph.op("Log", graph.op("Add", time, graph.number(1))) for time in times]
    return vectors, graph.shape(graph.stack([vectors, in_state, place, *logs], 2), 0, -1)


def _phase(graph: Graph, log_f0: str) -> str:
    """Running phase of the pulse train at frame centres, in turns modulo 1: summed in double precision over the whole line."""
    f0 = graph.op("Cast", graph.op("Exp", log_f0), to=DOUBLE)
    after = graph.stack([graph.cut(f0, 1, END), graph.cut(f0, -1, END)], 0)
    turns = graph.op("CumSum", graph.op("Add", f0, after), graph.integers(np.array(0)), exclusive=1)
    turns = graph.op("Mul", turns, graph.op("Cast", graph.number(STEP / RATE / 2), to=DOUBLE))
    return graph.op("Cast", graph.op("Sub", turns, graph.op("Floor", turns)), to=FLOAT)


def export_flow(model: Frames, roles: np.ndarray, balance: np.ndarray, mean: np.ndarray, deviation: np.ndarray, path: Path) -> None:
    """Writes the second graph: z holds, for both halves of a frame, 35 mel-cepstra, log F0, voicing (0 or 1) and phase."""
    graph = Graph("starter_flow")
    z_p = graph.op("Transpose", graph.input("z_p", "f32", PRIOR, "F"), perm=[1, 0])
    role = Roles(graph, roles, balance)
    vectors, inputs = _frame_inputs(graph, z_p)
    x = graph.linear(inputs, array(model.enter.weight), array(model.enter.bias))
    for part in model.blocks:
        x = block(graph, part, x, role.vector)
    x = graph.norm(x, array(model.norm.weight), array(model.norm.bias))
    both = graph.shape(graph.linear(x, array(model.leave.weight), array(model.leave.bias)), -1, len(mean))
    both = graph.op("Add", both, graph.shape(graph.linear(vectors, array(model.direct.weight)), -1, len(mean)))
    both = graph.op("Add", graph.op("Mul", both, graph.weight(deviation, False)), graph.weight(mean, False))
    level = graph.pad(graph.cut(role.moves, 2, 3, axis=1), 0, len(mean) - 1, axis=1)
    both = graph.op("Add", both, level)
    cepstra, log_f0, voiced = (graph.cut(both, start, end, axis=1) for start, end in ((0, 35), (35, 36), (36, 37)))
    kernel = np.array([1, 2, 3, 2, 1], np.float32).reshape(1, 1, 5)
    jitter = graph.conv(graph.cut(z_p, PRIOR - 1, PRIOR, axis=1), kernel / np.sqrt((kernel**2).sum()), np.zeros(1, np.float32))
    jitter = graph.op("Add", graph.shape(graph.stack([jitter, jitter], 1), -1, 1), graph.cut(role.moves, 0, 1, axis=1))
    log_f0 = graph.op("Clip", graph.op("Add", log_f0, jitter), graph.number(math.log(60)), graph.number(math.log(1200)))
    voiced = graph.op("Cast", graph.op("Greater", voiced, graph.number(0)), to=FLOAT)
    phase = graph.shape(_phase(graph, graph.shape(log_f0, -1)), -1, 1)
    z = graph.shape(graph.stack([cepstra, log_f0, voiced, phase], 1), -1, 2 * (len(mean) + 1))
    graph.output("z", graph.op("Transpose", z, perm=[1, 0]), 2 * (len(mean) + 1), "F")
    graph.save(path)
