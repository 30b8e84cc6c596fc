"""Makes MeCab's own dictionary of the user's words, once for each change of them.

MeCab's compiler prints on stdout, which carries results only; so it runs in a process of its own (`main.py --dictionary CSV DIC`).
"""

from __future__ import annotations

import atexit
import csv
import hashlib
import io
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from pathlib import Path

from app.adapters.openjtalk.rows import KIND_FEATURES
from app.adapters.openjtalk.unused_parts import leave_out_unused
from app.adapters.telemetry import import_unreported
from app.core.dictionary import USUAL_PRIORITY, Entry
from app.core.mecab_rows import COST_OF_PRIORITY
from app.core.moras import split_moras
from app.data_file import drop, move, part_beside
from app.errors import InternalError
from app.language import localized
from app.own_folder import make_folder
from app.own_program import run_own
from app.paths import data_dir
from app.small_file import open_regular
from app.system_errors import reason_of
from app.terminal import one_line, write_error_line

KEPT = 2
_COMPILING_S = 120
_FAILED = 70


def compiled(entries: Sequence[Entry]) -> Path:
    """MeCab's dictionary of these words, made where it is not there yet. Raises InternalError."""
    rows = table(entries)
    folder = data_dir() / "cache" / "dictionary"
    words = hashlib.sha256(rows.encode("utf-8")).hexdigest()[:24]
    for made in folder.glob(f"{words}-*.dic"):
        if _is_whole(made):
            return made
        drop(made)
    try:
        folder = _writable(folder)
        made = _compile(rows, folder / words)
    except (OSError, subprocess.SubprocessError) as exc:
        reason = reason_of(exc)
        raise InternalError(
            localized(f"ユーザー辞書を準備できませんでした。（{reason}）", f"The user dictionary could not be prepared. ({reason})"),
            localized(
                "ディスクの空き容量を確認するか、最後に登録した単語を削除してください。",
                "Check the free disk space, or delete the word you added last.",
            ),
        ) from exc
    # The one before stays: another Koebako may have read its words a moment ago.
    others = [file for file in folder.glob("*.dic") if file != made]  # which may be newer, if the clock was set back
    for old in sorted(others, key=_changed_at)[: 1 - KEPT]:
        with suppress(OSError):  # another Koebako has it open
            old.unlink()
    return made


def _writable(folder: Path) -> Path:
    """The folder, or one that lasts as long as the program: words are spoken from a data folder that cannot be written, too. Raises OSError."""
    try:
        make_folder(folder)
        if os.access(folder, os.W_OK):
            return folder
        reason = "not writable"
    except OSError as exc:
        reason = str(exc)
    logging.getLogger("koebako").warning("the user dictionary is compiled at every start: %s", reason)
    return _own_folder()


@cache
def _own_folder() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True)  # on Windows MeCab has its file open to the end
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _is_whole(made: Path) -> bool:
    """Whether the content matches the digest in the name: MeCab trusts offsets in the file, so a damaged one can crash the process."""
    try:
        return made.stem.endswith(f"-{_digest(made)}")
    except OSError:
        return False


def _digest(made: Path) -> str:
    with open_regular(made) as file:
        return hashlib.file_digest(file, partial(hashlib.blake2b, digest_size=8)).hexdigest()


def _changed_at(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def table(entries: Sequence[Entry]) -> str:
    """The words as MeCab's compiler reads them: spelling, no classes (it finds them), cost, and features as of Open JTalk's own words."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for entry in entries:
        accent = f"{entry.accent}/{len(split_moras(entry.reading))}"
        features = [*KIND_FEATURES[entry.kind].split(","), entry.surface, entry.reading, entry.reading, accent, "*"]
        writer.writerow([entry.surface, "", "", (USUAL_PRIORITY - entry.priority) * COST_OF_PRIORITY, *features])
    return text.getvalue()


def _compile(rows: str, stem: Path) -> Path:
    """Compiles the dictionary; its name ends with the digest of its content."""
    source, part = part_beside(stem), part_beside(stem)
    try:
        source.write_text(rows, encoding="utf-8", newline="\n")
        done = run_own("--dictionary", source, part, timeout_s=_COMPILING_S)
        if done.returncode:
            details = done.stderr.decode("utf-8", "replace").strip()[-300:] or f"exit code {done.returncode}"
            raise OSError(localized(f"詳細: {details}", details))
        made = stem.with_name(f"{stem.name}-{_digest(part)}.dic")
        try:
            move(part, made)
        except OSError:  # on Windows another Koebako may have the same file open
            if not _is_whole(made):
                raise
        return made
    finally:
        drop(source)
        drop(part)


def main() -> int:
    """Compiles the file that the arguments name into the other one; returns 0, or 70 where that failed."""
    leave_out_unused()
    try:
        import_unreported()
        import_module("pyopenjtalk").mecab_dict_index(*sys.argv[-2:])
    except Exception as exc:  # the binding raises whatever its C and Python parts happen to raise
        write_error_line(one_line(str(exc)))
        return _FAILED
    return 0
