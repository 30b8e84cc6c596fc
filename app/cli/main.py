"""The command line: one module a command, errors turned into a sentence, a hint and an exit code."""

from __future__ import annotations

import contextlib
import gc
import importlib
import logging
import os
import sys
from collections.abc import Sequence

from app.cli.arguments import as_utf8, check_letters, json_stream, wants_json
from app.cli.interruption import EXIT_CODE, interruption, leave
from app.cli.output import print_error, use_utf8
from app.cli.parser import build_parser
from app.errors import AppError, InputError, InternalError, OutputFileError
from app.language import localized
from app.log import log_path, log_words, start_log
from app.notices import show_notices
from app.own_folder import check_home
from app.system_errors import reason_of

COLLECT_AFTER = (
    50_000  # new objects; Python searches for garbage so often while it imports that it takes a fifteenth of the start, and finds none
)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    if argv is None:  # the process is all ours
        gc.set_threshold(COLLECT_AFTER)
    use_utf8()
    show_notices(lambda error: print_error(error, as_json=False))
    arguments = [as_utf8(item) for item in (sys.argv[1:] if argv is None else argv)]
    with interruption:
        try:
            return _run(arguments)
        except SystemExit:  # --help and --version
            raise
        except BaseException as error:
            # Whatever an interruption has become on its way through foreign code, it stays one.
            if interruption.requested or isinstance(error, KeyboardInterrupt):
                return EXIT_CODE
            return _fail(error, arguments)


def _run(arguments: list[str]) -> int:
    check_letters(arguments)
    with interruption.instead(leave):
        parser = build_parser(arguments)
    options = parser.parse_args(arguments)
    if options.command != "doctor":  # which reports it as a finding
        check_home()
    # A command is imported when it is called: `--help` must not wait for ONNX Runtime.
    with interruption.instead(leave):
        command = importlib.import_module(f"app.cli.commands.{options.command}.run")
    return int(command.run(options))


def _fail(error: BaseException, arguments: list[str]) -> int:
    if isinstance(error, BrokenPipeError):  # the reader of our output has gone, which needs no message
        _abandon_stdout()
        return OutputFileError.exit_code
    if not isinstance(error, AppError):
        _log(error)
        error = _unexpected(error)
    with contextlib.suppress(AppError, OSError):  # the error itself cannot be shown where nothing can be written
        print_error(error, as_json=wants_json(arguments), stream=json_stream(arguments))
    if isinstance(error, OutputFileError):
        _abandon_stdout()
    return error.exit_code


def _log(error: BaseException) -> None:
    """Arguments may be the text to be spoken, so they stay out; where in the program it happened shows which command it was."""
    from app.settings import load_settings

    with contextlib.suppress(AppError, OSError):  # whatever the log says, the user sees it
        start_log()
        log_words(load_settings()[0].log_words)
        logging.getLogger("koebako").error("unexpected error on the command line", exc_info=error)


def _unexpected(error: BaseException) -> AppError:
    """The error for an exception nobody foresaw; if the system refused a file, it at least names the file and the reason."""
    details = localized(f"詳細なログ: {log_path()}", f"See the log for details: {log_path()}")
    name = error.filename if isinstance(error, OSError) else None
    if isinstance(name, str) and name:
        reason = reason_of(error)
        return InputError(localized(f"「{name}」を使用できません：{reason}。", f"“{name}” cannot be used: {reason}."), details)
    return InternalError(localized("予期しないエラーが発生しました。", "An unexpected error occurred."), details)


def _abandon_stdout() -> None:
    """Nothing more can be written there; without this the interpreter would complain at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        return
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
