"""Runs in both executables before anything else: their Python code is in one file next to them, and is read once.

PyInstaller, and Python for its own library, reopen their file of modules for each module, 480 and 50 times until the window is seen, and
each time the system, and a virus scanner, look at it. They do so because the file might be removed meanwhile; ours is among libraries that
may not be either.
"""

import io
import os
import sys
import zipimport
from types import SimpleNamespace

import pyimod01_archive  # type: ignore[import-not-found]  # PyInstaller's own; only a frozen program has it

read: dict[str, bytes] = {}
listdir = os.listdir


def open_whole(path: str, _mode: str = "rb") -> io.BytesIO:
    """A file in memory, read the first time that it is opened."""
    if path not in read:
        with io.open_code(path) as file:
            read[path] = file.read()
    return io.BytesIO(read[path])  # reads the same bytes, and copies only what is asked of it


def list_no_eggs(path: str = ".") -> list[str]:
    """PyInstaller's start code asks of each entry of the program's folder whether it is a Python egg; there is none. For others all is as ever."""
    if path != sys._MEIPASS:  # type: ignore[attr-defined]
        return listdir(path)
    os.listdir = listdir
    return []


os.listdir = list_no_eggs  # type: ignore[assignment]  # of the forms that are asked for here
sys._pyinstaller_pyz = sys._MEIPASS + "/koebako.pyz?0"  # type: ignore[attr-defined]  # where PyInstaller's start code looks for modules
pyimod01_archive.open = open_whole
zipimport._io = SimpleNamespace(open_code=open_whole)  # type: ignore[attr-defined]
