"""Notices for slow work, on stderr: what is taking so long, and how to stop it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.cli.output import note
from app.core.sentences import split_sentences
from app.language import say

if TYPE_CHECKING:
    from tqdm import tqdm

PATIENCE_S = 3.0


@contextmanager
def slow_notice(words: str) -> Iterator[None]:
    """Prints a notice, once, if the block takes longer than `PATIENCE_S`."""
    timer = threading.Timer(PATIENCE_S, note, [words])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def still_speaking(text: str) -> str:
    """The notice of `speak` while it writes a file."""
    return say(
        f"{len(text):,} 文字を音声にしています…（Ctrl+C で中止）",
        f"Speaking {len(text):,} characters … (Ctrl+C stops)",
    )


def sentence_bar(text: str) -> tqdm | None:  # type: ignore[type-arg]
    """A progress bar over the sentences of a long text; None without a terminal."""
    if sys.stderr is None or not sys.stderr.isatty() or len(text) < 200:
        return None
    from tqdm import tqdm

    return tqdm(total=sum(1 for _ in split_sentences(text)), unit=say("文", "sentence"), leave=False)
