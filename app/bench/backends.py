"""Which backend wins at which length, and where they change places."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.errors import InputError
from app.language import localized

if TYPE_CHECKING:
    from app.bench.stages import Measured  # with ONNX Runtime, which no command needs for its options


@dataclass(frozen=True, slots=True)
class CrossOver:
    """From `tokens` on (between two lengths that were measured) `above` is faster than `below`."""

    tokens: float
    below: str
    above: str


def asked_backends(text: str) -> list[str]:
    """What `--backend` names: one placement, or several backends with commas between them."""
    names = [text] if "=" in text else list(dict.fromkeys(item.strip() for item in text.split(",")))
    if not all(names):
        raise InputError(
            localized(f"バックエンドの指定「{text}」が正しくありません。", f"“{text}” is not a valid list of backends."),
            localized("例: cpu,openvino", "For example: cpu,openvino"),
        )
    return names


def winners(found: Sequence[Measured]) -> dict[str, str]:
    """Text → the backend that spoke it fastest, warm."""
    texts = dict.fromkeys(item.text for item in found)
    return {text: min((item for item in found if item.text == text), key=_total).backend for text in texts}


def cross_overs(found: Sequence[Measured]) -> list[CrossOver]:
    """Where two backends change places, on a straight line between measured lengths."""
    lengths = sorted({int(item.text) for item in found if item.text.isdecimal()})
    total = {(item.backend, int(item.text)): _total(item) for item in found if item.text.isdecimal()}
    backends = dict.fromkeys(item.backend for item in found)
    crossings = []
    for (one, other), (short, long) in itertools.product(itertools.combinations(backends, 2), itertools.pairwise(lengths)):
        before, after = (total[one, length] - total[other, length] for length in (short, long))
        if before * after < 0:
            tokens = short + (long - short) * before / (before - after)
            crossings.append(CrossOver(tokens, *((one, other) if before < 0 else (other, one))))
    return crossings


def _total(item: Measured) -> float:
    return item.median("warm", "total")
