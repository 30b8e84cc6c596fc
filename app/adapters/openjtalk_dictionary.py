"""The user's dictionary as the front end takes it: a dictionary of MeCab's own form, and the words that are found before MeCab sees them.

MeCab's compiler prints on stdout, which carries results only; so it runs in a process of its own (`main.py --dictionary CSV DIC`), once for
each change of the words.
"""

from __future__ import annotations

import csv
import hashlib
import io
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from app.adapters.user_dictionary import load_dictionary
from app.core.dictionary import USUAL_PRIORITY, Entry, Kind, WrittenWords, is_analysed
from app.core.moras import split_moras
from app.data_file import drop, move, part_beside
from app.errors import InternalError
from app.language import say
from app.paths import data_dir, own_command

# A word of middling priority wins against most splits of its letters; words of the dictionary cost 3,000 to 9,000.
COST_OF_PRIORITY = 2_000
KIND_FEATURES: dict[Kind, str] = {
    "proper_noun": "名詞,固有名詞,一般,*,*,*",
    "noun": "名詞,一般,*,*,*,*",
    "suffix": "名詞,接尾,一般,*,*,*",
    "verb": "動詞,自立,*,*,一段,基本形",
    "adjective": "形容詞,自立,*,*,形容詞・アウオ段,基本形",
}
KEPT = 2
_COMPILING_S = 120
_FAILED = 70


@dataclass(frozen=True)
class TaughtWords:
    """What the user's dictionary adds.

    Attributes:
        file: MeCab's dictionary; None where no word needs one.
        written: words to be found in the text.
    """

    file: Path | None
    written: WrittenWords


@cache
def taught_words() -> TaughtWords:
    """The words that count until they are forgotten. Raises InputError where the file cannot be read, InternalError."""
    entries, error = load_dictionary()
    if error is not None:
        raise error
    return make_ready(entries)


def make_ready(entries: Sequence[Entry]) -> TaughtWords:
    """What these words are for the front end; whoever has changed them calls it, so that the next sentence does not wait. InternalError."""
    analysed = {entry.surface for entry in entries if is_analysed(entry)}
    file = compiled([entry for entry in entries if entry.surface in analysed]) if analysed else None
    return TaughtWords(file, WrittenWords([entry for entry in entries if entry.surface not in analysed]))


def compiled(entries: Sequence[Entry]) -> Path:
    """MeCab's dictionary of these words, made where it is not there yet. Raises InternalError."""
    rows = table(entries)
    folder = data_dir() / "cache" / "dictionary"
    made = folder / f"{hashlib.sha256(rows.encode('utf-8')).hexdigest()[:24]}.dic"
    if made.is_file():
        return made
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _compile(rows, made)
    except (OSError, subprocess.SubprocessError) as exc:
        raise InternalError(
            say(f"ユーザー辞書を使えるようにできませんでした。（{exc}）", f"The user dictionary could not be made ready. ({exc})"),
            say(
                "空き容量を確かめ、直前に登録した単語を削除してみてください。",
                "Check for free space, or remove the word that was added last.",
            ),
        ) from exc
    # The one before stays: another Koebako may have read its words a moment ago.
    for old in sorted(folder.glob("*.dic"), key=_changed_at)[:-KEPT]:
        with suppress(OSError):  # another Koebako has it open
            old.unlink()
    return made


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


def _compile(rows: str, made: Path) -> None:
    source, part = part_beside(made), part_beside(made)
    try:
        source.write_text(rows, encoding="utf-8", newline="\n")
        *start, last = own_command()
        program = [*start, __name__ if last == "app.cli.main" else last]  # installed, the shells are modules of their own
        hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        command = [*program, "--dictionary", str(source), str(part)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_COMPILING_S, creationflags=hidden)
        if done.returncode:
            raise OSError(done.stderr.decode("utf-8", "replace").strip()[-300:] or f"exit code {done.returncode}")
        move(part, made)
    finally:
        drop(source)
        drop(part)


def main() -> int:
    """Compiles the file that the arguments name into the other one; returns 0, or 70 where that failed."""
    try:
        import_module("pyopenjtalk").mecab_dict_index(*sys.argv[-2:])
    except Exception as exc:  # the binding raises whatever its C and Python parts happen to raise
        print(exc, file=sys.stderr)
        return _FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
