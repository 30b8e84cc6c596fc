"""Measures how a candidate changes the speech of a voice, with the very functions that decide which graphs in int8 a voice gets."""

from __future__ import annotations

from dataclasses import dataclass

from app.adapters.ort.graph_session import RunnableSession
from app.common.language import localize
from app.install.int8_graphs import ExactVoiceRun, is_close_enough, measure_graph_timing, measure_quality, run_exact_voice
from app.lab.lab_subject import LabSubject
from app.voices.int8_result import MAX_INT8_LSD_DB, MIN_FRAMES_EQUAL, MIN_INT8_GAIN, MIN_INT8_SNR_DB
from app.voices.prepared_voice import Voice


@dataclass(frozen=True, slots=True)
class CandidateScores:
    """One graph of a voice exchanged, durations as they are.

    Attributes:
        snr_db, lsd_db: of the sound.
        frames_equal: share of symbols that last as long.
    """

    snr_db: float
    lsd_db: float
    frames_equal: float


@dataclass(frozen=True, slots=True)
class CandidateSpeech:
    """A voice, and what it says exactly."""

    voice: Voice
    exact: ExactVoiceRun

    def score_graph(self, graph: str, session: RunnableSession) -> CandidateScores:
        """Return the scores with this session in place of the exact graph's."""
        return CandidateScores(*measure_quality(self.voice, self.exact, {graph: session}))

    def describe_int8_use(self, graph: str, session: RunnableSession, scores: CandidateScores) -> str:
        """Return one sentence: whether adding the voice here would keep this int8 graph, or why not."""
        gain = measure_graph_timing(self.exact, graph, session).gain
        wanted = {
            localize(f"速さ {gain:.2f} 倍（{MIN_INT8_GAIN:g} 倍以上が必要）", f"{gain:.2f} times faster, {MIN_INT8_GAIN:g} needed"): gain
            >= MIN_INT8_GAIN,
            localize(
                f"SNR {scores.snr_db:g} dB（{MIN_INT8_SNR_DB:g} dB 以上が必要）", f"SNR {scores.snr_db:g} dB, {MIN_INT8_SNR_DB:g} needed"
            ): (scores.snr_db >= MIN_INT8_SNR_DB),
            localize(
                f"LSD {scores.lsd_db:g} dB（{MAX_INT8_LSD_DB:g} dB 以下が必要）", f"LSD {scores.lsd_db:g} dB, at most {MAX_INT8_LSD_DB:g}"
            ): (scores.lsd_db <= MAX_INT8_LSD_DB),
            localize(
                f"同じ長さの記号 {scores.frames_equal:.1%}（{MIN_FRAMES_EQUAL:.0%} 以上が必要）",
                f"{scores.frames_equal:.1%} of the symbols as long, {MIN_FRAMES_EQUAL:.0%} needed",
            ): scores.frames_equal >= MIN_FRAMES_EQUAL,
        }
        if gain >= MIN_INT8_GAIN and is_close_enough(scores.snr_db, scores.lsd_db, scores.frames_equal):
            return localize(
                f"声を追加すると「高速」で使われます（{gain:.2f} 倍）。", f"Fast uses it when the voice is added ({gain:.2f} times faster)."
            )
        reasons = "; ".join(words for words, holds in wanted.items() if not holds)
        return localize(f"「高速」では使われません: {reasons}", f"Fast does not use it: {reasons}")


def create_candidate_speech(subject: LabSubject) -> CandidateSpeech | None:
    """Return the speech of a candidate, or None if there is no voice of several graphs; raise AppError if the voice does not speak."""
    if subject.voice is None or subject.voice.manifest.is_single_graph:
        return None
    return CandidateSpeech(subject.voice, run_exact_voice(subject.voice))
