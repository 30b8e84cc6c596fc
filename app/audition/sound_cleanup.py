"""Keeps track of where the sound of a take is, from its making on, and when it may be removed.

A kept sound is stored in the data folder: there the program **holds** it, whatever is saved, moved or cleaned. Saving a project copies
its sounds **next to** its file first (`app.audition.embedded_sounds.copy_sounds_beside`), so no file ever names a sound that is not there.
Sounds are removed only after that and only here: `remove_unneeded_sounds` next to a file, `release_sounds` in the data folder. Both read
from the disk what the file and the script that is kept between starts (the recovery) name at that moment, and get what the program itself
still needs as an argument. So a sound stays as long as any of the three names it, and a kill at any moment costs space, but no sound.
"""

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from app.audition.take_store import TakeStore, find_sound_folder
from app.common.files.whole_files import open_regular_file

FOREIGN_SOUND_AGE_S = (
    30 * 24 * 3600.0
)  # sounds in the data folder that this start knows nothing of: those of a killed program, or of another window
_SOUND_NAME_PATTERN = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_NAME_BYTES, _BLOCK_BYTES = 64, 1 << 20  # Python keeps its lock while it searches a block


def find_sound_names(file: Path) -> frozenset[str]:
    """Return the names of sounds anywhere in a project file or the recovery; none if there is no file. Raise OSError if it cannot be read."""
    names: set[bytes] = set()
    try:
        with open_regular_file(file) as source:
            overlap = b""
            while block := source.read(_BLOCK_BYTES):
                names.update(_SOUND_NAME_PATTERN.findall(overlap + block))
                overlap = (overlap + block)[-_NAME_BYTES - 1 :]
    except FileNotFoundError:
        return frozenset()
    return frozenset(name.decode("ascii") for name in names)


def remove_unneeded_sounds(path: Path, recovery: Path, needed: Collection[str]) -> int:
    """Remove sounds next to a project that no file names any more and return their number; remove none if a file cannot be read.

    Args:
        needed: what the program names: takes, what can be put back, tests.
    """
    try:
        file_names = find_sound_names(path) | find_sound_names(recovery)
    except OSError:
        return 0
    return TakeStore(find_sound_folder(path)).remove_unneeded_sounds(file_names | frozenset(needed)) if path.is_file() else 0


def release_sounds(
    path: Path | None,
    recovery: Path,
    needed: Collection[str],
    known: Collection[str],
    others: Iterable[Path] = (),
    *,
    unnamed_only: bool = False,
) -> int:
    """Remove held sounds that no file names, and without `unnamed_only` also those that are next to the files that name them; return their
    number.

    Args:
        path: the project that is open; None is a script without a name, whose sounds stay held.
        known: what this start has ever named; what it knows nothing of stays for FOREIGN_SOUND_AGE_S.
    """
    held_store = TakeStore(find_sound_folder(None))
    names = held_store.list_names()
    try:
        needed_names = frozenset(needed) | find_sound_names(recovery) if names else frozenset()
        files = {file: find_sound_names(file) for file in dict.fromkeys((*([path] if path else ()), *others))} if names else {}
    except OSError:
        return 0
    gone = []
    for name in names:
        homes = [file for file, file_names in files.items() if name in file_names]
        if not homes:
            is_free = name not in needed_names and (name in known or held_store.compute_age_s(name) > FOREIGN_SOUND_AGE_S)
        else:
            is_free = not unnamed_only and (name not in needed_names or path in homes)
            is_free = is_free and all(held_store.is_same_in(TakeStore(find_sound_folder(file)), name) for file in homes)
        if is_free:
            gone.append(name)
    held_store.remove_sounds(gone)
    return len(gone)
