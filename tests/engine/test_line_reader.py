"""Lines are read for the eye: before there is a voice, with the edits moved to the text of now, the newest wish first of all."""

from typing import Any

import numpy as np

from app.core.synthesis_types import AudioChunk, MoraOverride, Overrides, ReadingOverride, SynthesisRequest
from app.engine.job_handlers import RunningJob
from app.engine.line_reader import MAX_SHOWN_CHARACTERS, LineReader, ReadLineJob
from app.engine.open_voices import OpenVoices
from app.engine.speech_job_runner import SpeechJobRunner
from app.engine.synthesis_jobs import EngineEvent, SpeechJob, ignore_event
from app.engine.voice_terms import LineVoiceOpener
from tests.recording_player import RecordingPlayer


def test_a_line_is_read_without_a_voice() -> None:
    reader = LineReader(OpenVoices(LineVoiceOpener(print).open_voice))
    assert not reader.has_waiting
    reader.enqueue_job(ReadLineJob("a", "雨。", Overrides()))
    newest = ReadLineJob("a", "大雨だ。", Overrides(moras=(MoraOverride(2, 1),), text="雨だ。"))
    reader.enqueue_job(newest)
    answer = reader.read_next_line()
    assert not reader.has_waiting
    assert answer.job is newest
    assert answer.reading is not None
    assert "".join(mora.kana for mora in answer.reading.moras) == "オーアメダ"
    assert [edit.mora for edit in answer.overrides.moras] == [4]


def test_a_reading_is_tried_beside_what_is_shown() -> None:
    reader = LineReader(OpenVoices(LineVoiceOpener(print).open_voice))
    reader.enqueue_job(ReadLineJob("a", "雨だ。", Overrides(moras=(MoraOverride(2, 1),)), (ReadingOverride("雨", "アマアメ"),)))
    reader.enqueue_job(ReadLineJob("a", "雨だ。", Overrides()))
    tried, shown = reader.read_next_line(), reader.read_next_line()
    assert [edit.mora for edit in tried.overrides.moras] == [4]
    assert shown.reading is not None
    assert shown.reading.readings == ()
    reader.enqueue_job(ReadLineJob("a", "雨だ。", Overrides(), (ReadingOverride("雨", "rain"),)))
    wrong = reader.read_next_line()
    assert wrong.reading is None
    assert wrong.error is not None


def test_of_a_very_long_line_the_beginning_is_read() -> None:
    reader = LineReader(OpenVoices(LineVoiceOpener(print).open_voice))
    reader.enqueue_job(ReadLineJob("a", "雨だ。" * 2000, Overrides()))
    answer = reader.read_next_line()
    assert answer.reading is not None
    assert not answer.reading.is_complete
    assert MAX_SHOWN_CHARACTERS <= len(answer.reading.moras) < 3 * MAX_SHOWN_CHARACTERS


def test_sound_is_heard_from_a_place_on() -> None:
    """Chunks before the place are told but not played; the one it lies in is cut."""
    pieces = [AudioChunk(np.full(100, at, np.float32), 1000, "a", 0, silence=at == 0, last=at == 4) for at in range(5)]

    class Speaking:
        pipeline = property(lambda self: self)
        voice = pace = fallback = None
        graphs_id = ""

        def synthesize(self, *_args: object) -> list[AudioChunk]:
            return pieces

    told: list[EngineEvent] = []
    player = RecordingPlayer()
    speaking: Any = Speaking()
    job = SpeechJob(SynthesisRequest("あ", id="a"), 0.0, start_s=0.25)
    voices = OpenVoices(lambda _opening: speaking)
    voices.speakers[""] = speaking
    rendering = SpeechJobRunner(job, voices, RunningJob(ignore_event, voices), told.append, prepares_first=False)
    while rendering.queue_next_chunk(player):
        pass
    assert [chunk.samples[0] for chunk in told if isinstance(chunk, AudioChunk)] == [0, 1, 2, 3, 4]
    assert np.array_equal(
        np.concatenate([chunk.samples for chunk in player.requests["a"]]), np.repeat(np.array([2, 3, 4], np.float32), [50, 100, 100])
    )
    assert player.requests["a"][-1].last
