"""Another program under Windows: a window whose text is selected, or one that has copied a text.

python -m tests.ui.read_aloud.other_windows_program select|copy|secret TEXT

It prints a JSON line once its window has the focus, or its text is on the clipboard. `secret` marks the text as password managers do.
"""

import ctypes
import json
import sys
from ctypes import wintypes

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QPlainTextEdit

assert sys.platform == "win32"

UNICODE_TEXT = 13
MOVEABLE = 2
SECRET_FORMAT = "ExcludeClipboardContentFromMonitorProcessing"


def copy_text(window: int, text: str, *, is_secret: bool) -> None:
    """Put a text on the clipboard without Qt, whose own formats would say what Qt makes of them."""
    user32, kernel32 = ctypes.WinDLL("user32"), ctypes.WinDLL("kernel32")
    kernel32.GlobalAlloc.restype = kernel32.GlobalLock.restype = wintypes.HANDLE
    kernel32.GlobalAlloc.argtypes = (wintypes.UINT, ctypes.c_size_t)
    kernel32.GlobalLock.argtypes = kernel32.GlobalUnlock.argtypes = (wintypes.HANDLE,)
    user32.SetClipboardData.argtypes = (wintypes.UINT, wintypes.HANDLE)
    user32.OpenClipboard.argtypes = (wintypes.HWND,)

    def set_data(kind: int, content: bytes) -> None:
        block = kernel32.GlobalAlloc(MOVEABLE, len(content))
        ctypes.memmove(kernel32.GlobalLock(block), content, len(content))
        kernel32.GlobalUnlock(block)
        user32.SetClipboardData(kind, block)

    assert user32.OpenClipboard(window)
    user32.EmptyClipboard()
    set_data(UNICODE_TEXT, text.encode("utf-16-le") + b"\0\0")
    if is_secret:
        set_data(user32.RegisterClipboardFormatW(SECRET_FORMAT), b"\1\0\0\0")
    user32.CloseClipboard()


def main() -> int:
    """Show the window until the program is killed."""
    what, text = sys.argv[1:]
    application = QApplication(sys.argv)
    editor = QPlainTextEdit(text)
    editor.setWindowTitle(f"other {what}")
    editor.setGeometry(40, 560, 400, 160)
    editor.show()
    editor.activateWindow()
    editor.selectAll()

    def report() -> None:
        if what == "select" and not editor.hasFocus():
            return
        timer.stop()
        if what != "select":
            copy_text(int(editor.winId()), text, is_secret=what == "secret")
        print(json.dumps({"done": what}), flush=True)

    timer = QTimer()
    timer.timeout.connect(report)
    timer.start(100)
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
