"""The options of `koebako dict`."""

from typing import Any

from app.common.command_parser import add_action_parsers, add_command_parser
from app.core.text.dictionary_entries import DICTIONARY_ENTRY_KINDS, HIGHEST_PRIORITY, USUAL_PRIORITY


def add_dict(commands: Any) -> None:
    actions = add_action_parsers(
        commands,
        "dict",
        ("ユーザー辞書の一覧、登録、読み込み", "list, add, import and export words of the user dictionary"),
        (
            "ユーザー辞書には単語の読みとアクセントを登録でき、すべてのテキストに使われます。",
            "The user dictionary sets the reading and accent of words in every text.",
        ),
    )
    add_command_parser(actions, "list", "登録した単語の一覧", "list the words of the dictionary")
    _add_add_action(actions)
    remove = add_command_parser(actions, "remove", "単語を削除する", "delete a word")
    remove.add_option("surface", "単語の表記", "word as written", metavar="SURFACE")
    _add_exchange_actions(actions)


def _add_add_action(actions: Any) -> None:
    add = add_command_parser(actions, "add", "単語を登録する、または変更する", "add or change a word")
    add.add_option("surface", "単語の表記", "word as written", metavar="SURFACE")
    add.add_option("reading", "読み（ひらがなまたはカタカナ）", "reading in hiragana or katakana", metavar="READING")
    add.add_option(
        "--accent",
        "音が下がる直前のモーラの番号、0 は平板（既定: 0）",
        "number of the mora before the pitch falls, 0 = flat (default: 0)",
        type=int,
        default=0,
        metavar="N",
    )
    add.add_option(
        "--kind",
        "品詞（既定: proper_noun）",
        "part of speech (default: proper_noun)",
        choices=DICTIONARY_ENTRY_KINDS,
        default="proper_noun",
    )
    add.add_option(
        "--priority",
        f"優先度 0–{HIGHEST_PRIORITY}（既定: {USUAL_PRIORITY}）",
        f"priority 0–{HIGHEST_PRIORITY} (default: {USUAL_PRIORITY})",
        type=int,
        default=USUAL_PRIORITY,
        metavar="N",
    )


def _add_exchange_actions(actions: Any) -> None:
    read = add_command_parser(actions, "import", "ほかの辞書から単語を読み込む", "import the words of another dictionary")
    read.add_option(
        "file",
        "VOICEVOX や AivisSpeech の JSON、CSV、MeCab のユーザー辞書、MS-IME や Google 日本語入力のテキスト",
        "JSON from VOICEVOX or AivisSpeech, a CSV, a user dictionary of MeCab, or text of Microsoft IME or Google Japanese Input",
        metavar="FILE",
    )
    read.add_switch("--keep", "登録済みの単語は変更しない", "keep words that are already there unchanged")
    read.add_switch("--dry-run", "登録せずに、変わる単語だけを表示する", "only show what would change, and write nothing")
    write = add_command_parser(actions, "export", "すべての単語をファイルに書き出す", "export all words to a file")
    write.add_option(
        "file", "JSON（VOICEVOX 形式）または CSV。拡張子で決まる", "JSON (VOICEVOX format) or CSV, chosen by the extension", metavar="FILE"
    )
    write.add_switch("--replace", "すでにあるファイルを上書きする", "replace an existing file")
