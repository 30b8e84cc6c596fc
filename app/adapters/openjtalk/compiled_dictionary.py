"""Makes MeCab's own dictionary of the user's words, once for each change of them.

MeCab's compiler prints on stdout, which carries results only; so it runs in a process of its own (`main.py --dictionary CSV DIC`).
"""

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

from app.adapters.openjtalk.mecab_features import KIND_FEATURES
from app.adapters.openjtalk.stub_tsqyomi import install_stub_module
from app.adapters.ort_telemetry import import_without_telemetry
from app.common.errors import InternalError
from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.common.files.whole_files import move_path, open_regular_file, prepare_part_path, remove_path
from app.common.language import localize
from app.common.processes.launch import run_own_program
from app.common.processes.terminal import escape_to_one_line, write_error_line
from app.common.system_errors import describe_reason
from app.core.text.dictionary_entries import COST_OF_PRIORITY, USUAL_PRIORITY, DictionaryEntry
from app.core.text.pronunciation import split_moras

MAX_COMPILED_DICTIONARIES = 2
_COMPILE_TIMEOUT_S = 120
_COMPILE_FAILED_CODE = 70


def ensure_compiled_dictionary(entries: Sequence[DictionaryEntry]) -> Path:
    """Return MeCab's dictionary of these words, compiled if there is none; raise InternalError."""
    rows = format_mecab_rows(entries)
    folder = find_data_dir() / "cache" / "dictionary"
    words = hashlib.sha256(rows.encode("utf-8")).hexdigest()[:24]
    for made in folder.glob(f"{words}-*.dic"):
        if _has_valid_digest(made):
            return made
        remove_path(made)
    try:
        folder = _find_writable_folder(folder)
        made = _run_compiler(rows, folder / words)
    except (OSError, subprocess.SubprocessError) as exc:
        reason = describe_reason(exc)
        raise InternalError(
            localize(f"ユーザー辞書を準備できませんでした。（{reason}）", f"The user dictionary could not be prepared. ({reason})"),
            localize(
                "ディスクの空き容量を確認するか、最後に登録した単語を削除してください。",
                "Check the free disk space, or delete the word you added last.",
            ),
        ) from exc
    # The one before stays: another Koebako may have read its words a moment ago.
    # Which may be newer, if the clock was set back.
    others = [file for file in folder.glob("*.dic") if file != made]
    for old in sorted(others, key=_find_change_time)[: 1 - MAX_COMPILED_DICTIONARIES]:
        # Another Koebako has it open.
        with suppress(OSError):
            old.unlink()
    return made


def _find_writable_folder(folder: Path) -> Path:
    """Return the folder, or one that lasts as long as the program: a data folder that cannot be written must not keep words from being spoken. Raise OSError."""
    try:
        make_private_folder(folder)
        if os.access(folder, os.W_OK):
            return folder
        reason = "not writable"
    except OSError as exc:
        reason = str(exc)
    logging.getLogger("koebako").warning("the user dictionary is compiled at every start: %s", reason)
    return _create_session_folder()


@cache
def _create_session_folder() -> Path:
    # On Windows MeCab has its file open to the end.
    folder = tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True)
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _has_valid_digest(dictionary: Path) -> bool:
    """Return whether the content matches the digest in the name: MeCab trusts offsets in the file, so a damaged one can crash the process."""
    try:
        return dictionary.stem.endswith(f"-{_compute_digest(dictionary)}")
    except OSError:
        return False


def _compute_digest(dictionary: Path) -> str:
    with open_regular_file(dictionary) as file:
        return hashlib.file_digest(file, partial(hashlib.blake2b, digest_size=8)).hexdigest()


def _find_change_time(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def format_mecab_rows(entries: Sequence[DictionaryEntry]) -> str:
    """Return the words as MeCab's compiler reads them: spelling, no classes (it finds them), cost, and features as of Open JTalk's own words."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for entry in entries:
        accent = f"{entry.accent}/{len(split_moras(entry.reading))}"
        features = [*KIND_FEATURES[entry.kind].split(","), entry.surface, entry.reading, entry.reading, accent, "*"]
        writer.writerow([entry.surface, "", "", (USUAL_PRIORITY - entry.priority) * COST_OF_PRIORITY, *features])
    return text.getvalue()


def _run_compiler(rows: str, stem: Path) -> Path:
    """Compile the dictionary; its name ends with the digest of its content."""
    source, part = prepare_part_path(stem), prepare_part_path(stem)
    try:
        source.write_text(rows, encoding="utf-8", newline="\n")
        done = run_own_program("--dictionary", source, part, timeout_s=_COMPILE_TIMEOUT_S)
        if done.returncode:
            details = done.stderr.decode("utf-8", "replace").strip()[-300:] or f"exit code {done.returncode}"
            raise OSError(localize(f"詳細: {details}", details))
        made = stem.with_name(f"{stem.name}-{_compute_digest(part)}.dic")
        try:
            move_path(part, made)
        except OSError:  # on Windows another Koebako may have the same file open
            if not _has_valid_digest(made):
                raise
        return made
    finally:
        remove_path(source)
        remove_path(part)


def main() -> int:
    """Compile one file that the arguments name into the other one; return 0, or 70 if that failed."""
    install_stub_module()
    try:
        import_without_telemetry()
        import_module("pyopenjtalk").mecab_dict_index(*sys.argv[-2:])
    except Exception as exc:  # the binding raises whatever its C and Python parts happen to raise
        write_error_line(escape_to_one_line(str(exc)))
        return _COMPILE_FAILED_CODE
    return 0
