"""The student as `prosody.onnx` and `flow.onnx`, obeying the contract of `app/voices/manifest.py`.

m_p carries, for each phone, its five state vectors, their shares of its time, and a channel of noise for F0. The flow picks
the state that a frame falls into and works on two frames of 256 samples per frame of 512.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from export_bert import array
from graph import END, Graph
from network import DILATIONS, HEADS, LONGEST, STATE_WIDTH, STATES, STYLE_INPUTS, WIDTH, EncoderLayer, Frames, Prosody
from teacher import RATE, STEP

HOP = 2 * STEP
TICKS = HOP / (RATE * 0.005)  # teacher frames of 5 ms in a frame of 512 samples
VECTORS = STATES * STATE_WIDTH
PRIOR = VECTORS + STATES + 1
NO_FRAMES = -2e4
F0_JITTER = 0.005 / 0.6  # 0.5 % at the default noise scale of 0.6
DURATION_JITTER = 0.2  # the most that noise changes a duration; about 6 % at the defaults


def _style(graph: Graph, weight: np.ndarray) -> str:
    """The style's effect; beyond a weight of 1.2 it levels off smoothly, so that no weight breaks the voice."""
    raw = graph.cut(graph.input("style_vec", "f32", 256), 0, STYLE_INPUTS)
    over = graph.op("Relu", graph.op("Sub", raw, graph.number(1.2)))
    soft = graph.op("Mul", graph.op("Tanh", graph.op("Div", over, graph.number(0.4))), graph.number(0.4))
    bounded = graph.op("Clip", raw, graph.number(-0.5), graph.number(1.2))
    return graph.linear(graph.shape(graph.op("Add", bounded, soft), 1, -1), weight)


def _attention_bias(graph: Graph, places: str, layer: EncoderLayer) -> str:
    rows, columns = graph.shape(places, -1, 1), graph.shape(places, 1, -1)
    distance = graph.op("Sub", rows, columns)
    slopes = array(layer.attention.slopes.exp())
    back = graph.op("Mul", graph.op("Relu", distance), graph.weight(slopes[:, 0, None, None], False))
    ahead = graph.op("Mul", graph.op("Relu", graph.op("Neg", distance)), graph.weight(slopes[:, 1, None, None], False))
    return graph.op("Add", back, ahead)


def _encoder_layer(graph: Graph, layer: EncoderLayer, x: str, places: str) -> str:
    attention, head = layer.attention, WIDTH // HEADS
    normed = graph.norm(x, array(layer.norm_attention.weight), array(layer.norm_attention.bias))
    joined = graph.shape(graph.linear(normed, array(attention.qkv.weight), array(attention.qkv.bias)), 0, 3, HEADS, head)
    parts = graph.ops("Split", 3, graph.op("Transpose", joined, perm=[1, 2, 0, 3]), graph.ints(1, 1, 1), axis=0)
    query, key, value = (graph.op("Squeeze", part, graph.ints(0)) for part in parts)
    scores = graph.op("MatMul", query, graph.op("Transpose", key, perm=[0, 2, 1]))
    scores = graph.op("Sub", graph.op("Mul", scores, graph.number(head**-0.5)), _attention_bias(graph, places, layer))
    mixed = graph.op("Transpose", graph.op("MatMul", graph.op("Softmax", scores, axis=-1), value), perm=[1, 0, 2])
    x = graph.op("Add", x, graph.linear(graph.shape(mixed, 0, WIDTH), array(attention.out.weight), array(attention.out.bias)))
    normed = graph.norm(x, array(layer.norm_conv.weight), array(layer.norm_conv.bias))
    inner = graph.op("Relu", graph.conv(normed, array(layer.conv.weight), array(layer.conv.bias)))
    return graph.op("Add", x, graph.linear(inner, array(layer.back.weight), array(layer.back.bias)))


def _with_blanks(graph: Graph, value: str, width: int, fill: float) -> str:
    """(n, width) to (2n+1, width): a blank before, between and after all."""
    pairs = graph.pad(graph.shape(value, -1, 1, width), 1, 0, axis=1, fill=fill)
    return graph.pad(graph.shape(pairs, -1, width), 0, 1, axis=0, fill=fill)


def export_prosody(model: Prosody, path: Path) -> None:
    """Writes the first graph; blanks get no time."""
    graph = Graph("starter_prosody")
    ids, tones = (graph.cut(graph.input(name, "i64", "T"), 1, END, step=2) for name in ("x_tst", "tones"))
    features = graph.op("Transpose", graph.cut(graph.input("bert", "f32", 1024, "T"), 1, END, axis=1, step=2), perm=[1, 0])
    ratio, noise = graph.input("sdp_ratio", "f32"), graph.input("sdp_noise", "f32", 2, "T")
    x = graph.op("Gather", graph.weight(array(model.phone.weight)), ids)
    x = graph.op("Add", x, graph.op("Gather", graph.weight(array(model.tone.weight)), tones))
    x = graph.op("Add", x, graph.linear(features, array(model.features.weight), array(model.features.bias)))
    x = graph.op("Add", x, _style(graph, array(model.style.weight)))
    count = graph.op("Cast", graph.count(ids), to=1)
    places = graph.op("Range", graph.number(0), count, graph.number(1))
    for layer in model.layers:
        x = _encoder_layer(graph, layer, x, places)
    x = graph.norm(x, array(model.norm.weight), array(model.norm.bias))
    ticks = graph.op("Relu", graph.linear(x, array(model.durations.weight), array(model.durations.bias)))
    ticks = graph.op("Sub", graph.op("Exp", ticks), graph.number(1))
    total = graph.op("ReduceSum", ticks, graph.ints(1), keepdims=1)
    guarded = graph.op("Add", ticks, graph.number(1e-3))
    shares = graph.op("Div", guarded, graph.op("ReduceSum", guarded, graph.ints(1), keepdims=1))
    frames = graph.op("Add", graph.op("Mul", total, graph.number(1 / TICKS)), graph.number(1e-5))
    drawn = graph.op("Mul", graph.cut(graph.cut(noise, 0, 1), 1, END, axis=1, step=2), graph.op("Mul", ratio, graph.number(2.0)))
    jitter = graph.op("Mul", graph.op("Tanh", graph.shape(drawn, -1, 1)), graph.number(DURATION_JITTER))
    logw = graph.op("Add", graph.op("Log", frames), jitter)
    graph.output("logw", graph.shape(_with_blanks(graph, logw, 1, NO_FRAMES), -1), "T")
    vectors = graph.linear(x, array(model.states.weight), array(model.states.bias))
    prior = graph.pad(graph.stack([vectors, shares], 1), 0, 1, axis=1)
    graph.output("m_p", graph.op("Transpose", _with_blanks(graph, prior, PRIOR, 0.0), perm=[1, 0]), PRIOR, "T")
    scales = np.full((PRIOR, 1), -30.0, np.float32)
    scales[-1] = math.log(F0_JITTER)
    shape = graph.stack([graph.ints(PRIOR), graph.op("Shape", noise, start=1)], 0)
    graph.output("logs_p", graph.op("Expand", graph.weight(scales, False), shape), PRIOR, "T")
    graph.save(path)


def _frame_inputs(graph: Graph, z_p: str) -> str:
    """For both halves of every frame, the vector of its state and where in state and phone it lies: (F, 140)."""
    position, length = graph.input("frame_position", "f32", "F"), graph.input("phone_frames", "f32", "F")
    states = graph.shape(graph.cut(z_p, 0, VECTORS, axis=1), -1, STATES, STATE_WIDTH)
    shares = graph.cut(z_p, VECTORS, VECTORS + STATES, axis=1)
    starts = graph.op("Unsqueeze", graph.op("CumSum", shares, graph.integers(np.array(1)), exclusive=1), graph.ints(1))
    length, position = graph.shape(length, -1, 1), graph.shape(position, -1, 1)
    half = graph.op("Div", graph.weight(np.array([[-0.25, 0.25]], np.float32)), length)
    place = graph.op("Unsqueeze", graph.op("Add", position, half), graph.ints(2))
    begun = graph.op("Cast", graph.op("GreaterOrEqual", place, starts), to=1)
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
    return graph.shape(graph.stack([vectors, in_state, place, *logs], 2), 0, -1)


def _phase(graph: Graph, log_f0: str) -> str:
    """Running phase of the pulse train at frame centres, in turns modulo 1: summed in double precision over the whole line."""
    f0 = graph.op("Cast", graph.op("Exp", log_f0), to=11)
    after = graph.stack([graph.cut(f0, 1, END), graph.cut(f0, -1, END)], 0)
    turns = graph.op("CumSum", graph.op("Add", f0, after), graph.integers(np.array(0)), exclusive=1)
    turns = graph.op("Mul", turns, graph.op("Cast", graph.number(STEP / RATE / 2), to=11))
    return graph.op("Cast", graph.op("Sub", turns, graph.op("Floor", turns)), to=1)


def export_flow(model: Frames, mean: np.ndarray, deviation: np.ndarray, path: Path) -> None:
    """Writes the second graph: z holds, for both halves of a frame, 35 mel-cepstra, log F0, voicing (0 or 1) and phase."""
    graph = Graph("starter_flow")
    z_p = graph.op("Transpose", graph.input("z_p", "f32", PRIOR, "F"), perm=[1, 0])
    x = graph.linear(_frame_inputs(graph, z_p), array(model.enter.weight), array(model.enter.bias))
    x = graph.op("Add", x, _style(graph, array(model.style.weight)))
    for block, dilation in zip(model.blocks, DILATIONS, strict=True):
        normed = graph.norm(x, array(block.norm.weight), array(block.norm.bias))
        inner = graph.op("Relu", graph.conv(normed, array(block.conv.weight), array(block.conv.bias), dilation))
        x = graph.op("Add", x, graph.linear(inner, array(block.back.weight), array(block.back.bias)))
    x = graph.norm(x, array(model.norm.weight), array(model.norm.bias))
    both = graph.shape(graph.linear(x, array(model.leave.weight), array(model.leave.bias)), -1, len(mean))
    both = graph.op("Add", graph.op("Mul", both, graph.weight(deviation, False)), graph.weight(mean, False))
    cepstra, log_f0, voiced = (graph.cut(both, start, end, axis=1) for start, end in ((0, 35), (35, 36), (36, 37)))
    kernel = np.array([1, 2, 3, 2, 1], np.float32).reshape(1, 1, 5)
    jitter = graph.conv(graph.cut(z_p, PRIOR - 1, PRIOR, axis=1), kernel / np.sqrt((kernel**2).sum()), np.zeros(1, np.float32))
    jitter = graph.shape(graph.stack([jitter, jitter], 1), -1, 1)
    log_f0 = graph.op("Clip", graph.op("Add", log_f0, jitter), graph.number(math.log(60)), graph.number(math.log(1200)))
    voiced = graph.op("Cast", graph.op("Greater", voiced, graph.number(0)), to=1)
    phase = graph.shape(_phase(graph, graph.shape(log_f0, -1)), -1, 1)
    z = graph.shape(graph.stack([cepstra, log_f0, voiced, phase], 1), -1, 2 * (len(mean) + 1))
    graph.output("z", graph.op("Transpose", z, perm=[1, 0]), 2 * (len(mean) + 1), "F")
    graph.save(path)
