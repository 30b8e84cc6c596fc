"""Licences: asked once for a voice and a text, and never for the voice that ships."""

import json
from pathlib import Path

import pytest

from app.common.errors import VoiceError
from app.install.resolve_voice import find_unprepared_voice
from app.install.voice_import import add_voice
from app.install.voice_licence import (
    VoiceLicence,
    accept_licence,
    find_acceptance_file,
    find_unaccepted_licence,
    is_accepted,
    record_acceptance,
    require_licence,
)

from .voice_files import TERMS, aivmx, quick, wishes

MINE = VoiceLicence("an-id", "花子", "読んでから使ってください。\n")


def test_accepted_once_is_accepted_for_good() -> None:
    asked = []
    for _ in range(2):
        require_licence(MINE, lambda licence: asked.append(licence) is None)
    assert asked == [MINE]
    (entry,) = json.loads(find_acceptance_file().read_text(encoding="utf-8"))
    assert set(entry) == {"id", "sha256", "date"}
    assert entry["id"] == "an-id"


def test_a_changed_text_or_another_voice_is_asked_again() -> None:
    record_acceptance(MINE)
    assert is_accepted(MINE)
    assert not is_accepted(VoiceLicence("an-id", "花子", MINE.text + "改訂"))
    assert not is_accepted(VoiceLicence("another-id", "花子", MINE.text))


def test_declined_is_an_error_and_nothing_is_remembered() -> None:
    with pytest.raises(VoiceError, match="花子"):
        require_licence(MINE, lambda _licence: False)
    assert not find_acceptance_file().exists()


@pytest.mark.parametrize("content", ["", "{}", "[5]", "[[[", '[{"id": "an-id"}]'])
def test_a_damaged_memory_only_asks_again(content: str) -> None:
    find_acceptance_file().parent.mkdir(parents=True)
    find_acceptance_file().write_text(content)
    assert not is_accepted(MINE)
    record_acceptance(MINE)
    assert is_accepted(MINE)


def test_no_text_and_the_shipped_voice_ask_nothing() -> None:
    assert is_accepted(VoiceLicence("x", "x", " \n"))
    assert find_unaccepted_licence(find_unprepared_voice("mei")) is None


def test_a_voice_that_was_accepted_elsewhere_is_shown_again(tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    voice = add_voice(aivmx(tiny_models, tmp_path / "a.aivmx", license=TERMS), wishes(), prepare=quick).voice
    assert find_unaccepted_licence(voice) is None
    find_acceptance_file().unlink()
    assert find_unaccepted_licence(voice) == TERMS
    accept_licence(voice)
    assert find_unaccepted_licence(voice) is None
