"""Keeps the current folder out of everything that code is looked for in, for this process and all that it starts.

The current folder may hold anything, such as the content of a stranger's archive. An empty or relative entry of PATH and its like means
that folder; Windows searches it for programs and libraries even without one.
"""

import os
import sys
from pathlib import Path

from app.common.files.paths import is_frozen

PATH_LIST_VARIABLES = (
    "PATH",
    "PYTHONPATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "DYLD_FRAMEWORK_PATH",
    "QT_PLUGIN_PATH",
    "XDG_DATA_DIRS",
    "XDG_CONFIG_DIRS",
)
"""Variables that name folders in a row."""

SINGLE_PATH_VARIABLES = (
    "PYTHONHOME",
    "PYTHONUSERBASE",
    "PYTHONPYCACHEPREFIX",
    "PYTHONSTARTUP",
    "QT_QPA_PLATFORM_PLUGIN_PATH",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "OPENSSL_ENGINES",
    "MECABRC",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
)
"""Variables that name one file or folder."""

PROGRAM_FOLDER = str(Path(__file__).parents[3])  # where the program is, which may be the current folder
SYSTEM_PATH = "/usr/bin:/bin"  # where nothing is left: without PATH, or with an empty one, some programs search the current folder


def remove_current_folder() -> None:
    """Remove relative entries from the variables above and from Python's own path, and have Windows search elsewhere."""
    _remove_relative_modules()
    for name in PATH_LIST_VARIABLES:
        if name in os.environ:
            _set_variable(name, os.pathsep.join(entry for entry in os.environ[name].split(os.pathsep) if _is_absolute(entry)))
    for name in SINGLE_PATH_VARIABLES:
        if name in os.environ and not _is_absolute(os.environ[name]):
            _set_variable(name, "")
    if sys.platform == "win32":
        _remove_from_windows_search()


def _remove_relative_modules() -> None:
    """Remove modules found through relative entries of PYTHONPATH, which Python has made absolute by now."""
    entries = os.environ.get("PYTHONPATH", os.sep).split(os.pathsep)
    relative = {os.path.abspath(entry) for entry in entries if not _is_absolute(entry)}  # noqa: PTH100 — as Python makes them
    sys.path[:] = [entry for entry in sys.path if entry not in relative - {PROGRAM_FOLDER}]


def _is_absolute(entry: str) -> bool:
    """Return whether it is the same place wherever the current folder is."""
    return Path(entry.strip('"')).is_absolute()  # Windows takes quoted entries


def _set_variable(name: str, value: str) -> None:
    if value:
        os.environ[name] = value
    elif name == "PATH" and os.name == "posix":
        os.environ[name] = SYSTEM_PATH
    else:
        del os.environ[name]


def _remove_from_windows_search() -> None:
    """Has Windows look neither for programs nor for libraries there. PATH stays, in which drivers and file dialogs find libraries of theirs."""
    # Variables have no case there.
    os.environ["NODEFAULTCURRENTDIRECTORYINEXEPATH"] = "1"
    # PyInstaller's start code has put the program's folder in the place of the current one.
    if sys.platform == "win32" and not is_frozen():
        import ctypes

        ctypes.windll.kernel32.SetDllDirectoryW("")
