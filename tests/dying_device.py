"""Our command line with a device, called CUDA, that takes the program with it: `dying_device.py WHEN COMMAND…`.

WHEN is what kills the process: opening a graph there, the run of a number, or nothing ("never"); "idle" is killed from outside, as it were, while
nothing is open or running there.
"""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.adapters.ort.devices.device_sessions import OpenedSession
from app.cli.main import main
from app.compose import device_opening, speaker_opening
from tests.faulty_device import FaultyDevice

NEVER = 10**6


def die(results: list[np.ndarray]) -> list[np.ndarray]:
    """As an access violation in a driver does: nothing of Python's runs any more."""
    os.abort()
    return results


class DyingDevice(FaultyDevice):
    """Kills the process when a graph is opened there."""

    def open(self, model: Any, place: str, name: str, store: Any = None) -> OpenedSession:
        """As `open_session`."""
        if place != "cpu":
            die([])
        return super().open(model, place, name, store)


if __name__ == "__main__":
    when = sys.argv.pop(1)
    device = DyingDevice(die, NEVER) if when == "opening" else FaultyDevice(die, int(when) if when.isdecimal() else NEVER)
    device_opening.open_session = device.open  # type: ignore[attr-defined]
    if when == "idle":
        speaker_opening.open_speaker(None, "cuda")
        os.abort()
    sys.exit(main())
