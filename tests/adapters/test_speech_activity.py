"""What is not urgent knows that Koebako speaks, in whichever program, and for how long it has not."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.adapters import speech_activity
from app.adapters.speech_activity import IDLE_AFTER_S, SPEECH_STAMP_NAME, TOUCH_INTERVAL_S, is_speaking, record_speech
from app.common.files.paths import find_data_dir

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _nothing_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech_activity, "_last_touch", -TOUCH_INTERVAL_S)


@pytest.fixture
def stamp() -> Path:
    return find_data_dir() / "cache" / SPEECH_STAMP_NAME


def set_age(stamp: Path, age_s: float) -> None:
    os.utime(stamp, (time.time() - age_s,) * 2)


def test_it_rests_until_it_has_spoken_and_again_some_seconds_later(stamp: Path) -> None:
    assert not is_speaking()
    record_speech()
    assert is_speaking()
    set_age(stamp, IDLE_AFTER_S - 1)
    assert is_speaking()
    set_age(stamp, IDLE_AFTER_S)
    assert not is_speaking()


def test_a_clock_that_was_set_back_stops_nobody(stamp: Path) -> None:
    record_speech()
    set_age(stamp, -IDLE_AFTER_S / 2)
    assert is_speaking()
    set_age(stamp, -3600)
    assert not is_speaking()


def test_what_is_recorded_often_is_written_now_and_then(stamp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    record_speech()
    set_age(stamp, 60)
    now += TOUCH_INTERVAL_S / 2
    record_speech()
    assert not is_speaking()
    now += TOUCH_INTERVAL_S
    record_speech()
    assert is_speaking()


def test_a_disk_that_takes_nothing_keeps_nobody_from_speaking(stamp: Path) -> None:
    find_data_dir().mkdir(parents=True, exist_ok=True)
    stamp.parent.write_text("no folder")
    record_speech()
    assert not is_speaking()


def test_one_program_knows_of_another() -> None:
    code = "from app.adapters.speech_activity import record_speech; record_speech()"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    assert is_speaking()
