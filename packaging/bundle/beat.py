"""How long Python's other threads are blocked, which is how long a window would freeze."""

import threading
import time
from itertools import pairwise

BEAT_S = 0.001


class Beat:
    """A thread that wants Python's lock every millisecond, and remembers when it had it."""

    def __init__(self) -> None:
        self._beats: list[float] = []
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="beat", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._done.is_set():
            self._beats.append(time.perf_counter())
            time.sleep(BEAT_S)

    def end(self) -> None:
        """No beat comes after this."""
        self._done.set()
        self._thread.join()

    def longest_ms(self, begin: float, end: float) -> float:
        """The longest time without a beat in a stretch of time that is over, by `time.perf_counter`."""
        times = [begin, *(beat for beat in self._beats if begin < beat < end), end]
        return 1000 * max(later - earlier for earlier, later in pairwise(times))
