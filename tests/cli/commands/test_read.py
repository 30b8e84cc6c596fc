"""`koebako read` without an open window, which speaks as `koebako speak` does."""

import argparse
import json
import time
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters import window_requests
from app.adapters.window_requests import (
    ANSWER_TIMEOUT_S,
    READ_COMMANDS,
    READ_SOURCES,
    ReadRequest,
    find_requests_dir,
    handle_read_requests,
    parse_read_request,
    send_read_request,
)
from app.cli.commands.read import run as read_command
from app.cli.commands.speak import run
from app.cli.main import main
from app.common.errors import InputError
from app.settings.user_settings import Settings, save_settings


def test_without_a_window_it_speaks_with_the_voice_and_speed_of_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    spoken: list[argparse.Namespace] = []
    monkeypatch.setattr(run, "run", lambda options: spoken.append(options) or 0)
    save_settings(replace(Settings(), voice="line", read_voice="reader", read_speed=1.5))
    monkeypatch.setattr(read_command, "read_clipboard_in_child", lambda source: f"{source}の文。")
    assert main(["read", "--", "-f と書いた文。"]) == 0
    assert main(["read", "--selection"]) == 0
    assert [(item.text, item.voice, item.speed, item.file) for item in spoken] == [
        ("-f と書いた文。", "reader", 1.5, None),
        ("selectionの文。", "reader", 1.5, None),
    ]


def test_nothing_and_too_much_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", " "]) == 2
    assert "The text is empty." in capsys.readouterr().err
    assert main(["read", "あ" * 400_000]) == 2
    assert "at most 1 MB" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--stop", "--pause", "--skip"])
def test_without_a_window_there_is_nothing_to_control(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", option]) == 2
    assert "Koebako is not open." in capsys.readouterr().err
    assert main(["read", option, "文。"]) == 2
    assert "not allowed with" in capsys.readouterr().err


@given(st.sampled_from((*READ_SOURCES, *READ_COMMANDS)), st.text(), st.floats(0, 1e10))
def test_a_request_is_what_was_sent(source: str, text: str, asked_at: float) -> None:
    request = ReadRequest(source, text, asked_at)  # type: ignore[arg-type]
    assert parse_read_request(json.dumps(asdict(request)).encode()) == request


def test_an_interrupted_request_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([True])

    def is_open() -> bool:
        for answer in answers:
            return answer
        raise KeyboardInterrupt

    monkeypatch.setattr(window_requests, "is_window_open", is_open)
    with pytest.raises(KeyboardInterrupt):
        send_read_request(ReadRequest("text", "もう読まれない文。"))
    assert list(find_requests_dir().iterdir()) == []


def test_a_request_that_nobody_waits_for_is_not_read() -> None:
    find_requests_dir().mkdir(parents=True)
    texts = {"待っている。": 0.0, "いなくなった。": ANSWER_TIMEOUT_S + 1, "いつかわからない。": -1e9}
    for number, (text, age_s) in enumerate(texts.items()):
        request = ReadRequest("text", text, time.time() - age_s)
        (find_requests_dir() / f"{number}.read").write_text(json.dumps(asdict(request)), encoding="utf-8")
    asked: list[ReadRequest] = []
    handle_read_requests(asked.append)
    assert [request.text for request in asked] == ["待っている。"]
    assert [path.name for path in find_requests_dir().iterdir()] == ["0.answer"]


@given(st.binary())
def test_other_bytes_are_refused_and_nothing_else_happens(content: bytes) -> None:
    with pytest.raises((ValueError, InputError)):
        parse_read_request(content)
