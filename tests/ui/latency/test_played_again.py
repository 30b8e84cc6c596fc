"""A line that is played again comes from the cache, and its times stand apart from the medians."""

from pytestqt.qtbot import QtBot

from tests.ui.conftest import OpenWindow, speak, wait_idle, write


def test_a_line_that_is_played_again_is_counted_apart(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, "はい。そうですね。")
    speak(qtbot, window)
    wait_idle(qtbot, window)
    history = window.history
    first = history.compute_total_row()
    assert (first.cached_runs, history.compute_first_audio_row().cached_runs) == (0, 0), "also where its reading was known"
    assert first.median == history.utterances[0].total_ms
    speak(qtbot, window)
    wait_idle(qtbot, window)
    again = history.compute_total_row()
    assert (again.median, again.p95, again.cached_runs) == (first.median, first.p95, 1)
    assert again.cached_median == history.utterances[1].total_ms
    decoded = history.compute_stage_row("decode")
    assert (decoded.is_cached, decoded.cached_runs) == (True, 1)
