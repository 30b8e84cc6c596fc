"""Files that a command writes beside its output: whole, or not at all."""

from __future__ import annotations

from pathlib import Path

from app.adapters.files.part_file import PartFile
from app.common.errors import InputError
from app.common.language import localize


def check_output_path(target: Path, suffix: str) -> None:
    """Raise InputError for a name of another format, and OutputFileError if nothing can be written, before any work starts."""
    if target.suffix.lower() != suffix:
        raise InputError(
            localize(f"この形式では書き出せません: {target}", f"This format cannot be written: {target}"),
            localize(f"ファイル名の末尾を {suffix} にしてください。", f"Use a file name that ends with {suffix}."),
        )
    PartFile(target).discard()


def write_output_file(target: Path, content: bytes) -> None:
    """Write a file that gets its name only once it is complete; raise OutputFileError if that is impossible."""
    file = PartFile(target)
    try:
        file.write(content)
        file.raise_write_error()
    except BaseException:
        file.discard()
        raise
    file.commit()
