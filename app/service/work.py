"""Work for the synthesis thread, and how its results come back to the thread that serves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from app.core.timing import OnStage, Stopped
from app.service.spool import Piece, Room, Spool

if TYPE_CHECKING:
    from app.compose.speaker import Speaker

Result = TypeVar("Result")
SPOOLED_BYTES = 1 << 18  # a third of a second and more, in one go to the thread that serves
_END = object()


class Voices(Protocol):
    """Voices that are open, or will be when they are asked for."""

    def speaker_of(self, voice: str) -> Speaker:
        """The open voice of an id. Raises VoiceError."""


class Turn:
    """What a piece of work may use while it has the synthesis thread."""

    def __init__(self, work: Work, voices: Voices, on_stage: OnStage) -> None:
        self._work = work
        self.voices, self.on_stage = voices, on_stage

    def cancelled(self) -> bool:
        """Nobody waits for it any more."""
        return self._work.cancelled.is_set()

    def emit(self, item: Any) -> None:
        """Hands a part of the result on at once; bytes may wait for their reader. Raises Stopped where nobody does, OutputFileError where the disk is full."""
        if self.cancelled():
            raise Stopped
        if not isinstance(item, bytes):
            self._work.deliver(item, None)
            return
        for start in range(0, len(item), SPOOLED_BYTES):
            self._work.deliver(self._work.spool.put(item[start : start + SPOOLED_BYTES]), None)


class Work:
    """One computation; made in the serving thread, run in the synthesis thread.

    Args:
        room: for what it emits faster than it is read.

    Attributes:
        cancelled: nobody waits for it any more.
        over: it has run.
        spool: what was emitted and not read.
    """

    def __init__(self, do: Callable[[Turn], Any], room: Room) -> None:
        self.cancelled, self.over = threading.Event(), threading.Event()
        self.spool = Spool(room)
        self._do = do
        self._loop = asyncio.get_running_loop()
        self._results: asyncio.Queue[tuple[Any, BaseException | None]] = asyncio.Queue()

    def run(self, voices: Voices, on_stage: OnStage) -> None:
        """Computes it, and hands the result over; raises nothing."""
        try:
            if not self.cancelled.is_set():
                self.deliver(self._do(Turn(self, voices, on_stage)), None)
            self.deliver(_END, None)
        except BaseException as error:  # raised again where it is waited for
            self.deliver(_END, error)
        finally:
            self.over.set()

    def deliver(self, item: Any, error: BaseException | None) -> None:
        """Brings a part of the result to the serving thread."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._results.put_nowait, (item, error))

    async def parts(self, *, whole: bool = False) -> AsyncIterator[Any]:
        """Everything that was emitted, then the result; raises what the work raised.

        Args:
            whole: nothing comes before all is there.
        """
        items = self._items()
        if whole:
            items = _each([item async for item in items])
        async for item in items:
            yield await self._taken(item) if isinstance(item, Piece) else item

    async def _items(self) -> AsyncIterator[Any]:
        while True:
            item, error = await self._results.get()
            if error is not None:
                raise error
            if item is _END:
                return
            yield item

    async def _taken(self, piece: Piece) -> bytes:
        return self.spool.take(piece) if piece.content is not None else await asyncio.to_thread(self.spool.take, piece)


async def _each(items: list[Any]) -> AsyncIterator[Any]:
    for item in items:
        yield item
