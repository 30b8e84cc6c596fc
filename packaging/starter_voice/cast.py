"""Who teaches: ten voices of three speakers, each a speaker's style."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hts import HtsVoice

SPEAKERS = ("Mei", "Tohoku f01", "NIT m001")
STYLES = ("Neutral", "Happy", "Bashful", "Angry", "Sad")


@dataclass(frozen=True)
class Role:
    """A speaker's style and the HTS voice that teaches it.

    Attributes:
        file: name of the `.htsvoice`, without the ending.
        speed: how much faster than the teacher the student shall speak.
        level_db: what brings the teacher's own sound to the common loudness (BS.1770, on 24 lines of ROHAN 4600).
        phrases: how many accent phrases of a breath group the teacher can count; beyond, this one takes speech for silence.
        times: how often an epoch says each of its lines: twice where what other roles teach helps least.
    """

    speaker: str
    style: str
    file: str
    speed: float = 1.0
    level_db: float = 0.0
    phrases: int = 99
    times: int = 1

    @property
    def name(self) -> str:
        """Speaker and style in one word for tables and files."""
        return f"{self.speaker}, {self.style}"


CAST = (
    Role("Mei", "Neutral", "mei_normal", level_db=-0.2),
    Role("Mei", "Happy", "mei_happy", level_db=0.5),
    Role("Mei", "Bashful", "mei_bashful", speed=1.3, level_db=-1.9),
    Role("Mei", "Angry", "mei_angry", speed=1.3, level_db=0.7),
    Role("Mei", "Sad", "mei_sad", speed=1.3, level_db=-1.3),
    Role("Tohoku f01", "Neutral", "tohoku-f01-neutral", level_db=0.2),
    Role("Tohoku f01", "Happy", "tohoku-f01-happy", level_db=0.9),
    Role("Tohoku f01", "Angry", "tohoku-f01-angry", level_db=-1.3, times=2),
    Role("Tohoku f01", "Sad", "tohoku-f01-sad", level_db=2.4),
    Role("NIT m001", "Neutral", "nitech_jp_atr503_m001", level_db=6.4, phrases=7, times=2),
)
# A style that a speaker's teachers lack moves pitch (cents) and length (share) alone.
BORROWED: Mapping[str, tuple[float, float]] = {
    "Happy": (200.0, -0.04),
    "Bashful": (60.0, 0.06),
    "Angry": (80.0, -0.07),
    "Sad": (-80.0, 0.08),
}
PLACE: Mapping[tuple[str, str], int] = {(role.speaker, role.style): place for place, role in enumerate(CAST)}


def open_role(role: Role, shared: Path, work: Path) -> HtsVoice:
    """The teacher of a role; `work` keeps the compiled library."""
    return HtsVoice(shared / "htsvoice" / f"{role.file}.htsvoice", work)
