"""Whether what the program left is whole: sounds, data folders, and what was in them before."""

import contextlib
import json
import os
import time
from collections.abc import Iterable
from pathlib import Path

import soundfile

from app.common.files.whole_files import list_stale_parts
from app.voices.bert_models import read_bert
from app.voices.installed_voices import list_damaged_voices
from tests.campaigns.attack.area import Case
from tests.campaigns.attack.place import Place

SOUNDS = (".wav", ".flac", ".mp3", ".ogg", ".opus")
LONG_AGO_S = 2 * 24 * 3600


def check_sound(case: Case, path: Path) -> None:
    """A file under its own name opens and has samples."""
    if path.suffix.lower() not in SOUNDS:
        return
    try:
        with path.open("rb") as file:
            samples, _ = soundfile.read(file)
        if not len(samples):
            case.complain("half", f"{path.name} has no samples", "a sound without samples")
    except (soundfile.SoundFileError, OSError) as exc:
        case.complain("half", f"{path.name} does not open: {exc}", "a sound that does not open")


def check_home(case: Case, home: Path) -> None:
    """Nothing in a data folder is half: every voice, BERT and file of ours opens."""
    for folder, error in list_damaged_voices([home / "voices"]):
        case.complain("half", f"{folder.name}: {error.message} {sorted(item.name for item in folder.iterdir())}", "a half voice")
    for folder in (home / "bert").glob("[!.]*"):
        case.call(f"BERT {folder.name}", lambda folder=folder: read_bert(folder))
    for path in home.glob("*.json"):
        try:
            json.loads(path.read_bytes())
        except ValueError as exc:
            case.complain("half", f"{path.name}: {exc}: {path.read_bytes()[:200]!r}", f"a half {path.name}")
    copies = sorted(item.name for item in home.glob("*.unreadable"))
    if copies:
        case.complain("half", f"the program found half files itself: {copies}", "unreadable copies")


def words_of(home: Path) -> set[str]:
    """The user's words as they lie on the disk."""
    try:
        return {item["surface"] for item in json.loads((home / "dictionary.json").read_bytes())["entries"]}
    except FileNotFoundError:
        return set()


def check_words(case: Case, home: Path, wanted: Iterable[str]) -> None:
    """No word that was there, or was promised, is gone."""
    if missing := set(wanted) - words_of(home):
        case.complain("lost", f"words that are gone: {sorted(missing)}; there are {sorted(words_of(home))}", "words")


def leftovers(*folders: Path) -> list[Path]:
    """Parts and staged folders that nobody has finished."""
    found = []
    for folder in folders:
        for current, names, _ in os.walk(folder):
            found += list_stale_parts(Path(current), -1.0)
            if Path(current).name == "staging":
                found += [Path(current) / name for name in names]
            if Path(current).name == "graphs":
                found += [Path(current) / name for name in names if name.endswith(".part")]
    return list(dict.fromkeys(found))


def age(paths: Iterable[Path]) -> None:
    """As if nobody had touched them for days: what is younger may still be in work."""
    then = time.time() - LONG_AGO_S
    for path in paths:
        with contextlib.suppress(OSError):
            for item in (path, *(path.rglob("*") if path.is_dir() else ())):
                os.utime(item, (then, then), follow_symlinks=False)


def check_swept(case: Case, old: Iterable[Path], place: Place) -> None:
    """What a dead process had left is gone after the next run."""
    left = [path for path in old if path.exists() or path.is_symlink()]
    if left:
        case.complain("half", f"never swept: {[str(path.relative_to(place.root)) for path in left]}", f"never swept {left[0].parent.name}")
