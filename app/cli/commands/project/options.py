"""The options of `koebako project`."""

from __future__ import annotations

from typing import Any

from app.cli.commands.project.convert_options import add_convert
from app.command_parser import Parser, add_command
from app.language import localized


def add_project(commands: Any) -> None:
    """Adds the command and its actions."""
    text = localized("プロジェクトの作成、内容の表示、台本のファイルの変換", "make, show and convert projects")
    parser = commands.add_parser("project", help=text, description=text)
    actions = parser.add_subparsers(dest="action", required=True, parser_class=Parser, metavar="ACTION", title=localized("操作", "actions"))
    _add_new(actions)
    _add_info(actions)
    add_convert(actions)


def _add_new(actions: Any) -> None:
    new = add_command(actions, "new", "テキストからプロジェクトを作成する", "make a project from a text")
    new.add_argument("file", metavar="FILE.koebako", help=localized("作成するファイル", "file to make"))
    new.add_argument(
        "-f",
        "--text",
        metavar="FILE",
        help=localized("1 行ずつ台本にするテキスト、- は標準入力", "text whose lines become the script, - is stdin"),
    )
    new.add_argument(
        "--title", default="", metavar="TEXT", help=localized("題名（既定: ファイル名）", "title (default: the name of the file)")
    )
    new.add_argument("--replace", action="store_true", help=localized("すでにあるファイルを上書きする", "replace an existing file"))


def _add_info(actions: Any) -> None:
    info = add_command(actions, "info", "プロジェクトの内容を表示する", "show what is in a project")
    info.add_argument("file", metavar="FILE.koebako", help=localized("プロジェクト", "project"))
