"""Names that file dialogs return without a suffix."""

from __future__ import annotations

import os
from pathlib import Path


def append_suffix(file: Path, suffix: str) -> Path:
    """Return the file with a suffix behind its name, and with a number before it if that name is taken, also by a link to nowhere.

    A file dialog has asked about the name as it was typed, and about no other.
    """
    appended, number = file.with_name(file.name + suffix), 1
    while os.path.lexists(appended):
        number += 1
        appended = file.with_name(f"{file.name} {number}{suffix}")
    return appended
