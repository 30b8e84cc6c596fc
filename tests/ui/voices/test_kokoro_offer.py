"""The natural voice in one click: offered beside the included voice alone, and given only to lines that still have that one."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.common.errors import AppError
from app.core.script.project import Project
from app.core.script.script import Line, Script
from app.install.natural_voice import NATURAL_VOICE_MODEL
from app.settings.user_settings import Settings
from app.ui.interchange.opened_import import find_voices, open_file
from app.ui.script import autosave
from app.ui.script.autosave import choose_first_voice
from app.ui.tasks.process_task import ProcessTask
from app.ui.voices.voice_tasks import KOKORO_DOWNLOAD_BYTES, AddedVoiceRow, VoiceAdditionResult, VoiceAdditionSpec
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.parameters.test_used_settings import install
from tests.ui.window_driver import WindowDriver

KOKORO = AddedVoiceRow("kokoro", "Kokoro")


@pytest.fixture
def window(open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> WindowDriver:
    """Two lines with the included voice, both selected; tasks wait."""
    opened = open_window(Settings(text=""))
    opened.commands.add_text("一行目\n二行目", 0)
    opened.script.select_lines([line.id for line in opened.lines])
    qtbot.waitUntil(lambda: opened.catalog.is_read, timeout=WAIT_MS)
    monkeypatch.setattr(opened.task_queue, "_start_next", lambda: None, raising=False)
    monkeypatch.setattr(ProcessTask, "start", lambda _task, *_arguments: None)
    return opened


def find_spec(window: WindowDriver) -> VoiceAdditionSpec:
    (spec,) = [job.work for job in window.task_queue.jobs if isinstance(job.work, VoiceAdditionSpec)]
    return spec


def test_the_card_of_the_included_voice_offers_it(window: WindowDriver) -> None:
    offer = window.voice_card.natural
    assert not offer.isHidden()
    assert offer.text() == "Add a natural voice (about 63 MB)"
    offer.click()
    spec = find_spec(window)
    assert spec.arguments == ("voices", "add", "natural")
    assert spec.lines == tuple(line.id for line in window.lines)
    assert not offer.isEnabled()
    assert offer.text() == "Adding a natural voice…"
    window.natural.add_kokoro_voice()
    assert find_spec(window) is spec, "once is enough"
    window.task_queue.remove_task(window.task_queue.jobs[0])
    assert offer.isEnabled()


def test_it_is_offered_no_longer_when_it_is_there(window: WindowDriver, qtbot: QtBot) -> None:
    install(window, qtbot)
    assert window.voice_card.natural.isHidden()


def test_only_lines_that_still_have_the_included_voice_take_it(window: WindowDriver, qtbot: QtBot) -> None:
    window.voice_card.natural.click()
    spec = find_spec(window)
    first, second = (line.id for line in window.lines)
    window.voices.use_voice("another", [second])
    heard: list[list[str]] = []
    window.natural.speak_requested.connect(heard.append)
    window.voice_tasks.voices_added.emit(VoiceAdditionResult(spec, (KOKORO,), has_bert=False))
    assert [line.settings.voice for line in window.lines] == ["kokoro", "another"]
    assert heard == [[first]]


def test_nothing_is_heard_where_no_line_takes_it(window: WindowDriver) -> None:
    window.voice_card.natural.click()
    spec = find_spec(window)
    window.voices.use_voice("another")
    heard: list[list[str]] = []
    window.natural.speak_requested.connect(heard.append)
    window.voice_tasks.voices_added.emit(VoiceAdditionResult(spec, (KOKORO,), has_bert=False))
    assert {line.settings.voice for line in window.lines} == {"another"}
    assert heard == []


def test_the_page_has_it_without_a_connection(window: WindowDriver, qtbot: QtBot) -> None:
    window.window_actions["natural_voice"].trigger()
    page = window.natural.page
    assert page is not None
    assert page.kokoro.isVisible()
    page.show_failure(AppError("offline"))
    assert page.kokoro.isVisible()
    assert page.kokoro.add.text() == "Add and play (63 MB)"
    page.kokoro.add.click()
    assert not find_spec(window).keeps_other_voices, "who asks for it on this page means the selected lines"
    assert page.kokoro.add.text() == "Adding…"
    install(window, qtbot)
    window.task_queue.remove_task(window.task_queue.jobs[0])
    assert page.kokoro.add.text() == "Use and play"
    page.kokoro.add.click()
    assert {line.settings.voice for line in window.lines} == {"kokoro"}


def test_a_new_project_speaks_with_it_and_an_opened_one_keeps_its_voices(window: WindowDriver, qtbot: QtBot) -> None:
    install(window, qtbot)
    window.voices.use_voice("another")
    window.projects.show_project(Project())
    window.commands.add_text("新しい", 0)
    assert [line.settings.voice for line in window.lines] == ["kokoro"]
    window.projects.show_project(Project(script=Script((Line("前の行"),))))
    assert [line.settings.voice for line in window.lines] == [""]


def test_imported_characters_get_its_speakers_before_those_of_the_light_voice(window: WindowDriver, qtbot: QtBot, tmp_path: Path) -> None:
    voice = install(window, qtbot)
    script = tmp_path / "a.csv"
    script.write_text("speaker,text\nアキ,はい。\nケン,いいえ。\n博士,さあ。\n", encoding="utf-8")
    voices, error = find_voices(window.catalog.voices, window.catalog.default_id, ())
    assert error is None
    found = [(one.voice, one.speaker) for one in open_file(script, voices).suggestions.values()]
    own = [(voice.manifest.id, name) for _, name in voice.speakers]
    assert found[: len(own)] == own
    assert {name for name, _ in found[len(own) :]} == {"mei"}
    assert len(set(found)) == 3


def test_a_first_start_has_it_where_it_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path))
    monkeypatch.setattr(autosave, "list_voice_dirs", lambda: [tmp_path / "voices"])
    assert choose_first_voice(Settings()).voice == ""
    (tmp_path / "voices" / "kokoro").mkdir(parents=True)
    (tmp_path / "voices" / "kokoro" / "voice.json").touch()
    assert choose_first_voice(Settings()).voice == "kokoro"
    assert choose_first_voice(Settings(text="あ")).voice == "", "who has used the program keeps the voice"
    assert choose_first_voice(Settings(voice="mine")).voice == "mine"
    assert choose_first_voice(Settings(default_voice="mine")).voice == "", "it is not there"


@pytest.mark.parametrize("is_waiting", [False, True])
def test_a_voice_whose_parts_are_installed_is_prepared_in_the_background(
    window: WindowDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, is_waiting: bool
) -> None:
    monkeypatch.setattr("app.ui.voices.kokoro_offer._is_voice_waiting", lambda: is_waiting)
    window.voices_feature.kokoro.add_waiting_voice()
    window.voices_feature.kokoro.background.wait_until_idle()
    specs = [job.work for job in window.task_queue.jobs]
    assert len(specs) == is_waiting
    if not is_waiting:
        return
    assert window.voice_card.natural.text() == "Adding a natural voice…"
    heard: list[list[str]] = []
    window.natural.speak_requested.connect(heard.append)
    window.voice_tasks.voices_added.emit(VoiceAdditionResult(find_spec(window), (KOKORO,), has_bert=False))
    assert {line.settings.voice for line in window.lines} == {""}, "a voice does not change by itself"
    assert heard == [], "nobody asked to hear it"


def test_the_size_that_is_offered_is_that_of_the_packages() -> None:
    assert NATURAL_VOICE_MODEL.download_bytes == KOKORO_DOWNLOAD_BYTES
