"""Runs in the frozen program first: a library that gives up says so on stderr and ends, as a graphics driver may in a trial.

Microsoft's C runtime does not know that the executable is a console program, as PyInstaller's start code has a runtime of its own; it would
show a dialog and wait for somebody to click.
"""

import sys
from pathlib import Path

TO_STDERR = 1

if sys.platform == "win32" and Path(sys.executable).stem == "koebako-cli":
    import ctypes

    ctypes.CDLL("ucrtbase")._set_error_mode(TO_STDERR)
