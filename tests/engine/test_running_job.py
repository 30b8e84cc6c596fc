"""Stopping a warm-up: for a job that waits, never for the job that warms up. What is stopped has not failed."""

import pytest

from app.core.sound.stage_clock import RequestStopped
from app.engine.job_handlers import RunningJob
from app.engine.synthesis_jobs import EngineEvent, JobFailure, OpenVoiceJob, ignore_event


class CountingVoices:
    """Counts how often the graphs are stopped."""

    stops = 0

    def terminate_graphs(self) -> None:
        self.stops += 1


@pytest.mark.parametrize("is_waiting", [False, True])
def test_a_warm_up_gives_way_to_a_job_that_waits_and_not_to_its_own(is_waiting: bool) -> None:
    voices = CountingVoices()
    running = RunningJob(ignore_event, voices)  # type: ignore[arg-type]
    first, second = OpenVoiceJob("cpu"), OpenVoiceJob("cpu")

    def warm_up() -> None:
        # The window's thread has queued a job, and comes to this only now.
        running.stop_warming_for(second if is_waiting else first)

    def open_voice() -> bool:
        running.run_warm_up(warm_up)
        return True

    assert running.run_part(first, open_voice)
    assert voices.stops == is_waiting


@pytest.mark.parametrize(("error", "failures"), [(RequestStopped(), 0), (ValueError("broken"), 1)])
def test_a_part_that_was_stopped_is_over_without_a_failure(error: Exception, failures: int) -> None:
    failed = list[EngineEvent]()
    running = RunningJob(failed.append, CountingVoices())  # type: ignore[arg-type]

    def raise_error() -> bool:
        raise error

    assert running.run_part(OpenVoiceJob("cpu"), raise_error) is None
    assert [type(event) for event in failed] == [JobFailure] * failures
