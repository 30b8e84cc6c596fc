"""Shows how far long work is: JSON lines on stdout, or a bar on stderr where a person looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Protocol

from tqdm import tqdm

from app.adapters.download_progress import Progress
from app.cli.output import json_line
from app.language import say


class Shown(Protocol):
    """A report whose steps are shown."""

    def __call__(self, step: str, fraction: float) -> None:
        """As of any report."""

    def downloaded(self, progress: Progress) -> None:
        """How a download goes; shown with the next step."""


@contextmanager
def shown_progress(*, as_json: bool) -> Iterator[Shown]:
    """A report whose steps are shown while the block runs."""
    if as_json:
        yield _JsonLines()
    elif sys.stderr is not None and sys.stderr.isatty():
        bar = _Bar()
        try:
            yield bar
        finally:
            bar.close()
    else:
        yield _Hidden()


def step_name(step: str) -> str:
    """A step in the language of the user."""
    names = {
        "reading": say("読み込み中", "reading"),
        "unpacking": say("展開中", "unpacking"),
        "building": say("組み立て中", "building"),
        "cutting": say("準備中", "preparing"),
        "checking": say("確認中", "checking"),
        "storing": say("保存中", "storing"),
        "downloading": say("ダウンロード中", "downloading"),
    }
    return names.get(step, step)


class _JsonLines:
    """A line for each step and each full percent, not for each call."""

    def __init__(self) -> None:
        self._last: tuple[str, int] | None = None
        self._download: dict[str, Any] = {}

    def __call__(self, step: str, fraction: float) -> None:
        percent = round(100 * min(max(fraction, 0.0), 1.0))
        if (step, percent) != self._last:
            self._last = (step, percent)
            json_line({"type": "progress", "step": step, "percent": percent} | (self._download if step == "downloading" else {}))

    def downloaded(self, progress: Progress) -> None:
        self._download = asdict(progress)


class _Bar:
    """Appears with the first step, for most work is done before one could see it."""

    def __init__(self) -> None:
        self._bar: tqdm | None = None  # type: ignore[type-arg]

    def __call__(self, step: str, fraction: float) -> None:
        if self._bar is None:
            layout = "{desc} {percentage:3.0f}% |{bar}| {elapsed}<{remaining} {postfix}"
            self._bar = tqdm(total=100, leave=False, file=sys.stderr, bar_format=layout)
        self._bar.set_description_str(step_name(step), refresh=False)
        if step != "downloading":
            self._bar.set_postfix_str("", refresh=False)
        self._bar.update(max(0.0, 100 * fraction - self._bar.n))

    def downloaded(self, progress: Progress) -> None:
        if self._bar is not None:
            self._bar.set_postfix_str(f"{progress.bytes_per_s / 1e6:.1f} MB/s", refresh=False)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _Hidden:
    def __call__(self, step: str, fraction: float) -> None:
        pass

    def downloaded(self, progress: Progress) -> None:
        pass
