"""The order in which files are renamed so that none gives way to another that is still to go elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from app.export.manifest_data import PARKED_PREFIX
from app.export.safe_file_names import fold_file_name


def order_renames(targets: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (from, to), one rename after the other, that bring every file to its target.

    A name is free before it is given again; of names that go round in a circle, one is put aside first, under a name of its own.

    Args:
        targets: where each file goes, by where it is; no two go to one place.
    """
    waiting = dict(targets)
    source_by_name = {fold_file_name(source): source for source in waiting}
    while waiting:
        chain, blocker = _follow_chain(next(iter(waiting)), waiting, source_by_name)
        if blocker is not None:
            parked = create_parked_path(blocker)
            yield blocker, parked
            # The others of the circle move up, and then its way is free.
            chain.remove(blocker)
            del source_by_name[fold_file_name(blocker)]
            waiting[parked] = waiting.pop(blocker)
            source_by_name[fold_file_name(parked)] = parked
        for source in reversed(chain):
            del source_by_name[fold_file_name(source)]
            yield source, waiting.pop(source)


def create_parked_path(path: str) -> str:
    """Return a path that no file has, beside another."""
    return str(PurePosixPath(path).with_name(f"{PARKED_PREFIX}{os.urandom(4).hex()}{PurePosixPath(path).suffix}"))


def _follow_chain(first: str, targets: Mapping[str, str], source_by_name: Mapping[str, str]) -> tuple[list[str], str | None]:
    """Return a file and those in each other's way behind it, and the one at which the way closes to a circle, if it does."""
    chain = {first: None}
    last = first
    while (blocker := source_by_name.get(fold_file_name(targets[last]))) is not None and blocker != last:
        if blocker in chain:
            return list(chain), blocker
        chain[blocker] = None
        last = blocker
    return list(chain), None
