"""After two lines that waited, the window says why and offers the light voice or to prepare phrases first; it says so once."""

import pytest

from app.core.script.script import LineCast
from app.core.synthesis_types import SynthesisRequest
from app.engine.synthesis_jobs import SpeechJob
from app.settings.user_settings import Settings
from app.ui.playback.speech_settings import BusyNotice
from app.ui.synthesis.pending_jobs import SpeechState
from tests.ui.conftest import OpenWindow
from tests.ui.window_driver import WindowDriver

SLOW = SpeechJob(SynthesisRequest("あ", id="a"), 0.0, cast=LineCast("kokoro"))


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    opened = open_window(Settings(text="おはよう。", voice="kokoro"))
    assert opened.lines[0].settings.voice == "kokoro"
    return opened


def wait_for(window: WindowDriver, *waits: float, job: SpeechJob = SLOW) -> bool:
    """Whether the window says something after lines that waited for so many seconds."""
    for waited_s in waits:
        window.controller.speech_waited.emit(job, waited_s)
    return not window.voice_banner.isHidden() and "too busy" in window.voice_banner.message.text()


def test_one_slow_line_is_an_accident(window: WindowDriver) -> None:
    assert not wait_for(window, 2.0, 0.2, 2.0, 0.9)
    assert not wait_for(window, 5.0, 5.0, job=SpeechJob(SynthesisRequest("あ", id="a"), 0.0)), "there is no lighter voice"
    assert wait_for(window, 2.0, 2.0)


def test_a_long_wait_says_why_at_once(window: WindowDriver) -> None:
    waiting = SpeechState(is_speaking=True, is_preparing=True)
    notice = window.settings.findChild(BusyNotice)
    assert isinstance(notice, BusyNotice)
    window.controller.state_changed.emit(waiting)
    assert notice.long_wait.isActive()
    window.controller.state_changed.emit(SpeechState(is_speaking=True))
    assert not notice.long_wait.isActive()
    window.controller.state_changed.emit(waiting)
    notice.long_wait.timeout.emit()
    assert wait_for(window)


def test_the_light_voice_is_a_press_away(window: WindowDriver) -> None:
    wait_for(window, 2.0, 2.0)
    window.voice_banner.action.click()
    assert window.lines[0].settings.voice == ""
    assert window.voice_banner.isHidden()
    assert not wait_for(window, 2.0, 2.0, 2.0), "it was read"


def test_phrases_are_prepared_first_where_the_user_wants_it(window: WindowDriver) -> None:
    wait_for(window, 2.0, 2.0)
    window.voice_banner.other.click()
    assert window.settings.value.prepare_first
    assert window.speech_engine._playback.prepares_first
