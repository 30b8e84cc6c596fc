"""The bottom line: the state, how fast it was, and where it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QLabel, QStatusBar

from app.adapters.ort.backends import BACKENDS, backend_of
from app.language import localized
from app.stage_words import stage_name
from app.ui.labels import milliseconds
from app.ui.plain_text import PlainLabel, plain_tip
from app.ui.probe_labels import finding_words, offer_missing, show_findings
from app.ui.script.duration import ScriptDuration
from app.ui.shell.level_meter import LevelMeter
from app.ui.shell.memory_label import MemoryLabel
from app.ui.synthesis.measurements import LatencyHistory
from app.ui.synthesis.on_cpu_words import on_cpu_words
from app.ui.synthesis.results import MachineInfo, OpenedVoice
from app.ui.synthesis.state import SpeechState
from app.ui.widgets.elided_label import ElidedLabel


class StatusLine(QStatusBar):
    """State at the left, figures of the newest line and the backend at the right.

    Signals:
        backend_selected(str): the user chose another backend.

    Attributes:
        places: where each stage really runs, a line for each; empty before a voice has opened.
    """

    backend_selected = Signal(str)

    def __init__(self, backend: str) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.setContentsMargins(14, 0, 14, 2)
        self._names = {backend: backend, "auto": "Auto"}
        self._missing: list[str] = []
        self._findings: tuple[Mapping[str, Any], ...] = ()
        self.places = ""
        self.state = ElidedLabel("")
        self.state.setAccessibleName(localized("状態", "Status"))
        self.figures = QLabel()
        self.figures.setObjectName("muted")
        self.figures.setToolTip(_meaning())
        self.figures.setContentsMargins(10, 0, 0, 0)
        self.backends = QComboBox()
        self.backends.setAccessibleName(localized("バックエンド", "Backend"))
        self.backends.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.total = QLabel()
        self.total.setObjectName("muted")
        self.total.setToolTip(
            localized(
                "すべての行を続けて再生したときの長さ。まだ合成していない行は推定です。",
                "Length of all lines together; lines that were not synthesised yet are estimated.",
            )
        )
        self.total.setContentsMargins(10, 0, 0, 0)
        self.actual = PlainLabel()
        self.level = LevelMeter()
        self.memory = MemoryLabel()
        self.memory.setContentsMargins(12, 0, 0, 0)
        self.addWidget(self.state, 1)
        self.addPermanentWidget(self.level)
        self.addPermanentWidget(self.total)
        self.addPermanentWidget(self.figures)
        self.addPermanentWidget(self.memory)
        caption = QLabel(localized("バックエンド", "Backend"))
        caption.setContentsMargins(18, 0, 0, 0)
        self.addPermanentWidget(caption)
        self.addPermanentWidget(self.backends)
        self.addPermanentWidget(self.actual)
        self._fill(self._names, backend)
        self._explain()
        self.backends.activated.connect(self._on_activated)
        self.show_state(SpeechState(loading=True))

    @property
    def backend(self) -> str:
        """Key of the chosen backend."""
        return str(self.backends.currentData())

    def offer(self, found: MachineInfo) -> None:
        """Lists what this machine offers, then, greyed, what it could have; what was chosen stays in the list in any case."""
        chosen = self.backend
        self._names |= dict(found.names)
        self._missing = [key for key in BACKENDS if key not in map(backend_of, found.backends)]
        self._fill(dict.fromkeys((*found.backends, chosen)), chosen)

    def show_measured(self, findings: Sequence[Mapping[str, Any]]) -> None:
        """Notes beside each backend what a probe has found, as `backends --json` reports it."""
        self._findings = tuple(findings)
        show_findings(self.backends, self._findings)
        self._explain()

    def fallback_words(self, voice: OpenedVoice) -> tuple[str, str]:
        """That a voice runs on the CPU although it was asked to run elsewhere, in one sentence, and what can be done."""
        device = localized("グラフィックスデバイス", "The graphics device" if voice.failed else "the graphics device")
        wanted = device if voice.requested == "auto" else self._names.get(voice.requested, voice.requested)
        if not voice.failed:
            return on_cpu_words(voice, device=wanted)
        retry = localized(
            "グラフィックスドライバーを更新して「もう一度試す」を押すか、右下の「バックエンド」で CPU を選んでください。",
            "Update the graphics driver and press “Try again”, or choose CPU under “Backend”.",
        )
        choose = localized("右下の「バックエンド」で Auto か CPU を選んでください。", "Choose Auto or CPU under “Backend”.")
        message = localized(f"{wanted} を使えないため、CPU で合成しています。", f"{wanted} cannot be used; the CPU is used instead.")
        return message, retry if voice.lost else choose

    def show_voice(self, voice: OpenedVoice) -> None:
        """Shows where the voice really runs."""
        self.backends.setCurrentIndex(max(0, self.backends.findData(voice.requested)))
        used = list(dict.fromkeys(key for _, key in voice.backends))
        self.actual.setText("→ " + " + ".join(self._names.get(key, key) for key in used))
        self.actual.setObjectName("error" if voice.fallback and voice.failed else "muted")
        self.actual.style().polish(self.actual)
        self.places = "\n".join(f"{stage_name(stage)}: {self._names.get(key, key)}" for stage, key in voice.backends)
        self.actual.setToolTip(plain_tip(f"{voice.fallback}\n{self.places}" if voice.fallback else self.places))
        self._explain()

    def show_state(self, state: SpeechState) -> None:
        """Shows the state."""
        self.state.setText(describe(state))
        if not state.speaking:
            self.level.clear()

    @Slot(object)
    def show_duration(self, duration: ScriptDuration) -> None:
        """Shows how long the whole script is; nothing while it has no text."""
        minutes, seconds = divmod(round(duration.seconds), 60)
        length = f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}" if minutes >= 60 else f"{minutes}:{seconds:02d}"
        about = "" if duration.is_exact else localized("約 ", "≈ ")
        self.total.setText(localized(f"合計 {about}{length}", f"Total {about}{length}") if duration.seconds else "")

    def show_figures(self, history: LatencyHistory) -> None:
        """Shows the newest line that was computed."""
        last = history.last
        if last is None or last.rtf is None:
            self.figures.clear()
            return
        parts = [f"RTF {last.rtf:.3f}", localized("最初の音声まで", "Time to first audio") + f" {milliseconds(last.first_audio_ms)} ms"]
        parts.append(localized("キャッシュ", "Cache") + f" {last.hits}/{last.lookups}")
        self.figures.setText("   ".join(parts))
        self.figures.setToolTip(f"{_meaning()}\n{cache_words(history)}")

    def _fill(self, keys: Iterable[str], chosen: str) -> None:
        self.backends.clear()
        for key in keys:
            self.backends.addItem(self._names[key], key)
        offer_missing(self.backends, (key for key in self._missing if key != backend_of(chosen)))
        show_findings(self.backends, self._findings)
        self.backends.setCurrentIndex(max(0, self.backends.findData(chosen)))

    def _explain(self) -> None:
        """What the mouse finds on the selector: its purpose, where each stage runs now, and what was measured."""
        measured = plain_tip("\n".join(map(finding_words, self._findings)))
        parts = (_purpose(), self.actual.toolTip(), measured)
        self.backends.setToolTip("\n\n".join(part for part in parts if part))

    @Slot(int)
    def _on_activated(self, _index: int) -> None:
        self.backend_selected.emit(self.backend)


def cache_words(history: LatencyHistory) -> str:
    """How much of all that was asked for since the start, or the last clearing, need not be computed."""
    hits = sum(item.hits for item in history.utterances)
    lookups = sum(item.lookups for item in history.utterances)
    share = f"{100 * hits / lookups:.0f}" if lookups else "0"
    return localized(
        f"読みと BERT のキャッシュ: {lookups} 回中 {hits} 回（{share}%）ヒット",
        f"Reading and BERT cache hits: {hits} of {lookups} ({share}%)",
    )


def _purpose() -> str:
    return localized("計算に使うバックエンド。Auto では自動で選びます。", "Backend that runs the model; Auto chooses the fastest.")


def _meaning() -> str:
    return localized(
        "RTF: 処理時間 ÷ 音声の長さ（1 未満ならリアルタイムより高速）。最初の音声まで: 再生してから最初の音声ができるまでの時間。",
        "RTF: processing time ÷ audio length (below 1 is faster than real time). Time to first audio: from your request until audio is ready to play.",
    )


def describe(state: SpeechState) -> str:
    """The state in words."""
    if state.speaking and (state.ready or not state.loading) and state.made_s:
        seconds = f"{min(state.played_s, state.made_s):.1f} / {state.made_s:.1f}"  # a player counts its own silence as well
        return localized(f"再生中  {seconds} 秒", f"Playing  {seconds} s")
    if state.speaking and state.ready:
        return localized("合成中…", "Synthesising…")
    if state.saving:
        return localized("音声を書き出し中…", "Exporting audio…")
    if state.loading:
        return localized("準備中…", "Preparing…")
    return localized("準備完了", "Ready") if state.ready else localized("声がありません", "No voice")
