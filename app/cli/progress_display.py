"""Shows how far long work is: JSON lines on stdout, or a bar on stderr where a person looks; and notices that work is slow, and how to stop it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from app.adapters.download.download_limits import DownloadProgress, format_speed
from app.cli.console_output import print_json, print_note
from app.common.language import localize
from app.core.text.sentence_splitting import split_sentences

if TYPE_CHECKING:
    from tqdm import tqdm

    from app.adapters.http.http_request import WaitNotice

DOWNLOAD_LINE_INTERVAL_S = 1.0  # a download that stays within one percent is reported as often as this

WAIT_NOTICE_INTERVAL_S = 30.0  # one line shows a person a wait; another one comes when it takes longer

SLOW_NOTICE_DELAY_S = 3.0
SLOW_NOTICE_INTERVAL_S = 10.0  # after a longer silence users think that the program hangs


class ProgressView(Protocol):
    """A report whose steps are shown."""

    def __call__(self, step: str, fraction: float) -> None:
        """Show progress, as any report."""

    def update_download(self, progress: DownloadProgress) -> None:
        """Update the state of a download; it is shown with the next step."""

    def update_wait(self, wait: WaitNotice | None) -> None:
        """Update the reason for which a download waits; None when it continues."""


@contextmanager
def show_progress(*, as_json: bool) -> Iterator[ProgressView]:
    """Show the steps of the report while the block runs."""
    if as_json:
        yield _JsonProgressView()
    elif sys.stderr is not None and sys.stderr.isatty():
        bar = _ProgressBarView()
        try:
            yield bar
        finally:
            bar.close()
    else:
        yield _QuietProgressView()


def format_step(step: str) -> str:
    names = {
        "reading": localize("読み込み中", "reading"),
        "unpacking": localize("展開中", "unpacking"),
        "building": localize("組み立て中", "building"),
        "cutting": localize("準備中", "preparing"),
        "checking": localize("確認中", "checking"),
        "measuring": localize("測定中", "measuring"),
        "storing": localize("保存中", "storing"),
        "downloading": localize("ダウンロード中", "downloading"),
    }
    return names.get(step, step)


class _JsonProgressView:
    """A line for each step, each full percent, and each second of a download or of a wait; not for each call."""

    def __init__(self) -> None:
        self._last: tuple[str, int] | None = None
        self._printed_at = 0.0
        self._step, self._percent = "downloading", 0
        self._download: dict[str, Any] = {}
        self._wait: WaitNotice | None = None

    def __call__(self, step: str, fraction: float) -> None:
        self._step, self._percent = step, round(100 * min(max(fraction, 0.0), 1.0))
        due = step == "downloading" and self._wait is None and time.monotonic() - self._printed_at >= DOWNLOAD_LINE_INTERVAL_S
        if due or (self._step, self._percent) != self._last:
            self._print_state()

    def update_download(self, progress: DownloadProgress) -> None:
        self._download = asdict(progress)

    def update_wait(self, wait: WaitNotice | None) -> None:
        self._wait = wait
        self._print_state()

    def _print_state(self) -> None:
        self._last, self._printed_at = (self._step, self._percent), time.monotonic()
        line: dict[str, Any] = {"type": "progress", "step": self._step, "percent": self._percent}
        if self._step == "downloading":
            line |= self._download
        if self._wait is not None:
            line["waiting"] = asdict(self._wait) | {"text": self._wait.text}
        print_json(line)


class _WaitNoteView:
    """Shows a person the waits, a line each, and another one now and then."""

    def __init__(self) -> None:
        self._shown_wait: tuple[str, int] | None = None
        self._shown_at = 0.0

    def update_wait(self, wait: WaitNotice | None) -> None:
        if wait is None:
            return
        about, now_s = (wait.reason, wait.attempt), time.monotonic()
        if about != self._shown_wait or now_s - self._shown_at >= WAIT_NOTICE_INTERVAL_S:
            self._shown_wait, self._shown_at = about, now_s
            self._show_text(wait.text)

    def _show_text(self, text: str) -> None:
        print_note(text)


class _ProgressBarView(_WaitNoteView):
    """Appears with the first step, for most work is done before one could see it."""

    def __init__(self) -> None:
        super().__init__()
        self._bar: tqdm | None = None  # type: ignore[type-arg]

    def __call__(self, step: str, fraction: float) -> None:
        if self._bar is None:
            from tqdm import tqdm

            layout = "{desc} {percentage:3.0f}% |{bar}| {elapsed}<{remaining} {postfix}"
            self._bar = tqdm(total=100, leave=False, file=sys.stderr, bar_format=layout)
        self._bar.set_description_str(format_step(step), refresh=False)
        if step != "downloading":
            self._bar.set_postfix_str("", refresh=False)
        self._bar.update(max(0.0, 100 * fraction - self._bar.n))

    def update_download(self, progress: DownloadProgress) -> None:
        if self._bar is not None:
            self._bar.set_postfix_str(format_speed(progress.bytes_per_s), refresh=False)

    def _show_text(self, text: str) -> None:
        from tqdm import tqdm

        tqdm.write(text, file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _QuietProgressView(_WaitNoteView):
    def __call__(self, step: str, fraction: float) -> None:
        pass

    def update_download(self, progress: DownloadProgress) -> None:
        pass


@contextmanager
def show_slow_notice(message: str, describe_progress: Callable[[], str] = str) -> Iterator[None]:
    """Print a notice if the block takes longer than `SLOW_NOTICE_DELAY_S`, and again now and then, with its progress, until it ends."""
    ended = threading.Event()
    notices = threading.Thread(target=_report_until_done, args=(message, describe_progress, ended), name="waiting", daemon=True)
    notices.start()
    try:
        yield
    finally:
        ended.set()
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
