"""The vocoder as `decoder.onnx`: pulses and noise through the exact minimum-phase mel-cepstral filter; nothing in it is trained.

Everything is local to a few frames: phases come with z, so windows of a line join as if it had been decoded whole.
Layout: frame i (256 samples) is centred at sample 256·i + 128. Blocks of 256 samples run from one centre to the next; block 0
is the half before the first centre. The window of frame i is blocks i and i+1 under a Hann window, its echo blocks i … i+3.
"""

import math
from pathlib import Path

import numpy as np
from graph import END, FLOAT, Graph
from teacher import RATE, STEP

ORDER = 35
ALPHA = 0.55
TEACHER_RATE = 48000
SIZE = 4 * STEP
BINS = SIZE // 2 + 1
KNEE, CEILING = 0.7, 0.89  # soft limit: nothing leaves above −1 dBFS


def lowpass_at(rate: int, taps: np.ndarray) -> np.ndarray:
    """The teacher's low-pass filter, taps at 48 kHz, resampled to `rate` with the same gain."""
    reach = int(len(taps) / 2 * rate / TEACHER_RATE)
    times = np.arange(-reach, reach + 1) * TEACHER_RATE / rate
    places = np.arange(len(taps)) - len(taps) // 2
    values = (taps * np.sinc(times[:, None] - places)).sum(1)
    return (values * taps.sum() / values.sum()).astype(np.float32)


def _turning(graph: Graph, rows: int, columns: int, kind: str) -> str:
    """Table of cos or sin of 2π·row·column/SIZE, built at load: the product is reduced to one turn while still exact."""
    row, column = (graph.op("Range", *(graph.integers(np.array(v)) for v in (0, size, 1))) for size in (rows, columns))
    product = graph.op("Mul", graph.shape(row, -1, 1), graph.shape(column, 1, -1))
    angle = graph.op(
        "Mul", graph.op("Cast", graph.op("Mod", product, graph.integers(np.array(SIZE))), to=FLOAT), graph.number(2 * math.pi / SIZE)
    )
    return graph.op(kind, angle)


def _excitation(graph: Graph, log_f0: str, voiced: str, phase: str, taps: np.ndarray) -> str:
    """Pulse train minus its mean, noise where the voice does not reach: (blocks, 256)."""
    f0 = graph.op("Exp", log_f0)
    after, voiced_after = (graph.stack([graph.cut(v, 1, END), graph.cut(v, -1, END)], 0) for v in (f0, voiced))
    tau = np.arange(STEP + 1) / STEP
    sweep = np.stack([tau - tau**2 / 2, tau**2 / 2]).astype(np.float32) * (STEP / RATE)
    turns = graph.op("Add", graph.op("MatMul", graph.stack([f0, after], 1), graph.weight(sweep, False)), phase)
    whole = graph.op("Floor", turns)
    before, behind = graph.cut(turns, 0, STEP, axis=1), graph.cut(turns, 1, END, axis=1)
    whole_before, whole_behind = graph.cut(whole, 0, STEP, axis=1), graph.cut(whole, 1, END, axis=1)
    rise = graph.op("Sub", behind, before)
    half = np.repeat(np.eye(2, dtype=np.float32), STEP // 2, 1)
    sounding = graph.op("MatMul", graph.stack([voiced, voiced_after], 1), graph.weight(half, False))
    size = graph.op("Sqrt", rise)
    strike = graph.op("Mul", graph.op("Div", graph.op("Sub", whole_behind, whole_before), size), sounding)
    # a pulse between two samples is shared by both, else F0 would be rounded to whole samples
    late = graph.op("Clip", graph.op("Div", graph.op("Sub", whole_behind, before), rise), graph.number(0), graph.number(1))
    second = graph.op("Mul", strike, late)
    first = graph.op("Sub", graph.op("Sub", strike, second), graph.op("Mul", size, sounding))
    moved = graph.pad(graph.cut(graph.shape(second, -1), 0, -1), 1, 0)
    pulses = graph.pad(graph.op("Add", graph.shape(first, -1), moved), STEP, 0)
    noise = graph.pad(graph.input("noise", "f32", "N"), STEP // 2, STEP // 2)
    masked = graph.op("Mul", noise, graph.pad(graph.shape(sounding, -1), STEP, 0))
    voice = graph.shape(graph.op("Sub", pulses, masked), 1, 1, -1)
    reach = len(taps) // 2
    low = graph.op("Conv", voice, graph.weight(taps[::-1].reshape(1, 1, -1), False), pads=[reach, reach])
    return graph.shape(graph.op("Add", graph.shape(low, -1), noise), -1, STEP)


def _filter(graph: Graph, cepstra: str, gain: float) -> tuple[str, str]:
    """Real and imaginary part of H at every bin, (frames, BINS)."""
    omega = 2 * np.pi * np.arange(BINS) / SIZE * RATE / TEACHER_RATE
    warped = omega + 2 * np.arctan(ALPHA * np.sin(omega) / (1 - ALPHA * np.cos(omega)))
    order = graph.op("Range", graph.number(0), graph.number(ORDER), graph.number(1))
    angle = graph.op("Mul", graph.shape(order, -1, 1), graph.weight(warped.astype(np.float32)[None], False))
    level = graph.op("Add", graph.op("MatMul", cepstra, graph.op("Cos", angle)), graph.number(math.log(gain)))
    size = graph.op("Exp", graph.op("Min", level, graph.number(6.0)))
    turn = graph.op("Neg", graph.op("MatMul", cepstra, graph.op("Sin", angle)))
    return graph.op("Mul", size, graph.op("Cos", turn)), graph.op("Mul", size, graph.op("Sin", turn))


def _overlap(graph: Graph, echoes: str) -> str:
    """Sums echoes (frames, 1024) that start a block apart, and keeps the samples the frames stand for."""
    parts = [graph.pad(graph.cut(echoes, STEP * k, STEP * (k + 1), axis=1), k, 3 - k) for k in range(4)]
    total = graph.op("Sum", *parts)
    flat = graph.shape(graph.cut(total, 0, -2), -1)
    return graph.cut(flat, STEP // 2, -(STEP // 2))


def _limit(graph: Graph, audio: str) -> str:
    over = graph.op("Relu", graph.op("Sub", graph.op("Abs", audio), graph.number(KNEE)))
    room = graph.number(CEILING - KNEE)
    soft = graph.op("Mul", graph.op("Tanh", graph.op("Div", over, room)), room)
    return graph.op("Add", graph.op("Clip", audio, graph.number(-KNEE), graph.number(KNEE)), graph.op("Mul", graph.op("Sign", audio), soft))


def export_decoder(taps: np.ndarray, gain: float, path: Path) -> None:
    """Writes the third graph: z (76, W) and noise (512·W) → audio (512·W)."""
    graph = Graph("starter_decoder")
    z = graph.shape(graph.op("Transpose", graph.input("z", "f32", 2 * (ORDER + 3), "W"), perm=[1, 0]), -1, ORDER + 3)
    cepstra, log_f0, voiced, phase = (graph.cut(z, a, b, axis=1) for a, b in ((0, 35), (35, 36), (36, 37), (37, 38)))
    blocks = _excitation(graph, log_f0, voiced, phase, lowpass_at(RATE, taps))
    windows = graph.stack([graph.cut(blocks, 0, -1), graph.cut(blocks, 1, END)], 1)
    hann = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(2 * STEP) / (2 * STEP))).astype(np.float32)
    windows = graph.op("Mul", windows, graph.weight(hann, False))
    cosine, sine = _turning(graph, SIZE, BINS, "Cos"), _turning(graph, SIZE, BINS, "Sin")
    real = graph.op("MatMul", windows, graph.cut(cosine, 0, 2 * STEP))
    imaginary = graph.op("Neg", graph.op("MatMul", windows, graph.cut(sine, 0, 2 * STEP)))
    h_real, h_imaginary = _filter(graph, cepstra, gain)
    out_real = graph.op("Sub", graph.op("Mul", real, h_real), graph.op("Mul", imaginary, h_imaginary))
    out_imaginary = graph.op("Add", graph.op("Mul", real, h_imaginary), graph.op("Mul", imaginary, h_real))
    fold = np.full(BINS, 2 / SIZE, np.float32)
    fold[[0, -1]] = 0, 1 / SIZE  # without the mean of each frame, so that no offset is left
    weights = graph.weight(fold, False)
    back = (graph.op("Transpose", graph.op("Mul", table, weights), perm=[1, 0]) for table in (cosine, sine))
    echoes = graph.op("Sub", *(graph.op("MatMul", part, table) for part, table in zip((out_real, out_imaginary), back, strict=True)))
    graph.output("audio", _limit(graph, _overlap(graph, echoes)), "N")
    graph.save(path)
