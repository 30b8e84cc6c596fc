"""The student's first graph, `prosody.onnx`, obeying the contract of `app/voices/prepared_voice.py`.

m_p carries, for each phone, its five state vectors, their shares of its time, and a channel of noise for F0.
"""

import math
from pathlib import Path

import numpy as np
from advice import LONG_IDS, VALUES
from contexts import END_IDS, SILENT_IDS, VOWEL_IDS
from export_advice import advise
from export_bert import array
from export_contexts import columns_of, find_labels, label_codes, one_of
from export_parts import PRIOR, TICKS, VECTORS, Roles, block
from forest import Forest
from graph import END, FLOAT, Graph
from network import HEADS, STATES, WIDTH, EncoderLayer, Finder, Prosody

NO_FRAMES = -2e4
F0_JITTER = 0.005 / 0.6  # 0.5 % at the default noise scale of 0.6
DURATION_JITTER = 0.2  # the most that noise changes a duration; about 6 % at the defaults


def _attention_bias(graph: Graph, places: str, layer: EncoderLayer) -> str:
    rows, columns = graph.shape(places, -1, 1), graph.shape(places, 1, -1)
    distance = graph.op("Sub", rows, columns)
    slopes = array(layer.attention.slopes.exp())
    back = graph.op("Mul", graph.op("Relu", distance), graph.weight(slopes[:, 0, None, None], False))
    ahead = graph.op("Mul", graph.op("Relu", graph.op("Neg", distance)), graph.weight(slopes[:, 1, None, None], False))
    return graph.op("Add", back, ahead)


def _encoder_layer(graph: Graph, layer: EncoderLayer, x: str, places: str, role: str) -> str:
    attention, head = layer.attention, WIDTH // HEADS
    normed = graph.norm(x, array(layer.norm.weight), array(layer.norm.bias))
    joined = graph.shape(graph.linear(normed, array(attention.qkv.weight), array(attention.qkv.bias)), 0, 3, HEADS, head)
    parts = graph.ops("Split", 3, graph.op("Transpose", joined, perm=[1, 2, 0, 3]), graph.ints(1, 1, 1), axis=0)
    query, key, value = (graph.op("Squeeze", part, graph.ints(0)) for part in parts)
    scores = graph.op("MatMul", query, graph.op("Transpose", key, perm=[0, 2, 1]))
    scores = graph.op("Sub", graph.op("Mul", scores, graph.number(head**-0.5)), _attention_bias(graph, places, layer))
    mixed = graph.op("Transpose", graph.op("MatMul", graph.op("Softmax", scores, axis=-1), value), perm=[1, 0, 2])
    x = graph.op("Add", x, graph.linear(graph.shape(mixed, 0, WIDTH), array(attention.out.weight), array(attention.out.bias)))
    return block(graph, layer.block, x, role)


def _with_blanks(graph: Graph, value: str, width: int, fill: float) -> str:
    """(n, width) to (2n+1, width): a blank before, between and after all."""
    pairs = graph.pad(graph.shape(value, -1, 1, width), 1, 0, axis=1, fill=fill)
    return graph.pad(graph.shape(pairs, -1, width), 0, 1, axis=0, fill=fill)


def _embedded(graph: Graph, model: Finder | Prosody, ids: str, tones: str) -> str:
    x = graph.op("Gather", graph.weight(array(model.phone.weight)), ids)
    return graph.op("Add", x, graph.op("Gather", graph.weight(array(model.tone.weight)), tones))


def _find(graph: Graph, model: Finder, codes: np.ndarray, ids: str, tones: str, features: str) -> tuple[str, str, str]:
    """Flags (n, 1) of phones that begin an accent phrase, and of voiceless vowels; codes (n, 9) of words. `codes` (classes, 3)."""
    x = _embedded(graph, model, ids, tones)
    x = graph.op("Add", x, graph.linear(features, array(model.features.weight), array(model.features.bias)))
    for layer in model.layers:
        x = block(graph, layer, x)
    x = graph.norm(x, array(model.norm.weight), array(model.norm.bias))
    marks = graph.linear(x, array(model.marks.weight), array(model.marks.bias))
    marks = graph.op("Cast", graph.op("Greater", marks, graph.number(0)), to=FLOAT)
    begins, voiceless = columns_of(graph, marks, 2)
    words = graph.shape(graph.linear(x, array(model.words.weight), array(model.words.bias)), -1, 3, len(codes))
    best = graph.op("ArgMax", words, axis=2, keepdims=0)
    return begins, voiceless, graph.shape(graph.op("Gather", graph.weight(codes.astype(np.float32), False), best), -1, 9)


def _say(
    graph: Graph, finder: Finder, codes: np.ndarray, forest: Forest, ids: str, tones: str, features: str, role: Roles
) -> tuple[str, str]:
    """What the trees say of every phone: log1p of state durations (n, 5), values (n, 5 · VALUES)."""
    labels = find_labels(graph, ids)
    begins, voiceless, words = _find(graph, finder, codes, ids, tones, features)
    silent, ends, vowels, lasting = columns_of(graph, one_of(graph, ids, SILENT_IDS, END_IDS, VOWEL_IDS, LONG_IDS), 4)
    one = graph.number(1)
    inside = graph.pad(graph.cut(graph.op("Sub", one, graph.op("Max", silent, ends)), 0, -1), 1, 0)  # a mora that continues
    begins = graph.op("Mul", begins, graph.op("Mul", graph.op("Sub", one, silent), graph.op("Sub", one, inside)))
    voiceless = graph.op("Mul", voiceless, vowels)
    asked = label_codes(graph, labels, ids, tones, begins, voiceless, words)
    said = advise(graph, forest, asked, labels.spoken, graph.op("Gather", lasting, labels.first), role)
    return tuple(graph.op("Gather", each, labels.label) for each in said)  # type: ignore[return-value]


def export_prosody(
    model: Prosody, finder: Finder, codes: np.ndarray, forest: Forest, roles: np.ndarray, balance: np.ndarray, path: Path
) -> None:
    """Writes the first graph; blanks get no time."""
    graph = Graph("starter_prosody")
    ids, tones = (graph.cut(graph.input(name, "i64", "T"), 1, END, step=2) for name in ("x_tst", "tones"))
    features = graph.op("Transpose", graph.cut(graph.input("bert", "f32", 1024, "T"), 1, END, axis=1, step=2), perm=[1, 0])
    ratio, noise = graph.input("sdp_ratio", "f32"), graph.input("sdp_noise", "f32", 2, "T")
    role = Roles(graph, roles, balance)
    lengths, values = _say(graph, finder, codes, forest, ids, tones, features, role)
    x = _embedded(graph, model, ids, tones)
    x = graph.op("Add", x, graph.linear(values, array(model.values.weight), array(model.values.bias)))
    x = graph.op("Add", x, graph.linear(lengths, array(model.lengths.weight)))
    x = graph.op("Add", x, graph.linear(role.vector, array(model.role.weight)))
    count = graph.op("Cast", graph.count(ids), to=FLOAT)
    places = graph.op("Range", graph.number(0), count, graph.number(1))
    for layer in model.layers:
        x = _encoder_layer(graph, layer, x, places, role.vector)
    x = graph.norm(x, array(model.norm.weight), array(model.norm.bias))
    ticks = graph.op("Add", lengths, graph.linear(x, array(model.durations.weight), array(model.durations.bias)))
    ticks = graph.op("Sub", graph.op("Exp", graph.op("Relu", ticks)), graph.number(1))
    total = graph.op("ReduceSum", ticks, graph.ints(1), keepdims=1)
    guarded = graph.op("Add", ticks, graph.number(1e-3))
    shares = graph.op("Div", guarded, graph.op("ReduceSum", guarded, graph.ints(1), keepdims=1))
    frames = graph.op("Add", graph.op("Mul", total, graph.number(1 / TICKS)), graph.number(1e-5))
    drawn = graph.op("Mul", graph.cut(graph.cut(noise, 0, 1), 1, END, axis=1, step=2), graph.op("Mul", ratio, graph.number(2.0)))
    jitter = graph.op("Mul", graph.op("Tanh", graph.shape(drawn, -1, 1)), graph.number(DURATION_JITTER))
    logw = graph.op("Add", graph.op("Add", graph.op("Log", frames), graph.cut(role.moves, 1, 2, axis=1)), jitter)
    graph.output("logw", graph.shape(_with_blanks(graph, logw, 1, NO_FRAMES), -1), "T")
    direct = graph.linear(graph.shape(values, -1, STATES, VALUES), array(model.direct.weight))
    vectors = graph.linear(x, array(model.states.weight), array(model.states.bias))
    vectors = graph.op("Add", vectors, graph.shape(direct, -1, VECTORS))
    prior = graph.pad(graph.stack([vectors, shares], 1), 0, 1, axis=1)
    graph.output("m_p", graph.op("Transpose", _with_blanks(graph, prior, PRIOR, 0.0), perm=[1, 0]), PRIOR, "T")
    scales = np.full((PRIOR, 1), -30.0, np.float32)
    scales[-1] = math.log(F0_JITTER)
    shape = graph.stack([graph.ints(PRIOR), graph.op("Shape", noise, start=1)], 0)
    graph.output("logs_p", graph.op("Expand", graph.weight(scales, False), shape), PRIOR, "T")
    graph.save(path)
