"""Shows how far long work is: JSON lines on stdout, or a bar on stderr where a person looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from app.adapters.download.progress import Progress, speed
from app.adapters.http.waiting import Wait
from app.cli.output import json_line, note
from app.language import localized

if TYPE_CHECKING:
    from tqdm import tqdm  # imported where a bar is drawn: most programs that ask for this one read lines

REPEATED_AFTER_S = 1.0
"""A download that stays within one percent is reported as often as this."""

REMINDED_AFTER_S = 30.0
"""One line shows a person a wait; another one comes when it takes longer."""


class Shown(Protocol):
    """A report whose steps are shown."""

    def __call__(self, step: str, fraction: float) -> None:
        """As of any report."""

    def downloaded(self, progress: Progress) -> None:
        """How a download goes; shown with the next step."""

    def waits(self, wait: Wait | None) -> None:
        """What a download waits for; None when it continues."""


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
        "reading": localized("読み込み中", "reading"),
        "unpacking": localized("展開中", "unpacking"),
        "building": localized("組み立て中", "building"),
        "cutting": localized("準備中", "preparing"),
        "checking": localized("確認中", "checking"),
        "measuring": localized("測定中", "measuring"),
        "storing": localized("保存中", "storing"),
        "downloading": localized("ダウンロード中", "downloading"),
    }
    return names.get(step, step)


class _JsonLines:
    """A line for each step, each full percent, and each second of a download or of a wait; not for each call."""

    def __init__(self) -> None:
        self._last: tuple[str, int] | None = None
        self._printed_at = 0.0
        self._step, self._percent = "downloading", 0
        self._download: dict[str, Any] = {}
        self._wait: Wait | None = None

    def __call__(self, step: str, fraction: float) -> None:
        self._step, self._percent = step, round(100 * min(max(fraction, 0.0), 1.0))
        due = step == "downloading" and self._wait is None and time.monotonic() - self._printed_at >= REPEATED_AFTER_S
        if due or (self._step, self._percent) != self._last:
            self._print()

    def downloaded(self, progress: Progress) -> None:
        self._download = asdict(progress)

    def waits(self, wait: Wait | None) -> None:
        self._wait = wait
        self._print()

    def _print(self) -> None:
        self._last, self._printed_at = (self._step, self._percent), time.monotonic()
        line: dict[str, Any] = {"type": "progress", "step": self._step, "percent": self._percent}
        if self._step == "downloading":
            line |= self._download
        if self._wait is not None:
            line["waiting"] = asdict(self._wait) | {"text": self._wait.text}
        json_line(line)


class _Notes:
    """Shows a person the waits, a line each, and another one now and then."""

    def __init__(self) -> None:
        self._shown: tuple[str, int] | None = None
        self._shown_at = 0.0

    def waits(self, wait: Wait | None) -> None:
        if wait is None:
            return
        about, now = (wait.reason, wait.attempt), time.monotonic()
        if about != self._shown or now - self._shown_at >= REMINDED_AFTER_S:
            self._shown, self._shown_at = about, now
            self._say(wait.text)

    def _say(self, text: str) -> None:
        note(text)


class _Bar(_Notes):
    """Appears with the first step, for most work is done before one could see it."""

    def __init__(self) -> None:
        super().__init__()
        self._bar: tqdm | None = None  # type: ignore[type-arg]

    def __call__(self, step: str, fraction: float) -> None:
        if self._bar is None:
            from tqdm import tqdm

            layout = "{desc} {percentage:3.0f}% |{bar}| {elapsed}<{remaining} {postfix}"
            self._bar = tqdm(total=100, leave=False, file=sys.stderr, bar_format=layout)
        self._bar.set_description_str(step_name(step), refresh=False)
        if step != "downloading":
            self._bar.set_postfix_str("", refresh=False)
        self._bar.update(max(0.0, 100 * fraction - self._bar.n))

    def downloaded(self, progress: Progress) -> None:
        if self._bar is not None:
            self._bar.set_postfix_str(speed(progress.bytes_per_s), refresh=False)

    def _say(self, text: str) -> None:
        from tqdm import tqdm

        tqdm.write(text, file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _Hidden(_Notes):
    def __call__(self, step: str, fraction: float) -> None:
        pass

    def downloaded(self, progress: Progress) -> None:
        pass
