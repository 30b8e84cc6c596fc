"""The options of `koebako bert`."""

from typing import Any

from app.common.command_parser import add_action_parsers, add_command_parser
from app.common.language import localize
from app.settings.user_settings import PRECISION_CHOICES


def add_bert(commands: Any) -> None:
    actions = add_action_parsers(
        commands,
        "bert",
        ("BERT の一覧、追加、選択", "list, add and choose BERTs"),
        (
            "BERT は文の意味を声の抑揚に反映するモデルです。声ごとに対応する BERT が必要です。",
            "A BERT conveys the meaning of a sentence to the voice. Each voice requires the one it was trained with.",
        ),
    )
    add_command_parser(actions, "list", "使用できる BERT の一覧", "list the available BERTs")
    _add_add_action(actions)
    use = add_command_parser(actions, "use", "BERT の使い方を選ぶ", "choose how BERTs are used")
    use.add_option("bert", "--force-bert のとき使う BERT", "BERT to use with --force-bert", metavar="ID")
    use.add_option(
        "--precision",
        "計算の精度。auto は、音の長さが変わらないと確認できた声だけ int8 で速く計算する",
        "precision; auto uses the faster int8 only for voices whose durations it does not change",
        choices=PRECISION_CHOICES,
    )
    remove = add_command_parser(actions, "remove", "追加した BERT を削除する", "delete a BERT that you added")
    remove.add_argument("bert", metavar="ID")
    add_command_parser(
        actions,
        "check",
        "声ごとに、int8 でも音の長さが変わらないか確認する",
        "check for each voice that int8 does not change its durations",
    )


def _add_add_action(actions: Any) -> None:
    add = add_command_parser(actions, "add", "BERT を追加する", "add a BERT")
    source = add.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE|ID",
        help=localize(
            "モデルのファイル（onnx、safetensors）またはフォルダー。--wait では追加済みの BERT の ID も指定できる",
            "model file (onnx, safetensors) or its folder; with --wait also the ID of an installed BERT",
        ),
    )
    source.add_argument(
        "--url", metavar="URL", help=localize("モデルの URL（語彙も同じ場所から取得）", "URL of a model, with its vocabulary beside it")
    )
    source.add_argument(
        "--hub",
        action="store_true",
        help=localize(
            "Style-Bert-VITS2 の声で使う BERT をダウンロードする（653 MB）", "download the BERT that Style-Bert-VITS2 voices use (653 MB)"
        ),
    )
    add.add_option(
        "--id", "声が参照する ID（既定: 内容から判断）", "ID that voices refer to (default: derived from the content)", metavar="ID"
    )
    add.add_switch(
        "--wait",
        "使えるようになった後、残りの準備（確認、int8）も終わるまで待つ",
        "also wait for what is done after the BERT can be used (the full check, int8)",
    )
