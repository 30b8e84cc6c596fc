"""Limits memory and time of a check of a stranger's file to three times the need of the largest known file.

Measured on two cores of a Sapphire Rapids server with ONNX Runtime 1.32 and models of the public architectures at real size
(`reference/make_reference_models.py --size real`): memory of the process's own at its peak, and seconds of processor time.

    what is proved                                                              memory    time
    voice of 250 MB, JP-Extra, as AIVMX, .sbv2 or weights: cut, compared, int8   1,290 MB   45 s
    the same, multilingual, with the BERT of SBV2 voices installed               1,130 MB   53 s
    the same, whole, as its seams are unknown                                      750 MB    4 s
    BERT of SBV2 voices, 650 MB (float16) or 1.3 GB (float32)                    2,830 MB   76 s

Slower processors get more time: as much more as they take for the same piece of arithmetic.
"""

import time
from functools import cache
from typing import Literal

import numpy as np

from app.adapters.files.free_space import format_bytes
from app.adapters.sandbox.process_limits import ProcessLimits
from app.common.errors import VoiceError
from app.common.language import localize

SandboxSubject = Literal["voice", "bert", "graph"]
SandboxStopReason = Literal["memory", "time", "crash"]

LIMITS_BY_SUBJECT: dict[SandboxSubject, tuple[int, int]] = {"voice": (4 << 30, 160), "bert": (8 << 30, 230), "graph": (4 << 30, 160)}
"""Bytes, and seconds of a processor as fast as that one; any other graph, which only the lab looks into, may take what a voice may."""
REFERENCE_MATMUL_S = 0.0015  # of that processor, for the piece of arithmetic below
MAX_CORE_SLOWDOWN = 16.0


class UnsafeFileError(VoiceError):
    """A file that was stopped while it was proved, as it asked for too much or crashed: nothing of it may run here."""

    def __init__(self, reason: SandboxStopReason, subject: SandboxSubject, limits: ProcessLimits | None = None) -> None:
        self.reason = reason
        super().__init__(*_describe_stop(reason, subject, limits))


def _describe_stop(reason: SandboxStopReason, subject: SandboxSubject, limits: ProcessLimits | None) -> tuple[str, str]:
    """Return message and hint; of a graph of another kind than those of voices and BERTs, the needs are unknown."""
    memory, processor_s = (format_bytes(limits.memory_bytes), limits.processor_s) if limits else ("", 0)
    if subject == "graph":
        messages = {
            "memory": localize(
                f"このグラフは、確認に使用できる量（{memory}）を超えるメモリーを使用します。",
                f"This graph needs more memory than the check allows ({memory}).",
            ),
            "time": localize(
                f"このグラフの確認が時間内に終わりませんでした（計算時間 {processor_s} 秒）。",
                f"This graph takes longer than the check allows ({processor_s} s of processor time).",
            ),
            "crash": localize("このグラフの確認中に異常終了しました。", "Checking this graph crashed the checker."),
        }
        hint = localize(
            "声には大きすぎるモデルか、壊れているか悪意を持って作られたファイルの可能性があります。",
            "It may be larger than any model of a voice, damaged or malicious.",
        )
    else:
        this, ja, en = ("この声", "声", "voice") if subject == "voice" else ("この BERT", "BERT", "BERT")
        messages = {
            "memory": localize(
                f"{this}は、{ja}に必要な量を大きく超えるメモリーを使用します（{memory} 以上）。",
                f"This {en} uses more memory than any {en} should need ({memory}).",
            ),
            "time": localize(
                f"{this}の確認が時間内に終わりませんでした（{ja}に必要な時間を超えています。計算時間 {processor_s} 秒）。",
                f"This {en} takes longer to check than any {en} should ({processor_s} s of processor time).",
            ),
            "crash": localize(f"{this}の確認中に異常終了しました。", f"Checking this {en} crashed the checker."),
        }
        hint = localize(
            "ファイルが壊れているか、悪意を持って作られた可能性があります。信頼できる配布元のものであれば、ほかのアプリを閉じてもう一度お試しください。",
            "The file may be damaged or malicious. If you trust its source, close other applications and try again.",
        )
    return messages[reason if limits else "crash"], hint


def compute_limits(subject: SandboxSubject) -> ProcessLimits:
    """Return the limits on this machine."""
    memory_bytes, seconds = LIMITS_BY_SUBJECT[subject]
    return ProcessLimits(memory_bytes, round(seconds * measure_core_slowdown()))


@cache
def measure_core_slowdown() -> float:
    """Measure how many times slower a core of this machine is than the measured ones; at least 1."""
    return min(max(min(_measure_matmul_s() for _ in range(5)) / REFERENCE_MATMUL_S, 1.0), MAX_CORE_SLOWDOWN)


def _measure_matmul_s() -> float:
    """Measure products of matrices so small that no library shares them among cores."""
    matrix = np.full((48, 48), 0.5, np.float32)
    start_time = time.perf_counter()
    for _ in range(200):
        matrix @ matrix
    return time.perf_counter() - start_time
