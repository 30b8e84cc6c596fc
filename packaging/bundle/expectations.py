"""What the checks of the built program have in common: how a run ends, what it says, how two sounds compare."""

import os
from pathlib import Path

import numpy as np
import soundfile
from bundle.command import PROJECT
from bundle.program import Finished

TEXT = "箱から声が出ます。今日はいい天気ですね、明日も晴れるでしょうか？"
SPEAK = ["speak", TEXT, "--voice", "mei", "--seed", "7", "--subtype", "float"]
TOLERANCE = 1e-3
SHARED = Path(os.environ.get("KOEBAKO_REFERENCE") or PROJECT.parent / "shared")
CUT = 600


def ended(finished: Finished, code: int = 0) -> Finished:
    """A run, when it ended with this exit code and without a trace of calls."""
    assert finished.code == code, f"exit code {finished.code} instead of {code}: {finished.stderr[-CUT:]}\n{finished.stdout[-CUT:]}"
    assert "Traceback" not in finished.stderr, finished.stderr[-CUT:]
    return finished


def difference(one: Path, other: Path) -> float:
    """Largest difference of two sound files; AssertionError above the tolerance, for other lengths, and for silence."""
    a, rate = soundfile.read(one, dtype="float32")
    b, other_rate = soundfile.read(other, dtype="float32")
    assert (rate, a.shape) == (other_rate, b.shape), f"{a.shape} at {rate} Hz against {b.shape} at {other_rate} Hz"
    assert float(np.abs(b).max()) > 0.05, "silence"
    difference = float(np.abs(a - b).max())
    assert difference <= TOLERANCE, f"largest difference {difference:g}"
    return difference


def sentence(finished: Finished) -> str:
    """What the program itself said; ALSA's own complaints come before it."""
    said = [line for line in finished.stderr.splitlines() if line.startswith("koebako: ")]
    assert said, finished.stderr[-CUT:]
    return said[0].removeprefix("koebako: ")
