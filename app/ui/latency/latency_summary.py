"""The head of the latency dock in words: how long the first sound took, and the figures of the newest line and of the program."""

import psutil
from PySide6.QtCore import Slot

from app.common.language import localize
from app.ui.display_names import format_ms
from app.ui.synthesis.latency_history import LatencyHistory
from app.ui.widgets.controls import PlainLabel, describe_control
from app.ui.widgets.visibility_timer import VisibilityTimer

# What the parts of a line do, in words that need no knowledge of the pipeline, by the last stage of each.
PART_NAMES = {
    "g2p": ("文の読み", "reading the text"),
    "bert": ("文の理解", "understanding the text"),
    "expand": ("文の理解", "understanding the text"),
    "decode": ("声の計算", "computing the voice"),
    "audio": ("音の仕上げ", "finishing the sound"),
}
SHORT_TIME_S = 0.2  # below it a tenth of a second says too little
MEMORY_INTERVAL_MS = 2000


class MemoryLabel(PlainLabel):
    """Updates only while it is visible."""

    def __init__(self) -> None:
        super().__init__("", "muted")
        tip = localize(
            "メモリーの使用量。未使用の声を解放するタイミングは、設定で変更できます。", "Memory in use. Settings can unload idle voices."
        )
        describe_control(self, localize("メモリー", "Memory"), tip)
        self._process = psutil.Process()
        VisibilityTimer(self, MEMORY_INTERVAL_MS, self.update_memory)

    @Slot()
    def update_memory(self) -> None:
        """Show the resident memory in MiB."""
        self.setText(f"{self._process.memory_info().rss / (1 << 20):,.0f} MiB")


def describe_first_audio(history: LatencyHistory) -> str:
    """Describe in a sentence how long the newest sound took to begin, how long it should take, and which part of its line took longest."""
    newest = next((item for item in reversed(history.utterances) if item.first_audio_ms is not None), None)
    if newest is None or newest.first_audio_ms is None:
        return localize("行を再生すると、最初の音声までの時間をここに表示します。", "Play a line to see how soon its audio begins.")
    wait, target = _format_seconds(newest.first_audio_ms), _format_seconds(history.target_ms)
    sentence = localize(f"最初の音声まで {wait} 秒。目標 {target} 秒。", f"Audio began after {wait} s; the target is {target} s. ")
    times = newest.sum_parts()
    if not times:
        return sentence.rstrip()
    part = localize(*PART_NAMES[max(times, key=times.__getitem__)])
    return sentence + localize(f"いちばん長い段階: {part}", f"Longest step: {part}.")


def describe_newest_figures(history: LatencyHistory) -> str:
    """Return the figures of the newest computed line; empty before the first one."""
    last = history.last
    if last is None or last.rtf is None:
        return ""
    wait = localize("最初の音声まで", "Time to first audio") + f" {format_ms(last.first_audio_ms)} ms"
    return "   ".join((f"RTF {last.rtf:.3f}", wait, localize("キャッシュ", "Cache") + f" {last.hits}/{last.lookups}"))


def explain_figures(history: LatencyHistory) -> str:
    """Explain the figures of the newest line, and describe the share of cache hits since the start or the last clearing."""
    hits = sum(item.hits for item in history.utterances)
    lookups = sum(item.lookups for item in history.utterances)
    share = f"{100 * hits / lookups:.0f}" if lookups else "0"
    return localize(
        "RTF: 処理時間 ÷ 音声の長さ（1 未満ならリアルタイムより高速）。最初の音声まで: 再生してから最初の音声ができるまでの時間。\n"
        f"読みと BERT のキャッシュ: {lookups} 回中 {hits} 回（{share}%）ヒット",
        "RTF: processing time ÷ audio length (below 1 is faster than real time). Time to first audio: from your request until audio is ready to play.\n"
        f"Reading and BERT cache hits: {hits} of {lookups} ({share}%)",
    )


def _format_seconds(ms: float) -> str:
    seconds = ms / 1000
    return f"{seconds:.1f}" if seconds >= SHORT_TIME_S else f"{seconds:.2f}"
