"""Notices for slow work, on stderr: what is taking so long, for how long already, and how to stop it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.cli.output import note
from app.core.sentences import split_sentences
from app.language import localized

if TYPE_CHECKING:
    from tqdm import tqdm

PATIENCE_S = 3.0
AGAIN_S = 10.0  # after a longer silence users think that the program hangs


@contextmanager
def slow_notice(words: str, how_far: Callable[[], str] = str) -> Iterator[None]:
    """Prints a notice if the block takes longer than `PATIENCE_S`, and again now and then until it ends.

    Args:
        words: what is being done.
        how_far: what the later notices add to the time that has passed.
    """
    over = threading.Event()
    told = threading.Thread(target=_report, args=(words, how_far, over), name="waiting", daemon=True)
    told.start()
    try:
        yield
    finally:
        over.set()
        told.join()  # no notice comes after the result


def _report(words: str, how_far: Callable[[], str], over: threading.Event) -> None:
    began = time.monotonic()
    if over.wait(PATIENCE_S):
        return
    note(f"{words}{localized('…（Ctrl+C で中止）', ' … (Ctrl+C stops)')}")
    while not over.wait(AGAIN_S):
        seconds, done = time.monotonic() - began, how_far()
        so_far = localized(f"{seconds:,.0f} 秒経過", f"{seconds:,.0f} s so far") + (localized("、", ", ") + done if done else "")
        note(f"{words}{localized(f'…（{so_far}。Ctrl+C で中止）', f' … ({so_far}; Ctrl+C stops)')}")


def still_speaking(text: str) -> str:
    """The notice of `speak` while it writes a file."""
    return localized(f"{len(text):,} 文字を合成しています", f"Synthesising {len(text):,} characters")


def sound_so_far(seconds: float) -> str:
    """How far `speak` is; a line alone does not show how many sentences there will be."""
    return localized(f"音声 {seconds:,.0f} 秒分を合成", f"{seconds:,.0f} s of audio ready") if seconds else ""


def sentence_bar(text: str) -> tqdm | None:  # type: ignore[type-arg]
    """A progress bar over the sentences of a long text; None without a terminal."""
    if sys.stderr is None or not sys.stderr.isatty() or len(text) < 200:
        return None
    from tqdm import tqdm

    return tqdm(total=sum(1 for _ in split_sentences(text)), unit=localized("文", "sentence"), leave=False)


def preparing_device() -> str:
    """What a device that is asked for by name is waited for."""
    return localized("デバイスを準備しています", "Preparing the device")
