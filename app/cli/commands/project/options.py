"""The options of `koebako project`."""

from __future__ import annotations

from typing import Any

from app.cli.commands.project.convert_options import add_convert_action
from app.common.command_parser import CommandParser, add_command_parser
from app.common.language import localize


def add_project(commands: Any) -> None:
    """Add the command and its actions."""
    text = localize("プロジェクトの作成、内容の表示、台本のファイルの変換", "make, show and convert projects")
    parser = commands.add_parser("project", help=text, description=text)
    actions = parser.add_subparsers(
        dest="action", required=True, parser_class=CommandParser, metavar="ACTION", title=localize("操作", "actions")
    )
    _add_new_action(actions)
    _add_info_action(actions)
    _add_cast_action(actions)
    add_convert_action(actions)


def _add_new_action(actions: Any) -> None:
    new = add_command_parser(actions, "new", "テキストからプロジェクトを作成する", "make a project from a text")
    new.add_argument("file", metavar="FILE.koebako", help=localize("作成するファイル", "file to make"))
    new.add_argument(
        "-f",
        "--text",
        metavar="FILE",
        help=localize("1 行ずつ台本にするテキスト、- は標準入力", "text whose lines become the script, - is stdin"),
    )
    new.add_argument(
        "--title", default="", metavar="TEXT", help=localize("題名（既定: ファイル名）", "title (default: the name of the file)")
    )
    new.add_argument("--replace", action="store_true", help=localize("すでにあるファイルを上書きする", "replace an existing file"))


def _add_info_action(actions: Any) -> None:
    info = add_command_parser(actions, "info", "プロジェクトの内容を表示する", "show what is in a project")
    info.add_argument("file", metavar="FILE.koebako", help=localize("プロジェクト", "project"))


def _add_cast_action(actions: Any) -> None:
    cast = add_command_parser(actions, "cast", "登場人物を一覧で表示する", "list the characters")
    cast.add_argument("file", metavar="FILE", help=localize("プロジェクトまたは台本のファイル", "project, or script of another program"))
