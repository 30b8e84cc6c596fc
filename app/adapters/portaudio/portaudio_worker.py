"""The thread in which PortAudio starts, opens and closes: a sound server that has stopped answering holds up this one, not the program."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, TypeVar

from app.common.errors import AudioDeviceError
from app.common.language import choose_by_frontend, localize

# A headset that has to be woken takes five.
CALL_TIMEOUT_S = 10.0

Answer = TypeVar("Answer")


class PortAudioThread:
    """Runs one call at a time, all in the same thread; the caller waits at most `CALL_TIMEOUT_S`.

    Attributes:
        unanswered: the call that did not end in time; None before there was one.
    """

    def __init__(self) -> None:
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._turn = threading.Lock()
        self._thread: threading.Thread | None = None
        self.unanswered: Future[Any] | None = None

    def call_and_wait(self, action: Callable[[], Answer]) -> Answer:
        """Return what `action` returns or raises; AudioDeviceError when it does not end in time, and until it has ended after all."""
        if threading.current_thread() is self._thread:
            return action()
        if not self._turn.acquire(timeout=CALL_TIMEOUT_S):
            raise _build_timeout_error()
        try:
            if self.unanswered is not None and not self.unanswered.done():
                raise _build_timeout_error()
            return self._call_action(action)
        finally:
            self._turn.release()

    def _call_action(self, action: Callable[[], Answer]) -> Answer:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run_actions, name="portaudio", daemon=True)
            self._thread.start()
        answer: Future[Answer] = Future()
        with _restore_stderr():
            self._calls.put((answer, action))
            try:
                return answer.result(CALL_TIMEOUT_S)
            except BaseException as exc:  # Ctrl+C, too
                if answer.done():
                    raise
                self.unanswered = answer
                _skip_portaudio_exit()
                if isinstance(exc, TimeoutError):
                    raise _build_timeout_error() from exc
                raise

    def _run_actions(self) -> None:
        while True:
            answer, action = self._calls.get()
            try:
                answer.set_result(action())
            except BaseException as exc:  # the caller handles it
                answer.set_exception(exc)


def _skip_portaudio_exit() -> None:
    """Skip PortAudio's exit function, so that the end of the program does not wait for PortAudio."""
    if (library := sys.modules.get("sounddevice")) is not None:
        atexit.unregister(getattr(library, "_exit_handler", None))  # type: ignore[arg-type]


@contextmanager
def _restore_stderr() -> Iterator[None]:
    """Restore stderr while PortAudio starts: sounddevice discards it then, and if starting never ends, our messages would be lost."""
    try:
        kept = os.dup(2)
    except OSError:  # a window has none
        yield
        return
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            os.dup2(kept, 2, inheritable=sys.platform != "win32")
        raise
    finally:
        os.close(kept)


def _build_timeout_error() -> AudioDeviceError:
    return AudioDeviceError(
        localize("サウンドシステムが応答しません。", "The sound system is not responding."),
        localize("サウンドサーバーまたはコンピューターを再起動してください。", "Restart the sound server or the computer. ")
        + choose_by_frontend(
            localize("音声ファイルへの書き出しはできます。", "You can still export audio to a file."),
            localize("-o でファイルに書き出すこともできます。", "You can still write a file with -o."),
        ),
    )


portaudio_thread = PortAudioThread()
