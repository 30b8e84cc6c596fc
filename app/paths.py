"""Where things lie: what ships with the program, and what belongs to the user. The only place that knows of frozen builds."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import platformdirs

APP_NAME = "Koebako"
HOME_VARIABLE = "KOEBAKO_HOME"
ASIDE_SUFFIX = ".old"
LONGEST_INSIDE = 140  # characters of the paths that we make inside our folders
LONGEST_PLAIN_PATH = 260 - LONGEST_INSIDE  # Windows ends at 260


def is_frozen() -> bool:
    """Whether this is the built program, which holds the parts of packages only that we ship."""
    return bool(getattr(sys, "frozen", False))


def resources_dir() -> Path:
    """Icons, voices and everything else that ships with the program."""
    if is_frozen():
        return Path(sys._MEIPASS) / "resources"  # type: ignore[attr-defined]
    installed = Path(__file__).parent / "resources"  # where a wheel puts them
    return installed if installed.is_dir() else Path(__file__).parent.parent / "resources"


def data_dir() -> Path:
    """Settings, voices, caches and logs of the user; KOEBAKO_HOME moves all of it to one folder. See `app.own_folder.check_home`."""
    home = os.environ.get(HOME_VARIABLE) or platformdirs.user_data_dir(APP_NAME, appauthor=False)
    folder = Path(os.path.expanduser(home))  # noqa: PTH111 — leaves `~nobody` as it is, where Path raises
    if str(folder).startswith("~"):
        return folder
    if sys.platform == "win32":
        return Path(unlimited(os.path.abspath(folder)))  # noqa: PTH100 — `C:folder` counts from where that drive stands
    with contextlib.suppress(OSError):  # the working directory has been removed
        folder = folder.absolute()
    return folder


def unlimited(path: str) -> str:
    r"""An absolute Windows path in the form that may be of any length (`\\?\`), where it is long enough to need it."""
    plain = path.replace("/", "\\")  # this form knows one separator only
    if len(path) <= LONGEST_PLAIN_PATH or plain.startswith(("\\\\?\\", "\\\\.\\")):
        return path
    return "\\\\?\\UNC" + plain[1:] if plain.startswith("\\\\") else "\\\\?\\" + plain


def aside_of(folder: Path) -> Path:
    """Where a folder waits while another one takes its place."""
    return folder.with_name(f".{folder.name}{ASIDE_SUFFIX}")


def folders_in(root: Path) -> list[Path]:
    """Its subfolders in order, without hidden ones; one that a dying process left aside stands in for its missing successor."""
    if not root.is_dir():
        return []
    folders = {item.name: item for item in root.iterdir() if item.is_dir()}
    waiting = {name[1 : -len(ASIDE_SUFFIX)]: item for name, item in folders.items() if name.startswith(".") and name.endswith(ASIDE_SUFFIX)}
    shown = waiting | {name: item for name, item in folders.items() if not name.startswith(".")}
    return [shown[name] for name in sorted(shown)]


def voice_dirs() -> list[Path]:
    """Folders whose subfolders are prepared voices; the shipped ones last, so that users' own come first."""
    return [data_dir() / "voices", resources_dir() / "voices"]


def bert_dirs() -> list[Path]:
    """Folders whose subfolders are BERT models."""
    return [data_dir() / "bert", resources_dir() / "bert"]
