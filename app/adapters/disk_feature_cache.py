"""BERT features on the disk: a sentence that was spoken yesterday needs no BERT today.

One SQLite file in WAL mode, which survives crashes and serves several processes; its own thread writes, once the sentence is on its way.
Speech is made of float16 features in any case, so that what is remembered sounds the same to the bit. Trouble with the disk ends the
remembering, never the speaking.
"""

import atexit
import contextlib
import hashlib
import logging
import queue
import sqlite3
import threading
import time
import zlib
from pathlib import Path

import numpy as np

from app.common.files.private_data_dir import make_private_folder
from app.core.synthesis_types import BERT_WIDTH, Float16

FEATURE_CACHE_VERSION = 1
_MAX_QUEUED_WRITES = 64  # sentences that may wait to be written; beyond that they are left out, for the disk does not keep up
_READ_TIMEOUT_S, _WRITE_TIMEOUT_S, _CLOSE_TIMEOUT_S = 0.05, 5.0, 2.0
_RETRY_S = 0.02
_SCHEMA = """
    CREATE TABLE features (key BLOB PRIMARY KEY, used INTEGER NOT NULL, sum INTEGER NOT NULL, data BLOB NOT NULL);
    CREATE INDEX by_use ON features (used);
"""


class DiskFeatureCache:
    """Implements `app.core.sound.ports.FeatureStore` in a file of at most `max_bytes` of features; those used longest ago go first."""

    def __init__(self, path: Path, max_bytes: int = 200 << 20) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._reader: sqlite3.Connection | None = None
        self._writer: threading.Thread | None = None
        self._write_queue: queue.Queue[tuple[bytes, Float16 | None] | None] = queue.Queue(_MAX_QUEUED_WRITES)
        self._is_disabled = False

    def get(self, bert_id: str, text: str) -> Float16 | None:
        """Return features (n, 1024) as they were stored, or None; to be called from one thread at a time."""
        if self._is_disabled or (self._reader is None and not self._path.is_file()):
            return None
        key = _hash_key(bert_id, text)
        try:
            if self._reader is None:
                self._reader = self._connect_once(_READ_TIMEOUT_S)
            row = self._reader.execute("SELECT sum, data FROM features WHERE key = ?", (key,)).fetchone()
        except (sqlite3.Error, OSError) as exc:
            if not _is_busy(exc):
                self._disable_cache(exc)
            return None
        if row is None or not isinstance(row[1], bytes) or not row[1] or zlib.crc32(row[1]) != row[0] or len(row[1]) % (2 * BERT_WIDTH):
            return None
        self._queue_write((key, None))
        return np.frombuffer(row[1], np.float16).reshape(-1, BERT_WIDTH)

    def put(self, bert_id: str, text: str, features: Float16) -> None:
        self._queue_write((_hash_key(bert_id, text), features))

    def close(self) -> None:
        """Write the waiting features, within a moment."""
        if self._writer is not None:
            with contextlib.suppress(queue.Full):
                self._write_queue.put(None, timeout=_CLOSE_TIMEOUT_S)
            self._writer.join(_CLOSE_TIMEOUT_S)
            self._writer = None
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _queue_write(self, item: tuple[bytes, Float16 | None]) -> None:
        if self._is_disabled:
            return
        if self._writer is None:
            self._writer = threading.Thread(target=self._write_all, name="features", daemon=True)
            self._writer.start()
            atexit.register(self.close)
        with contextlib.suppress(queue.Full):
            self._write_queue.put_nowait(item)

    def _write_all(self) -> None:
        try:
            make_private_folder(self._path.parent)
            with contextlib.closing(self._connect_with_retry()) as connection:
                while (item := self._write_queue.get()) is not None:
                    with connection:
                        self._write_features(connection, *item)
        except (sqlite3.Error, OSError) as exc:
            self._disable_cache(exc)

    def _write_features(self, connection: sqlite3.Connection, key: bytes, features: Float16 | None) -> None:
        newest = "(SELECT coalesce(max(used), 0) + 1 FROM features)"
        if features is None:
            connection.execute(f"UPDATE features SET used = {newest} WHERE key = ?", (key,))
            return
        data = np.ascontiguousarray(features, np.float16).tobytes()
        if len(data) > self._max_bytes:
            return
        connection.execute(f"INSERT OR REPLACE INTO features VALUES (?, {newest}, ?, ?)", (key, zlib.crc32(data), data))
        # Other processes write as well: what is held is asked for again. `length` looks at the head of a row only.
        sizes = connection.execute("SELECT used, length(data) FROM features ORDER BY used").fetchall()
        total_bytes = sum(size for _, size in sizes)
        for used, size in sizes:
            if total_bytes <= self._max_bytes:
                break
            connection.execute("DELETE FROM features WHERE used = ?", (used,))
            total_bytes -= size

    def _connect_with_retry(self) -> sqlite3.Connection:
        """Connect, with retries: SQLite does not wait if two processes create the file at the same moment, as each would wait for the other."""
        ends = time.monotonic() + _WRITE_TIMEOUT_S
        while True:
            try:
                return self._connect_once(_WRITE_TIMEOUT_S)
            except sqlite3.OperationalError as exc:
                if not _is_busy(exc) or time.monotonic() > ends:
                    raise
            time.sleep(_RETRY_S)

    def _connect_once(self, timeout_s: float) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=timeout_s, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            # A power cut may lose the last sentences, nothing else.
            connection.execute("PRAGMA synchronous = NORMAL")
            if connection.execute("PRAGMA user_version").fetchone() != (FEATURE_CACHE_VERSION,):
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    self._create_tables(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _create_tables(self, connection: sqlite3.Connection) -> None:
        if connection.execute("PRAGMA user_version").fetchone() == (FEATURE_CACHE_VERSION,):
            return  # another process was faster
        connection.execute("DROP TABLE IF EXISTS features")
        for statement in filter(str.strip, _SCHEMA.split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {FEATURE_CACHE_VERSION}")

    def _disable_cache(self, exc: Exception) -> None:
        """Disable the cache in this process; a damaged file makes room for a new one at the next start."""
        self._is_disabled = True
        logging.getLogger("koebako").info("features are not kept on the disk: %s", exc)
        if isinstance(exc, sqlite3.DatabaseError) and not isinstance(exc, sqlite3.OperationalError):
            for suffix in ("", "-wal", "-shm"):
                with contextlib.suppress(OSError):
                    self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)


def _is_busy(exc: Exception) -> bool:
    return isinstance(exc, sqlite3.OperationalError) and exc.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _hash_key(bert_id: str, text: str) -> bytes:
    """Return a hash, so that the file does not reveal the spoken texts."""
    return hashlib.sha256(f"{bert_id}\0{text}".encode("utf-8", "surrogatepass")).digest()
