"""What has arrived of a download: kept between tries and between runs of the program, with what is needed to resume it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from app.adapters.download.disk import of_disk
from app.adapters.download.origin import Origin
from app.adapters.files.lock import FileLock
from app.adapters.http.failures import DownloadCancelledError
from app.adapters.http.retry_policy import rest
from app.adapters.http.waiting import Waiting
from app.core.timing import never
from app.data_file import move, write_json
from app.own_folder import make_folder
from app.paths import data_dir
from app.small_file import open_regular

LOCK_POLL_S = 0.1
HASHED_AT_ONCE = 1 << 20


def downloads_dir() -> Path:
    """Where parts and finished downloads lie until they are installed."""
    return data_dir() / "downloads"


def key_of(url: str, sha256: str | None) -> str:
    """A file name for a download. It is a hash: addresses may carry secrets and be longer than a name may be."""
    return hashlib.sha256(f"{url}\n{(sha256 or '').lower()}".encode()).hexdigest()[:32]


def hash_of(path: Path, cancelled: Callable[[], bool] = never) -> tuple[hashlib._Hash, int]:
    """SHA-256 of a file so far, and its length in bytes; raises DownloadError or DownloadCancelledError."""
    digest = hashlib.sha256()
    try:
        with open_regular(path) as file:
            while block := file.read(HASHED_AT_ONCE):
                if cancelled():
                    raise DownloadCancelledError
                digest.update(block)
            return digest, file.tell()
    except OSError as exc:
        raise of_disk(exc, path.parent) from exc


def arrived_bytes(url: str, sha256: str | None) -> int:
    """How much of a download is on the disk already."""
    try:
        return (downloads_dir() / f"{key_of(url, sha256)}.part").stat().st_size
    except OSError:
        return 0


class Part:
    """`<data>/downloads/<key>.part` with its `Origin` in `<key>.json`; used by one process at a time (`locked`).

    Attributes:
        length: bytes we have.
        origin: where they are from; None when there are none that can be gone on with.
    """

    def __init__(self, url: str, sha256: str | None) -> None:
        name = key_of(url, sha256)
        self.folder = downloads_dir()
        self._path, self._sidecar = self.folder / f"{name}.part", self.folder / f"{name}.json"
        self._lock = FileLock(self.folder / f"{name}.lock")
        self.length = 0
        self.origin: Origin | None = None
        self._hash = hashlib.sha256()

    @contextmanager
    def locked(self, cancelled: Callable[[], bool], waiting: Waiting | None = None) -> Iterator[bool]:
        """Waits until no other process works on this download; gives whether there was one. Raises DownloadError or DownloadCancelledError."""
        waiting = waiting or Waiting()
        began, waited = time.monotonic(), False
        try:
            make_folder(self.folder)
            while not self._lock.acquire():
                waited = True
                waiting.for_process(time.monotonic() - began)
                rest(LOCK_POLL_S, cancelled)
        except OSError as exc:
            raise of_disk(exc, self.folder) from exc
        waiting.over()
        try:
            yield waited
        finally:
            self._lock.release()

    def recall(self, *, verified_later: bool, cancelled: Callable[[], bool]) -> None:
        """Takes up what an earlier run left; drops what cannot be gone on with.

        Args:
            verified_later: the whole file will be checked against a known hash, so that the server need not vouch for the rest.
            cancelled: asked while the bytes are hashed.
        """
        try:
            origin = Origin.read(self._sidecar)
        except (OSError, ValueError):
            origin = None
        if origin is None or origin.encoded or not (origin.validator or verified_later) or not self._path.is_file():
            self.drop()
            return
        self._hash, self.length = hash_of(self._path, cancelled)
        self.origin = origin if self.length else None

    def begin(self, origin: Origin) -> None:
        """A whole file starts to arrive: forgets what was there."""
        self.drop()
        try:
            write_json(self._sidecar, asdict(origin))
            self._path.touch()
        except OSError as exc:
            raise of_disk(exc, self.folder) from exc
        self.origin = origin

    def append(self, blocks: Iterator[bytes], each: Callable[[], None]) -> None:
        """Writes blocks as they come and calls `each`, which may raise, after every one; what is written stays even if the process is killed."""
        try:
            with self._path.open("ab", buffering=0) as file:
                for block in blocks:
                    rest_of_it = memoryview(block)
                    while rest_of_it:
                        rest_of_it = rest_of_it[file.write(rest_of_it) :]
                    self._hash.update(block)
                    self.length += len(block)
                    each()
        except OSError as exc:
            raise of_disk(exc, self.folder) from exc

    def sha256(self) -> str:
        """Of all bytes we have."""
        return self._hash.hexdigest()

    def move_to(self, target: Path) -> None:
        """Puts the complete file in its place, at once; raises DownloadError."""
        try:
            with self._path.open("rb+") as file:
                os.fsync(file.fileno())
            make_folder(target.parent)
            move(self._path, target)
        except OSError as exc:
            raise of_disk(exc, target.parent) from exc
        self.drop()

    def drop(self) -> None:
        """Deletes what is there."""
        self.length, self.origin, self._hash = 0, None, hashlib.sha256()
        try:
            for path in (self._path, self._sidecar):
                path.unlink(missing_ok=True)
        except OSError as exc:
            raise of_disk(exc, self.folder) from exc


def sweep_downloads(older_than_s: float) -> None:
    """Removes what nobody resumed or installed for so long; what another process holds or cannot be removed stays."""
    oldest = time.time() - older_than_s
    for folder in downloads_dir().glob("*/"):
        with contextlib.suppress(OSError):
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
    for path in downloads_dir().glob("*.lock"):
        with contextlib.suppress(OSError):
            part = path.with_suffix(".part")
            lock = FileLock(path)
            if max(item.stat().st_mtime for item in (path, part) if item.exists()) < oldest and lock.acquire():
                try:
                    for item in (part, path.with_suffix(".json")):
                        item.unlink(missing_ok=True)
                finally:
                    lock.release()
                path.unlink(missing_ok=True)
