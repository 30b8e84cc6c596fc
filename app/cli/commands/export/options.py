"""The options of `koebako export`."""

from __future__ import annotations

import argparse
from typing import Any

from app.adapters.sound.formats import QUALITIES
from app.cli.voice_options import add_voice_options
from app.command_parser import Parser, add_command
from app.export.settings import EXISTING, GAMES, SIDECARS, SOUNDS, UNITS
from app.language import localized


def add_export(commands: Any) -> None:
    """What is written, where, in which form."""
    parser = add_command(commands, "export", "台本の各行を音声ファイルに書き出す", "write the lines of a script to audio files")
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help=localized(
            "台本（.koebako、.vvproj、.aisp、.csv、.tsv、.tab、.txt）", "script: .koebako, .vvproj, .aisp, .csv, .tsv, .tab or .txt"
        ),
    )
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help=localized("書き出し先のフォルダー", "folder to write to"))
    parser.add_argument(
        "--columns",
        default="",
        metavar="NAME=COLUMN,…",
        help=localized("表の列名。例: text=セリフ,speaker=名前", "columns of a table, as in text=Line,speaker=Name"),
    )
    add_voice_options(parser)
    _add_names(parser)
    _add_sound(parser)
    _add_batch(parser)


def _add_names(parser: Parser) -> None:
    parser.add_argument(
        "--pattern",
        default="",
        metavar="NAME",
        help=localized("ファイル名。例: $連番$_$キャラ$_$テキスト$", "file names, as in $number$_$speaker$_$text$"),
    )
    parser.add_argument("--joined", action="store_true", help=localized("1つのファイルに書き出す", "write one file"))
    parser.add_argument(
        "--by",
        choices=["speaker"],
        help=localized(
            "話者ごとのフォルダーに分ける（--joined では話者ごとに1つのファイル）",
            "a folder for each speaker; with --joined, a file for each",
        ),
    )
    parser.add_argument("--game", choices=GAMES[1:], help=localized("ゲームエンジン用の名前と一覧", "names and lists for a game engine"))
    parser.add_argument(
        "--sidecars",
        default="",
        metavar=",".join(SIDECARS),
        help=localized("音声と一緒に書き出すファイル", "files to write next to each audio file"),
    )
    parser.add_argument(
        "--unit", choices=UNITS, default="line", help=localized("字幕の単位（既定: line）", "what one subtitle covers (default: line)")
    )


def _add_sound(parser: Parser) -> None:
    parser.add_argument("--format", dest="sound", choices=SOUNDS, help=localized("音声形式（既定: wav）", "audio format (default: wav)"))
    parser.add_argument(
        "--subtype", choices=["16", "24", "float"], help=localized("サンプルの形式（wav、flac）", "sample format (wav, flac)")
    )
    parser.add_argument(
        "--quality", choices=QUALITIES, default="standard", help=localized("音質（mp3、ogg、opus）", "quality (mp3, ogg, opus)")
    )
    parser.add_argument("--rate", type=int, default=0, metavar="HZ", help=localized("サンプリング周波数", "sampling rate"))
    parser.add_argument("--stereo", action="store_true", help=localized("ステレオで書き出す", "write stereo"))
    parser.add_argument(
        "--loudness",
        type=float,
        metavar="LUFS",
        help=localized("ラウドネスをそろえる。例: -23", "target loudness, such as -23"),
    )
    parser.add_argument(
        "--loudness-each", action="store_true", help=localized("ラウドネスをファイルごとにそろえる", "adjust each file by itself")
    )


def _add_batch(parser: Parser) -> None:
    parser.add_argument(
        "--existing",
        choices=EXISTING,
        default="ask",
        help=localized("同じ名前のファイルがあるとき（既定: ask）", "what to do with files that exist (default: ask)"),
    )
    parser.add_argument(
        "--only", choices=["missing"], help=localized("まだないファイルだけを書き出す", "write only files that are missing")
    )
    parser.add_argument(
        "--jobs", type=_jobs, default=1, metavar="N", help=localized("並列に使うプロセスの数（既定: 1）", "processes at once (default: 1)")
    )


def _jobs(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 64:
        raise argparse.ArgumentTypeError(localized("1 から 64 までの数を指定してください。", "use a number from 1 to 64"))
    return number
