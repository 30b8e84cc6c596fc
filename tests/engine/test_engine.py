"""Four lanes on one thread, without Qt: files never hold up what is to be heard, and what is heard leaves files their turn."""

import threading
import time
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from app.adapters import speech_activity
from app.audition.line_rendering import TakeResult, render_take
from app.core.script.script import Line, LineSettings, build_request
from app.core.sound.stage_clock import RequestStopped
from app.core.synthesis_types import StageTiming, SynthesisRequest
from app.engine.engine import MIN_QUEUED_BEFORE_FILES_S, Engine, EngineThread, JobHandle
from app.engine.open_voices import OpenedVoice, OpenVoices
from app.engine.speech_job_runner import SaveJob, SpeechFile
from app.engine.synthesis_jobs import (
    ChooseDeviceJob,
    ComputedResult,
    ComputeJob,
    EngineEvent,
    Importance,
    JobFailure,
    JobResult,
    JobTurn,
    OpenVoiceJob,
    ShutdownJob,
    SpeechJob,
)
from app.engine.voice_terms import LineVoiceOpener
from tests.recording_player import RecordingPlayer
from tests.stopped_runs import DECODER, stop_within_run

HELLO = "こんにちは、世界。"
SENTENCES = [f"{number}番目の駅で降りて、長い坂道をゆっくりと登りました。" for number in range(40)]
LONG = "".join(SENTENCES)
PATIENCE_S, POLL_S = 60.0, 0.005
FILE_SENTENCES = 6
FILE = "".join(SENTENCES[:FILE_SENTENCES])  # for files that are written to the end


class Listener:
    """Collects what the engine reports."""

    def __init__(self) -> None:
        self.done: list[JobResult] = []
        self.failed: list[JobFailure] = []
        self.voices: list[object] = []
        self.timings: list[StageTiming] = []
        self.computed: list[ComputedResult] = []

    def take_event(self, event: EngineEvent) -> None:
        kinds: dict[type, list[Any]] = {
            JobResult: self.done,
            JobFailure: self.failed,
            OpenedVoice: self.voices,
            StageTiming: self.timings,
            ComputedResult: self.computed,
        }
        kinds.get(type(event), []).append(event)


class Studio:
    """An engine in a thread of its own, with a player that nobody hears."""

    def __init__(self, player: RecordingPlayer) -> None:
        self.player = player
        self.heard = Listener()
        report = self.heard.take_event
        voices = OpenVoices(LineVoiceOpener(print).open_voice, report)
        self.engine = Engine(voices, report, lambda _device, _rate: player)
        self.thread = threading.Thread(target=self.engine.run_jobs, name="synthesis", daemon=True)
        self.thread.start()

    def speak(self, name: str, text: str) -> SpeechJob:
        job = SpeechJob(SynthesisRequest(text, id=name), time.perf_counter())
        self.engine.enqueue_job(job)
        return job

    def save(self, name: str, text: str, file: Path) -> SaveJob:
        speech = SpeechFile(file, (SynthesisRequest(text, id=name),))
        job = SaveJob(Importance.FILE, speech.write_file, speech=speech)
        self.engine.enqueue_job(job)
        return job

    def open_voice(self, *, hold: bool = True) -> OpenVoiceJob:
        job = OpenVoiceJob("cpu", keep_open=hold)
        self.engine.enqueue_job(job)
        return job

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end
            time.sleep(POLL_S)

    def until_done(self, *jobs: object) -> None:
        self.until(lambda: all(any(done.job is job for done in self.heard.done) for job in jobs))

    def order(self) -> list[object]:
        return [done.job for done in self.heard.done]


@pytest.fixture
def studio(request: pytest.FixtureRequest) -> Iterator[Studio]:
    player = getattr(request, "param", None) or RecordingPlayer()
    studio = Studio(player)
    yield studio
    studio.engine.enqueue_job(ShutdownJob())
    studio.thread.join(PATIENCE_S)
    assert not studio.thread.is_alive()


def render_job(line: Line) -> ComputeJob[TakeResult]:
    """A take whose answer nobody waits for."""
    return ComputeJob(Importance.TAKE, partial(render_take, line, None))


def samples(player: RecordingPlayer, name: str) -> np.ndarray:
    return player.sound(name)


def test_speaking_begins_while_a_file_is_computed_and_the_file_is_whole(studio: Studio, tmp_path: Path) -> None:
    voice = studio.open_voice()
    studio.until_done(voice)
    alone, beside = tmp_path / "alone.wav", tmp_path / "beside.wav"
    first = studio.save("alone", FILE, alone)
    studio.until_done(first)
    assert studio.engine.voices.caches is not None
    studio.engine.voices.caches.clear()
    saving = studio.save("file", FILE, beside)
    studio.until(lambda: studio.engine.current is saving)
    line = studio.speak("line", HELLO)
    studio.until_done(line)
    assert saving not in studio.order(), "the line is done long before the file"
    assert studio.player.requests["line"][-1].last
    assert not saving.cancelled.is_set()
    studio.until_done(saving)
    assert np.array_equal(soundfile.read(alone)[0], soundfile.read(beside)[0]), "giving way changes no sample"
    stages = [timing.request_id for timing in studio.heard.timings]
    begin = stages.index("line")
    assert set(stages[begin : begin + stages.count("line")]) == {"line"}, "nothing of the file ran in between"


@pytest.mark.parametrize("studio", [RecordingPlayer(pace=1.0)], indirect=True)
def test_a_file_is_computed_while_a_long_line_sounds(studio: Studio, tmp_path: Path) -> None:
    voice = studio.open_voice()
    studio.until_done(voice)
    line = studio.speak("line", LONG)
    studio.until(lambda: studio.engine.current is line)
    saving = studio.save("file", HELLO, tmp_path / "file.wav")
    studio.until_done(saving)
    assert line not in studio.order(), "the line still sounds"
    assert soundfile.info(tmp_path / "file.wav").frames > 10_000
    assert studio.player.queued_s > MIN_QUEUED_BEFORE_FILES_S / 2, "the file took its time from what was ahead"
    studio.engine.cancel_job(line)
    studio.until_done(line)


@pytest.mark.parametrize("studio", [RecordingPlayer(pace=0.01)], indirect=True)
@pytest.mark.parametrize("sounding", [FILE, LONG], ids=["computed", "begun"])
def test_a_device_lost_while_a_file_is_computed_is_reported(studio: Studio, tmp_path: Path, sounding: str) -> None:
    voice = studio.open_voice()
    studio.until_done(voice)
    line = studio.speak("line", sounding)
    studio.until(lambda: studio.player.queued_s > MIN_QUEUED_BEFORE_FILES_S)
    first, second = (studio.save(name, FILE, tmp_path / f"{name}.wav") for name in ("first", "second"))
    studio.until_done(first)
    assert not studio.heard.failed
    studio.player.is_lost = True
    studio.until(lambda: bool(studio.heard.failed))
    assert second not in studio.order(), "while the next file is computed, not after it"
    studio.engine.cancel_job(line)
    assert {id(failed.job) for failed in studio.heard.failed} == {id(line)}
    studio.player.is_lost = False  # the player is shared by both cases
    studio.until_done(second)


def test_cancelling_one_lane_leaves_the_other_alone(studio: Studio, tmp_path: Path) -> None:
    voice = studio.open_voice()
    studio.until_done(voice)
    saving = studio.save("file", LONG, tmp_path / "file.wav")
    studio.until(lambda: studio.engine.current is saving)
    for number in range(5):
        line = studio.speak(f"line {number}", LONG)
        studio.until(lambda number=number: f"line {number}" in studio.player.requests)
        studio.engine.cancel_job(line)
        studio.until_done(line)
    line = studio.speak("line", HELLO)
    studio.until_done(line)
    assert not studio.heard.failed
    assert studio.player.requests["line"][-1].last
    studio.engine.cancel_job(saving)
    studio.until_done(saving)
    assert not (tmp_path / "file.wav").exists(), "a cancelled file leaves nothing"
    assert not list(tmp_path.glob("*.part*"))
    assert [done.succeeded for done in studio.heard.done if done.job is line] == [True]


def test_a_line_that_fails_does_not_spoil_the_file(studio: Studio, tmp_path: Path) -> None:
    voice = studio.open_voice()
    studio.until_done(voice)
    saving = studio.save("file", FILE, tmp_path / "file.wav")
    studio.until(lambda: studio.engine.current is saving)
    bad = studio.speak("line", "。。。")
    studio.until_done(bad, saving)
    assert [failed.job for failed in studio.heard.failed] == [bad]
    assert soundfile.info(tmp_path / "file.wav").duration > 1.5 * FILE_SENTENCES


def test_lines_follow_each_other_and_a_device_is_chosen_between_them(studio: Studio, tmp_path: Path) -> None:
    voice = studio.open_voice()
    one, two = studio.speak("one", HELLO), studio.speak("two", HELLO)
    saving = studio.save("file", FILE, tmp_path / "file.wav")
    device = ChooseDeviceJob(None)
    studio.engine.enqueue_job(device)
    three = studio.speak("three", HELLO)
    again = studio.open_voice()
    four = studio.speak("four", HELLO)
    studio.until_done(voice, one, two, saving, device, three, again, four)
    order = studio.order()
    assert [order.index(job) for job in (one, two, device, three)] == sorted(order.index(job) for job in (one, two, device, three))
    assert order.index(device) < order.index(saving) < order.index(again) < order.index(four), "a voice changes when all before is done"
    assert not studio.heard.failed


def test_an_opening_that_is_cancelled_while_it_warms_up_has_not_failed(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits yet: the window first cancels the opening of a voice that was replaced, and then opens the other."""
    stopped = stop_within_run(monkeypatch, lambda: studio.engine.cancel_job(opening))
    opening = studio.open_voice()
    studio.until_done(opening)
    assert stopped == [DECODER]
    assert [done.succeeded for done in studio.heard.done] == [False]
    line = studio.speak("line", HELLO)
    studio.until_done(line)
    assert studio.player.requests["line"][-1].last
    assert not studio.heard.failed


@pytest.mark.parametrize("kind", ["line", "file", "take"])
def test_a_job_that_is_cancelled_within_a_graph_has_not_failed(
    studio: Studio, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio.until_done(studio.open_voice())
    stopped = stop_within_run(monkeypatch, lambda: studio.engine.cancel_job(job))
    job: SpeechJob | ComputeJob[TakeResult] | SaveJob
    if kind == "take":
        job = render_job(Line(HELLO))
        studio.engine.enqueue_job(job)
    else:
        job = studio.save(kind, HELLO, tmp_path / "file.wav") if kind == "file" else studio.speak(kind, HELLO)
    studio.until_done(job)
    assert stopped == [DECODER]
    assert [done.succeeded for done in studio.heard.done if done.job is job] == [False]
    assert not studio.heard.failed
    assert not (tmp_path / "file.wav").exists()


def test_a_request_ends_the_warm_up_within_a_graph(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    """The decoder of the warm-up runs until it is stopped from outside, as a slow graph would."""
    from app.adapters.ort.ort_synthesizer import OrtSynthesizer

    stopped, running = threading.Event(), threading.Event()
    real_decode, real_terminate = OrtSynthesizer.decode_window, OrtSynthesizer.terminate

    def decode(self: OrtSynthesizer, *values: Any) -> np.ndarray:
        if not running.is_set():
            running.set()
            assert stopped.wait(10)
            raise RequestStopped
        return real_decode(self, *values)

    def terminate(self: OrtSynthesizer) -> None:
        stopped.set()
        real_terminate(self)

    monkeypatch.setattr(OrtSynthesizer, "decode_window", decode)
    monkeypatch.setattr(OrtSynthesizer, "terminate", terminate)
    studio.open_voice()
    studio.until(running.is_set)
    line = studio.speak("line", HELLO)
    studio.until_done(line)
    assert not studio.heard.failed
    assert studio.player.requests["line"][-1].last


def test_an_idle_voice_makes_room_and_comes_back_as_it_was(studio: Studio) -> None:
    studio.engine.unload_after_min = 0.2 / 60
    voice = studio.open_voice()
    studio.until_done(voice)
    one = studio.speak("one", HELLO)
    studio.until_done(one)
    speaker = studio.engine.voices.speaker
    assert speaker is not None
    held = weakref.ref(speaker.pipeline.synthesizer)
    del speaker
    studio.until(lambda: studio.engine.voices.speaker is None)
    assert held() is None, "nothing else may keep the sessions, and nobody collects in that thread"
    two = studio.speak("two", HELLO)
    three = studio.speak("three", "別の文です。")
    studio.until_done(two, three)
    assert np.array_equal(samples(studio.player, "one"), samples(studio.player, "two"))
    assert not studio.heard.failed
    assert len(studio.heard.voices) == 1, "nothing has changed for the window"
    runs = {timing.stage for timing in studio.heard.timings if timing.request_id == "two" and not timing.cache_hit}
    assert runs == {"text", "audio"}, "what was remembered outlives the sessions"


def test_a_voice_for_first_use_is_known_but_not_held(studio: Studio) -> None:
    voice = studio.open_voice(hold=False)
    studio.until_done(voice)
    assert len(studio.heard.voices) == 1
    assert studio.engine.voices.speaker is None
    line = studio.speak("line", HELLO)
    studio.until_done(line)
    assert studio.engine.voices.speaker is not None


def test_takes_are_made_after_what_is_heard_and_before_files(studio: Studio, tmp_path: Path) -> None:
    voice = studio.open_voice()
    studio.until_done(voice)
    saving = studio.save("file", FILE, tmp_path / "file.wav")
    studio.until(lambda: studio.engine.current is saving)
    other = studio.save("other", HELLO, tmp_path / "other.wav")
    takes = [render_job(Line(FILE, LineSettings(seed=seed))) for seed in (1, 2)]
    for take in takes:
        studio.engine.enqueue_job(take)
    studio.until(lambda: studio.engine.current is takes[0])
    line = studio.speak("line", HELLO)
    studio.until_done(line, *takes, saving, other)
    assert [job for job in studio.order() if job is not voice] == [line, *takes, saving, other]
    assert [computed.job for computed in studio.heard.computed if isinstance(computed.result, TakeResult)] == takes
    assert not studio.heard.failed


def test_what_is_more_important_goes_first_between_two_steps_of_the_rest(studio: Studio) -> None:
    """A comment, a request to the service, a take, a file: whatever came first, and whatever runs; and a line before them all."""
    studio.until_done(studio.open_voice())
    order = sorted(Importance)
    steps: list[Importance] = []
    spoken: list[SpeechJob] = []

    def make_job(importance: Importance) -> ComputeJob[Importance]:
        def compute(turn: JobTurn) -> Importance:
            for _ in range(2):
                steps.append(importance)
                if not spoken:  # the least important one has begun
                    for other in reversed(order[:-1]):
                        studio.engine.enqueue_job(make_job(other))
                    spoken.append(studio.speak("line", HELLO))
                turn.yield_to_urgent()
            return importance

        return ComputeJob(importance, compute)

    least = make_job(order[-1])
    studio.engine.enqueue_job(least)
    studio.until_done(least)
    assert steps == [order[-1], *(importance for importance in order[:-1] for _ in range(2)), order[-1]]
    assert studio.order().index(spoken[0]) < studio.order().index(least), "the line was computed meanwhile"
    assert not studio.heard.failed


def test_a_handle_brings_the_result_or_the_error(studio: Studio) -> None:
    handle = JobHandle(studio.engine, Importance.SERVED, lambda turn: turn.open_speaker("").pipeline.voice.sampling_rate)
    assert handle.wait_for_result() == 44_100
    for error in (TimeoutError("its own"), ValueError("broken")):

        def fail(_turn: JobTurn, error: Exception = error) -> None:
            raise error

        with pytest.raises(type(error)) as raised:
            JobHandle(studio.engine, Importance.SERVED, fail).wait_for_result()
        assert raised.value is error
    assert not studio.heard.failed, "only the caller gets the error"


def test_a_handle_stops_what_waits_and_what_runs_within_a_graph(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    speaker = JobHandle(studio.engine, Importance.SERVED, lambda turn: turn.open_speaker("")).wait_for_result()
    waiting: list[JobHandle[None]] = []

    def stop() -> None:
        waiting.append(JobHandle(studio.engine, Importance.SERVED, lambda _turn: pytest.fail("it was stopped before")))
        waiting[0].stop()
        running.stop()

    def speak(turn: JobTurn) -> None:
        for _chunk in speaker.pipeline.synthesize(SynthesisRequest(HELLO), turn.on_stage, turn.is_cancelled):
            pass

    stopped = stop_within_run(monkeypatch, stop)
    running = JobHandle(studio.engine, Importance.SERVED, speak)
    with pytest.raises(RequestStopped):
        running.wait_for_result()
    assert stopped == [DECODER]
    with pytest.raises(RequestStopped):
        waiting[0].wait_for_result()


def test_an_engine_that_is_closed_leaves_nobody_waiting() -> None:
    thread = EngineThread(OpenVoices(LineVoiceOpener(print).open_voice))
    begun = threading.Event()

    def run_on(turn: JobTurn) -> None:
        begun.set()
        while not thread.engine.is_abandoned:
            turn.yield_to_urgent()
        raise RequestStopped

    running = JobHandle(thread.engine, Importance.SERVED, run_on)
    waiting = JobHandle(thread.engine, Importance.SERVED, lambda _turn: pytest.fail("it was abandoned"))
    assert begun.wait(PATIENCE_S)
    assert thread.close(PATIENCE_S)
    for handle in (running, waiting):
        with pytest.raises(RequestStopped):
            handle.wait_for_result()


def test_a_take_sounds_as_the_line_does_and_opens_no_device(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    voice = studio.open_voice(hold=False)
    studio.until_done(voice)
    stages: list[str] = []
    monkeypatch.setattr(speech_activity, "record_speech", lambda: stages.append("stage"))
    line_of_take = Line(HELLO, LineSettings(seed=7, volume=0.5))
    take = render_job(line_of_take)
    studio.engine.enqueue_job(take)
    studio.until_done(take)
    assert studio.engine.player is None or not studio.player.requests
    assert len(stages) >= 4, "what is not urgent waits meanwhile"
    line = SpeechJob(build_request(line_of_take), time.perf_counter())
    studio.engine.enqueue_job(line)
    studio.until_done(line)
    (computed,) = studio.heard.computed
    taken = computed.result
    assert taken.rate == 44_100
    assert taken.samples.dtype == np.float32
    assert np.array_equal(taken.samples, np.concatenate([chunk.samples for chunk in studio.player.requests[""]]))


def test_a_take_is_cancelled_within_a_graph(studio: Studio) -> None:
    voice = studio.open_voice()
    studio.until_done(voice)
    first, second = render_job(Line(LONG[:1000])), render_job(Line(HELLO))
    studio.engine.enqueue_job(first)
    studio.engine.enqueue_job(second)
    studio.until(lambda: studio.engine.current is first)
    studio.engine.cancel_job(first)
    studio.until_done(first, second)
    assert [computed.job for computed in studio.heard.computed] == [second]
    assert [done.succeeded for done in studio.heard.done if done.job is first] == [False]
    assert not studio.heard.failed
