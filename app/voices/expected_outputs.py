"""Compares what a voice's graph computes with a file of expected outputs (NPZ with keys `case{n}.{name}`)."""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from app.common.errors import InputError
from app.common.files.whole_files import read_bounded
from app.common.language import localize
from app.core.sound.result_metrics import compute_max_difference
from app.voices.untrusted.style_vectors import parse_npy_array

MAX_CASE_FILE_BYTES, MAX_UNPACKED_CASE_BYTES = 256 << 20, 1 << 30  # a minute of sound takes 11 MB
MAX_CASE_ARRAYS = 10_000
CASE_ENTRY_PATTERN = re.compile(r"case(\d{1,6})\.(.+)\.npy")
NOISE_INPUTS = ("noise_scale", "noise_scale_w")
CASE_RESULT_NAMES = frozenset(("output", "durations_frames", "g", "logw"))  # the last two are steps on the way


class CaseRunner(Protocol):
    """A callable that computes a case."""

    @property
    def used_inputs(self) -> frozenset[str]:
        """Return the inputs that count in the computation; some of the public ones may not."""

    def __call__(self, case: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray | None]:
        """Return samples (N,), and frames per symbol (T,) if the graph outputs them."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case; `max_abs_diff` is None when the lengths differ, and `durations_equal` compares frames in all where the graph hides those of symbols."""

    case: int
    max_abs_diff: float | None
    durations_equal: bool
    frames: int


@dataclass(frozen=True, slots=True)
class SkippedCase:
    """A case that cannot be compared: the graphs do not take its input of this name."""

    case: int
    name: str


def read_cases(path: Path) -> list[dict[str, np.ndarray]]:
    """Return the cases of an NPZ, each a mapping of names to arrays, in order."""
    hint = localize("case0.output などのキーを持つ NPZ ファイルを指定してください。", "Specify an NPZ file with keys such as case0.output.")
    try:
        cases = _parse_cases(read_bounded(path, MAX_CASE_FILE_BYTES))
    except (OSError, ValueError, EOFError, RuntimeError, struct.error, zlib.error, zipfile.BadZipFile) as exc:
        unread = localize(f"期待値のファイルを読み込めません: {path}", f"The file of expected outputs cannot be read: {path}")
        raise InputError(unread, hint) from exc
    if not cases or any("output" not in case for case in cases.values()):
        raise InputError(localize(f"期待値が含まれていません: {path}", f"The file contains no expected outputs: {path}"), hint)
    return [cases[number] for number in sorted(cases)]


def _parse_cases(content: bytes) -> dict[int, dict[str, np.ndarray]]:
    """Return arrays by number and name, read as `np.load` would, but with a limit on their unpacked size. Errors of zipfile pass through."""
    # Each directory entry begins with this signature, and zipfile takes a kilobyte for each.
    if content.count(b"PK\1\2") > MAX_CASE_ARRAYS:
        raise ValueError("too many arrays")
    cases: dict[int, dict[str, np.ndarray]] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = [(entry, match) for entry in archive.infolist() if (match := CASE_ENTRY_PATTERN.fullmatch(entry.filename))]
        if sum(entry.file_size for entry, _ in entries) > MAX_UNPACKED_CASE_BYTES:
            raise ValueError("too large")
        for entry, match in entries:
            with archive.open(entry) as file:
                cases.setdefault(int(match[1]), {})[match[2]] = parse_npy_array(file.read(entry.file_size))
    return cases


def find_unused_input(case: Mapping[str, np.ndarray], runner: CaseRunner) -> str | None:
    """Return an input of a case that would make no difference, so that nothing can be compared; None if all count."""
    return min(case.keys() - runner.used_inputs - CASE_RESULT_NAMES, default=None)


def verify_case(number: int, case: dict[str, np.ndarray], runner: CaseRunner, hop_length: int) -> CaseResult:
    """Run one case and return its result; noise inputs that the case leaves out are zero."""
    feed: dict[str, np.ndarray] = {name: np.zeros((), np.float32) for name in NOISE_INPUTS} | case
    samples, durations = runner(feed)
    expected, expected_frames = case["output"].reshape(-1), case.get("durations_frames")
    has_same_length = len(samples) == len(expected)
    difference = compute_max_difference(expected, samples) if has_same_length else None
    if difference is not None and not np.isfinite(difference):
        difference = None
    # Without frames, only equal lengths can be checked.
    has_same_frames = durations is None or expected_frames is None or np.array_equal(durations.reshape(-1), expected_frames.reshape(-1))
    return CaseResult(number, difference, has_same_length and has_same_frames, len(samples) // hop_length)
