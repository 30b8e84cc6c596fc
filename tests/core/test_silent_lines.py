"""Lines with nothing to be read: silence that is as long as what was set for it."""

import pytest

from app.common.errors import InputError
from app.core.sound.pipeline import SHORTEST_SILENT_LINE_S, synthesize_or_silence
from app.core.synthesis_types import Overrides, PauseOverride, SynthesisRequest
from tests.core.numpy_voice import RATE
from tests.core.test_pipeline import pipeline

EDITED = Overrides(pauses=(PauseOverride(1, 0.5),))


@pytest.mark.parametrize(
    ("text", "changes", "length_s"),
    [
        ("。。。", {}, 0.2),
        ("", {"pre_silence_s": 0.3, "post_silence_s": 0.0}, 0.3),
        ("123", {"pre_silence_s": 0.0, "post_silence_s": 0.0}, SHORTEST_SILENT_LINE_S),
        ("。。。", {"pauses": {".": 0.4}}, 0.6),  # a run of marks is one pause
        ("。\n!", {"pauses": {".": 0.4, "!": 1.0}}, 1.6),
        ("。", {"pauses": {".": 0.4, "!": 1.0}, "speed": 2.0}, 0.4),
        ("。\n!", {"overrides": EDITED, "pauses": {"!": 1.0}}, 0.7),
    ],
)
def test_silence_is_as_long_as_what_was_set(text: str, changes: dict[str, object], length_s: float) -> None:
    over = pipeline()
    (chunk,) = synthesize_or_silence(over, SynthesisRequest(text, id="r", **changes))  # type: ignore[arg-type]
    assert (len(chunk.samples) / RATE, chunk.silence, chunk.last) == (pytest.approx(length_s), True, True)
    assert not chunk.samples.any()


def test_what_can_be_read_is_spoken_and_what_is_wrong_stays_an_error() -> None:
    over, request = pipeline(), SynthesisRequest("abc。", id="r")
    spoken = [chunk.samples.tolist() for chunk in over.synthesize(request)]
    assert [chunk.samples.tolist() for chunk in synthesize_or_silence(over, request)] == spoken
    with pytest.raises(InputError, match="out of range"):
        list(synthesize_or_silence(over, SynthesisRequest("。", speed=99.0)))
