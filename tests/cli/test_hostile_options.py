"""Every option of every command with values that no one means: an exit code of the contract, never "unexpected", never a traceback."""

import argparse
import errno
import io
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

from app.cli.main import build_parser, main
from app.common.errors import AppError, InputError, VoiceError
from app.lab import subject_lookup
from app.service.access import bind_sockets

CONTRACT = {0, 2, 3, 4, 5, 6, 7, 130}
VALUES = [
    "--", "", "-", " ", "x" * 300, "x" * 5000, "\x1b[31m", "\x00", "a\nb", "\u202egnp", "\udc80", "@file", "=", ",", ":", "%s{0}$HOME", "\\", "/", "..",
    "~nobody-is-called-so", "/dev/null", "nul", "C:foo", "\\\\server\\share", "http://[::1", "−1", "-1", "0", "1e999", "-1e999", "nan", "inf",
    "0x10", "１２", "1_000", "9" * 30, "9" * 400, "9" * 5000, "1.5", "1,0", "、=", "、=nan", "=1e999", "🍣", "あ" * 300,
]  # fmt: skip
POSITIONAL = {"text": "あ", "voice": "mei", "source": "none.onnx", "sources": "none.onnx", "surface": "声箱", "reading": "コエバコ"}


@dataclass(frozen=True)
class Place:
    """An option that takes a value, or an argument, with all that its command needs besides."""

    command: tuple[str, ...]
    action: argparse.Action
    others: tuple[str, ...]

    def given(self, value: str) -> list[str]:
        """The whole command."""
        if not self.action.option_strings:
            return [*self.command, *self.others, "--", value]
        option = self.action.option_strings[-1]
        return [*self.command, *self.others, f"{option}={value}" if option.startswith("--") else option + value]


def places(parser: argparse.ArgumentParser, command: tuple[str, ...] = ()) -> Iterator[Place]:
    """Of all commands and their actions."""
    actions = [action for action in parser._actions if action.nargs != 0]
    for action in actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from places(below, (*command, name))
        else:
            yield Place(command, action, tuple(needed(actions, action)))


def needed(actions: list[argparse.Action], tried: argparse.Action) -> Iterator[str]:
    for action in actions:
        if action is tried or not (action.required or action.dest in ("text", "sources")) or tried.dest in ("url", "file"):
            continue
        yield from action.option_strings[-1:]
        yield POSITIONAL.get(action.dest, action.dest)


PARSER = build_parser()
ALL = list(places(PARSER))


@pytest.fixture(autouse=True)
def _harmless(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No network, no minutes of work, no files elsewhere."""
    for variable in ("KOEBAKO_AIVISHUB", "HF_ENDPOINT"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")

    def enough(*_: object) -> None:
        raise VoiceError("enough")

    monkeypatch.setattr("app.cli.commands.bench.run._open_speakers", enough)  # the options have been read by then
    monkeypatch.setattr("app.cli.commands.selftest.run._run_cli", enough)
    monkeypatch.setattr(subject_lookup, "open_subject_by_name", enough)  # likewise
    monkeypatch.setattr("app.cli.commands.serve.run.bind_sockets", refuse_to_serve)
    monkeypatch.setattr("app.cli.commands.mcp.run._reserve_streams", enough)  # of the process, which is the tests' own
    monkeypatch.chdir(tmp_path)


def refuse_to_serve(host: str, port: int) -> None:
    """The address is tried, and nobody served."""
    for own in bind_sockets(host, port):
        own.close()
    raise VoiceError("enough")


def run(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO("あ\n"))
    return main(arguments)


def test_all_options_are_tried() -> None:
    assert {place.command[0] for place in ALL} == {
        *("speak", "dict", "voices", "bert", "backends", "doctor", "selftest", "bench"),
        *("export", "project", "lab", "serve", "g2p", "mcp", "read"),
    }
    assert len(ALL) > 60


@pytest.mark.parametrize("value", VALUES, ids=lambda value: ascii(value[:10]))
def test_any_value_is_read_or_refused(value: str) -> None:
    for place in ALL:
        try:
            options = PARSER.parse_args(place.given(value))
        except InputError:
            continue
        if place.action.nargs is None and not isinstance(place.action, argparse._AppendAction):
            assert not isinstance(getattr(options, place.action.dest), list)


@hypothesis.given(st.sampled_from(list(itertools.product(ALL, VALUES))))
def test_any_value_ends_as_the_contract_says(case: tuple[Place, str]) -> None:
    place, value = case
    with pytest.MonkeyPatch.context() as monkeypatch:
        code = run(place.given(value), monkeypatch)
    assert code in CONTRACT


@pytest.mark.parametrize(
    "arguments",
    [
        ["dict", "add", "声箱", "--", "--"],
        ["voices", "rename", "mei", "--", "--"],
        ["bert", "add", "x" * 300],
        ["bert", "add", "あ" * 5000],
        ["dict", "export", ""],
        ["dict", "export", "/"],
        ["speak", "あ", "-o", "a.wav", "--seed", "9" * 400],
        ["speak", "あ", "--device", "9" * 5000],
        ["speak", "あ", "-f--"],
        ["speak", "\udc80"],
        ["speak", "あ\x00"],
        ["backends", "--trial", "cpu"],
        ["bench", "--runs", "99999999999"],
        ["bench", "--reference", "--turns", "99999999999"],
    ],
    ids=lambda arguments: ascii(" ".join(arguments))[:40],
)
def test_what_was_unexpected_once(arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments, monkeypatch) in CONTRACT - {0}
    assert capsys.readouterr().err.startswith("koebako: ")


def test_a_file_that_the_system_refuses_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where nobody foresaw it."""

    def refuse(_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", "/secret\x1b[31m/声")

    monkeypatch.setattr("app.cli.commands.doctor.run.run", refuse)
    assert run(["doctor"], monkeypatch) == InputError.exit_code
    assert "“/secret\\x1b[31m/声” cannot be used: permission denied." in capsys.readouterr().err
    monkeypatch.setattr("app.cli.commands.doctor.run.run", lambda _: 1 / 0)
    assert run(["doctor"], monkeypatch) == AppError.exit_code
