"""A script, or its cast alone, from any kind of file that is understood, by its suffix and what is in it."""

from collections.abc import Mapping
from pathlib import Path

from app.common.errors import InputError
from app.common.language import localize
from app.core.script.project import PROJECT_SUFFIX, Project
from app.interchange.imported_script import LARGEST_PROJECT_BYTES, ImportedScript, read_file_bytes

PROJECTS, TABLES, TEXTS = (".vvproj", ".aisp"), (".csv", ".tsv", ".tab"), (".txt", ".md")
GAME_SCRIPTS = (".rpy", ".yarn")
IMPORT_SUFFIXES = (PROJECT_SUFFIX, *PROJECTS, *TABLES, *GAME_SCRIPTS, *TEXTS)
NO_COLUMN_CHOICES: Mapping[str, str] = {}


def read_script_file(path: Path, columns: Mapping[str, str] = NO_COLUMN_CHOICES) -> ImportedScript:
    """Read a script, raise InputError for another file; `character_assignment` then finds its voices, `reading_diff` settles accents.

    Args:
        columns: names of a table's columns, by what they are (`text`, `voice`, `speaker`, `style`, `id`, a setting); others are recognised by name.
    """
    # Each reader is loaded for the first file of its kind.
    suffix = path.suffix.lower()
    if suffix == PROJECT_SUFFIX:
        from app.interchange.koebako_files import open_project

        opened = open_project(path)
        return ImportedScript(opened.project, opened.losses)
    if suffix in PROJECTS:
        from app.interchange.voicevox_projects import read_vvproj

        return read_vvproj(path.name, suffix, read_file_bytes(path, LARGEST_PROJECT_BYTES))
    if suffix in TABLES:
        from app.interchange.script_tables import read_table

        return read_table(path.name, suffix, read_file_bytes(path), columns)
    if suffix == ".rpy":
        from app.interchange.renpy_script import read_renpy_script

        return read_renpy_script(path.name, read_file_bytes(path))
    if suffix == ".yarn":
        from app.interchange.yarn_script import read_yarn_script

        return read_yarn_script(path.name, read_file_bytes(path))
    if suffix in TEXTS:
        from app.interchange.dialogue_text import read_plain_text

        return read_plain_text(path.name, suffix, read_file_bytes(path))
    raise InputError(
        localize(f"「{path.name}」は読み込めない種類のファイルです。", f"“{path.name}” is of a file type that cannot be imported."),
        localize("使用できるもの: ", "Available: ") + ", ".join(IMPORT_SUFFIXES),
    )


def read_cast_file(path: Path) -> Project:
    """Return the characters of a project or table and the names in place of voices; raise InputError for other files or without names."""
    suffix = path.suffix.lower()
    if suffix == PROJECT_SUFFIX:
        from app.interchange.koebako_files import read_project

        project = read_project(path)
    elif suffix in TABLES:
        from app.interchange.script_tables import parse_table, read_table_cast, recognise_columns

        table = parse_table(path.name, suffix, read_file_bytes(path), {})
        project = read_table_cast(table, recognise_columns(table.header))
    else:
        raise InputError(
            localize(f"「{path.name}」からは配役を読み込めません。", f"“{path.name}” cannot hold a cast."),
            localize("使用できるもの: ", "Available: ") + ", ".join((PROJECT_SUFFIX, *TABLES)),
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
