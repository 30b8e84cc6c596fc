"""The part of a download that has arrived: kept between tries and between runs of the program, with the facts needed to resume it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from app.adapters.download.download_limits import build_disk_error
from app.adapters.files.file_lock import FileLock
from app.adapters.http.http_request import WaitAnnouncer, sleep_unless_cancelled
from app.adapters.http.network_messages import DownloadCancelledError
from app.adapters.http.response_headers import parse_validator
from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.common.files.untrusted_json import parse_object, require_int
from app.common.files.whole_files import move_path, open_regular_file, read_bounded, write_json
from app.core.sound.stage_clock import ignore_cancellation

DOWNLOAD_LOCK_POLL_S = 0.1
HASH_BLOCK_BYTES = 1 << 20

MAX_SIDECAR_BYTES = 64 << 10
MAX_STATED_BYTES = (1 << 63) - 1


def find_downloads_dir() -> Path:
    """Return where parts and finished downloads are kept until they are installed."""
    return find_data_dir() / "downloads"


def compute_download_key(url: str, sha256: str | None) -> str:
    """Return a file name for a download. It is a hash: addresses may carry secrets and be longer than a name may be."""
    return hashlib.sha256(f"{url}\n{(sha256 or '').lower()}".encode()).hexdigest()[:32]


def hash_file(path: Path, cancelled: Callable[[], bool] = ignore_cancellation) -> tuple[hashlib._Hash, int]:
    """Return the SHA-256 of a file so far, and its length in bytes; raise DownloadError or DownloadCancelledError."""
    digest = hashlib.sha256()
    try:
        with open_regular_file(path) as file:
            while block := file.read(HASH_BLOCK_BYTES):
                if cancelled():
                    raise DownloadCancelledError
                digest.update(block)
            return digest, file.tell()
    except OSError as exc:
        raise build_disk_error(exc, path.parent) from exc


def count_arrived_bytes(url: str, sha256: str | None) -> int:
    """Return how much of a download is on the disk already."""
    try:
        return (find_downloads_dir() / f"{compute_download_key(url, sha256)}.part").stat().st_size
    except OSError:
        return 0


@dataclass(frozen=True, slots=True)
class ResumeValidator:
    """The server's own facts about the file of which this is a part."""

    # Its ETag, or else Last-Modified, if it may be used to ask for the rest of the same file (RFC 9110, 13.1.5: no weak ones).
    validator: str | None
    total: int | None  # bytes in all, None if not said
    encoded: bool  # the body was compressed on the way, so that positions in it are not positions in the file

    @classmethod
    def from_headers(cls, headers: Mapping[str, str], total: int | None) -> ResumeValidator:
        """Create a validator from the headers of a whole response (200)."""
        tag = parse_validator(headers.get("ETag"))
        strong = tag if tag and not tag.startswith("W/") else None
        encoded = headers.get("Content-Encoding", "identity").lower() not in ("", "identity")
        return cls(strong or parse_validator(headers.get("Last-Modified")), None if encoded else total, encoded)

    @classmethod
    def read_sidecar(cls, path: Path) -> ResumeValidator:
        """Read the validator of an earlier download; raise ValueError or OSError if there is none."""
        data = parse_object(read_bounded(path, MAX_SIDECAR_BYTES))
        validator, total, encoded = (data.get(name) for name in ("validator", "total", "encoded"))
        if not isinstance(encoded, bool) or (validator is not None and not (isinstance(validator, str) and parse_validator(validator))):
            raise ValueError("no origin")
        return cls(validator, None if total is None else require_int(total, 0, MAX_STATED_BYTES), encoded)


class PartialDownload:
    """`<data>/downloads/<key>.part` with its `ResumeValidator` in `<key>.json`; used by one process at a time (`lock_download`)."""

    def __init__(self, url: str, sha256: str | None) -> None:
        name = compute_download_key(url, sha256)
        # folder, path, sidecar: the folder, the file and its `ResumeValidator`.
        self.folder = find_downloads_dir()
        self.path, self.sidecar = self.folder / f"{name}.part", self.folder / f"{name}.json"
        self._lock = FileLock(self.folder / f"{name}.lock")
        self.length = 0  # bytes we have
        self.origin: ResumeValidator | None = None  # where they are from; None when there are none that can be gone on with
        self._hash = hashlib.sha256()

    @contextmanager
    def lock_download(self, cancelled: Callable[[], bool], waiting: WaitAnnouncer | None = None) -> Iterator[bool]:
        """Wait until no other process works on this download, and yield whether one did; raise DownloadError or DownloadCancelledError."""
        waiting = waiting or WaitAnnouncer()
        began, waited = time.monotonic(), False
        try:
            make_private_folder(self.folder)
            while not self._lock.acquire():
                waited = True
                waiting.announce_other_process(time.monotonic() - began)
                sleep_unless_cancelled(DOWNLOAD_LOCK_POLL_S, cancelled)
        except OSError as exc:
            raise build_disk_error(exc, self.folder) from exc
        waiting.end_wait()
        try:
            yield waited
        finally:
            self._lock.release()

    def load_earlier_bytes(self, *, verified_later: bool, cancelled: Callable[[], bool]) -> None:
        """Load the bytes of an earlier run that can be continued: where the server vouches for the rest, or a known hash is `verified_later`."""
        try:
            origin = ResumeValidator.read_sidecar(self.sidecar)
        except (OSError, ValueError):
            origin = None
        if origin is None or origin.encoded or not (origin.validator or verified_later) or not self.path.is_file():
            self.discard_bytes()
            return
        self._hash, self.length = hash_file(self.path, cancelled)
        self.origin = origin if self.length else None

    def begin_file(self, validator: ResumeValidator) -> None:
        """Begin a whole file and forget earlier bytes."""
        self.discard_bytes()
        try:
            write_json(self.sidecar, asdict(validator))
            self.path.touch()
        except OSError as exc:
            raise build_disk_error(exc, self.folder) from exc
        self.origin = validator

    def append_blocks(self, blocks: Iterator[bytes], on_block: Callable[[], None]) -> None:
        """Write blocks as they come and call `on_block`, which may raise, after every one; written blocks stay even if the process is killed."""
        try:
            with self.path.open("ab", buffering=0) as file:
                for block in blocks:
                    rest_of_it = memoryview(block)
                    while rest_of_it:
                        rest_of_it = rest_of_it[file.write(rest_of_it) :]
                    self._hash.update(block)
                    self.length += len(block)
                    on_block()
        except OSError as exc:
            raise build_disk_error(exc, self.folder) from exc

    def compute_sha256(self) -> str:
        """Return the SHA-256 of all bytes so far."""
        return self._hash.hexdigest()

    def move_to_target(self, target: Path) -> None:
        """Put the complete file in its place at once; raise DownloadError if that fails."""
        try:
            with self.path.open("rb+") as file:
                os.fsync(file.fileno())
            make_private_folder(target.parent)
            move_path(self.path, target)
        except OSError as exc:
            raise build_disk_error(exc, target.parent) from exc
        self.discard_bytes()

    def discard_bytes(self) -> None:
        """Delete the bytes so far."""
        self.length, self.origin, self._hash = 0, None, hashlib.sha256()
        try:
            for path in (self.path, self.sidecar):
                path.unlink(missing_ok=True)
        except OSError as exc:
            raise build_disk_error(exc, self.folder) from exc


def remove_stale_downloads(older_than_s: float) -> None:
    """Remove downloads that nobody resumed or installed for so long; those that another process holds or that cannot be removed stay."""
    oldest = time.time() - older_than_s
    for folder in find_downloads_dir().glob("*/"):
        with contextlib.suppress(OSError):
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
    for path in find_downloads_dir().glob("*.lock"):
        with contextlib.suppress(OSError):
            part_file = path.with_suffix(".part")
            lock = FileLock(path)
            if max(item.stat().st_mtime for item in (path, part_file) if item.exists()) < oldest and lock.acquire():
                try:
                    for item in (part_file, path.with_suffix(".json")):
                        item.unlink(missing_ok=True)
                finally:
                    lock.release()
                path.unlink(missing_ok=True)
