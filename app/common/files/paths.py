"""The paths of the program's own files and of the user's. No other module knows of frozen builds."""

import contextlib
import os
import sys
from pathlib import Path

import platformdirs

APP_NAME = "Koebako"
HOME_VARIABLE = "KOEBAKO_HOME"
# A file of one of these names next to the built program keeps the data there too. Explorer adds the suffix, and hides it.
PORTABLE_NAMES, PORTABLE_DATA_NAME = ("portable", "portable.txt"), "data"
REPLACED_SUFFIX = ".old"
MAX_INNER_PATH_CHARS = 140  # characters of the paths that we make inside our folders
MAX_PLAIN_PATH_CHARS = 260 - MAX_INNER_PATH_CHARS  # Windows ends at 260


def is_frozen() -> bool:
    """Return whether this is the built program, which holds the parts of packages only that we ship."""
    return bool(getattr(sys, "frozen", False))


def find_resources_dir() -> Path:
    """Return the folder of icons, voices and everything else that ships with the program."""
    if is_frozen():
        return Path(sys._MEIPASS) / "resources"  # type: ignore[attr-defined]
    # Where a wheel puts them.
    installed = Path(__file__).parents[2] / "resources"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "resources"


def find_change_log() -> Path | None:
    """Return the change log; None in an installed wheel, which does not carry it."""
    above = find_resources_dir().parent
    return next((path for path in (above / "CHANGELOG.md", above / ".github" / "CHANGELOG.md") if path.is_file()), None)


def find_data_dir() -> Path:
    """Return the folder of the user's settings, voices, caches and logs, which KOEBAKO_HOME moves; see `check_data_dir`."""
    home = os.environ.get(HOME_VARIABLE) or find_portable_data_dir() or platformdirs.user_data_dir(APP_NAME, appauthor=False)
    folder = Path(os.path.expanduser(home))  # noqa: PTH111 — leaves `~nobody` as it is, where Path raises
    if str(folder).startswith("~"):
        return folder
    if sys.platform == "win32":
        return Path(extend_windows_path(os.path.abspath(folder)))  # noqa: PTH100 — `C:folder` counts from that drive's current folder
    # The working directory has been removed.
    with contextlib.suppress(OSError):
        folder = folder.absolute()
    return folder


def find_portable_data_dir() -> str:
    """Return the folder of the user's data next to a built program that a user made portable; empty for any other."""
    folder = Path(sys.executable).parent
    is_portable = is_frozen() and any((folder / name).is_file() for name in PORTABLE_NAMES)
    return str(folder / PORTABLE_DATA_NAME) if is_portable else ""


def find_agent_folder() -> Path:
    """Return where agents write sound files unless the user names another folder."""
    return Path(platformdirs.user_music_dir()) / APP_NAME


def extend_windows_path(path: str) -> str:
    r"""Return an absolute Windows path in the form without a limit of length (`\\?\`), if it is long enough to need it."""
    # This form knows one separator only.
    plain = path.replace("/", "\\")
    if len(path) <= MAX_PLAIN_PATH_CHARS or plain.startswith(("\\\\?\\", "\\\\.\\")):
        return path
    return "\\\\?\\UNC" + plain[1:] if plain.startswith("\\\\") else "\\\\?\\" + plain


def build_replaced_path(folder: Path) -> Path:
    """Return where a folder waits while another one takes its place."""
    return folder.with_name(f".{folder.name}{REPLACED_SUFFIX}")


def list_subfolders(root: Path) -> list[Path]:
    """Return the visible subfolders of a folder in order; one that a dying process left aside stands in for its missing successor."""
    if not root.is_dir():
        return []
    folders = {item.name: item for item in root.iterdir() if item.is_dir()}
    waiting = {
        name[1 : -len(REPLACED_SUFFIX)]: item for name, item in folders.items() if name.startswith(".") and name.endswith(REPLACED_SUFFIX)
    }
    visible = waiting | {name: item for name, item in folders.items() if not name.startswith(".")}
    return [visible[name] for name in sorted(visible)]


def list_voice_dirs() -> list[Path]:
    """Return the folders whose subfolders are prepared voices; the shipped ones last, so that users' own come first."""
    return [find_data_dir() / "voices", find_resources_dir() / "voices"]


def list_bert_dirs() -> list[Path]:
    """Return the folders whose subfolders are BERT models."""
    return [find_data_dir() / "bert", find_resources_dir() / "bert"]
