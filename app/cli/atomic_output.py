"""Files that a command writes in addition to its output: whole, or not at all."""

import os
from collections.abc import Iterable
from pathlib import Path

from app.adapters.files.part_file import PartFile
from app.common.errors import InputError
from app.common.language import localize
from app.export.safe_file_names import SourceFiles, build_source_error


def check_output_path(target: Path, suffix: str) -> None:
    """Raise InputError for a name of another format, and OutputFileError if nothing can be written, before any work starts."""
    if target.suffix.lower() != suffix:
        raise InputError(
            localize(f"この形式では書き出せません: {target}", f"This format cannot be written: {target}"),
            localize(f"ファイル名の末尾を {suffix} にしてください。", f"Use a file name that ends with {suffix}."),
        )
    PartFile(target).discard()


def refuse_existing_file(target: Path, *, may_replace: bool, sources: Iterable[str | None] = ()) -> None:
    """Raise InputError for a file that exists, unless it may be replaced; for one of those that the command reads, always."""
    name = target.name
    try:
        read = SourceFiles(Path(source) for source in sources if source is not None)
        # A link that the user names is followed.
        is_source = target in read or Path(os.path.realpath(target)) in read
        exists = os.path.lexists(target)
    except (OSError, ValueError):  # a name that no file can have is reported when it is written
        return
    if is_source:
        raise build_source_error(name)
    if exists and not may_replace:
        raise InputError(
            localize(f"「{name}」はすでにあります。", f"“{name}” already exists."),
            localize("上書きするには --replace を付けてください。", "Add --replace to replace it."),
        )


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
