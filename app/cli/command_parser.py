"""How every command reads its options."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from app.cli.usage_words import in_japanese
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
        raise _mistake(self.prog, message)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As of any parser; what is too much is told with the help of the command it was given to."""
        options, rest = self.parse_known_args(args, namespace)
        if rest:
            given = [getattr(options, name, None) for name in ("command", "action")]
            raise _mistake(" ".join([self.prog, *filter(None, given)]), "unrecognized arguments: " + " ".join(rest))
        return options

    def format_help(self) -> str:
        """The help text; argparse writes its first word in English only."""
        text = super().format_help()
        return text.replace("usage:", say("使い方:", "usage:"), 1)


def _mistake(command: str, message: str) -> InputError:
    return InputError(
        say(f"コマンドの指定に誤りがあります: {in_japanese(message)}", f"The command is not right: {message}"),
        say(f"使い方: {command} --help", f"See {command} --help"),
    )


def add_command(commands: Any, name: str, ja: str, en: str) -> Parser:
    """A command with `--json`, which every command has; `commands` is what `add_subparsers` gave."""
    parser: Parser = commands.add_parser(name, help=say(ja, en), description=say(ja, en))
    parser.add_argument("--json", action="store_true", help=say("結果を JSON Lines で出力する", "print the result as JSON Lines"))
    return parser
