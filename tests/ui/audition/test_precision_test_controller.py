"""Ready-made blind tests of float32 and int8: offered for a voice that has both, and of nothing but the precision."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.audition import take_store
from app.common.files import paths
from app.compose import speaker_opening
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.script.script import Line, Script, change_settings
from app.core.synthesis_types import SynthesisRequest
from app.engine.open_voices import VoicePrecisions
from app.install.voice_licence import accept_licence
from app.settings.user_settings import Settings
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.audition.precision_test_controller import TestedPart, list_compared_precisions
from app.ui.audition.setup_page import BlindTestSetupPage
from app.voices.installed_voices import find_voice
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.window_driver import WindowDriver
from tests.voices.both_precisions import fainter

TEXTS = ("今日は散歩します。", "明日は早く起きます。")


def edit(file: Path, **values: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | values), encoding="utf-8")


@pytest.fixture
def _both() -> None:
    """The voice and the BERT that we ship, each with another graph beside, in the library."""
    voice = paths.find_data_dir() / "voices" / "both"
    shutil.copytree(paths.find_resources_dir() / "voices" / "mei", voice)
    fainter(voice / "decoder.onnx", voice / "decoder_int8.onnx", 0.8)
    edit(
        voice / "voice.json",
        id="both",
        fast={"graphs": {"decoder": {"file": "decoder_int8.onnx", "snr_db": 40.0, "lsd_db": 0.5}}, "snr_db": 40.0, "lsd_db": 0.5},
    )
    (shipped,) = (paths.find_resources_dir() / "bert").iterdir()
    bert = paths.find_data_dir() / "bert" / "koebako-starter-v1"
    shutil.copytree(shipped, bert)
    fainter(bert / "bert.onnx", bert / "bert_int8.onnx", 0.0)
    edit(bert / "bert.json", files={"float32": "bert.onnx", "int8": "bert_int8.onnx"})
    accept_licence(find_voice("both", paths.list_voice_dirs()))


def opened(qtbot: QtBot, open_window: OpenWindow, voice: str) -> WindowDriver:
    window = open_window(Settings(text=""))
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    script = Script(tuple(Line(text, id=str(row)) for row, text in enumerate(TEXTS)))
    window.document.reset_script(change_settings(script, ["0", "1"], voice=voice, seed=7))
    window.script.select_lines(["0", "1"])
    return window


def dialog_of(window: WindowDriver) -> BlindTestDialog:
    dialog = window.blind_tests.dialog
    assert dialog is not None
    return dialog


@pytest.mark.usefixtures("_both")
@pytest.mark.parametrize("part", ["sound", "bert"])
def test_selected_lines_are_compared_in_both_precisions(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, part: TestedPart
) -> None:
    window = opened(qtbot, open_window, "both")
    action = window.window_actions["fast_test" if part == "sound" else "bert_test"]
    assert action.isEnabled()
    openings: list[tuple[object, object]] = []

    def note_opening(reference: str, backend: str, **terms: Any) -> Speaker:
        if backend == "cpu":
            openings.append((terms["precision"], terms["graph_precision"]))
        return open_speaker(reference, backend, **terms)

    monkeypatch.setattr(speaker_opening, "open_speaker", note_opening)
    action.trigger()
    dialog = dialog_of(window)
    assert dialog.pages.currentWidget() is dialog.preparing
    qtbot.waitUntil(lambda: isinstance(dialog.pages.currentWidget(), BlindTestSetupPage), timeout=WAIT_MS)
    page = dialog.pages.currentWidget()
    assert isinstance(page, BlindTestSetupPage)
    compared = list_compared_precisions(part, VoicePrecisions())
    assert openings == [(precisions.bert, precisions.graphs.find_precision("both")) for precisions in compared], "each once"
    assert window.speech_engine.voices.isolated is None, "it makes room as soon as all is made"
    plan = page.build_plan()
    assert plan.names == (("Exact", "Fast") if part == "sound" else ("BERT: exact", "BERT: fast"))
    assert len(plan.sounds) == (len(TEXTS) if part == "sound" else 1), "a line that is the same in both is left out"
    window.takes.shelf.follow_saved_file()  # a project that is saved now keeps what the test will name
    texts = TEXTS[-len(plan.sounds) :]
    for column, precision in enumerate(("exact", "fast") if part == "sound" else ("float32", "int8")):
        speaker = open_speaker("both", "cpu", **{"graph_precision" if part == "sound" else "precision": precision})  # type: ignore[arg-type]
        for text, row in zip(texts, plan.sounds, strict=True):
            kept = window.blind_tests.load_sound(row[column])[0]
            made = np.concatenate([chunk.samples for chunk in speaker.pipeline.synthesize(SynthesisRequest(text, seed=7))])
            assert len(kept) == len(made)
            assert np.abs(kept - made).max() < 1e-3, (text, precision)
    assert window.take_book.takes == (), "they are no takes"
    assert plan.texts == texts
    assert {source.voice for row in plan.sources for source in row} == {"Mei (starter)"}
    page.begin_button.click()
    assert dialog.test is not None
    assert dialog.test.plan.kind == "abx"
    dialog.reject()
    wait_idle(qtbot, window)


@pytest.mark.usefixtures("_both")
def test_closing_the_dialog_ends_the_preparation(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = opened(qtbot, open_window, "both")
    window.window_actions["fast_test"].trigger()
    dialog_of(window).reject()
    wait_idle(qtbot, window)
    assert window.blind_tests.dialog is None
    assert window.precision_tests._preparation is None


@pytest.mark.usefixtures("_both")
def test_another_project_ends_it(qtbot: QtBot, open_window: OpenWindow) -> None:
    """A test belongs to the project that it was begun in."""
    window = opened(qtbot, open_window, "both")
    window.window_actions["bert_test"].trigger()
    assert window.blind_tests.dialog is not None
    window.projects.opened.emit()
    assert window.blind_tests.dialog is None
    wait_idle(qtbot, window)


@pytest.mark.usefixtures("_both")
def test_sounds_that_are_the_same_are_no_test(qtbot: QtBot, open_window: OpenWindow) -> None:
    voice = paths.find_data_dir() / "voices" / "both"
    shutil.copyfile(voice / "decoder.onnx", voice / "decoder_int8.onnx")
    window = opened(qtbot, open_window, "both")
    window.window_actions["fast_test"].trigger()
    qtbot.waitUntil(window.banner.isVisible, timeout=WAIT_MS)
    assert "exactly the same" in window.banner.message.text()
    assert window.blind_tests.dialog is None


@pytest.mark.usefixtures("_both")
def test_what_fails_is_shown_in_the_dialog(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = opened(qtbot, open_window, "both")
    (paths.find_data_dir() / "voices" / "both" / "decoder_int8.onnx").write_bytes(b"no graph")
    window.window_actions["fast_test"].trigger()
    dialog = dialog_of(window)
    qtbot.waitUntil(dialog.notice.isVisible, timeout=WAIT_MS)
    assert dialog.notice.message.text()
    assert "licence" not in dialog.notice.message.text()
    assert not window.banner.isVisible()
    dialog.reject()
    wait_idle(qtbot, window)


@pytest.mark.usefixtures("_both")
def test_a_disk_that_is_full_ends_it(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(take_store, "write_file_atomically", full)
    window = opened(qtbot, open_window, "both")
    window.window_actions["fast_test"].trigger()
    qtbot.waitUntil(lambda: window.blind_tests.dialog is None, timeout=WAIT_MS)
    assert window.banner.isVisible()
    wait_idle(qtbot, window)


@pytest.mark.usefixtures("_both")
def test_the_menu_says_in_plain_words_why_not_and_the_tip_has_the_rest(qtbot: QtBot, open_window: OpenWindow) -> None:
    manifest = paths.find_data_dir() / "voices" / "both" / "voice.json"
    edit(manifest, fast=None, refused={"decoder": {"why": "noise", "snr_db": 21.5}})
    window = opened(qtbot, open_window, "both")
    action = window.window_actions["fast_test"]
    assert action.text() == "Blind test: exact vs fast (this voice is exact only)"
    assert "signal-to-noise ratio 21.5 dB" in action.toolTip()
    window.commands.change_setting("voice", "")
    assert "signal-to-noise" not in action.toolTip()


def test_a_voice_with_one_precision_says_what_it_lacks(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = opened(qtbot, open_window, "")
    for name, why in (("fast_test", "the included voice is exact only"), ("bert_test", "this BERT is exact only")):
        action = window.window_actions[name]
        assert not action.isEnabled()
        assert why in action.text()
    window.commands.change_setting("voice", "gone")
    assert "missing" in window.window_actions["bert_test"].text()
