"""The options of `koebako project`, and what names the columns of a table."""

from typing import Any

from app.common.command_parser import add_action_parsers, add_command_parser
from app.common.errors import InputError
from app.common.language import localize
from app.core.delivery import LATIN_READINGS


def add_convert_action(actions: Any) -> None:
    """Add the action that converts a script of any readable kind to any writable one."""
    convert = add_command_parser(
        actions, "convert", "ほかのアプリのプロジェクトや台本、表を変換する", "convert projects and scripts of other programs, and tables"
    )
    convert.add_argument("source", metavar="SOURCE", help=".koebako, .vvproj, .aisp, .csv, .tsv, .tab, .rpy, .yarn, .txt")
    convert.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help=localize("書き出すファイル: ", "file to write: ") + ".koebako, .csv, .tsv, .rpy, .yarn, .txt",
    )
    convert.add_option(
        "--columns",
        "表の列の名前。例: text=セリフ,speaker=役",
        "names of the table's columns, as in text=Words,speaker=Who",
        default="",
        metavar="text=NAME,…",
    )
    convert.add_option(
        "--voice",
        "声のない行と、声が見つからない行の声",
        "voice of lines without one and of those whose voice is missing",
        metavar="ID|NAME",
    )
    _add_latin_option(convert)
    convert.add_switch("--replace", "すでにあるファイルを上書きする", "replace an existing file")
    forms = convert.add_mutually_exclusive_group()
    forms.add_argument(
        "--characters",
        action="store_true",
        help=localize("txt の各行に「話者（スタイル）,」を付ける", "begin each line of a .txt with its speaker"),
    )
    forms.add_argument(
        "--dialogue",
        action="store_true",
        help=localize("txt の各行を 名前「台詞」 の形にする", "write each line of a .txt as 名前「台詞」"),
    )


def parse_columns(text: str) -> dict[str, str]:
    """Parse `text=Words,speaker=Who` to {"text": "Words", …}; raise InputError if it is not valid."""
    columns = {}
    for item in filter(None, text.split(",")):
        field, sign, column = item.partition("=")
        if not (sign and field.strip() and column.strip()):
            raise InputError(
                localize(f"列の指定が正しくありません: {item[:80]}", f"Not a valid column: {item[:80]}"),
                localize("例: --columns text=セリフ,speaker=役", "For example: --columns text=Words,speaker=Who"),
            )
        columns[field.strip()] = column.strip()
    return columns


def add_project(commands: Any) -> None:
    actions = add_action_parsers(
        commands, "project", ("プロジェクトの作成、内容の表示、台本のファイルの変換", "make, show and convert projects")
    )
    _add_new_action(actions)
    info = add_command_parser(actions, "info", "プロジェクトの内容を表示する", "show what is in a project")
    info.add_option("file", "プロジェクト", "project", metavar="FILE.koebako")
    cast = add_command_parser(actions, "cast", "登場人物を一覧で表示する", "list the characters")
    cast.add_option("file", "プロジェクトまたは台本のファイル", "project, or script of another program", metavar="FILE")
    add_convert_action(actions)


def _add_new_action(actions: Any) -> None:
    new = add_command_parser(actions, "new", "テキストからプロジェクトを作成する", "make a project from a text")
    new.add_option("file", "作成するファイル", "file to make", metavar="FILE.koebako")
    new.add_argument(
        "-f",
        "--text",
        metavar="FILE",
        help=localize("1 行ずつ台本にするテキスト、- は標準入力", "text whose lines become the script, - is stdin"),
    )
    new.add_option("--title", "題名（既定: ファイル名）", "title (default: the name of the file)", default="", metavar="TEXT")
    _add_latin_option(new)
    new.add_switch("--replace", "すでにあるファイルを上書きする", "replace an existing file")


def _add_latin_option(parser: Any) -> None:
    parser.add_option(
        "--latin",
        "すべての行と登場人物の、英字の単語の読み方",
        "how words in Latin letters are read in all lines and by all characters",
        choices=LATIN_READINGS,
    )
