"""The child process that prints the clipboard as JSON for the command line, which has no Qt."""

import json
import sys

from PySide6.QtGui import QClipboard, QGuiApplication

from app.common.errors import AppError
from app.common.processes.terminal import write_text
from app.ui.main import check_display
from app.ui.read_aloud.clipboard_reader import read_clipboard


def main() -> int:
    """Print the text of the clipboard, or with the argument `selection` that of the selection; an error is printed the same way."""
    modes = {"selection": QClipboard.Mode.Selection}
    try:
        check_display()
        application = QGuiApplication(sys.argv[:1])
        result = {"text": read_clipboard(modes.get(sys.argv[-1], QClipboard.Mode.Clipboard))}
        del application
    except AppError as error:
        result = {"error": error.message, "hint": error.hint}
    write_text(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
