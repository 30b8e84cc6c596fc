"""Makes the folders of the user's data, which other users of the computer cannot look into, and says where there can be none.

On Windows the user's profile is closed to others already, and its folders inherit that.
"""

import contextlib
import os
import re
import stat
import sys
from itertools import takewhile
from pathlib import Path

from app.common.errors import InputError, OutputFileError
from app.common.files.paths import HOME_VARIABLE, MAX_INNER_PATH_CHARS, find_data_dir
from app.common.language import localize
from app.common.system_errors import describe_reason

OWNER_ONLY_MODE = 0o700
_UNPAIRED_SURROGATE = re.compile("[\ud800-\udfff]")  # what Python makes of bytes that are no UTF-8


def make_private_folder(folder: Path) -> None:
    """Make a missing folder and those above it; within the data folder all of them are closed to others. Raise OSError if that fails.

    Two kinds of folders stay as open as their owner made them: a KOEBAKO_HOME that was there before, and links to other places.
    """
    home = find_data_dir()
    if os.name == "nt" or (folder != home and home not in folder.parents):
        folder.mkdir(parents=True, exist_ok=True)
        return
    missing = list(takewhile(lambda item: not item.exists(), (folder, *folder.parents)))
    for item in reversed(missing or [folder]):
        # A file in its place is an error.
        item.mkdir(OWNER_ONLY_MODE, exist_ok=True)
    chosen_by_the_user = home if os.environ.get(HOME_VARIABLE) else None
    for item in (folder, *folder.parents):
        # Others may have permissions by an older version, or an open umask; it may also be somebody else's, or on a disk without permissions.
        with contextlib.suppress(OSError):
            mode = item.lstat().st_mode
            if item != chosen_by_the_user and stat.S_ISDIR(mode) and stat.S_IMODE(mode) & ~OWNER_ONLY_MODE & 0o777:
                item.chmod(stat.S_IMODE(mode) & ~0o077)
        if item == home:
            return


def check_data_dir(*, must_be_writable: bool = False) -> None:
    """Raise InputError if `find_data_dir` is no usable data folder, OutputFileError if it cannot be written but has to be."""
    folder = find_data_dir()
    obstacle = _explain_obstacle(folder)
    if obstacle:
        raise InputError(
            localize(
                f"データフォルダー「{folder}」を使用できません：{obstacle}。", f"The data folder “{folder}” cannot be used: {obstacle}."
            ),
            _suggest_other_folder(),
        )
    if not must_be_writable:
        return
    # Late, as few need it.
    import tempfile

    try:
        make_private_folder(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as exc:
        reason = describe_reason(exc)
        message = localize(
            f"データフォルダー「{folder}」に書き込めません：{reason}。", f"Cannot write to the data folder “{folder}”: {reason}."
        )
        raise OutputFileError(message, _suggest_other_folder()) from exc


def _suggest_other_folder() -> str:
    return localize(
        f"環境変数 {HOME_VARIABLE} に、書き込めるフォルダーを指定してください。",
        f"Set the environment variable {HOME_VARIABLE} to a folder you can write to.",
    )


def _explain_obstacle(folder: Path) -> str:
    """Return why a path cannot be the data folder; empty where it can be."""
    if not folder.is_absolute():
        if str(folder).startswith("~"):
            return localize("ホームフォルダーが見つかりません", "the home folder was not found")
        return localize("現在のフォルダーがありません", "the current directory does not exist")
    if (
        sys.getfilesystemencoding() != "utf-8" and not str(folder).isascii()
    ):  # libraries are given names in UTF-8, whatever Python makes of them
        return localize("UTF-8 のロケール（LC_ALL=C.UTF-8 など）が必要です", "its name requires a UTF-8 locale, such as LC_ALL=C.UTF-8")
    if _UNPAIRED_SURROGATE.search(str(folder)):
        return localize("名前が UTF-8 ではありません", "its name is not UTF-8")
    for path in (folder / ("x" * MAX_INNER_PATH_CHARS), folder, *folder.parents):
        try:
            mode = path.stat().st_mode
            if stat.S_ISDIR(mode) and path == folder:
                os.scandir(path).close()
        except (FileNotFoundError, NotADirectoryError):
            if path.is_symlink():
                return localize(f"「{path}」のリンク先が見つかりません", f"the link “{path}” is broken")
            # The next one says more.
            continue
        except OSError as exc:
            return describe_reason(exc)
        return "" if stat.S_ISDIR(mode) else localize(f"「{path}」はフォルダーではありません", f"“{path}” is not a folder")
    return localize("ドライブが見つかりません", "there is no such drive")
