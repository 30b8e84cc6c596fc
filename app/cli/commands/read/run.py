"""`koebako read`: the open window reads aloud; without one, this process speaks as `koebako speak` does."""

import argparse
import subprocess

from app.adapters.window_requests import (
    MAX_REQUEST_BYTES,
    READ_COMMANDS,
    ReadCommand,
    ReadRequest,
    ReadSource,
    check_read_size,
    send_read_request,
)
from app.cli.command_files import decode_text, read_piped_input
from app.common.command_parser import CommandParser
from app.common.errors import InputError, InternalError
from app.common.files.untrusted_json import parse_object
from app.common.language import localize
from app.common.processes.launch import run_own_program
from app.settings.user_settings import load_usable_settings

CLIPBOARD_TIMEOUT_S = 30.0  # seconds until the child has started Qt and read the clipboard


def run(options: argparse.Namespace) -> int:
    """Read aloud, or control what is being read; what is read is checked before a window or a voice is asked for."""
    command = next((name for name in READ_COMMANDS if getattr(options, name)), None)
    if command is not None:
        return _send_command(command)
    source: ReadSource = "clipboard" if options.clipboard else "selection" if options.selection else "text"
    text = ""
    if source == "text":
        text = options.text if options.text is not None else decode_text(*read_piped_input())
        if not text.strip():
            raise InputError(
                localize("読み上げるテキストが空です。", "The text is empty."),
                localize("例: koebako read --clipboard", "For example: koebako read --clipboard"),
            )
        check_read_size(text)
    if send_read_request(ReadRequest(source, text)):
        return 0
    return _speak_text(text or read_clipboard_in_child(source))


def _send_command(command: ReadCommand) -> int:
    if not send_read_request(ReadRequest(command)):
        raise InputError(
            localize("Koebako が開いていません。", "Koebako is not open."),
            localize(
                "--stop、--pause、--skip は、開いている Koebako の読み上げに使います。",
                "Use --stop, --pause and --skip for what the open Koebako reads.",
            ),
        )
    return 0


def read_clipboard_in_child(source: ReadSource) -> str:
    """Return the clipboard's or the selection's text, which a child with Qt reads; raise InputError if there is none, InternalError if the child fails."""
    try:
        done = run_own_program("--clipboard", source, timeout_s=CLIPBOARD_TIMEOUT_S)
        if len(done.stdout) > MAX_REQUEST_BYTES:
            raise ValueError("too long")
        result = parse_object(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError) as exc:
        raise InternalError(localize("クリップボードを読み取れません。", "The clipboard cannot be read.")) from exc
    if not isinstance(result.get("text"), str):
        raise InputError(str(result.get("error", "")), str(result.get("hint", "")))
    text: str = result["text"]
    check_read_size(text)
    return text


def _speak_text(text: str) -> int:
    from app.cli.commands.speak.options import add_speak
    from app.cli.commands.speak.run import run as run_speak

    parser = CommandParser(prog="koebako")
    add_speak(parser.add_subparsers(dest="command", parser_class=CommandParser))
    settings = load_usable_settings()
    voice = settings.read_voice or settings.voice
    arguments = ["speak", "--play", "--speed", str(settings.read_speed), *(["--voice", voice] if voice else [])]
    options = parser.parse_args(arguments)
    options.text = text
    return run_speak(options)
