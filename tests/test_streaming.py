"""Sentence after sentence on a real sound card's callback, with graphs as slow as a large voice's: nothing but the silences may be silent."""

from __future__ import annotations

import time

import numpy as np
import pytest

from app.compose.audio_outputs import open_player
from app.compose.speaker_opening import open_speaker
from app.core.ports import FrameInput, Prosody, ProsodyInput
from app.core.synthesis_types import Float32, Int64, SynthesisRequest
from tests.null_sink import NullSink, null_sink

__all__ = ["null_sink"]

pytestmark = [pytest.mark.sound, pytest.mark.alone]
TEXT = "今日は晴れです。駅前の公園まで歩いて行って、友達と写真を撮りました。はい、そうです。夕方には家に帰って、温かいお茶を飲みました。"


class Slow:
    """A voice and its BERT, each graph taking as long as a real-size one does on two cores."""

    def __init__(self, bert: object, synthesizer: object, seconds_a_frame: float) -> None:
        self._bert, self._synthesizer, self._seconds_a_frame = bert, synthesizer, seconds_a_frame

    def run_graph(self, token_ids: Int64) -> Float32:
        time.sleep(0.1)
        return self._bert.run_graph(token_ids)  # type: ignore[attr-defined]

    def run_prosody(self, values: ProsodyInput) -> Prosody:
        time.sleep(0.02)
        return self._synthesizer.run_prosody(values)  # type: ignore[attr-defined]

    def run_flow(self, values: FrameInput) -> Float32:
        time.sleep(values.z_p.shape[1] * self._seconds_a_frame * 0.2)
        return self._synthesizer.run_flow(values)  # type: ignore[attr-defined]

    def decode_window(
        self, z: Float32, noise: Float32 | None, speaker: int, wanted: tuple[int, int], style_vector: Float32 | None = None
    ) -> Float32:
        time.sleep(z.shape[1] * self._seconds_a_frame * 0.8)
        return self._synthesizer.decode_window(z, noise, speaker, wanted)  # type: ignore[attr-defined]


def test_nothing_stutters_while_graphs_are_slow(null_sink: NullSink) -> None:
    pipeline = open_speaker("mei").pipeline
    pipeline.warm_up()
    pipeline.caches.clear()
    slow = Slow(pipeline.bert, pipeline.synthesizer, seconds_a_frame=0.004)  # a third of what a frame lasts
    pipeline.bert, pipeline.synthesizer = slow, slow
    player = open_player(None, pipeline.voice.sampling_rate)
    try:
        with null_sink.recording() as heard:
            chunks = []
            for chunk in pipeline.synthesize(SynthesisRequest(TEXT), queued_s=lambda: player.queued_s):
                player.write_chunk(chunk)
                chunks.append(chunk)
            player.close()
            underruns = player.underruns
    finally:
        player.abort_output()
    assert {chunk.sentence for chunk in chunks} == {0, 1, 2, 3}
    assert underruns == 0
    spoken_s = sum(len(chunk.samples) for chunk in chunks if not chunk.silence) / pipeline.voice.sampling_rate
    loud = np.flatnonzero(np.abs(heard[0][:, 0]) > 1e-4)
    assert (loud[-1] - loud[0]) / 48_000 == pytest.approx(spoken_s, abs=0.3), "no gap was heard"
