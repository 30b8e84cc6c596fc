"""The command line: one module a command, errors turned into a sentence, a hint and an exit code."""

import contextlib
import gc
import importlib
import logging
import os
import sys
from collections.abc import Sequence

from app.cli.console_output import check_characters, choose_json_stream, decode_utf8, is_json_requested, print_error, use_utf8
from app.cli.interrupts import INTERRUPTED_EXIT_CODE, exit_now, interrupt_handler
from app.common.command_parser import CommandParser
from app.common.errors import AppError, InputError, InternalError, OutputFileError
from app.common.files.private_data_dir import check_data_dir
from app.common.language import localize
from app.common.log import allow_words_in_log, find_log_path, start_log
from app.common.system_errors import describe_reason
from app.common.user_notices import set_notice_handler
from app.common.version import VERSION

COMMANDS = (
    "speak",
    "read",
    "export",
    "serve",
    "mcp",
    "g2p",
    "dict",
    "project",
    "voices",
    "bert",
    "backends",
    "doctor",
    "selftest",
    "bench",
    "lab",
)


def build_parser(arguments: Sequence[str] = ()) -> CommandParser:
    """Build the whole command line; if `arguments` begins with a command, build that one alone, which takes half the time."""
    parser = CommandParser(prog="koebako", description=localize("日本語のテキストを読み上げます。", "Speaks Japanese text."))
    parser.add_argument(
        "--version",
        action="version",
        version=f"koebako {VERSION}",
        help=localize("バージョンを表示して終了する", "show the version and exit"),
    )
    commands = parser.add_subparsers(
        dest="command", required=True, parser_class=CommandParser, metavar="COMMAND", title=localize("コマンド", "commands")
    )
    for name in arguments[:1] if arguments and arguments[0] in COMMANDS else COMMANDS:
        getattr(importlib.import_module(f"app.cli.commands.{name}.options"), f"add_{name}")(commands)
    return parser


GC_THRESHOLD = (
    # New objects; Python searches for garbage so often while it imports that it takes a fifteenth of the start, and finds none.
    50_000
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    # The process is all ours.
    if argv is None:
        gc.set_threshold(GC_THRESHOLD)
    use_utf8()
    set_notice_handler(lambda error: print_error(error, as_json=False))
    arguments = [decode_utf8(item) for item in (sys.argv[1:] if argv is None else argv)]
    with interrupt_handler:
        try:
            return _run_command(arguments)
        except SystemExit:  # --help and --version
            raise
        except BaseException as error:
            # Whatever an interruption has become on its way through foreign code, it stays one.
            if interrupt_handler.requested or isinstance(error, KeyboardInterrupt):
                return INTERRUPTED_EXIT_CODE
            return _report_failure(error, arguments)


def _run_command(arguments: list[str]) -> int:
    check_characters(arguments)
    with interrupt_handler.call_on_interrupt(exit_now):
        parser = build_parser(arguments)
    options = parser.parse_args(arguments)
    # The doctor command reports this as a finding of its own.
    if options.command != "doctor":
        check_data_dir()
    # A command is imported when it is called: `--help` must not wait for ONNX Runtime.
    with interrupt_handler.call_on_interrupt(exit_now):
        command = importlib.import_module(f"app.cli.commands.{options.command}.run")
    return int(command.run(options))


def _report_failure(error: BaseException, arguments: list[str]) -> int:
    # The reader of our output has gone, which needs no message.
    if isinstance(error, BrokenPipeError):
        _discard_stdout()
        return OutputFileError.exit_code
    if not isinstance(error, AppError):
        _log_error(error)
        error = _create_unexpected_error(error)
    # The error itself cannot be shown where nothing can be written.
    with contextlib.suppress(AppError, OSError):
        print_error(error, as_json=is_json_requested(arguments), stream=choose_json_stream(arguments))
    if isinstance(error, OutputFileError):
        _discard_stdout()
    return error.exit_code


def _log_error(error: BaseException) -> None:
    """Log an error without the arguments, which may be the text to be spoken; its place in the program shows which command it was."""
    from app.settings.user_settings import load_settings

    # The user sees the error even if the log cannot be written.
    with contextlib.suppress(AppError, OSError):
        start_log()
        allow_words_in_log(load_settings()[0].log_words)
        logging.getLogger("koebako").error("unexpected error on the command line", exc_info=error)


def _create_unexpected_error(error: BaseException) -> AppError:
    """Return the error for an unforeseen exception; if the system refused a file, it at least names the file and the reason."""
    details = localize(f"詳細なログ: {find_log_path()}", f"See the log for details: {find_log_path()}")
    name = error.filename if isinstance(error, OSError) else None
    if isinstance(name, str) and name:
        reason = describe_reason(error)
        return InputError(localize(f"「{name}」を使用できません：{reason}。", f"“{name}” cannot be used: {reason}."), details)
    return InternalError(localize("予期しないエラーが発生しました。", "An unexpected error occurred."), details)


def _discard_stdout() -> None:
    """Discard standard output, which cannot be written any more; without this the interpreter would complain at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        return
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
