"""Reads the text of the clipboard or of the selection, unless it is marked as secret, and says what of it is read by itself while it is watched."""

import contextlib
import ctypes
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

import psutil
from PySide6.QtCore import QDir, QMimeData, QUrl
from PySide6.QtGui import QClipboard, QGuiApplication

from app.adapters.window_requests import check_read_size
from app.common.errors import InputError
from app.common.language import localize

# Parts of the names of formats by which password managers mark what they copy, in lower case.
# Qt wraps Windows' names: application/x-qt-windows-mime;value="Clipboard Viewer Ignore".
SECRET_FORMATS = (
    "excludeclipboardcontentfrommonitorprocessing",
    "clipboard viewer ignore",
    "x-kde-passwordmanagerhint",
    "org.nspasteboard.concealedtype",
)
_LINK = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.|mailto:)\S+", re.IGNORECASE)
MAX_PROGRAM_NAMES = 100


def is_marked_secret(formats: Iterable[str]) -> bool:
    """Return whether a clipboard with these formats is marked as a password or as not to be monitored."""
    names = [name.lower() for name in formats]
    return any(mark in name for mark in SECRET_FORMATS for name in names)


def is_link(text: str) -> bool:
    """Return whether a text is nothing but addresses."""
    words = text.split()
    return bool(words) and all(_LINK.fullmatch(word) for word in words)


def parse_program_names(text: str) -> frozenset[str]:
    """Return the names of programs that a user listed, with commas or spaces between them, in lower case and without `.exe`."""
    names = [name.strip().lower().removesuffix(".exe") for name in re.split(r"[,;、\s]+", text)]
    return frozenset([name for name in names if name][:MAX_PROGRAM_NAMES])


@dataclass(frozen=True, slots=True)
class ClipboardRules:
    """The rules of the watched clipboard."""

    shortest: int = 1  # shortest, longest: characters of a text that is read
    longest: int = 1000
    skip_links: bool = True
    skipped_programs: frozenset[str] = frozenset()

    def should_read_text(self, text: str, program: str, last_text: str) -> bool:
        """Return whether a text that was copied is read; `program` copied it, and `last_text` was read last."""
        stripped = text.strip()
        if not self.shortest <= len(stripped) <= self.longest or stripped == last_text.strip():
            return False
        if program.lower().removesuffix(".exe") in self.skipped_programs:
            return False
        return not (self.skip_links and is_link(stripped))


def find_active_program() -> str:
    """Return the name of the program whose window has the focus, such as `firefox`; an empty text where that is not known."""
    if sys.platform == "win32":
        return find_process_name(_find_windows_process())
    if QGuiApplication.platformName() == "xcb":
        with contextlib.suppress(InputError):
            return find_process_name(_find_x11_process())
    return ""


def find_process_name(process_id: int) -> str:
    """Return the name of a process; an empty text if the system refuses it."""
    try:
        return psutil.Process(process_id).name() if process_id > 0 else ""
    # psutil passes some of Windows' own errors on as they are.
    except (psutil.Error, OSError, ValueError, OverflowError):
        return ""


def _find_windows_process() -> int:
    process_id = ctypes.c_ulong(0)
    if sys.platform == "win32":
        user32 = ctypes.windll.user32
        user32.GetWindowThreadProcessId(user32.GetForegroundWindow(), ctypes.byref(process_id))
    return process_id.value


def _find_x11_process() -> int:
    """Return the process of the active window as window managers name it, or 0."""
    from app.ui.read_aloud.hotkeys.x11_hotkey import X11Connection

    connection = X11Connection()
    try:
        window = connection.read_number(connection.root, "_NET_ACTIVE_WINDOW")
        return connection.read_number(window, "_NET_WM_PID") if window else 0
    finally:
        connection.close()


def read_clipboard(mode: QClipboard.Mode = QClipboard.Mode.Clipboard) -> str:
    """Return the text of the clipboard, or of the selection.

    Raises InputError if there is none, if it is marked as secret, or if it is too long.
    """
    clipboard = QGuiApplication.clipboard()
    is_selection = mode is QClipboard.Mode.Selection
    if is_selection and not clipboard.supportsSelection():
        raise InputError(
            localize("このシステムでは選択中のテキストを読み取れません。", "The selection cannot be read on this system."),
            localize("テキストをコピーしてから、クリップボードを読み上げてください。", "Copy the text, then read the clipboard."),
        )
    data = clipboard.mimeData(mode)
    formats = data.formats() if data is not None else []
    if is_marked_secret(formats):
        message = localize("パスワードなどの保護された内容のため、読み上げません。", "The content is marked as secret and is not read.")
        raise InputError(message)
    text = find_own_text(data) if data is not None else ""
    if not text.strip():
        raise InputError(
            localize("選択中のテキストがありません。", "No text is selected.")
            if is_selection
            else localize("クリップボードにテキストがありません。", "There is no text on the clipboard."),
            _explain_wayland(),
        )
    check_read_size(text)
    return text


def find_own_text(data: QMimeData) -> str:
    """Return the text of a clipboard; empty if it has only files, whose addresses Qt and file managers offer as text."""
    if not any(name.startswith("text/plain") for name in data.formats()):
        return ""
    text = data.text()
    if data.hasUrls():
        names = {name for url in data.urls() if url.isLocalFile() for name in _list_names(url)}
        if all(line.strip() in names for line in text.splitlines()):
            return ""
    return text


def _list_names(url: QUrl) -> tuple[str, ...]:
    path = url.toLocalFile()
    return url.toString(), bytes(url.toEncoded().data()).decode(), path, QDir.toNativeSeparators(path)


def _explain_wayland() -> str:
    """Return why Wayland may show no clipboard, or an empty text on other systems."""
    if not QGuiApplication.platformName().startswith("wayland"):
        return ""
    return localize(
        "Wayland では、Koebako のウィンドウを選んでいるときだけ読み取れます。",
        "On Wayland it can be read only while a window of Koebako has the focus.",
    )
