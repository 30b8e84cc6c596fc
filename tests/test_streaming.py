"""Sentence after sentence in counted time, with graphs as slow as a large voice's: the next piece is there before the last one has been heard."""

import pytest

from app.compose.speaker_opening import open_speaker
from app.core.sound.ports import FrameInput, Prosody, ProsodyInput
from app.core.synthesis_types import AudioChunk, Float32, Int64, SynthesisRequest

TEXT = "今日は晴れです。駅前の公園まで歩いて行って、友達と写真を撮りました。はい、そうです。夕方には家に帰って、温かいお茶を飲みました。"


class CountedPlayer:
    """Plays from the first chunk on, in a time that passes only where it is said to.

    Attributes:
        now_s: the time.
        gaps: how often the next chunk came after the last one had been heard.
    """

    def __init__(self) -> None:
        self.now_s, self.gaps = 0.0, 0
        self._ends_s: float | None = None

    def find_queued_s(self) -> float:
        return 0.0 if self._ends_s is None else max(0.0, self._ends_s - self.now_s)

    def write_chunk(self, chunk: AudioChunk) -> None:
        if chunk.silence and self._ends_s is None:
            return  # the pause before the line: what follows it late breaks no word
        self.gaps += self._ends_s is not None and self.now_s > self._ends_s
        self._ends_s = max(self.now_s, self._ends_s or 0.0) + len(chunk.samples) / chunk.sampling_rate


class Slow:
    """A voice and its BERT, each graph taking as long as a real-size one does on two cores."""

    def __init__(self, bert: object, synthesizer: object, player: CountedPlayer, seconds_a_frame: float) -> None:
        self._bert, self._synthesizer, self._player, self._seconds_a_frame = bert, synthesizer, player, seconds_a_frame

    def run_graph(self, token_ids: Int64) -> Float32:
        self._player.now_s += 0.1
        return self._bert.run_graph(token_ids)  # type: ignore[attr-defined]

    def run_prosody(self, values: ProsodyInput) -> Prosody:
        self._player.now_s += 0.02
        return self._synthesizer.run_prosody(values)  # type: ignore[attr-defined]

    def run_flow(self, values: FrameInput) -> Float32:
        self._player.now_s += values.z_p.shape[1] * self._seconds_a_frame * 0.2
        return self._synthesizer.run_flow(values)  # type: ignore[attr-defined]

    def decode_window(
        self, z: Float32, noise: Float32 | None, speaker: int, wanted: tuple[int, int], style_vector: Float32 | None = None
    ) -> Float32:
        self._player.now_s += z.shape[1] * self._seconds_a_frame * 0.8
        return self._synthesizer.decode_window(z, noise, speaker, wanted)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("seconds_a_frame", "has_gaps"), [(0.004, False), (0.014, True)]
)  # a third of what a frame lasts; more than it lasts
def test_nothing_stutters_while_graphs_are_slow(seconds_a_frame: float, has_gaps: bool) -> None:
    pipeline, player = open_speaker("mei").pipeline, CountedPlayer()
    pipeline.warm_up()
    pipeline.caches.clear()
    slow = Slow(pipeline.bert, pipeline.synthesizer, player, seconds_a_frame)
    pipeline.bert, pipeline.synthesizer = slow, slow
    chunks = []
    for chunk in pipeline.synthesize(SynthesisRequest(TEXT), queued_s=player.find_queued_s):
        player.write_chunk(chunk)
        chunks.append(chunk)
    assert {chunk.sentence for chunk in chunks} == {0, 1, 2, 3}
    assert bool(player.gaps) is has_gaps
