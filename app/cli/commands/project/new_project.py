"""`koebako project new`: a project of a text, or an empty one."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

from app.cli.bounded_input import decode_text, read_named_input, read_piped_input
from app.cli.console_output import print_json, print_note
from app.common.errors import InputError
from app.common.language import localize
from app.core.project import PROJECT_SUFFIX, Project
from app.core.project_sanitiser import sanitise_project
from app.core.script import Line, Script
from app.core.text_lines import split_lines
from app.interchange.koebako_files import write_project


def run_new(options: argparse.Namespace) -> int:
    """Writes the project; one that is there stays unless it is to be replaced."""
    target = Path(options.file)
    if target.suffix.lower() != PROJECT_SUFFIX:
        raise InputError(
            localize(f"プロジェクトのファイル名ではありません: {target.name}", f"This is not the name of a project: {target.name}"),
            localize(f"{PROJECT_SUFFIX} で終わる名前にしてください。", f"Use a name that ends in {PROJECT_SUFFIX}."),
        )
    if _is_existing(target) and not options.replace:
        raise InputError(
            localize(f"「{target.name}」はすでにあります。", f"“{target.name}” already exists."),
            localize("上書きするには --replace を付けてください。", "Add --replace to replace it."),
        )
    texts = _read_texts(options.text) if options.text is not None else []
    script = Script(tuple(map(Line, texts)), options.title or target.stem)
    project = sanitise_project(Project(script=script))
    write_project(target, project)
    lines = len(project.script.lines)
    if options.json:
        print_json({"made": str(target), "lines": lines})
    else:
        print_note(localize(f"{target} を作成しました（{lines:,} 行）。", f"Created {target} (lines: {lines:,})."))
    return 0


def _is_existing(target: Path) -> bool:
    """A name that no file can have is reported by who writes it."""
    with suppress(OSError, ValueError):
        return target.exists()
    return False


def _read_texts(source: str) -> list[str]:
    """Lines of a text file of any of the encodings of Japan."""
    return split_lines(decode_text(*read_piped_input() if source == "-" else (read_named_input(Path(source)), Path(source).name)))
