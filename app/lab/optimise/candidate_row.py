"""A candidate as a row of the report."""

from __future__ import annotations

from app.lab.optimise.candidate_speech import CandidateScores
from app.lab.report_rows import Row


def build_candidate_row(
    graph: str,
    candidate: str,
    *,
    speedup: float | None = None,
    size_bytes: int | None = None,
    snr_db: float | None = None,
    cosine: float | None = None,
    frames_equal: float | None = None,
    scores: CandidateScores | None = None,
    kept: bool = False,
    note: str = "",
) -> Row:
    """Build a row of the report.

    Args:
        speedup: time of the prepared graph ÷ time of the candidate.
        frames_equal: share of symbols that last as long as before.
        note: why there are no figures, or what else is known.
    """
    return {
        "type": "optimise", "graph": graph, "candidate": candidate, "speedup": speedup, "bytes": size_bytes, "snr_db": snr_db,
        "cosine": cosine, "frames_equal": frames_equal, "speech_snr_db": scores.snr_db if scores else None,
        "speech_lsd_db": scores.lsd_db if scores else None, "kept": kept, "note": note,
    }  # fmt: skip
