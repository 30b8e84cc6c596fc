"""Names the folders in `<data>/downloads` that hold files between download and installation, and says how long they are valid."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.adapters.download.partial_download import compute_download_key, find_downloads_dir
from app.common.errors import VoiceError
from app.common.files.untrusted_json import sanitise_long_text
from app.install.select_checkpoint import UserDecisionRequiredError
from app.voices.containers.unsupported_formats import VOICE_SUFFIXES
from app.voices.containers.voice_zip import RESERVED_NAME_PATTERN

DEFAULT_DOWNLOAD_NAME = "download"
# An hour leaves time to read a licence or to make a choice.
MAX_PENDING_DOWNLOAD_AGE_S = 3600.0
# A name may have 255 bytes, and others append to it.
LONGEST_STEM_BYTES, LONGEST_SUFFIX = 120, 20
_START_CHARS, _END_CHARS = re.compile(r"\A[\s.]+"), re.compile(r"(?<![\s.])[\s.]+\Z")


def choose_download_folder(url: str, version: str | None = None) -> Path:
    """Return the folder of a download, one for each address and version."""
    return find_downloads_dir() / compute_download_key(url, version)


def find_pending_download(folder: Path) -> Path | None:
    """Find a recent download that waits for the user's answer; the source of an older one may have changed since."""
    try:
        found = [item for item in folder.iterdir() if item.name != DEFAULT_DOWNLOAD_NAME and item.is_file()]
        return found[0] if len(found) == 1 and abs(time.time() - found[0].stat().st_mtime) < MAX_PENDING_DOWNLOAD_AGE_S else None
    except OSError:
        return None


@contextmanager
def discard_after_use(path: Path) -> Iterator[Path]:
    """Discard a download after the block has installed it or found it bad: it would be found again, and be as bad.

    After anything else it is there for the next try.
    """
    try:
        yield path
    except UserDecisionRequiredError:
        raise
    except VoiceError:
        discard_download(path)
        raise
    discard_download(path)


def discard_download(path: Path) -> None:
    """Remove a download after it was installed; leave everything outside the downloads folder alone."""
    root = find_downloads_dir()
    if root in path.parents and ".." not in path.relative_to(root).parts:
        shutil.rmtree(root / path.relative_to(root).parts[0], ignore_errors=True)


def sanitise_file_name(name: str) -> str:
    """Return a file name that every system accepts, with its suffix, from any name that a server sends."""
    plain = _END_CHARS.sub("", re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]', "_", sanitise_long_text(name).replace("\\", "/").rpartition("/")[2]))
    stem, dot, suffix = plain.rpartition(".")
    if not dot or len(suffix) > LONGEST_SUFFIX:
        stem, dot, suffix = plain, "", ""
    stem = _END_CHARS.sub("", _START_CHARS.sub("", stem))
    if RESERVED_NAME_PATTERN.match(stem):
        stem = f"_{stem}"
    return (_END_CHARS.sub("", stem.encode()[:LONGEST_STEM_BYTES].decode(errors="ignore")) or "voice") + dot + suffix


def sanitise_voice_file_name(name: str) -> str:
    """Return a file name as `sanitise_file_name` does, with the suffix of a voice or none: a server makes no `desktop.ini`."""
    safe = sanitise_file_name(name)
    return safe if safe.casefold().endswith(VOICE_SUFFIXES) else safe.replace(".", "_")
