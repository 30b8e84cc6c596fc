"""The options of `koebako bert`."""

from __future__ import annotations

from typing import Any

from app.command_parser import Parser, add_command
from app.language import localized
from app.settings import PRECISION_CHOICES


def add_bert(commands: Any) -> None:
    """Adds the command and its actions."""
    parser = commands.add_parser(
        "bert",
        help=localized("BERT の一覧、追加、選択", "list, add and choose BERTs"),
        description=localized(
            "BERT は文の意味を声の抑揚に伝えるモデルです。声ごとに決まった BERT が要ります。",
            "A BERT tells the voice what a sentence means. Each voice needs the one it was trained with.",
        ),
    )
    actions = parser.add_subparsers(dest="action", required=True, parser_class=Parser, metavar="ACTION", title=localized("操作", "actions"))
    add_command(actions, "list", "使える BERT の一覧", "the BERTs at hand")
    _add_add(actions)
    _add_use(actions)
    remove = add_command(actions, "remove", "追加した BERT を削除する", "remove a BERT that was added")
    remove.add_argument("bert", metavar="ID")
    add_command(
        actions,
        "check",
        "声ごとに、int8 でも音の長さが変わらないか調べる",
        "measure for each voice whether int8 keeps its durations",
    )


def _add_add(actions: Any) -> None:
    add = add_command(actions, "add", "BERT を追加する", "add a BERT")
    source = add.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE",
        help=localized("モデルのファイル(onnx、safetensors)かフォルダー", "model file (onnx, safetensors) or its folder"),
    )
    source.add_argument(
        "--url", metavar="URL", help=localized("モデルのアドレス。語彙は同じ場所から取る", "address of a model, its vocabulary beside it")
    )
    source.add_argument(
        "--hub",
        action="store_true",
        help=localized("Style-Bert-VITS2 の声が使う BERT を入手する(653 MB)", "download the one SBV2 voices use (653 MB)"),
    )
    add.add_argument(
        "--id",
        metavar="ID",
        help=localized("声が求める名前(省略すると内容から決める)", "what voices call it (default: told from its content)"),
    )


def _add_use(actions: Any) -> None:
    use = add_command(actions, "use", "BERT の使い方を選ぶ", "choose how BERTs are used")
    use.add_argument("bert", metavar="ID", help=localized("--force-bert のとき使う BERT", "the one that --force-bert takes"))
    use.add_argument(
        "--precision",
        choices=PRECISION_CHOICES,
        help=localized(
            "計算の精度。auto は、長さが変わらないと確かめた声だけ int8 で速く計算する",
            "precision of the features; auto is the fast int8 for voices whose durations it is known not to change",
        ),
    )
