"""Notices for slow work, on stderr: what is taking so long, for how long already, and how to stop it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.cli.console_output import print_note
from app.common.language import localize
from app.core.text.sentence_splitting import split_sentences

if TYPE_CHECKING:
    from tqdm import tqdm

SLOW_NOTICE_DELAY_S = 3.0
# After a longer silence users think that the program hangs.
SLOW_NOTICE_INTERVAL_S = 10.0


@contextmanager
def show_slow_notice(message: str, describe_progress: Callable[[], str] = str) -> Iterator[None]:
    """Print a notice if the block takes longer than `SLOW_NOTICE_DELAY_S`, and again now and then until it ends.

    Args:
        message: what is being done.
        describe_progress: what the later notices add to the time that has passed.
    """
    over = threading.Event()
    notices = threading.Thread(target=_report_until_done, args=(message, describe_progress, over), name="waiting", daemon=True)
    notices.start()
    try:
        yield
    finally:
        over.set()
        # Without the join a notice could come after the result.
        notices.join()


def _report_until_done(message: str, describe_progress: Callable[[], str], finished: threading.Event) -> None:
    began = time.monotonic()
    if finished.wait(SLOW_NOTICE_DELAY_S):
        return
    print_note(f"{message}{localize('…（Ctrl+C で中止）', ' … (Ctrl+C stops)')}")
    while not finished.wait(SLOW_NOTICE_INTERVAL_S):
        seconds, done = time.monotonic() - began, describe_progress()
        so_far = localize(f"{seconds:,.0f} 秒経過", f"{seconds:,.0f} s so far") + (localize("、", ", ") + done if done else "")
        print_note(f"{message}{localize(f'…（{so_far}。Ctrl+C で中止）', f' … ({so_far}; Ctrl+C stops)')}")


def describe_speaking(text: str) -> str:
    """Return the notice of `speak` while it writes a file."""
    return localize(f"{len(text):,} 文字を合成しています", f"Synthesising {len(text):,} characters")


def describe_synthesized_length(seconds: float) -> str:
    """Describe the progress of `speak`; a line alone does not show how many sentences there will be."""
    return localize(f"音声 {seconds:,.0f} 秒分を合成", f"{seconds:,.0f} s of audio ready") if seconds else ""


def create_sentence_bar(text: str) -> tqdm | None:  # type: ignore[type-arg]
    """Return a progress bar over the sentences of a long text; None without a terminal."""
    if sys.stderr is None or not sys.stderr.isatty() or len(text) < 200:
        return None
    from tqdm import tqdm

    return tqdm(total=sum(1 for _ in split_sentences(text)), unit=localize("文", "sentence"), leave=False)


def describe_device_preparation() -> str:
    """Describe the preparation of a device that the user chose by name, for the notice during the wait."""
    return localize("デバイスを準備しています", "Preparing the device")
