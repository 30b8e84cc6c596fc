"""One comparison of a graph over several sentences, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from app.adapters.ort.equality import AUDIO_GRAPHS
from app.core.durations import symbol_frames
from app.core.ports import Prosody
from app.errors import AppError
from app.install.proof_inputs import ProofInput, clear_of_ties
from app.lab.rows import Row
from app.lab.verify.figures import Figures, Limit, loudness_difference
from app.lab.verify.sides import Pair, Side, Values, judged
from app.voices.manifest import VoiceManifest

Results = Sequence[np.ndarray]


@dataclass(frozen=True, slots=True)
class Given:
    """A sentence: its name, and what the two sides are given."""

    sentence: str
    exact: Values
    other: Values


@dataclass(frozen=True, slots=True)
class Comparison:
    """A pair of graphs on sentences.

    Attributes:
        case: what is compared.
        voice: whose graphs they are; None for a BERT.
    """

    case: str
    pair: Pair
    given: Sequence[Given]
    voice: VoiceManifest | None = None

    def rows(self) -> Iterator[Row]:
        """A row a sentence. The two sides are open one after the other: a real BERT takes a gigabyte."""
        try:
            exact = _all_results(self.pair.exact, list(self.pair.outputs.values()), [item.exact for item in self.given])
            other = _all_results(self.pair.other, list(self.pair.outputs), [item.other for item in self.given])
        except AppError as error:
            yield failed_row(self.pair.name, self.case, self.pair.limit, error)
            return
        for given, expected, found in zip(self.given, exact, other, strict=True):
            yield self._row(given, expected, found)

    def _row(self, given: Given, expected: Results, found: Results) -> Row:
        pair, case = self.pair, f"{self.case}: {given.sentence}"
        sound = pair.name.removesuffix("_int8") in AUDIO_GRAPHS
        figures, holds = judged(pair, expected[:1] if sound else expected, found[:1] if sound else found)
        frames = self._frames_equal(expected, found)
        loudness = None
        if sound and self.voice is not None:
            loudness = loudness_difference(expected[0], found[0], self.voice.sampling_rate)
        ok = holds and (frames is not False or pair.name.endswith("_int8"))  # 8 bits may move a frame
        first = None if ok else pair.find(given.exact, given.other)
        return row_of(pair.name, case, figures, pair.limit, ok=ok, frames=frames, loudness=loudness, first=first)

    def _frames_equal(self, expected: Results, found: Results) -> bool | None:
        if self.pair.name == "whole" and len(expected) > 1:
            return np.array_equal(expected[1].reshape(-1), found[1].reshape(-1))
        if self.pair.name.removesuffix("_int8") != "prosody" or self.voice is None:
            return None
        return same_frames(self.voice, [item.squeeze() for item in expected], [item.squeeze() for item in found])


def same_frames(voice: VoiceManifest, expected: Results, found: Results) -> bool:
    """Whether log durations (T,) become the same frames, at a speed near 1 where no last digit decides that."""
    if not all(np.isfinite(item).all() for item in (expected[0], found[0])):
        return False
    speed = ProofInput({"length_scale": np.asarray(1.0, np.float32)}, None)
    scale = float(clear_of_ties(speed, Prosody(*expected)).case["length_scale"])
    frames, others = (symbol_frames(np.atleast_1d(item[0]), scale, voice.durations) for item in (expected, found))
    return np.array_equal(frames, others)


def _all_results(side: Side, outputs: Sequence[str], given: Sequence[Values]) -> list[list[np.ndarray]]:
    session = side.open()
    return [session.run(dict(values), outputs) for values in given]


def row_of(
    graph: str,
    case: str,
    figures: Figures,
    limit: Limit,
    *,
    ok: bool,
    frames: bool | None = None,
    loudness: float | None = None,
    first: str | None = None,
) -> Row:
    """A row of the report; numbers that are none are left out."""
    return {
        "type": "verify",
        "graph": graph,
        "case": case,
        "max_abs_diff": _number(figures.max_abs),
        "snr_db": _number(figures.snr_db),
        "cosine": _number(figures.cosine),
        "frames_equal": frames,
        "first_difference": first,
        "lufs_difference": loudness,
        "judged_by": limit.by,
        "limit": limit.value,
        "ok": ok,
        "error": None,
    }


def failed_row(graph: str, case: str, limit: Limit, error: AppError) -> Row:
    """One of the two did not run."""
    row = dict.fromkeys(("max_abs_diff", "snr_db", "cosine", "frames_equal", "first_difference", "lufs_difference"))
    judged_by: Row = {"judged_by": limit.by, "limit": limit.value, "ok": False, "error": f"{error.message} {error.hint}".strip()}
    return {"type": "verify", "graph": graph, "case": case, **row, **judged_by}


def _number(value: float) -> float | None:
    return float(value) if isfinite(value) else None
