"""`koebako project new`: a project of a text, or an empty one."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

from app.cli.named_input import read_named, read_piped, text_of
from app.cli.output import json_line, note
from app.core.project import PROJECT_SUFFIX, Project
from app.core.script import Line, Script
from app.core.text_lines import split_lines
from app.core.tidy_project import tidy
from app.errors import InputError
from app.interchange.koebako import write_project
from app.language import localized


def new(options: argparse.Namespace) -> int:
    """Writes the project; one that is there stays unless it is to be replaced."""
    target = Path(options.file)
    if target.suffix.lower() != PROJECT_SUFFIX:
        raise InputError(
            localized(f"プロジェクトのファイル名ではありません: {target.name}", f"This is not the name of a project: {target.name}"),
            localized(f"{PROJECT_SUFFIX} で終わる名前にしてください。", f"Use a name that ends in {PROJECT_SUFFIX}."),
        )
    if _is_there(target) and not options.replace:
        raise InputError(
            localized(f"「{target.name}」はすでにあります。", f"“{target.name}” already exists."),
            localized("上書きするには --replace を付けてください。", "Add --replace to replace it."),
        )
    texts = _texts(options.text) if options.text is not None else []
    script = Script(tuple(map(Line, texts)), options.title or target.stem)
    project = tidy(Project(script=script))
    write_project(target, project)
    lines = len(project.script.lines)
    if options.json:
        json_line({"made": str(target), "lines": lines})
    else:
        note(localized(f"{target} を作成しました（{lines:,} 行）。", f"Created {target} (lines: {lines:,})."))
    return 0


def _is_there(target: Path) -> bool:
    """A name that no file can have is reported by who writes it."""
    with suppress(OSError, ValueError):
        return target.exists()
    return False


def _texts(source: str) -> list[str]:
    """Lines of a text file of any of the encodings of Japan."""
    return split_lines(text_of(*read_piped() if source == "-" else (read_named(Path(source)), Path(source).name)))
