"""`koebako read` without an open window, which speaks as `koebako speak` does."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.window_requests import READ_SOURCES, ReadRequest, parse_read_request
from app.cli.commands.read import run as read_command
from app.cli.main import main
from app.common.errors import InputError
from app.settings.user_settings import Settings, save_settings


def test_without_a_window_it_speaks_with_the_voice_and_speed_of_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    spoken: list[argparse.Namespace] = []
    monkeypatch.setattr("app.cli.commands.speak.run.run", lambda options: spoken.append(options) or 0)
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


@given(st.sampled_from(READ_SOURCES), st.text())
def test_a_request_is_what_was_sent(source: str, text: str) -> None:
    assert parse_read_request(json.dumps({"source": source, "text": text}).encode()) == ReadRequest(source, text)  # type: ignore[arg-type]


@given(st.binary())
def test_other_bytes_are_refused_and_nothing_else_happens(content: bytes) -> None:
    with pytest.raises((ValueError, InputError)):
        parse_read_request(content)
