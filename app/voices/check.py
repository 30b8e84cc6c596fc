"""Compares what a voice's graph computes with a file of expected outputs (NPZ with keys `case{n}.{name}`)."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.errors import InputError
from app.language import say

RunGraph = Callable[[Mapping[str, np.ndarray]], tuple[np.ndarray, np.ndarray | None]]
NOISE_INPUTS = ("noise_scale", "noise_scale_w")


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case.

    Attributes:
        max_abs_diff: largest difference of a sample; None when the lengths differ.
        durations_equal: frames per symbol are the same; in a graph that hides them, frames in all.
        frames: frames in all.
    """

    case: int
    max_abs_diff: float | None
    durations_equal: bool
    frames: int


def read_cases(path: Path) -> list[dict[str, np.ndarray]]:
    """The cases of an NPZ, each a mapping of names to arrays, in order."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:  # np.load alone leaks the file when it is no zip
            values = {name: data[name] for name in data.files}
    except (OSError, ValueError, TypeError, EOFError, zipfile.BadZipFile) as exc:  # TypeError: a single array instead of an archive
        raise InputError(
            say(f"期待値のファイルを読めません: {path}", f"The file of expected outputs cannot be read: {path}"),
            say("case0.output などのキーを持つ NPZ を指定してください。", "Give an NPZ with keys such as case0.output."),
        ) from exc
    cases: dict[int, dict[str, np.ndarray]] = {}
    for key, value in values.items():
        match = re.fullmatch(r"case(\d+)\.(.+)", key)
        if match:
            cases.setdefault(int(match[1]), {})[match[2]] = value
    if not cases or any("output" not in case for case in cases.values()):
        raise InputError(
            say(f"期待値が入っていません: {path}", f"The file holds no expected outputs: {path}"),
            say("case0.output などのキーを持つ NPZ を指定してください。", "Give an NPZ with keys such as case0.output."),
        )
    return [cases[number] for number in sorted(cases)]


def check_cases(cases: list[dict[str, np.ndarray]], run: RunGraph, hop_length: int) -> Iterator[CaseResult]:
    """Runs every case; noise inputs that a case leaves out are zero."""
    for number, case in enumerate(cases):
        feed: dict[str, np.ndarray] = {name: np.zeros((), np.float32) for name in NOISE_INPUTS} | case
        samples, durations = run(feed)
        expected = case["output"].reshape(-1)
        same_length = len(samples) == len(expected)
        difference = float(np.abs(samples - expected).max(initial=0)) if same_length else None
        if difference is not None and not np.isfinite(difference):
            difference = None
        yield CaseResult(number, difference, same_length and _same_durations(durations, case), len(samples) // hop_length)


def _same_durations(durations: np.ndarray | None, case: dict[str, np.ndarray]) -> bool:
    expected = case.get("durations_frames")
    if durations is None or expected is None:
        return True  # then equal lengths are all that can be told
    return np.array_equal(np.asarray(durations).reshape(-1), expected.reshape(-1))
