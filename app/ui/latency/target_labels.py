"""Explains the targets of the latency dock wherever one is shown."""

from __future__ import annotations

from app.common.language import localize
from app.ui.synthesis.latency_history import CPU_TARGET_MS, GPU_TARGET_MS


def describe_targets() -> str:
    """Return the explanation of a target."""
    whole = f"{CPU_TARGET_MS:.0f} ms", f"{GPU_TARGET_MS:.0f} ms"
    return localize(
        "目標は、短い文を待たずに聞ける処理時間の目安です。\n"
        f"合計は CPU で {whole[0]}、デバイスで {whole[1]} です。\n"
        "長い文では超えることがあります。合成の動作は変わりません。",
        "How long processing may take if a short sentence is to be heard without a noticeable wait:\n"
        f"{whole[0]} in all on the CPU, {whole[1]} on a device.\n"
        "Long sentences may exceed it. It does not change the synthesis.",
    )
