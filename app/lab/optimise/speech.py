"""What a candidate does to the speech of a voice, judged by the very functions that decide which graphs in int8 a voice gets."""

from __future__ import annotations

from dataclasses import dataclass

from app.adapters.ort.session import Session
from app.install.int8 import ExactVoice, exact_voice, graph_gain, judged, passes
from app.lab.subject import Subject
from app.language import localized
from app.voices.fast import ENOUGH_EQUAL, LEAST_GAIN, LEAST_SNR_DB, MOST_LSD_DB
from app.voices.voice import Voice


@dataclass(frozen=True, slots=True)
class Heard:
    """One graph of a voice exchanged, durations as they are.

    Attributes:
        snr_db, lsd_db: of the sound.
        frames_equal: share of symbols that last as long.
    """

    snr_db: float
    lsd_db: float
    frames_equal: float


@dataclass(frozen=True, slots=True)
class Speech:
    """A voice, and what it says exactly."""

    voice: Voice
    exact: ExactVoice

    def heard(self, graph: str, session: Session) -> Heard:
        """With this session in place of the exact graph's."""
        return Heard(*judged(self.voice, self.exact, {graph: session}))

    def installed(self, graph: str, session: Session, heard: Heard) -> str:
        """One sentence: whether adding the voice here would keep this int8 graph, or why not."""
        gain = graph_gain(self.exact, graph, session)
        wanted = {
            localized(f"速さ {gain:.2f} 倍（{LEAST_GAIN:g} 倍以上が必要）", f"{gain:.2f} times faster, {LEAST_GAIN:g} needed"): gain
            >= LEAST_GAIN,
            localized(f"SNR {heard.snr_db:g} dB（{LEAST_SNR_DB:g} dB 以上が必要）", f"SNR {heard.snr_db:g} dB, {LEAST_SNR_DB:g} needed"): (
                heard.snr_db >= LEAST_SNR_DB
            ),
            localized(f"LSD {heard.lsd_db:g} dB（{MOST_LSD_DB:g} dB 以下が必要）", f"LSD {heard.lsd_db:g} dB, at most {MOST_LSD_DB:g}"): (
                heard.lsd_db <= MOST_LSD_DB
            ),
            localized(
                f"同じ長さの記号 {heard.frames_equal:.1%}（{ENOUGH_EQUAL:.0%} 以上が必要）",
                f"{heard.frames_equal:.1%} of the symbols as long, {ENOUGH_EQUAL:.0%} needed",
            ): heard.frames_equal >= ENOUGH_EQUAL,
        }
        if gain >= LEAST_GAIN and passes(heard.snr_db, heard.lsd_db, heard.frames_equal):
            return localized(
                f"声を追加すると「高速」で使われます（{gain:.2f} 倍）。", f"Fast uses it when the voice is added ({gain:.2f} times faster)."
            )
        reasons = "; ".join(words for words, holds in wanted.items() if not holds)
        return localized(f"「高速」では使われません: {reasons}", f"Fast does not use it: {reasons}")


def speech_of(subject: Subject) -> Speech | None:
    """None where there is no voice of several graphs. AppError where it does not speak."""
    if subject.voice is None or subject.voice.manifest.opaque:
        return None
    return Speech(subject.voice, exact_voice(subject.voice))
