"""Names of folders that some library or shell splits, expands, ends or escapes."""

import sys

_ANYWHERE = ["Doe, John", ",", "a;b", "%TEMP%", "~", "#$&'()[]{}=!^`@", "山田 太郎", "が🍣e\u0301", "x" * 200 + "/" + "y" * 200]
_NOT_ON_WINDOWS = [
    '"',
    '"a, b"',
    'a",',
    "\\",
    "*?|<>",
    "line\nbreak",
    " at both ends ",
    "dots...",
    "\x1b[31m",
    "C:\\Users",
    "C:foo",
    "file:",
]

FOLDER_NAMES = _ANYWHERE if sys.platform == "win32" else _ANYWHERE + _NOT_ON_WINDOWS
