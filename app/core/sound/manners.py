"""The manners of a voice: styles that each of its speakers has, in which they speak in another way. A manner is named by what it changes."""

from dataclasses import dataclass, replace

from app.core.synthesis_types import SynthesisRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """One manner: a row of the style vectors for each speaker, and numbers that join those of a line.

    `name` and `style_id` are those of the style, by which projects and clients know it; they never change.
    """

    name: str = ""
    style_id: int = 0
    speed: float = 1.0  # speed, intonation, pauses: factors; pauses on top of the speed
    intonation: float = 1.0
    pauses: float = 1.0
    pitch: float = 0.0  # semitones
    energy: float = 0.0  # in the units of the voice's network; in Kokoro about 1 dB, and a softer or harder voice

    def scale_numbers(self, weight: float) -> "Manner":
        """Return the manner at a style weight: 0 is the usual way to speak, 1 the manner, more exaggerates."""
        factors = {name: getattr(self, name) ** weight for name in ("speed", "intonation", "pauses")}
        return replace(self, pitch=self.pitch * weight, energy=self.energy * weight, **factors)

    def apply_to(self, request: SynthesisRequest) -> SynthesisRequest:
        """Return the request with the numbers of this manner in its own; pauses and energy have none there."""
        return replace(
            request, speed=request.speed * self.speed, pitch=request.pitch + self.pitch, intonation=request.intonation * self.intonation
        )


USUAL_MANNER = Manner()
# The last ids that VOICEVOX's interface can number, so that blends, which count from 1, keep theirs.
MANNERS = (
    Manner(name="Brisk and bright", style_id=28, speed=1.06, pitch=1.5, intonation=1.2, pauses=0.8, energy=0.5),
    Manner(name="Low and quiet", style_id=29, speed=0.97, pitch=-2.0, intonation=0.75, energy=-2.5),
    Manner(name="Slow and careful", style_id=30, speed=0.88, pauses=1.3),
    Manner(name="Wide intonation", style_id=31, pitch=0.5, intonation=1.4, energy=0.3),
)
"""Of the natural voice, in the order of their rows; which rows of its table they take is decided in `packaging/natural_voice/measure_norms.py`."""
