"""The options of every command, with help in the language of the user."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from importlib import metadata
from typing import Any, NoReturn

from app.core.limits import BOUNDS
from app.errors import InputError
from app.language import say


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that speaks the user's language and raises instead of exiting."""

    def __init__(self, prog: str | None = None, description: str | None = None) -> None:
        super().__init__(prog=prog, description=description, add_help=False, allow_abbrev=False)
        self._positionals.title = say("引数", "arguments")
        self._optionals.title = say("オプション", "options")
        self.add_argument("-h", "--help", action="help", help=say("この説明を表示して終わる", "show this help and exit"))

    def error(self, message: str) -> NoReturn:
        """A usage mistake becomes an InputError, shown like any other error."""
        raise InputError(
            say(f"コマンドの指定に誤りがあります: {message}", f"The command is not right: {message}"),
            say(f"使い方: {self.prog} --help", f"See {self.prog} --help"),
        )

    def format_help(self) -> str:
        """The help text; argparse writes its first word in English only."""
        text = super().format_help()
        return text.replace("usage:", say("使い方:", "usage:"), 1)


def version() -> str:
    """Version of the installed program."""
    try:
        return metadata.version("koebako")
    except metadata.PackageNotFoundError:  # run from a checkout without being installed
        return "0.1.0"


def build_parser() -> Parser:
    """The whole command line."""
    parser = Parser(prog="koebako", description=say("日本語の文章を声にします。", "Speaks Japanese text."))
    parser.add_argument(
        "--version", action="version", version=f"koebako {version()}", help=say("版を表示して終わる", "show the version and exit")
    )
    commands = parser.add_subparsers(
        dest="command", required=True, parser_class=Parser, metavar="COMMAND", title=say("コマンド", "commands")
    )
    _add_speak(commands)
    _add_g2p(commands)
    _add_voices(commands)
    _add_doctor(commands)
    _add_selftest(commands)
    _add_bench(commands)
    return parser


def _command(commands: Any, name: str, ja: str, en: str) -> Parser:
    parser: Parser = commands.add_parser(name, help=say(ja, en), description=say(ja, en))
    parser.add_argument("--json", action="store_true", help=say("結果を JSON Lines で出力する", "print the result as JSON Lines"))
    return parser


def _add_voice_options(parser: Parser) -> None:
    parser.add_argument(
        "--voice",
        metavar="ID|NAME|PATH",
        help=say("声(省略すると voices list の最初の声)", "the voice (default: the first of `voices list`)"),
    )
    parser.add_argument("--backend", default="auto", help=say("auto、cpu、directml、cuda など", "auto, cpu, directml, cuda …"))
    parser.add_argument(
        "--force-bert",
        action="store_true",
        help=say(
            "声が求める BERT が無いとき別の BERT で代用する(抑揚がおかしくなる)",
            "use another BERT when the voice's own is missing (wrong prosody)",
        ),
    )


def _add_speak(commands: Any) -> None:
    parser = _command(commands, "speak", "文章を読み上げる、または音声ファイルに書く", "speak text, or write it to a sound file")
    parser.add_argument("text", nargs="?", metavar="TEXT", help=say("読み上げる文章(省略すると標準入力)", "what to say (default: stdin)"))
    parser.add_argument("-f", "--file", metavar="FILE", help=say("文章のファイル(UTF-8)", "a UTF-8 text file"))
    parser.add_argument("-o", "--output", metavar="FILE", help=say("音声ファイル。- は標準出力に WAV", "sound file; - is a WAV on stdout"))
    parser.add_argument("--play", action="store_true", help=say("音声ファイルに加えて再生もする", "play as well as write"))
    parser.add_argument("--device", help=say("再生する装置の名前か番号", "output device by name or number"))
    _add_voice_options(parser)
    parser.add_argument("--speaker", help=say("話者の名前か番号", "speaker by name or number"))
    parser.add_argument("--style", help=say("スタイルの名前か番号", "style by name or number"))
    for name, bounds in BOUNDS.items():
        option = "--" + name.removesuffix("_s").replace("_", "-")
        text = f"{bounds.label} {bounds.low:g}–{bounds.high:g} ({bounds.default:g})"
        parser.add_argument(option, dest=name, type=float, default=bounds.default, metavar="N", help=text)
    parser.add_argument("--assist", default="", metavar="TEXT", help=say("読み方の雰囲気を与える文", "text whose mood colours the reading"))
    parser.add_argument(
        "--pause",
        action="append",
        default=[],
        metavar="MARK=SECONDS",
        help=say("記号ごとの間。例: --pause 、=0.2", "pause of a mark, as in --pause 、=0.2"),
    )
    parser.add_argument("--seed", type=int, default=0, help=say("ゆらぎの種(0)", "seed of the noise (0)"))
    parser.add_argument("--rate", type=int, metavar="HZ", help=say("音声ファイルの標本化周波数", "sampling rate of the file"))
    parser.add_argument("--stereo", action="store_true", help=say("音声ファイルを 2 チャンネルにする", "write two channels"))
    parser.add_argument("--subtype", choices=["16", "24", "float"], help=say("標本の形式(wav・flac)", "sample format (wav, flac)"))


def _add_g2p(commands: Any) -> None:
    _command(commands, "g2p", "標準入力の各行を読みと音素にする(常に JSON)", "readings and phones of each line on stdin (always JSON)")


def _add_voices(commands: Any) -> None:
    parser = commands.add_parser(
        "voices", help=say("声の一覧と情報", "list and inspect voices"), description=say("声の一覧と情報", "Lists and inspects voices.")
    )
    actions = parser.add_subparsers(dest="action", required=True, parser_class=Parser, metavar="ACTION", title=say("操作", "actions"))
    _command(actions, "list", "使える声の一覧", "the voices at hand")
    info = _command(actions, "info", "声の情報", "what is known of a voice")
    info.add_argument("voice", metavar="ID|NAME|PATH")
    check = _command(actions, "check", "声の計算結果を期待値と比べる", "compare a voice with expected outputs")
    check.add_argument("source", metavar="SOURCE")
    check.add_argument("--expected", required=True, metavar="NPZ", help=say("期待値のファイル", "file of expected outputs"))
    check.add_argument(
        "--tolerance", type=float, default=1e-3, metavar="N", help=say("許す差(0.001)", "largest difference allowed (0.001)")
    )


def _add_doctor(commands: Any) -> None:
    _command(commands, "doctor", "動作に必要なものが揃っているか調べる", "check that everything the program needs is there")


def _add_selftest(commands: Any) -> None:
    parser = _command(commands, "selftest", "使えるバックエンドをすべて試して比べる", "try every backend of this machine and compare them")
    parser.add_argument("--report", metavar="FILE", help=say("報告のファイル(JSON)", "a file for the report (JSON)"))


def _add_bench(commands: Any) -> None:
    parser = _command(commands, "bench", "段階ごとの時間を測る", "measure how long each stage takes")
    _add_voice_options(parser)
    parser.add_argument(
        "--tokens", default="5,20,40", metavar="N,N", help=say("文の長さ(BERT のトークン数)", "lengths of the texts in BERT tokens")
    )
    parser.add_argument("--lines", action="store_true", help=say("短い行と長い行も測る", "also a short and a long line"))
    parser.add_argument(
        "--bert", metavar="ID|PATH", help=say("BERT(省略すると声が求めるもの)", "the BERT (default: the one the voice names)")
    )
    parser.add_argument("--csv", action="store_true", help=say("結果を CSV で出力する", "print the result as CSV"))
    parser.add_argument("--runs", type=int, default=10, metavar="N", help=say("測る回数(10)", "measured runs (10)"))
    parser.add_argument("--warmup", type=int, default=3, metavar="N", help=say("測る前に動かす回数(3)", "runs before measuring (3)"))


def readable(argument: str) -> str:
    """An argument as UTF-8 whatever the locale says; bytes that are none become replacement characters."""
    try:
        return os.fsencode(argument).decode("utf-8", "replace")
    except UnicodeEncodeError:
        return argument.encode("utf-8", "replace").decode()


def wants_json(arguments: list[str]) -> bool:
    """Whether errors shall be JSON, even errors of the command line itself."""
    return "--json" in arguments or (bool(arguments) and arguments[0] == "g2p")


def stdout_is_sound(arguments: list[str]) -> bool:
    """Whether stdout carries a WAV, so that JSON has to go to stderr."""
    return any(option in ("-o", "--output") and value == "-" for option, value in itertools.pairwise(arguments)) or (
        "-o-" in arguments or "--output=-" in arguments
    )


def json_stream(arguments: list[str]) -> Any:
    """Where JSON lines go."""
    return sys.stderr if stdout_is_sound(arguments) else sys.stdout
