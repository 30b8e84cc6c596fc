"""A picture of the window is taken; the campaign takes all of them, in both looks and both languages."""

import os
import subprocess
import sys
from pathlib import Path

from PySide6.QtGui import QImage

ROOT = Path(__file__).parents[3]


def test_the_window_is_pictured(tmp_path: Path) -> None:
    picture = tmp_path / "window.png"
    command = [sys.executable, "-m", "tests.campaigns.screenshots.window", "--one", "empty-light", "1100x700", str(picture)]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"QT_QPA_PLATFORM": "offscreen"}, check=True, timeout=120)
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (1100, 700)
    assert len({image.pixel(x, y) for x in range(0, 1100, 20) for y in range(0, 700, 20)}) > 10
