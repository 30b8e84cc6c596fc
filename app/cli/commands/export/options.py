"""The options of `koebako export`."""

from __future__ import annotations

import argparse
from typing import Any

from app.adapters.sound.sound_formats import SOUND_QUALITIES
from app.cli.commands.export.cluster_export import add_cluster_options
from app.cli.voice_options import add_voice_options
from app.common.command_parser import CommandParser, add_command_parser
from app.common.language import localize
from app.export.export_settings import EXISTING_FILE_POLICIES, EXPORT_SOUND_FORMATS, GAME_ENGINES, SIDECAR_KINDS, TIMING_UNITS


def add_export(commands: Any) -> None:
    """Add the `export` command and the options for its lines, folder and format."""
    parser = add_command_parser(commands, "export", "台本の各行を音声ファイルに書き出す", "write the lines of a script to audio files")
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help=localize(
            "台本（.koebako、.vvproj、.aisp、.csv、.tsv、.tab、.rpy、.yarn、.txt）",
            "script: .koebako, .vvproj, .aisp, .csv, .tsv, .tab, .rpy, .yarn or .txt",
        ),
    )
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help=localize("書き出し先のフォルダー", "folder to write to"))
    parser.add_argument(
        "--columns",
        default="",
        metavar="NAME=COLUMN,…",
        help=localize("表の列名。例: text=セリフ,speaker=名前", "columns of a table, as in text=Line,speaker=Name"),
    )
    parser.add_argument(
        "--cast",
        default="",
        metavar="FILE",
        help=localize(
            "登場人物の声を決めるプロジェクトまたは表（既定: 台本の配役、以前に選んだ声）",
            "project or table that says who speaks for whom (default: the script's cast, voices chosen before)",
        ),
    )
    add_voice_options(parser)
    _add_name_options(parser)
    _add_sound_options(parser)
    _add_batch_options(parser)
    add_cluster_options(parser)


def _add_name_options(parser: CommandParser) -> None:
    parser.add_argument(
        "--pattern",
        default="",
        metavar="NAME",
        help=localize("ファイル名。例: $連番$_$キャラ$_$テキスト$", "file names, as in $number$_$speaker$_$text$"),
    )
    parser.add_argument("--joined", action="store_true", help=localize("1つのファイルに書き出す", "write one file"))
    parser.add_argument(
        "--by",
        choices=["speaker", "character"],
        help=localize(
            "話者・登場人物ごとのフォルダーに分ける（--joined では1つずつのファイル）",
            "a folder for each speaker or character; with --joined, a file for each",
        ),
    )
    parser.add_argument(
        "--game", choices=GAME_ENGINES[1:], help=localize("ゲームエンジン用の名前と一覧", "names and lists for a game engine")
    )
    parser.add_argument(
        "--sidecars",
        default="",
        metavar=",".join(SIDECAR_KINDS),
        help=localize("音声と一緒に書き出すファイル", "files to write next to each audio file"),
    )
    parser.add_argument(
        "--unit",
        choices=TIMING_UNITS,
        default="line",
        help=localize("字幕の単位（既定: line）", "what one subtitle covers (default: line)"),
    )


def _add_sound_options(parser: CommandParser) -> None:
    parser.add_argument(
        "--format", dest="sound", choices=EXPORT_SOUND_FORMATS, help=localize("音声形式（既定: wav）", "audio format (default: wav)")
    )
    parser.add_argument(
        "--subtype", choices=["16", "24", "float"], help=localize("サンプルの形式（wav、flac）", "sample format (wav, flac)")
    )
    parser.add_argument(
        "--quality", choices=SOUND_QUALITIES, default="standard", help=localize("音質（mp3、ogg、opus）", "quality (mp3, ogg, opus)")
    )
    parser.add_argument("--rate", type=int, default=0, metavar="HZ", help=localize("サンプリング周波数", "sampling rate"))
    parser.add_argument("--stereo", action="store_true", help=localize("ステレオで書き出す", "write stereo"))
    parser.add_argument(
        "--loudness",
        type=float,
        metavar="LUFS",
        help=localize("ラウドネスをそろえる。例: -23", "target loudness, such as -23"),
    )
    parser.add_argument(
        "--loudness-each", action="store_true", help=localize("ラウドネスをファイルごとにそろえる", "adjust each file by itself")
    )


def _add_batch_options(parser: CommandParser) -> None:
    parser.add_argument(
        "--existing",
        choices=EXISTING_FILE_POLICIES,
        default="ask",
        help=localize("同じ名前のファイルがあるとき（既定: ask）", "what to do with files that exist (default: ask)"),
    )
    parser.add_argument(
        "--only",
        choices=["missing", "changed"],
        help=localize(
            "missing: まだないファイルだけを書き出す。changed: 前回の書き出しから変更した行だけを書き出し、名前だけが変わったファイルは名前を変更する",
            "missing: write only files that are missing; changed: write only lines that changed since the last export, and rename files whose name alone changed",
        ),
    )
    parser.add_argument(
        "--remove-orphans",
        action="store_true",
        help=localize(
            "台本にない行のファイルを削除する（--only changed と一緒に使用）",
            "with --only changed, remove the files of lines that are no longer in the script",
        ),
    )
    parser.add_argument(
        "--jobs",
        type=_parse_jobs,
        default=1,
        metavar="N",
        help=localize("並列に使うプロセスの数（既定: 1）", "processes at once (default: 1)"),
    )


def _parse_jobs(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 64:
        raise argparse.ArgumentTypeError(localize("1 から 64 までの数を指定してください。", "use a number from 1 to 64"))
    return number
