"""A run that the program itself stops is not a failure, whatever started it: nobody sees ONNX Runtime's message about it."""

import threading
from pathlib import Path
from typing import Any

import pytest

from app.adapters.ort.graph_session import GraphSession
from app.audition.line_rendering import render_line
from app.common.progress import ignore_report
from app.compose import device_opening
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.script.script import Line
from app.core.sound.fixed_durations import measure_durations, read_sentences, synthesize_fixed
from app.core.sound.stage_clock import RequestStopped, ignore_stage
from app.core.synthesis_types import SynthesisRequest
from app.export.export_batch import LocalWorker
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings
from app.export.export_tasks import BatchSettings, ExportTask
from app.install.verify_voice import verify_prepared_voice
from tests.faulty_device import FaultyDevice
from tests.stopped_runs import DECODER, FLOW, stop_within_run

REQUEST = SynthesisRequest("風の中を、行ってきました。", seed=3)


@pytest.fixture
def speaker() -> Speaker:
    """The small voice that ships, with nothing remembered."""
    return open_speaker("mei", "cpu")


@pytest.mark.parametrize("graph", [FLOW, DECODER])
def test_a_cancelled_line_ends_and_speaks_again(speaker: Speaker, graph: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled = threading.Event()
    stopped = stop_within_run(monkeypatch, lambda: (cancelled.set(), speaker.terminate()), graph)
    assert all(chunk.silence for chunk in speaker.pipeline.synthesize(REQUEST, cancelled=cancelled.is_set))
    assert stopped == [graph]
    assert list(speaker.pipeline.synthesize(REQUEST))[-1].last


def test_a_line_that_was_cut_short_does_not_pass_as_whole(speaker: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    stop_within_run(monkeypatch, speaker.terminate)
    with pytest.raises(RequestStopped):
        list(speaker.pipeline.synthesize(REQUEST))
    sentences = measure_durations(speaker.pipeline, REQUEST, read_sentences(speaker.pipeline, REQUEST))
    monkeypatch.undo()
    stop_within_run(monkeypatch, speaker.terminate)
    with pytest.raises(RequestStopped):
        list(synthesize_fixed(speaker.pipeline, REQUEST, sentences))


def test_a_warm_up_that_is_stopped_is_over(speaker: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where nobody waits by then: what was to be spoken may be gone again."""
    stopped = stop_within_run(monkeypatch, speaker.terminate)
    speaker.pipeline.warm_up()
    assert stopped == [DECODER]


def test_a_take_and_an_export_that_are_stopped_leave_nothing(speaker: Speaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled = threading.Event()
    stopped = stop_within_run(monkeypatch, lambda: (cancelled.set(), speaker.terminate()))
    assert render_line(speaker.pipeline, Line(REQUEST.text), ignore_stage, cancelled.is_set) is None
    assert stopped == [DECODER]
    monkeypatch.undo()
    worker = LocalWorker(BatchSettings(ExportSettings(), {"": "mei"}))
    stopped = stop_within_run(monkeypatch, worker.stop_task)
    assert worker.run_task(ExportTask(PlannedFile(tmp_path / "a.wav", (Line(REQUEST.text),)))) == {}
    assert stopped == [DECODER]
    assert not list(tmp_path.iterdir())
    worker.close()


def test_a_verification_that_is_stopped_says_nothing_of_the_voice(speaker: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions: list[GraphSession] = []
    create = GraphSession.__init__

    def create_and_keep(session: GraphSession, *values: Any) -> None:
        sessions.append(session)
        create(session, *values)

    monkeypatch.setattr(GraphSession, "__init__", create_and_keep)
    stopped = stop_within_run(monkeypatch, lambda: [session.terminate() for session in sessions])
    with pytest.raises(RequestStopped):
        verify_prepared_voice(speaker.voice, None, ignore_report, is_quick=True)
    assert stopped == [DECODER]


def test_a_device_whose_run_was_stopped_stays_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FaultyDevice(lambda results: results, 0)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    speaker = open_speaker("mei", "cuda")
    stopped = stop_within_run(monkeypatch, speaker.terminate)
    with pytest.raises(RequestStopped):
        list(speaker.pipeline.synthesize(REQUEST))
    assert stopped == [DECODER]
    assert speaker.fallback is None
    assert not speaker.is_device_lost
    assert set(speaker.backends.values()) == {"cuda"}
