"""A line dragged with a real mouse to another program on a real X11 server arrives whole."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ui.export.drag_target import TARGET_PLACE

PROGRAMS = ("Xvfb", "openbox", "xdotool")
START_S = 60.0


@contextlib.contextmanager
def running(*command: str, environment: dict[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    """A program that ends with the block."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def next_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.slow  # starts an X server and two programs
@pytest.mark.skipif(sys.platform != "linux", reason="X11 is Linux's")
def test_a_line_is_dropped_into_another_program(tmp_path: Path) -> None:
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed")
    reading, writing = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "1100x720x24"], pass_fds=[writing])
    os.close(writing)
    try:
        with os.fdopen(reading) as numbers:
            display = f":{numbers.readline().strip()}"
        environment = os.environ | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "KOEBAKO_HOME": str(tmp_path), "KOEBAKO_LANG": "en"}
        with (
            running("openbox", environment=environment),
            running(sys.executable, "-m", "tests.ui.export.drag_target", environment=environment) as target,
            running(sys.executable, "-m", "tests.ui.export.drag_source", environment=environment) as source,
        ):
            assert next_line(target) == "ready"
            x, y = json.loads(next_line(source))

            def move_mouse(*arguments: object) -> None:
                subprocess.run(["xdotool", *map(str, arguments)], check=True, env=environment, timeout=START_S)
                time.sleep(0.3)

            move_mouse("mousemove", x, y)
            move_mouse("mousedown", 1)
            left, top, width, height = TARGET_PLACE
            for step in range(1, 11):
                move_mouse("mousemove", x + round((left + width / 2 - x) * step / 10), y + round((top + height / 2 - y) * step / 10))
            move_mouse("mouseup", 1)
            files = {Path(name): size for name, size in json.loads(next_line(target)).items()}
    finally:
        server.kill()
        server.wait()
    assert [file.suffix for file in files] == [".wav", ".txt"]
    assert all(file.is_relative_to(tmp_path) and file.stat().st_size == size for file, size in files.items())
    sound = next(iter(files)).read_bytes()
    assert sound.startswith(b"RIFF")
    assert int.from_bytes(sound[4:8], "little") == len(sound) - 8, "whole"
