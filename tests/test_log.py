"""The log tells where something went wrong, and nothing of what the user wrote, unless they want that."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.common import log
from app.common.log import LogFormatter, describe_error_chain, find_log_path
from app.settings.user_settings import Settings, save_settings
from tests.secret import READING, SECRET, WORD, betrayed

ROOT = Path(__file__).parents[1]
RUN = """
import json, sys
from app.cli.main import main

def break_synthesis():
    from app.core.sound import pipeline
    def broken(_self, request, *rest, **more):
        try:
            raise KeyError(request.text)
        except KeyError as exc:
            error = RuntimeError(f"cannot speak {request.text}")
            error.add_note(request.text)
            raise error from exc
    pipeline.Pipeline.synthesize = broken

codes = [break_synthesis() if arguments == "break" else main(arguments) for arguments in json.loads(sys.argv[1])]
print(json.dumps(codes))
"""
BREAK = "break"
"""In the place of a command: from here on, speaking raises an error that holds the text."""


def koebako(*commands: list[str] | str) -> tuple[list[int | None], str, str]:
    """Run commands one after the other in a process of their own; return their exit codes, and what stood on stdout and stderr."""
    command = [sys.executable, "-c", RUN, json.dumps(commands)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=120, check=True)
    return json.loads(done.stdout.splitlines()[-1]), done.stdout, done.stderr


def fail(text: str) -> BaseException:
    """An error whose words, cause and notes are the user's."""
    try:
        try:
            raise ValueError(text)
        except ValueError as exc:
            raise FileNotFoundError(2, text, text) from exc
    except OSError as error:
        error.add_note(text)
        return error


def test_what_is_spoken_taught_and_read_on_the_command_line_stays_out_of_every_file(tmp_path: Path) -> None:
    home = Path(os.environ["KOEBAKO_HOME"])
    lines = tmp_path / "lines.txt"
    lines.write_text(SECRET, encoding="utf-8")
    speak = ["speak", SECRET, "-o", str(tmp_path / "a.wav")]
    succeeding = (["dict", "add", WORD, READING], speak, ["speak", "-f", str(lines), *speak[2:]])
    failing = ([*speak, "--style", SECRET], [*speak, f"--{SECRET}"], ["voices", "add", SECRET])
    codes, _, _ = koebako(*succeeding, *failing, BREAK, speak)
    assert codes[:3] == [0, 0, 0]
    assert all(codes[3:6])
    assert codes[6:] == [None, 70]
    assert betrayed(home) == []
    told = find_log_path().read_text(encoding="utf-8")
    assert "unexpected error on the command line" in told
    for fact in ("in broken", "builtins.RuntimeError", "builtins.KeyError", "app/cli/commands/speak/run.py"):
        assert fact in told, "where it happened is told"
    assert {"cache", "dictionary.json", "logs"} <= {item.name for item in home.iterdir()}


def test_a_damaged_dictionary_is_reported_without_its_words() -> None:
    home = Path(os.environ["KOEBAKO_HOME"])
    home.mkdir()
    damaged = f'{{"version": 1, "entries": [{{"surface": "{WORD}", "reading": "{SECRET}!", "accent": 0}}]}}'
    (home / "dictionary.json").write_text(damaged, encoding="utf-8")
    _, told, warned = koebako(["doctor", "--json", "--only", "dictionary"])
    said = told + warned
    assert "dictionary" in said
    assert not any(text in said for text in (WORD, READING, SECRET))


def test_the_words_of_errors_are_written_for_those_who_want_that(tmp_path: Path) -> None:
    save_settings(Settings(log_words=True))
    assert koebako(BREAK, ["speak", SECRET, "-o", str(tmp_path / "a.wav")])[0] == [None, 70]
    told = find_log_path().read_text(encoding="utf-8")
    assert f"RuntimeError: cannot speak {SECRET}" in told
    assert f"KeyError: '{SECRET}'" in told


def test_an_outline_tells_kinds_places_and_the_systems_number() -> None:
    told = describe_error_chain(fail(SECRET))
    assert SECRET not in told
    kinds = [line for line in told.splitlines() if line.startswith("builtins.")]
    assert kinds == ["builtins.ValueError", f"builtins.FileNotFoundError: [2] {os.strerror(2)}"]
    assert told.count("in fail") == 2
    error = ValueError()
    error.__cause__ = error
    assert describe_error_chain(error) == "builtins.ValueError"


@pytest.mark.parametrize("wanted", [False, True])
def test_what_another_handler_has_made_of_an_error_is_not_taken_over(monkeypatch: pytest.MonkeyPatch, wanted: bool) -> None:
    formatter = LogFormatter("%(message)s")
    monkeypatch.setattr(log, "_formatter", formatter)
    log.allow_words_in_log(wanted)
    error = fail(SECRET)
    record = logging.LogRecord("koebako", logging.ERROR, "", 0, "it failed", None, (type(error), error, error.__traceback__))
    assert SECRET in logging.Formatter().format(record)
    assert (SECRET in formatter.format(record)) == wanted


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_log_on_a_full_disk_stops_nothing_and_prints_nothing(tmp_path: Path) -> None:
    find_log_path().parent.mkdir(parents=True)
    find_log_path().symlink_to("/dev/full")
    codes, _, told = koebako(BREAK, ["speak", SECRET, "-o", str(tmp_path / "a.wav")])
    assert codes == [None, 70]
    assert len(told.strip().splitlines()) == 2, told
