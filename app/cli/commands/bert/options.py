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
            "BERT は文の意味を声の抑揚に反映するモデルです。声ごとに対応する BERT が必要です。",
            "A BERT conveys the meaning of a sentence to the voice. Each voice requires the one it was trained with.",
        ),
    )
    actions = parser.add_subparsers(dest="action", required=True, parser_class=Parser, metavar="ACTION", title=localized("操作", "actions"))
    add_command(actions, "list", "使用できる BERT の一覧", "list the available BERTs")
    _add_add(actions)
    _add_use(actions)
    remove = add_command(actions, "remove", "追加した BERT を削除する", "delete a BERT that you added")
    remove.add_argument("bert", metavar="ID")
    add_command(
        actions,
        "check",
        "声ごとに、int8 でも音の長さが変わらないか確認する",
        "check for each voice that int8 does not change its durations",
    )


def _add_add(actions: Any) -> None:
    add = add_command(actions, "add", "BERT を追加する", "add a BERT")
    source = add.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE",
        help=localized("モデルのファイル（onnx、safetensors）またはフォルダー", "model file (onnx, safetensors) or its folder"),
    )
    source.add_argument(
        "--url", metavar="URL", help=localized("モデルの URL（語彙も同じ場所から取得）", "URL of a model, with its vocabulary beside it")
    )
    source.add_argument(
        "--hub",
        action="store_true",
        help=localized(
            "Style-Bert-VITS2 の声で使う BERT をダウンロードする（653 MB）", "download the BERT that Style-Bert-VITS2 voices use (653 MB)"
        ),
    )
    add.add_argument(
        "--id",
        metavar="ID",
        help=localized("声が参照する ID（既定: 内容から判断）", "ID that voices refer to (default: derived from the content)"),
    )


def _add_use(actions: Any) -> None:
    use = add_command(actions, "use", "BERT の使い方を選ぶ", "choose how BERTs are used")
    use.add_argument("bert", metavar="ID", help=localized("--force-bert のとき使う BERT", "BERT to use with --force-bert"))
    use.add_argument(
        "--precision",
        choices=PRECISION_CHOICES,
        help=localized(
            "計算の精度。auto は、音の長さが変わらないと確認できた声だけ int8 で速く計算する",
            "precision; auto uses the faster int8 only for voices whose durations it does not change",
        ),
    )
