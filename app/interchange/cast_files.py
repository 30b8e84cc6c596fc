"""A cast from a file: that of a project, or a table with a character, a voice and a manner in each row."""

from __future__ import annotations

from pathlib import Path

from app.common.errors import InputError
from app.common.language import localize
from app.core.script.project import Project
from app.interchange.koebako_files import PROJECT_FILE_SUFFIX, read_project
from app.interchange.script_file_bytes import read_file_bytes
from app.interchange.script_import import TABLES
from app.interchange.script_tables import parse_table
from app.interchange.table_columns import recognise_columns
from app.interchange.table_lines import read_table_cast


def read_cast_file(path: Path) -> Project:
    """Return the characters in a project or a table, and the names that stand in the place of their voices. Raises InputError for another kind of file, and where nobody is named."""
    suffix = path.suffix.lower()
    if suffix == PROJECT_FILE_SUFFIX:
        project = read_project(path)
    elif suffix in TABLES:
        table = parse_table(path.name, suffix, read_file_bytes(path), {})
        project = read_table_cast(table, recognise_columns(table.header))
    else:
        raise InputError(
            localize(f"「{path.name}」からは配役を読み込めません。", f"“{path.name}” cannot hold a cast."),
            localize("使用できるもの: ", "Available: ") + ", ".join((PROJECT_FILE_SUFFIX, *TABLES)),
        )
    if not project.script.cast:
        raise InputError(
            localize(f"「{path.name}」には登場人物がありません。", f"“{path.name}” names no characters."),
            localize(
                "プロジェクトか、「登場人物」と「声」の列がある表を指定してください。",
                "Use a project, or a table with the columns “character” and “voice”.",
            ),
        )
    return project
