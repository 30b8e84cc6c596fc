"""The options of `koebako dict`."""

from __future__ import annotations

from typing import Any

from app.command_parser import Parser, add_command
from app.core.dictionary import HIGHEST_PRIORITY, KINDS, USUAL_PRIORITY
from app.language import localized


def add_dict(commands: Any) -> None:
    """Adds the command and its actions."""
    parser = commands.add_parser(
        "dict",
        help=localized("ユーザー辞書の一覧、登録、取り込み", "list, add and exchange the words of the user dictionary"),
        description=localized(
            "ユーザー辞書は、単語の読みとアクセントを覚えさせ、すべての文章で使います。",
            "The user dictionary holds words with the reading and accent that they have in every text.",
        ),
    )
    actions = parser.add_subparsers(dest="action", required=True, parser_class=Parser, metavar="ACTION", title=localized("操作", "actions"))
    add_command(actions, "list", "登録した単語の一覧", "the words that were added")
    _add_add(actions)
    remove = add_command(actions, "remove", "単語を削除する", "remove a word")
    remove.add_argument("surface", metavar="SURFACE", help=localized("単語の表記", "the word as it is written"))
    _add_exchange(actions)


def _add_add(actions: Any) -> None:
    add = add_command(actions, "add", "単語を登録する、または登録し直す", "add a word, or change it")
    add.add_argument("surface", metavar="SURFACE", help=localized("単語の表記", "the word as it is written"))
    add.add_argument("reading", metavar="READING", help=localized("読み(ひらがなかカタカナ)", "its reading in hiragana or katakana"))
    add.add_argument(
        "--accent",
        type=int,
        default=0,
        metavar="N",
        help=localized("音が下がる直前の拍、0 は下がらない(0)", "mora before the fall, 0 = no fall (0)"),
    )
    add.add_argument("--kind", choices=KINDS, default="proper_noun", help=localized("品詞(proper_noun)", "what it is (proper_noun)"))
    add.add_argument(
        "--priority",
        type=int,
        default=USUAL_PRIORITY,
        metavar="N",
        help=localized(f"優先度 0–{HIGHEST_PRIORITY}({USUAL_PRIORITY})", f"priority 0–{HIGHEST_PRIORITY} ({USUAL_PRIORITY})"),
    )


def _add_exchange(actions: Any) -> None:
    read = add_command(actions, "import", "ほかの辞書の単語を加える", "add the words of another dictionary")
    read.add_argument(
        "file", metavar="FILE", help=localized("VOICEVOX や AivisSpeech の JSON、または CSV", "JSON of VOICEVOX or AivisSpeech, or a CSV")
    )
    read.add_argument(
        "--keep", action="store_true", help=localized("同じ表記の単語は今のままにする", "leave words that are there as they are")
    )
    write = add_command(actions, "export", "すべての単語をファイルに書く", "write all words to a file")
    write.add_argument("file", metavar="FILE", help=localized("JSON(VOICEVOX 形式)か CSV", "JSON (as of VOICEVOX) or CSV, by its suffix"))
