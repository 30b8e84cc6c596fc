"""The options of `koebako export`."""

import argparse
from typing import Any

from app.adapters.sound.sound_formats import SOUND_QUALITIES
from app.cli.voice_options import add_voice_options
from app.common.command_parser import CommandParser, add_command_parser
from app.common.language import localize
from app.export.export_settings import EXISTING_FILE_POLICIES, EXPORT_SOUND_FORMATS, GAME_ENGINES, SIDECAR_KINDS, TIMING_UNITS


def add_export(commands: Any) -> None:
    parser = add_command_parser(commands, "export", "台本の各行を音声ファイルに書き出す", "write the lines of a script to audio files")
    parser.add_option(
        "source",
        "台本（.koebako、.vvproj、.aisp、.csv、.tsv、.tab、.rpy、.yarn、.txt）",
        "script: .koebako, .vvproj, .aisp, .csv, .tsv, .tab, .rpy, .yarn or .txt",
        metavar="SOURCE",
    )
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help=localize("書き出し先のフォルダー", "folder to write to"))
    parser.add_option(
        "--columns",
        "表の列名。例: text=セリフ,speaker=名前",
        "columns of a table, as in text=Line,speaker=Name",
        default="",
        metavar="NAME=COLUMN,…",
    )
    parser.add_option(
        "--cast",
        "登場人物の声を決めるプロジェクトまたは表（既定: 台本の配役、以前に選んだ声）",
        "project or table that says who speaks for whom (default: the script's cast, voices chosen before)",
        default="",
        metavar="FILE",
    )
    add_voice_options(parser)
    _add_name_options(parser)
    _add_sound_options(parser)
    _add_batch_options(parser)
    _add_cluster_options(parser)


def _add_name_options(parser: CommandParser) -> None:
    parser.add_option(
        "--pattern",
        "ファイル名。例: $連番$_$登場人物$_$テキスト$",
        "file names, as in $number$_$character$_$text$",
        default="",
        metavar="NAME",
    )
    parser.add_switch("--joined", "1つのファイルに書き出す", "write one file")
    parser.add_option(
        "--by",
        "話者・登場人物ごとのフォルダーに分ける（--joined では1つずつのファイル）",
        "a folder for each speaker or character; with --joined, a file for each",
        choices=["speaker", "character"],
    )
    parser.add_option("--game", "ゲームエンジン用の名前と一覧", "names and lists for a game engine", choices=GAME_ENGINES[1:])
    parser.add_option(
        "--sidecars", "音声と一緒に書き出すファイル", "files to write next to each audio file", default="", metavar=",".join(SIDECAR_KINDS)
    )
    parser.add_option(
        "--unit", "字幕の単位（既定: line）", "what one subtitle covers (default: line)", choices=TIMING_UNITS, default="line"
    )


def _add_sound_options(parser: CommandParser) -> None:
    parser.add_option("--format", "音声形式（既定: wav）", "audio format (default: wav)", dest="sound", choices=EXPORT_SOUND_FORMATS)
    parser.add_option("--subtype", "サンプルの形式（wav、flac）", "sample format (wav, flac)", choices=["16", "24", "float"])
    parser.add_option("--quality", "音質（mp3、ogg、opus）", "quality (mp3, ogg, opus)", choices=SOUND_QUALITIES, default="standard")
    parser.add_option("--rate", "サンプリング周波数", "sampling rate", type=int, default=0, metavar="HZ")
    parser.add_switch("--stereo", "ステレオで書き出す", "write stereo")
    parser.add_option("--loudness", "ラウドネスをそろえる。例: -23", "target loudness, such as -23", type=float, metavar="LUFS")
    parser.add_switch("--loudness-each", "ラウドネスをファイルごとにそろえる", "adjust each file by itself")


def _add_batch_options(parser: CommandParser) -> None:
    parser.add_option(
        "--existing",
        "同じ名前のファイルがあるとき（既定: ask）",
        "what to do with files that exist (default: ask)",
        choices=EXISTING_FILE_POLICIES,
        default="ask",
    )
    parser.add_option(
        "--only",
        "missing: まだないファイルだけを書き出す。changed: 前回の書き出しから変更した行だけを書き出し、名前だけが変わったファイルは名前を変更する",
        "missing: write only files that are missing; changed: write only lines that changed since the last export, and rename files whose name alone changed",
        choices=["missing", "changed"],
    )
    parser.add_switch(
        "--remove-orphans",
        "台本にない行のファイルを削除する（--only changed と一緒に使用）",
        "with --only changed, remove the files of lines that are no longer in the script",
    )
    parser.add_option(
        "--jobs", "並列に使うプロセスの数（既定: 1）", "processes at once (default: 1)", type=_parse_jobs, default=1, metavar="N"
    )


def _parse_jobs(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 64:
        raise argparse.ArgumentTypeError(localize("1 から 64 までの数を指定してください。", "use a number from 1 to 64"))
    return number


def _add_cluster_options(parser: CommandParser) -> None:
    group = parser.add_argument_group(localize("複数のコンピューター", "more than one machine"))
    group.add_argument(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help=localize(
            "Dask のスケジューラー。例: tcp://HOST:8786、tls://HOST:8786。スケジューラーとワーカーは、送られたプログラムを実行します。信頼できるものだけを指定してください",
            "Dask scheduler whose workers make the files, as in tcp://HOST:8786 or tls://HOST:8786; anyone who can reach a scheduler can run code on its workers (remote code execution), so use only one that you trust",
        ),
    )
    group.add_argument(
        "--voices-folder",
        default="",
        metavar="PATH",
        help=localize("ワーカーから見た、声の共有フォルダー", "shared folder of voices, as the workers see it"),
    )
    group.add_argument(
        "--tls-ca-file", default="", metavar="FILE", help=localize("TLS の認証局（PEM）", "certificate authority for TLS (PEM)")
    )
    group.add_argument("--tls-cert", default="", metavar="FILE", help=localize("TLS の証明書（PEM）", "certificate for TLS (PEM)"))
    group.add_argument("--tls-key", default="", metavar="FILE", help=localize("TLS の秘密鍵（PEM）", "private key for TLS (PEM)"))
    group.add_argument(
        "--insecure",
        action="store_true",
        help=localize("ほかのコンピューターにも tcp:// で接続する（暗号化なし）", "allow tcp:// to another machine, unencrypted"),
    )
