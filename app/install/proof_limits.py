"""How much memory and time the proof of a stranger's file may take: three times what the largest known one takes.

Measured on two cores of a Sapphire Rapids server with ONNX Runtime 1.32 and models of the public architectures at real size
(`reference/make_reference_models.py --size real`): memory of the process's own at its peak, and seconds of processor time.

    what is proved                                                              memory    time
    voice of 250 MB, JP-Extra, as AIVMX, .sbv2 or weights: cut, compared, int8   1,290 MB   45 s
    the same, multilingual, with the BERT of SBV2 voices installed               1,130 MB   53 s
    the same, whole, as its seams are unknown                                      750 MB    4 s
    BERT of SBV2 voices, 650 MB (float16) or 1.3 GB (float32)                    2,830 MB   76 s

Slower processors get more time: as much more as they take for the same piece of arithmetic.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Literal

import numpy as np

from app.adapters.confined.limits import Limits
from app.adapters.files.disk_room import megabytes
from app.errors import VoiceError
from app.language import localized

Subject = Literal["voice", "bert", "graph"]
Reason = Literal["memory", "time", "crash"]

LIMITS: dict[Subject, tuple[int, int]] = {"voice": (4 << 30, 160), "bert": (8 << 30, 230), "graph": (4 << 30, 160)}
"""Bytes, and seconds of a processor as fast as that one; any other graph, which only the lab looks into, may take what a voice may."""
PIECE_S = 0.0015  # of that processor, for the piece of arithmetic below
MOST_SLOWNESS = 16.0


class UnsafeError(VoiceError):
    """A file that was stopped while it was proved: nothing of it may run here.

    Attributes:
        reason: it asked for too much, or crashed.
    """

    def __init__(self, reason: Reason, subject: Subject, limits: Limits | None = None) -> None:
        self.reason = reason
        super().__init__(*(_of_graph if subject == "graph" else _of_model)(reason, subject, limits))


def _of_model(reason: Reason, subject: Subject, limits: Limits | None) -> tuple[str, str]:
    """Message and hint for a voice or a BERT."""
    ja, en = ("声", "voice") if subject == "voice" else ("BERT", "BERT")
    this = "この声" if subject == "voice" else "この BERT"
    hint = localized(
        "ファイルが壊れているか、悪意を持って作られた可能性があります。信頼できる配布元のものであれば、ほかのアプリを閉じてもう一度お試しください。",
        "The file may be damaged or malicious. If you trust its source, close other applications and try again.",
    )
    if reason == "memory" and limits:
        memory = megabytes(limits.memory_bytes)
        message = localized(
            f"{this}は、{ja}に必要な量を大きく超えるメモリーを使用します（{memory} 以上）。",
            f"This {en} uses more memory than any {en} should need ({memory}).",
        )
    elif reason == "time" and limits:
        message = localized(
            f"{this}の確認が時間内に終わりませんでした（{ja}に必要な時間を超えています。計算時間 {limits.processor_s} 秒）。",
            f"This {en} takes longer to check than any {en} should ({limits.processor_s} s of processor time).",
        )
    else:
        message = localized(f"{this}の確認中に異常終了しました。", f"Checking this {en} crashed the checker.")
    return message, hint


def _of_graph(reason: Reason, _subject: Subject, limits: Limits | None) -> tuple[str, str]:
    """For a graph of another kind, of which nobody knows what it should need."""
    hint = localized(
        "声には大きすぎるモデルか、壊れているか悪意を持って作られたファイルの可能性があります。",
        "It may be larger than any model of a voice, damaged or malicious.",
    )
    if reason == "memory" and limits:
        memory = megabytes(limits.memory_bytes)
        message = localized(
            f"このグラフは、確認に使用できる量（{memory}）を超えるメモリーを使用します。",
            f"This graph needs more memory than the check allows ({memory}).",
        )
    elif reason == "time" and limits:
        message = localized(
            f"このグラフの確認が時間内に終わりませんでした（計算時間 {limits.processor_s} 秒）。",
            f"This graph takes longer than the check allows ({limits.processor_s} s of processor time).",
        )
    else:
        message = localized("このグラフの確認中に異常終了しました。", "Checking this graph crashed the checker.")
    return message, hint


def limits_for(subject: Subject) -> Limits:
    """The limits on this machine."""
    memory_bytes, seconds = LIMITS[subject]
    return Limits(memory_bytes, round(seconds * slowness()))


@cache
def slowness() -> float:
    """How many times longer a core of this machine takes than one of those measured on; 1 at least."""
    return min(max(min(_piece_s() for _ in range(5)) / PIECE_S, 1.0), MOST_SLOWNESS)


def _piece_s() -> float:
    """Products of matrices so small that no library shares them among cores."""
    one = np.full((48, 48), 0.5, np.float32)
    began = time.perf_counter()
    for _ in range(200):
        one @ one
    return time.perf_counter() - began
