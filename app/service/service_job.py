"""Work for the synthesis thread, its queue, and how its results come back to the thread that serves.

A client may read as slowly as it likes: what is made for it waits in memory while it is little, then in a file without a name, so that the
synthesis thread never does.
"""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, TypeVar

from app.adapters.files.part_file import CheckedFile
from app.adapters.speech_activity import record_at_stages, record_speech
from app.common.errors import OutputFileError
from app.common.files import paths
from app.common.files.private_data_dir import make_private_folder
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.core.sound.stage_clock import RequestStopped
from app.engine.engine import Engine
from app.engine.synthesis_jobs import ComputeJob, Importance, JobTurn
from app.service.request_fields import create_refusal

Result = TypeVar("Result")
SPOOL_PIECE_BYTES = 1 << 18  # a third of a second and more, in one go to the thread that serves
_END_OF_RESULTS = object()

MAX_WAITING_JOBS = 256

MAX_HELD_BYTES = 4 << 20  # of one answer in memory: 47 s at the rate of most voices
MAX_TOTAL_HELD_BYTES = 32 << 20  # of all answers together
MAX_TOTAL_SPOOLED_BYTES = 2 << 30  # of all answers together on the disk


class JobContext:
    """The resources that a job may use while it has the engine's thread."""

    def __init__(self, job: ServiceJob, turn: JobTurn) -> None:
        self._work = job
        self.open_speaker, self.is_cancelled = turn.open_speaker, turn.is_cancelled
        self.on_stage = record_at_stages(turn.on_stage)

    def emit_result(self, item: Any) -> None:
        """Deliver a part of the result at once; raise RequestStopped if no client waits, OutputFileError if the disk is full."""
        if self.is_cancelled():
            raise RequestStopped
        if not isinstance(item, bytes):
            self._work.deliver_result(item, None)
            return
        for start in range(0, len(item), SPOOL_PIECE_BYTES):
            self._work.deliver_result(self._work.spool.put_bytes(item[start : start + SPOOL_PIECE_BYTES]), None)


class SpoolQuota:
    """A limit on all waiting response data: shared by the responses, used by two threads."""

    def __init__(self, memory_bytes: int = MAX_TOTAL_HELD_BYTES, disk_bytes: int = MAX_TOTAL_SPOOLED_BYTES) -> None:
        self._lock = threading.Lock()
        self._memory_bytes, self._disk_bytes = memory_bytes, disk_bytes

    def reserve_memory(self, size: int) -> bool:
        """Reserve memory for so many bytes and return False if there is not enough; a negative size gives back."""
        with self._lock:
            fits = size <= self._memory_bytes
            self._memory_bytes -= size if fits else 0
            return fits

    def reserve_disk(self, size: int) -> None:
        """Reserve space on the disk; raise OutputFileError if there is not enough."""
        with self._lock:
            if size > self._disk_bytes:
                raise OutputFileError(
                    localize("読み出されていない音声が多すぎるため、応答を中断しました。", "Too much unread audio; the response was ended.")
                )
            self._disk_bytes -= size


@dataclass(frozen=True, slots=True)
class SpoolPiece:
    """Bytes that wait: themselves, or their place in the file."""

    size: int
    content: bytes | None
    start: int = 0


class AnonymousFile(CheckedFile):
    """Raises OutputFileError where no file can be made."""

    def __init__(self) -> None:
        try:
            super().__init__(_open_file())
        except OSError as exc:
            raise self._build_write_error(exc) from exc

    def flush(self) -> None:
        """Do nothing: writes are not buffered."""

    def close(self) -> None:
        """Close the file, which removes it."""
        self._file.close()

    def __del__(self) -> None:
        """Close the file, which would warn otherwise: no reader waits any more."""
        # It could not be made.
        with suppress(AttributeError):
            self._file.close()

    def _build_write_error(self, cause: OSError) -> OutputFileError:
        reason = describe_reason(cause)
        return OutputFileError(
            localize(
                f"送信を待つ音声を一時ファイルに保存できません：{reason}。",
                f"Sound that waits to be sent cannot be kept in a temporary file: {reason}.",
            )
        )


def _open_file() -> IO[bytes]:
    """Open a file without a name in the folder of caches: the system's folder for such files is often memory, and other users may not write to the user's data."""
    folder = paths.find_data_dir() / "cache"
    try:
        make_private_folder(folder)
        return tempfile.TemporaryFile(buffering=0, dir=folder)
    except PermissionError:
        return tempfile.TemporaryFile(buffering=0)


class ResponseSpool:
    """The waiting pieces of one response. One thread puts, another takes; each piece is taken once."""

    def __init__(self, room: SpoolQuota) -> None:
        self._room = room
        # Of the numbers; nobody who has it waits for the disk.
        self._lock = threading.Lock()
        self._file_lock = threading.Lock()
        self._file: AnonymousFile | None = None
        self._memory_bytes = self._disk_bytes = 0
        self._is_closed = False

    def put_bytes(self, content: bytes) -> SpoolPiece:
        """Keep bytes until they are taken; raise OutputFileError if the disk is full."""
        size = len(content)
        with self._lock:
            if self._is_closed:
                return SpoolPiece(0, b"")
            if self._memory_bytes + size <= MAX_HELD_BYTES and self._room.reserve_memory(size):
                self._memory_bytes += size
                return SpoolPiece(size, content)
            self._room.reserve_disk(size)
            start, self._disk_bytes = self._disk_bytes, self._disk_bytes + size
        with self._file_lock:
            if not self._is_closed:
                self._file = self._file or AnonymousFile()
                self._file.seek(start)
                self._file.write(content)
                self._file.raise_write_error()
        return SpoolPiece(size, None, start)

    def take_bytes(self, piece: SpoolPiece) -> bytes:
        """Return the bytes of a piece; reading those on the disk may take a while."""
        if piece.content is None:
            with self._file_lock:
                if self._file is None or self._is_closed:
                    return b""
                self._file.seek(piece.start)
                return self._file.read(piece.size)
        with self._lock:
            if not self._is_closed:
                self._memory_bytes -= piece.size
                self._room.reserve_memory(-piece.size)
        return piece.content

    def close(self) -> None:
        """Give all memory and disk space back."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._room.reserve_memory(-self._memory_bytes)
            self._room.reserve_disk(-self._disk_bytes)
        with self._file_lock:
            if self._file is not None:
                self._file.close()


class ServiceJob:
    """One computation; made in the serving thread, run in the synthesis thread."""

    def __init__(self, compute: Callable[[JobContext], Any], quota: SpoolQuota) -> None:
        # For the engine; cancelled once nobody waits for it any more.
        self.computation: ComputeJob[None] = ComputeJob(Importance.SERVED, self.run_work)
        self.spool = ResponseSpool(quota)  # what was emitted and not read
        self._do = compute
        self._loop = asyncio.get_running_loop()
        self._results: asyncio.Queue[tuple[Any, BaseException | None]] = asyncio.Queue()

    def run_work(self, turn: JobTurn) -> None:
        """Compute and deliver the result; never raise."""
        record_speech()
        try:
            self.deliver_result(self._do(JobContext(self, turn)), None)
            self.deliver_result(_END_OF_RESULTS, None)
        except BaseException as error:  # raised again where it is waited for
            self.deliver_result(_END_OF_RESULTS, error)

    def deliver_result(self, item: Any, error: BaseException | None) -> None:
        """Pass a part of the result to the serving thread."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._results.put_nowait, (item, error))

    async def iterate_results(self, *, is_whole: bool = False) -> AsyncIterator[Any]:
        """Yield the emitted parts, then the result, with `is_whole` once all is there; raise the errors of the work."""
        items = self._receive_results()
        for item in [item async for item in items] if is_whole else ():
            yield await self._take_result(item)
        async for item in items:  # none, where all were there
            yield await self._take_result(item)

    async def _receive_results(self) -> AsyncIterator[Any]:
        while True:
            item, error = await self._results.get()
            if error is not None:
                raise error
            if item is _END_OF_RESULTS:
                return
            yield item

    async def _take_result(self, item: Any) -> Any:
        if not isinstance(item, SpoolPiece):
            return item
        return self.spool.take_bytes(item) if item.content is not None else await asyncio.to_thread(self.spool.take_bytes, item)


class ServiceJobQueue:
    """Takes work to the engine, in the order of requests."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._room = SpoolQuota()
        self._job_count = 0

    async def compute_result(self, compute: Callable[[JobContext], Result]) -> Result:
        """Return the result of one computation, which is cancelled with the task that waits."""
        results = [item async for item in self.stream_results(compute)]
        if not results:
            raise RequestStopped
        return results[-1]  # type: ignore[no-any-return]

    async def stream_results(self, compute: Callable[[JobContext], Any], *, is_whole: bool = False) -> AsyncGenerator[Any, None]:
        """Yield the values that a computation emits, then its result, with `is_whole` once all is there; cancelled when the caller stops iterating."""
        if self._job_count >= MAX_WAITING_JOBS:
            raise create_refusal(503, "リクエストが多すぎます。", "Too many requests are queued.")
        work = ServiceJob(compute, self._room)
        self._job_count += 1
        has_ended = False
        try:
            self._engine.enqueue_job(work.computation)
            async for item in work.iterate_results(is_whole=is_whole):
                yield item
            has_ended = True
        finally:
            self._job_count -= 1
            if not has_ended:
                self._engine.cancel_job(work.computation)
            work.spool.close()
