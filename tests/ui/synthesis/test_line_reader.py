"""Lines are read for the eye: before there is a voice, with the edits moved to the text of now, the newest wish first of all."""

from __future__ import annotations

import numpy as np

from app.core.types import AudioChunk, MoraOverride, Overrides, ReadingOverride, SynthesisRequest
from app.ui.synthesis.jobs import Speak
from app.ui.synthesis.line_reader import SHOWN_CHARACTERS, LineReader, ReadLine
from app.ui.synthesis.loaded_voices import LoadedVoices
from app.ui.synthesis.speak_job import SpeakJob
from tests.ui.recording_player import RecordingPlayer


def test_a_line_is_read_without_a_voice() -> None:
    reader = LineReader(LoadedVoices())
    assert not reader.waits
    reader.post(ReadLine("a", "雨。", Overrides()))
    newest = ReadLine("a", "大雨だ。", Overrides(moras=(MoraOverride(2, 1),), text="雨だ。"))
    reader.post(newest)
    answer = reader.read()
    assert not reader.waits
    assert answer.job is newest
    assert answer.reading is not None
    assert "".join(mora.kana for mora in answer.reading.moras) == "オーアメダ"
    assert [edit.mora for edit in answer.overrides.moras] == [4]


def test_a_reading_is_tried_beside_what_is_shown() -> None:
    reader = LineReader(LoadedVoices())
    reader.post(ReadLine("a", "雨だ。", Overrides(moras=(MoraOverride(2, 1),)), (ReadingOverride("雨", "アマアメ"),)))
    reader.post(ReadLine("a", "雨だ。", Overrides()))
    tried, shown = reader.read(), reader.read()
    assert [edit.mora for edit in tried.overrides.moras] == [4]
    assert shown.reading is not None
    assert shown.reading.readings == ()
    reader.post(ReadLine("a", "雨だ。", Overrides(), (ReadingOverride("雨", "rain"),)))
    wrong = reader.read()
    assert wrong.reading is None
    assert wrong.error is not None


def test_of_a_very_long_line_the_beginning_is_read() -> None:
    reader = LineReader(LoadedVoices())
    reader.post(ReadLine("a", "雨だ。" * 2000, Overrides()))
    answer = reader.read()
    assert answer.reading is not None
    assert not answer.reading.complete
    assert SHOWN_CHARACTERS <= len(answer.reading.moras) < 3 * SHOWN_CHARACTERS


def test_sound_is_heard_from_a_place_on() -> None:
    """Chunks before the place are told but not played; the one it lies in is cut."""
    pieces = [AudioChunk(np.full(100, at, np.float32), 1000, "a", 0, silence=at == 0, last=at == 4) for at in range(5)]

    class Speaking:
        pipeline = property(lambda self: self)
        voice = None

        def synthesize(self, *_args: object) -> list[AudioChunk]:
            return pieces

    told: list[AudioChunk] = []
    player = RecordingPlayer()
    rendering = SpeakJob(Speak(SynthesisRequest("あ", id="a"), 0.0, from_s=0.25), lambda _voice: Speaking(), id, id, lambda: None)  # type: ignore[arg-type,return-value]
    rendering.on_chunk = told.append
    while rendering.advance(player):
        pass
    assert [chunk.samples[0] for chunk in told] == [0, 1, 2, 3, 4]
    assert np.array_equal(
        np.concatenate([chunk.samples for chunk in player.requests["a"]]), np.repeat(np.float32([2, 3, 4]), [50, 100, 100])
    )
    assert player.requests["a"][-1].last
