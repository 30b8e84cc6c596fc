"""A script from any kind of file that is understood, by its suffix and what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from app.errors import InputError
from app.interchange.file_bytes import LARGEST_PROJECT_BYTES, read_bytes
from app.interchange.imported import Imported
from app.language import localized

PROJECTS, TABLES, TEXTS = (".vvproj", ".aisp"), (".csv", ".tsv", ".tab"), (".txt", ".md")
SUFFIXES = (".koebako", *PROJECTS, *TABLES, *TEXTS)
NO_COLUMNS: Mapping[str, str] = {}


def read_source(path: Path, columns: Mapping[str, str] = NO_COLUMNS) -> Imported:
    """What a file holds; `app.interchange.assign` then finds the voices that it names, `app.interchange.spoken` settles accents.

    Args:
        columns: names of a table's columns, by what they are (`text`, `voice`, `speaker`, `style`, `id`, a setting); others are recognised by name.

    Raises:
        InputError: there is no such file, or none of a kind that is understood.
    """
    # Each reader is loaded for the first file of its kind.
    suffix = path.suffix.lower()
    if suffix == ".koebako":
        from app.interchange.koebako import open_project

        opened = open_project(path)
        return Imported(opened.project, opened.dropped)
    if suffix in PROJECTS:
        from app.interchange.vvproj import read_vvproj

        return read_vvproj(path.name, suffix, read_bytes(path, LARGEST_PROJECT_BYTES))
    if suffix in TABLES:
        from app.interchange.tables import read_table

        return read_table(path.name, suffix, read_bytes(path), columns)
    if suffix in TEXTS:
        from app.interchange.plain import read_plain

        return read_plain(path.name, suffix, read_bytes(path))
    raise InputError(
        localized(f"「{path.name}」は読み込めない種類のファイルです。", f"“{path.name}” is of a file type that cannot be imported."),
        localized("使用できるもの: ", "Available: ") + ", ".join(SUFFIXES),
    )
