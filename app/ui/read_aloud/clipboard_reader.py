"""Reads the text of the clipboard or of the selection, unless it is marked as secret."""

from __future__ import annotations

from PySide6.QtCore import QDir, QMimeData, QUrl
from PySide6.QtGui import QClipboard, QGuiApplication

from app.adapters.window_requests import check_read_size
from app.common.errors import InputError
from app.common.language import localize
from app.ui.read_aloud.clipboard_rules import is_marked_secret


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
        raise InputError(
            localize("パスワードなどの保護された内容のため、読み上げません。", "The content is marked as secret and is not read."),
        )
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
