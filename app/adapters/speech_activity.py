"""The time at which Koebako last spoke on this computer, in whichever of its programs; what is not urgent waits for a rest.

The time is that of a file in the cache, which costs a few microseconds to touch and outlives no crash.
"""

import contextlib
import time
from pathlib import Path

from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.core.sound.stage_clock import OnStage
from app.core.synthesis_types import StageTiming

SPEECH_STAMP_NAME = "spoke.stamp"
IDLE_AFTER_S = 5.0
TOUCH_INTERVAL_S = 0.5
_last_touch = -TOUCH_INTERVAL_S


def record_speech() -> None:
    """Record that something is being computed to be heard, or is heard, now; may be called as often as one likes."""
    global _last_touch
    if (now_s := time.monotonic()) - _last_touch < TOUCH_INTERVAL_S:
        return
    _last_touch = now_s
    # Without it, others compute at the same time, which is only slower.
    with contextlib.suppress(OSError):
        stamp = find_stamp()
        make_private_folder(stamp.parent)
        stamp.touch()


def record_at_stages(on_stage: OnStage) -> OnStage:
    """Return a callback that records speech at every stage of a request, then calls `on_stage`: a long text takes longer than a rest."""

    def record_stage(timing: StageTiming) -> None:
        record_speech()
        on_stage(timing)

    return record_stage


def is_speaking() -> bool:
    """Return whether Koebako has spoken within the last IDLE_AFTER_S seconds."""
    try:
        age_s = time.time() - find_stamp().stat().st_mtime
    except OSError:
        return False
    # A clock that was set back must not stop others for hours.
    return -IDLE_AFTER_S < age_s < IDLE_AFTER_S


def find_stamp() -> Path:
    """Return the path of the file whose time is the last at which Koebako spoke."""
    return find_data_dir() / "cache" / SPEECH_STAMP_NAME
