"""What lies in `<data>/downloads` between its download and its installation: under which name, and until when."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.adapters.download.part import downloads_dir, key_of
from app.errors import VoiceError
from app.install.choice import UndecidedError
from app.json_text import long_text
from app.voices.untrusted.zip_names import RESERVED

UNNAMED = "download"
WAITS_AT_MOST_S = 3600.0  # for a licence to be read, or a choice to be made
LONGEST_STEM_BYTES, LONGEST_SUFFIX = 120, 20  # a name may have 255 bytes; others append to it


def folder_of(url: str, version: str | None = None) -> Path:
    """The folder of a download; one for each address and version."""
    return downloads_dir() / key_of(url, version)


def waiting_in(folder: Path) -> Path | None:
    """What was brought a moment ago and waits for the user's word on it; what lies there longer may have changed at its source."""
    try:
        found = [item for item in folder.iterdir() if item.name != UNNAMED and item.is_file()]
        return found[0] if len(found) == 1 and abs(time.time() - found[0].stat().st_mtime) < WAITS_AT_MOST_S else None
    except OSError:
        return None


@contextmanager
def used_up(path: Path) -> Iterator[Path]:
    """Discards what a fetch returned after the block has installed it, or found it bad: it would be found again, and be as bad.

    After anything else it is there for the next try.
    """
    try:
        yield path
    except UndecidedError:
        raise
    except VoiceError:
        discard(path)
        raise
    discard(path)


def discard(path: Path) -> None:
    """Removes what a fetch returned, after it was installed; leaves everything outside the downloads folder alone."""
    root = downloads_dir()
    if root in path.parents and ".." not in path.relative_to(root).parts:
        shutil.rmtree(root / path.relative_to(root).parts[0], ignore_errors=True)


def safe_name(name: str) -> str:
    """A file name that every system takes, with its suffix; what the server says may be anything."""
    plain = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]', "_", long_text(name).replace("\\", "/").rpartition("/")[2]).rstrip(" .")
    stem, dot, suffix = plain.rpartition(".")
    if not dot or len(suffix) > LONGEST_SUFFIX:
        stem, dot, suffix = plain, "", ""
    stem = stem.strip(" .")
    if RESERVED.match(stem):
        stem = f"_{stem}"
    return (stem.encode()[:LONGEST_STEM_BYTES].decode(errors="ignore").rstrip(" .") or "voice") + dot + suffix
