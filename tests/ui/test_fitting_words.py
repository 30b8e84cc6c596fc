"""What the user of the window reads names menus and buttons; options and commands are for those who typed a command."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from app.adapters.portaudio import audio_devices
from app.common.errors import AppError
from app.install.voice_import import choose_checkpoints
from app.install.voice_licence import VoiceLicence, require_licence
from app.voices.bert_models import find_bert
from app.voices.containers.voice_file_sources import PreparedSource
from app.voices.containers.voice_sources import Checkpoint
from app.voices.prepare.bert.deberta_weights import build_not_deberta_error
from app.voices.required_bert import SBV2_BERT_ID

pytestmark = pytest.mark.usefixtures("styled")

COMMANDS = re.compile(r"koebako [a-z]|`|-o\b|--[a-z]")


def raised(call: Callable[[], object]) -> AppError:
    with pytest.raises(AppError) as caught:
        call()
    return caught.value


def no_deberta() -> None:
    raise build_not_deberta_error("x")


def no_output() -> None:
    audio_devices.find_output_device(None)


def errors(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[AppError]:
    """Those that have something to say that is done differently in the window."""
    monkeypatch.setattr(audio_devices, "list_output_devices", list)
    two = [Checkpoint(PreparedSource(folder / name), "safetensors", name) for name in ("a", "b")]
    calls: list[Callable[[], object]] = [
        lambda: find_bert(SBV2_BERT_ID, [folder]),
        lambda: find_bert("another", [folder]),
        lambda: find_bert("another", [folder], chosen_id=SBV2_BERT_ID),
        no_deberta,
        no_output,
        lambda: choose_checkpoints(two, None, all_voices=False),
        lambda: require_licence(VoiceLicence("id", "name", "text"), lambda _licence: False),
    ]
    return [raised(call) for call in calls]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_hints_in_the_window_name_no_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    monkeypatch.setattr("app.common.language._current", language)
    told = errors(tmp_path, monkeypatch)
    assert [error.hint for error in told if COMMANDS.search(error.message + error.hint)] == []
    assert all(error.hint for error in told)
    monkeypatch.setenv("KOEBAKO_FRONTEND", "command")
    typed = errors(tmp_path, monkeypatch)
    assert [error.hint for error in typed if not COMMANDS.search(error.hint)] == []
