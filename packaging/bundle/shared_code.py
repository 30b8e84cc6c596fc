"""Runs in both executables before anything else: their Python code lies in one file beside them, so that it is there once and not twice."""

import sys

sys._pyinstaller_pyz = sys._MEIPASS + "/koebako.pyz?0"  # type: ignore[attr-defined]  # where PyInstaller's start code looks for modules
