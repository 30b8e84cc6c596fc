"""Whether a graph takes every length: 1 to 64, where rounding and padding go wrong, and powers of two beyond.

What is counted is frames, tokens, or sounds with the marks at both ends of a sentence, between which a voice may want blanks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.adapters.ort.session import Session, open_session
from app.errors import AppError
from app.lab.check.finding import finding
from app.lab.rows import Row
from app.lab.spoken import Spoken
from app.lab.subject import Subject
from app.lab.verify.sweep import LENGTHS
from app.language import localized
from app.progress import Report, part, unreported

FEW_LENGTHS = (1, 2, 3, 5, 8, 16, 17, 32, 33, 64)  # for a voice in one graph, which speaks each
LEAST = 2  # tokens or sounds: the marks at both ends
GROWING = frozenset((
    "input_ids", "attention_mask", "token_type_ids", "x_tst", "tones", "language", "duration_symbol_type_ids", "bert", "ja_bert", "en_bert",
    "sdp_noise", "z_p", "frame_position", "phone_frames", "z", "noise",
))  # fmt: skip
"""Inputs whose last axis is the length, or a multiple of it."""
TWO_LENGTHS = (59, 61)  # that sizes of weights have nothing to do with
MOST_SHOWN = 3


def shapes(subject: Subject, spoken: Spoken, report: Report = unreported) -> Iterator[Row]:
    """A row a graph: how many lengths it ran with, and which it refused or answered with another shape or no numbers."""
    for index, (name, graph) in enumerate(subject.prepared.items()):
        of_graph = part(report, index / len(subject.prepared), (index + 1) / len(subject.prepared))
        session, values = open_session(graph, "cpu", name).session, spoken.of(name)[-1].values
        tried = _lengths(name, values, add_blank=subject.voice is not None and subject.voice.manifest.add_blank)
        expected = None if name == "whole" else _growth(session, values)  # of one graph the voice decides how long it speaks
        refused = []
        for count, length in enumerate(tried):
            of_graph("checking", count / len(tried))
            why = _refusal(session, values, length, expected)
            refused += [(length, why)] if why else []
        detail = "; ".join(f"{length}: {why}" for length, why in refused[:MOST_SHOWN]) + (" …" if len(refused) > MOST_SHOWN else "")
        case = f"{tried[0]}–{tried[-1]}"
        yield finding("shapes", name, case, passed=not refused, value=len(tried) - len(refused), limit=len(tried), detail=detail)


def _lengths(name: str, values: dict[str, np.ndarray], *, add_blank: bool) -> list[int]:
    """Sizes of the growing axis."""
    text = "x_tst" in values
    counts = [count for count in (FEW_LENGTHS if name == "whole" else LENGTHS) if count >= LEAST or not (text or "input_ids" in values)]
    return [2 * count + 1 for count in counts] if text and add_blank else counts


def with_length(values: dict[str, np.ndarray], length: int) -> dict[str, np.ndarray]:
    """Inputs of a real run, those that grow cut or repeated to another length."""
    before = next(value.shape[-1] for name, value in values.items() if name in GROWING and name != "noise")
    found = {name: _resized(value, value.shape[-1] // before * length) if name in GROWING else value for name, value in values.items()}
    if "last" in values:
        found |= {"first": np.zeros_like(values["first"]), "last": np.full_like(values["last"], length)}
    if "x_tst_lengths" in values:
        found["x_tst_lengths"] = np.full_like(values["x_tst_lengths"], length)
    return found


def _resized(value: np.ndarray, length: int) -> np.ndarray:
    return np.asarray(np.take(value, np.arange(length) % value.shape[-1], axis=-1))


@dataclass(frozen=True, slots=True)
class _Growth:
    """Shapes of the results as lines through those of two lengths."""

    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]]

    def fits(self, results: Sequence[np.ndarray], length: int) -> bool:
        first, second = TWO_LENGTHS
        for item, (one, other) in zip(results, self.shapes, strict=True):
            line = tuple(a + (b - a) // (second - first) * (length - first) for a, b in zip(one, other, strict=True))
            if item.shape != line:
                return False
        return True


def _growth(session: Session, values: dict[str, np.ndarray]) -> _Growth | None:
    """None where the graph does not even run with these lengths."""
    try:
        one, other = ([item.shape for item in session.run(with_length(values, length))] for length in TWO_LENGTHS)
    except AppError:
        return None
    return _Growth(list(zip(one, other, strict=True)))


def _refusal(session: Session, values: dict[str, np.ndarray], length: int, expected: _Growth | None) -> str:
    """Why a length does not work; empty where it does."""
    try:
        results = session.run(with_length(values, length))
    except AppError as error:
        return f"{error.message} {error.hint}"
    if not all(np.isfinite(item).all() for item in results):
        return localized("無効な値（NaN など）が出力されます", "invalid values")
    if expected is not None and not expected.fits(results, length):
        return localized("出力の長さが異なります", "the output has another length")
    return ""
