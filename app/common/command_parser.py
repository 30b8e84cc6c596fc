"""The argument parser of every command line: the commands, and the self-test of the window."""

import argparse
import re
import sys
from typing import Any, NoReturn

from app.common.errors import InputError
from app.common.language import localize
from app.common.processes.terminal import escape_lines, write_text

_TRANSLATIONS = (
    (r"the following arguments are required: (.+)", r"\1 が必要です"),
    (r"one of the arguments (.+) is required", r"\1 のいずれかが必要です"),
    (r"unrecognized arguments: (.+)", r"不明な引数です: \1"),
    (r"not allowed with argument (.+)", r"\1 と一緒には使えません"),
    (r"expected one argument", r"値を一つ指定してください"),
    (r"expected at least one argument", r"値を一つ以上指定してください"),
    (r"ignored explicit argument (.+)", r"値は指定できません: \1"),
    (r"invalid int value: (.+)", r"整数を指定してください: \1"),
    (r"invalid float value: (.+)", r"数値を指定してください: \1"),
    (r"invalid choice: (.+?)(?:, maybe you meant .+)? \(choose from (.+)\)", r"\1 は使用できません（使用できるもの: \2）"),
    (r"ambiguous option: (.+) could match (.+)", r"\1 では \2 のどれか判断できません"),
)


def translate_to_japanese(message: str) -> str:
    """Return a message of argparse in Japanese; an unknown one unchanged."""
    argument = re.fullmatch(r"argument (.+?): (.+)", message, re.DOTALL)
    if argument:
        return f"{argument[1]}: {translate_to_japanese(argument[2])}"
    for english, japanese in _TRANSLATIONS:
        match = re.fullmatch(english, message, re.DOTALL)
        if match:
            return match.expand(japanese)
    return message


class CommandParser(argparse.ArgumentParser):
    """An ArgumentParser that speaks the user's language and raises instead of exiting."""

    def __init__(self, prog: str | None = None, description: str | None = None) -> None:
        super().__init__(prog=prog, description=description, add_help=False, allow_abbrev=False)
        self._positionals.title = localize("引数", "arguments")
        self._optionals.title = localize("オプション", "options")
        self.add_argument("-h", "--help", action="help", help=localize("このヘルプを表示して終了する", "show this help and exit"))

    def add_option(self, name: str, ja: str, en: str, **settings: Any) -> None:
        """Add an option or a positional argument with its help in both languages; `settings` as `add_argument` has them."""
        self.add_argument(name, help=localize(ja, en), **settings)

    def add_switch(self, name: str, ja: str, en: str) -> None:
        """Add an option that has no value."""
        self.add_argument(name, action="store_true", help=localize(ja, en))

    def error(self, message: str) -> NoReturn:
        """Raise InputError for a usage mistake, which is shown like any other error."""
        raise _build_usage_error(self.prog, message)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as `ArgumentParser`, but refuse `--` as a value: argparse would drop it and store an empty list."""
        words = list(sys.argv[1:] if args is None else args)
        if not self._subparsers:
            options, values = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])
            for item in options:
                option, value = item.split("=", 1) if item.startswith("--") and "=" in item else (item[:2], item[2:])
                if value == "--" and option.startswith("-"):
                    self.error(f"argument {option}: expected one argument")
            if "--" in values:
                self.error("unrecognized arguments: --")
        return super().parse_known_args(words, namespace)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as any parser; report excess arguments with the help of their command."""
        options, excess = self.parse_known_args(args, namespace)
        if excess:
            commands = [getattr(options, name, None) for name in ("command", "action")]
            raise _build_usage_error(" ".join([self.prog, *filter(None, commands)]), "unrecognized arguments: " + " ".join(excess))
        return options

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help and version; argparse itself would ignore a full disk."""
        write_text(escape_lines(message), file)

    def format_help(self) -> str:
        """Return the help text; argparse writes its first word in English only."""
        text = super().format_help()
        return text.replace("usage:", localize("使い方:", "usage:"), 1)


def _build_usage_error(command: str, message: str) -> InputError:
    return InputError(
        localize(f"コマンドの指定に誤りがあります: {translate_to_japanese(message)}", f"Invalid command: {message}"),
        localize(f"使い方: {command} --help", f"See `{command} --help`"),
    )


def add_action_parsers(commands: Any, name: str, summary: tuple[str, str], description: tuple[str, str] | None = None) -> Any:
    """Add a command that has actions, with its description if that says more than its summary; return what `add_command_parser` takes for these."""
    parser = commands.add_parser(name, help=localize(*summary), description=localize(*(description or summary)))
    title = localize("操作", "actions")
    return parser.add_subparsers(dest="action", required=True, parser_class=CommandParser, metavar="ACTION", title=title)


def add_command_parser(commands: Any, name: str, ja: str, en: str) -> CommandParser:
    """Add a command with `--json`, which every command has; `commands` is the result of `add_subparsers`."""
    parser: CommandParser = commands.add_parser(name, help=localize(ja, en), description=localize(ja, en))
    parser.add_argument("--json", action="store_true", help=localize("結果を JSON Lines で出力する", "print the result as JSON Lines"))
    return parser
