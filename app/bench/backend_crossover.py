"""Finds the fastest backend of each length, and the lengths where backends change places."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.common.errors import InputError
from app.common.language import localize

if TYPE_CHECKING:
    # With ONNX Runtime, which no command needs for its options.
    from app.bench.stage_timing import BenchMeasurement


@dataclass(frozen=True, slots=True)
class BackendCrossover:
    """From `tokens` on (between two lengths that were measured) `above` is faster than `below`."""

    tokens: float
    below: str
    above: str


def parse_backends(text: str) -> list[str]:
    """Return what `--backend` names: one placement, or several backends with commas between them."""
    names = [text] if "=" in text else list(dict.fromkeys(item.strip() for item in text.split(",")))
    if not all(names):
        raise InputError(
            localize(f"バックエンドの指定「{text}」が正しくありません。", f"“{text}” is not a valid list of backends."),
            localize("例: cpu,openvino", "For example: cpu,openvino"),
        )
    return names


def find_fastest_backends(results: Sequence[BenchMeasurement]) -> dict[str, str]:
    """Return by text the backend that spoke it fastest, warm."""
    texts = dict.fromkeys(item.text for item in results)
    return {text: min((item for item in results if item.text == text), key=_find_total_ms).backend for text in texts}


def find_crossovers(results: Sequence[BenchMeasurement]) -> list[BackendCrossover]:
    """Return where two backends change places, on a straight line between measured lengths."""
    lengths = sorted({int(item.text) for item in results if item.text.isdecimal()})
    total = {(item.backend, int(item.text)): _find_total_ms(item) for item in results if item.text.isdecimal()}
    backends = dict.fromkeys(item.backend for item in results)
    crossings = []
    for (one, other), (short, long) in itertools.product(itertools.combinations(backends, 2), itertools.pairwise(lengths)):
        before, after = (total[one, length] - total[other, length] for length in (short, long))
        if before * after < 0:
            tokens = short + (long - short) * before / (before - after)
            crossings.append(BackendCrossover(tokens, *((one, other) if before < 0 else (other, one))))
    return crossings


def _find_total_ms(item: BenchMeasurement) -> float:
    return item.compute_median("warm", "total")
