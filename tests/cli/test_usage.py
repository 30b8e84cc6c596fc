"""Commands that argparse refuses: told in the language of the user, with the exit code of a wrong input."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.main import COMMANDS, build_parser, main
from app.common.command_parser import CommandParser, translate_to_japanese
from app.common.language import set_language

MISTAKES = {
    "no command": ([], "COMMAND が必要です"),
    "no voice": (["voices", "info"], "ID|NAME|PATH が必要です"),
    "none of several": (["bert", "add"], "SOURCE|ID --url --hub のいずれかが必要です"),
    "too much": (["voices", "list", "あ"], "不明な引数です: あ"),
    "two that exclude each other": (["bert", "add", "--hub", "--url", "x"], "--url: --hub と一緒には使えません"),
    "no value": (["speak", "--speed"], "--speed: 値を一つ指定してください"),
    "no whole number": (["speak", "--seed", "1.5"], "--seed: 整数を指定してください: '1.5'"),
    "no number": (["speak", "--speed", "速く"], "--speed: 数値を指定してください: '速く'"),
    "no such command": (["sing"], "COMMAND: 'sing' は使用できません"),
    "no such choice": (["speak", "--subtype", "8"], "--subtype: '8' は使用できません（使用できるもの: "),
    "a value for a switch": (["speak", "--stereo=x"], "--stereo: 値は指定できません: 'x'"),
}


@pytest.fixture
def japanese() -> Iterator[None]:
    set_language("ja")
    yield
    set_language("en")


@pytest.mark.usefixtures("japanese")
@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_told_in_japanese(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, words = MISTAKES[case]
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert words in told
    assert not re.search(r"\b(argument|required|invalid|expected|choose|allowed|unrecognized|ignored)", told)


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_told_in_english(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(MISTAKES[case][0]) == 2
    told = capsys.readouterr().err
    assert re.search(r"argument|required", told)
    assert not re.search(r"[ぁ-んァ-ン]", told.replace("速く", "").replace("あ", ""))


def test_the_hint_names_the_command_that_was_given(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, command in ((["voices", "list", "あ"], "voices list"), (["speak", "あ", "い"], "speak"), (["doctor", "--x"], "doctor")):
        assert main(arguments) == 2
        assert capsys.readouterr().err.rstrip().endswith(f"See `koebako {command} --help`")


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("argument --x: invalid choice: 'a b: c' (choose from d, e)", "--x: 'a b: c' は使用できません（使用できるもの: d, e）"),
        ("argument --x: invalid choice: 'e', maybe you meant 'd'? (choose from d)", "--x: 'e' は使用できません（使用できるもの: d）"),
        ("unrecognized arguments: a\nb", "不明な引数です: a\nb"),
        ("something of a later Python", "something of a later Python"),
    ],
)
def test_other_versions_of_python_say_it_otherwise(message: str, told: str) -> None:
    assert translate_to_japanese(message) == told


def commands_of(parser: CommandParser) -> dict[str, CommandParser]:
    return next(dict(item.choices) for item in parser._actions if item.dest == "command")


def test_a_command_alone_is_read_as_in_the_whole_command_line() -> None:
    whole = commands_of(build_parser())
    assert tuple(whole) == COMMANDS
    for name in COMMANDS:
        alone = commands_of(build_parser([name, "--json"]))
        assert {name: parser.format_help() for name, parser in alone.items()} == {name: whole[name].format_help()}
    assert commands_of(build_parser(["--version", "speak"])).keys() == whole.keys()


def test_every_folder_of_a_command_is_a_command() -> None:
    folders = {file.parent.name for file in (Path(__file__).parents[2] / "app" / "cli" / "commands").glob("*/options.py")}
    assert folders == set(COMMANDS)


def test_every_command_is_tested() -> None:
    """`main` is called with the name of each command somewhere in the tests, or the command is started as a program."""
    texts = "\n".join(file.read_text(encoding="utf-8") for file in Path(__file__).parents[1].rglob("test_*.py") if file != Path(__file__))
    assert [name for name in COMMANDS if not re.search(rf"""[\[(*] ?["']{name}["']""", texts)] == []
