"""The options of `koebako project convert`, and what names the columns of a table."""

from __future__ import annotations

from typing import Any

from app.common.command_parser import add_command_parser
from app.common.errors import InputError
from app.common.language import localize


def add_convert_action(actions: Any) -> None:
    """Add the action that converts a script of any readable kind to any writable one."""
    convert = add_command_parser(
        actions,
        "convert",
        "ほかのアプリのプロジェクトや台本、表を変換する",
        "convert projects and scripts of other programs, and tables",
    )
    convert.add_argument("source", metavar="SOURCE", help=".koebako, .vvproj, .aisp, .csv, .tsv, .tab, .rpy, .yarn, .txt")
    convert.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help=localize("書き出すファイル: ", "file to write: ") + ".koebako, .csv, .tsv, .rpy, .yarn, .txt",
    )
    convert.add_argument(
        "--columns",
        default="",
        metavar="text=NAME,…",
        help=localize("表の列の名前。例: text=セリフ,speaker=役", "names of the table's columns, as in text=Words,speaker=Who"),
    )
    convert.add_argument(
        "--voice",
        metavar="ID|NAME",
        help=localize("声のない行と、声が見つからない行の声", "voice of lines without one and of those whose voice is missing"),
    )
    convert.add_argument("--replace", action="store_true", help=localize("すでにあるファイルを上書きする", "replace an existing file"))
    named = convert.add_mutually_exclusive_group()
    named.add_argument(
        "--characters",
        action="store_true",
        help=localize("txt の各行に「キャラ（スタイル）,」を付ける", "begin each line of a .txt with its speaker"),
    )
    named.add_argument(
        "--dialogue",
        action="store_true",
        help=localize("txt の各行を 名前「台詞」 の形にする", "write each line of a .txt as 名前「台詞」"),
    )


def parse_columns(text: str) -> dict[str, str]:
    """Parse `text=Words,speaker=Who` to {"text": "Words", …}; raise InputError if it is not valid."""
    columns = {}
    for item in filter(None, text.split(",")):
        field, found, column = item.partition("=")
        if not (found and field.strip() and column.strip()):
            raise InputError(
                localize(f"列の指定が正しくありません: {item[:80]}", f"Not a valid column: {item[:80]}"),
                localize("例: --columns text=セリフ,speaker=役", "For example: --columns text=Words,speaker=Who"),
            )
        columns[field.strip()] = column.strip()
    return columns
