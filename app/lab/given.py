"""Inputs of a chosen size for any graph: what is counted and timed depends on sizes, not on numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.errors import VoiceError
from app.json_text import short_text
from app.language import localized
from app.voices.prepare.graph_facts import Value
from app.voices.untrusted.limits import MOST_AXES

DTYPES = {"float32": np.float32, "float16": np.float16, "double": np.float64, "int64": np.int64, "int32": np.int32, "bool": np.bool_}
ONE_EACH = ("x_tst_lengths", "sid")
NUMBERS = {"length_scale": 1.0, "sdp_ratio": 0.2, "noise_scale": 0.0, "noise_scale_w": 0.0}
MOST_NUMBERS = 1 << 28  # of one input: a minute of sound has 3 million, features of a long text 1 million
LONGEST_SHOWN = 100
PHONES = range(1, 60)  # ids that every voice knows


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much a graph is given.

    Attributes:
        symbols: of a text, blanks included.
        frames: of sound.
        tokens: of a BERT.
        hop: samples of a frame.
        length_scale: makes the durations of a graph in one piece longer.
    """

    symbols: int = 61
    frames: int = 256
    tokens: int = 20
    hop: int = 1
    length_scale: float = 1.0

    def values(self) -> dict[str, Any]:
        """By name."""
        return asdict(self)


def given(inputs: Sequence[Value], sizes: Sizes, *, ours: bool) -> dict[str, np.ndarray]:
    """An array for every input that is a tensor of a type that graphs of voices have.

    The first of several axes is a batch of one, others that are open are the length.

    Args:
        ours: the graph is one that we prepared, whose open sizes have names that we know.

    Raises:
        VoiceError: an input states sizes that no array has, or more numbers than a graph is ever given.
    """
    length = sizes.tokens if any(item.name == "input_ids" for item in inputs) else sizes.symbols
    known = {"T": sizes.symbols, "F": sizes.frames, "W": sizes.frames, "N": sizes.frames * sizes.hop, "n": sizes.tokens} if ours else {}
    return {item.name: _array(item, length, known, sizes) for item in inputs if item.shape is not None and item.dtype in DTYPES}


def _array(item: Value, length: int, known: Mapping[str, int], sizes: Sizes) -> np.ndarray:
    axes = item.shape or ()

    def size_of(axis: int, size: int | str) -> int:
        if isinstance(size, int):
            return size
        if size in known:
            return known[size]
        return 1 if "batch" in size or item.name in ONE_EACH or (axis == 0 and len(axes) > 1) else length

    shape = tuple(size_of(axis, size) for axis, size in enumerate(axes))
    numbers = math.prod(size for size in shape if size)  # NumPy refuses [0, 1 << 62] as well, although it has no number
    if len(shape) > MOST_AXES or min(shape, default=0) < 0 or numbers > MOST_NUMBERS:
        raise _impossible(item.name, shape)
    return np.asarray(_numbers(item.name, shape, sizes)).astype(DTYPES[item.dtype]).reshape(shape)


def _impossible(name: str, shape: tuple[int, ...]) -> VoiceError:
    sizes = ", ".join(map(str, shape))
    return VoiceError(
        localized(
            f"入力「{short_text(name)}」の大きさ [{sizes[:LONGEST_SHOWN]}] では計算できません。",
            f"Nothing can be computed with the size [{sizes[:LONGEST_SHOWN]}] that the input “{short_text(name)}” states.",
        ),
        localized(
            f"{MOST_AXES} 次元以内、要素 {MOST_NUMBERS:,} 個以内のグラフを選んでください。",
            f"Choose a graph whose inputs have up to {MOST_AXES} axes and {MOST_NUMBERS:,} numbers.",
        ),
    )


def _numbers(name: str, shape: tuple[int, ...], sizes: Sizes) -> np.ndarray:
    rng = np.random.default_rng(0)
    ends = {"x_tst_lengths": sizes.symbols, "first": 0, "last": sizes.frames}
    if name in ends:
        return np.full(shape, ends[name])
    if name in NUMBERS:
        return np.full(shape, sizes.length_scale if name == "length_scale" else NUMBERS[name])
    if name == "x_tst":
        return rng.integers(PHONES.start, PHONES.stop, shape)
    if "mask" in name:
        return np.ones(shape)
    if "ids" in name or name in ("sid", "tones", "language") or not shape:
        return np.zeros(shape)
    return 0.1 * rng.standard_normal(shape, dtype=np.float32)
