"""The status line: state, total length and backend, and the button that opens the latency dock."""

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QLabel, QStatusBar, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.adapters.ort.backends import BACKENDS, find_backend_name, parse_backend
from app.common.language import localize
from app.common.stages import find_stage_label
from app.core.sound.waveform import CEILING
from app.engine.open_voices import OpenedVoice
from app.engine.synthesis_jobs import MachineInfo
from app.ui.display_names import describe_probe_result, format_ms
from app.ui.script.script_model import ScriptDuration
from app.ui.synthesis.pending_jobs import SpeechState
from app.ui.theme.theme import ThemedWidget, draw_icon
from app.ui.widgets.controls import ElidedLabel, GuardedComboBox, PlainLabel, create_tool_button, describe_control, escape_tip

METER_FLOOR_DB = -60.0
LOUD_LEVEL_DB = -6.0
LIMITED_LEVEL_DB = 20 * math.log10(CEILING) - 0.05  # where the limiter holds sound
METER_FALL_DB = 1.2  # decibels by which the peak falls at each tick
METER_DELAY_TICKS = 4  # ticks between a sample leaving us and reaching the ear, by the usual buffer of an output device
QUIET, WARM, LIMITED = "#5aa83e", "#d99412", "#d1456b"


class LevelMeter(QWidget):
    """A meter that is fed while sound plays, and empty otherwise."""

    def __init__(self) -> None:
        super().__init__()
        tip = localize("再生中の音量。赤は大きすぎる音です。", "Playback level; red means too loud.")
        describe_control(self, localize("音量計", "Level meter"), tip)
        self._queue: deque[tuple[float, float]] = deque()
        self.level_db = self.peak_db = METER_FLOOR_DB

    def show_level(self, peak: float, effective: float) -> None:
        """Queue a peak and an effective value, 0 to 1 of full scale; each is shown when its sound is heard."""
        self._queue.append((peak, effective))
        if len(self._queue) <= METER_DELAY_TICKS:
            return
        peak, effective = self._queue.popleft()
        earlier = (self.level_db, self.peak_db)
        self.level_db = convert_to_db(effective)
        self.peak_db = max(convert_to_db(peak), self.peak_db - METER_FALL_DB, METER_FLOOR_DB)
        if (self.level_db, self.peak_db) != earlier:
            self.update()

    def clear_level(self) -> None:
        self._queue.clear()
        if (self.level_db, self.peak_db) != (METER_FLOOR_DB, METER_FLOOR_DB):
            self.level_db = self.peak_db = METER_FLOOR_DB
            self.update()

    def sizeHint(self) -> QSize:
        """Return the size in pixels."""
        return QSize(96, 14)

    def minimumSizeHint(self) -> QSize:
        """Return the size hint, as the meter never shrinks."""
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bar and the peak."""
        painter = QPainter(self)
        bar = QRectF(0, self.height() / 2 - 3, self.width(), 6)
        painter.fillRect(bar, self.palette().color(QPalette.ColorRole.Midlight))
        color = QColor(LIMITED if self.peak_db >= LIMITED_LEVEL_DB else WARM if self.peak_db > LOUD_LEVEL_DB else QUIET)
        level, peak = (bar.width() * min(1.0, max(0.0, 1 - db / METER_FLOOR_DB)) for db in (self.level_db, self.peak_db))
        painter.fillRect(QRectF(bar.left(), bar.top(), level, bar.height()), color)
        if self.peak_db > METER_FLOOR_DB:
            painter.fillRect(QRectF(peak - 2, bar.top() - 2, 2, bar.height() + 4), color)
        painter.end()


def convert_to_db(value: float) -> float:
    """Convert a share of full scale to dB, at least the meter's floor of −60 dB."""
    return max(METER_FLOOR_DB, 20 * math.log10(value)) if value > 0 else METER_FLOOR_DB


FIGURE_ROLE = Qt.ItemDataRole.UserRole + 1
BACKEND_PACKAGES = {"cuda": "onnxruntime-gpu", "openvino": "onnxruntime-openvino"}
COMBO_ARROW_WIDTH = 40  # pixels of the arrow and the margins around the text


class FigureDelegate(QStyledItemDelegate):
    """A delegate that shows a figure behind each name in the open list; the closed box stays short."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Append the figure to the name."""
        super().initStyleOption(option, index)
        figure = index.data(FIGURE_ROLE)
        if figure:
            option.text = f"{option.text}    {figure}"


def show_probe_results(box: QComboBox, results: Iterable[Mapping[str, Any]]) -> None:
    """Show the figures of each backend in its list, with all details as tool tip; `auto` shows those of the backend it takes."""
    candidates = list(results)
    if not isinstance(box.itemDelegate(), FigureDelegate):
        box.setItemDelegate(FigureDelegate(box))
    for row in range(box.count()):
        key = box.itemData(row)
        if not box.model().flags(box.model().index(row, 0)) & Qt.ItemFlag.ItemIsEnabled:
            # A greyed row already says how to get its backend.
            continue
        items = [item for item in candidates if key == item.get("backend") or (key == "auto" and item.get("chosen"))]
        box.setItemData(row, escape_tip("\n".join(map(describe_probe_result, items))) or None, Qt.ItemDataRole.ToolTipRole)
        box.setItemData(row, format_first_audio(items[0]) if items else None, FIGURE_ROLE)
    box.view().setMinimumWidth(box.view().sizeHintForColumn(0) + COMBO_ARROW_WIDTH)


def format_first_audio(item: Mapping[str, Any]) -> str:
    """Format the time to first audio in ms; empty if it is not known."""
    first = item.get("first_audio_ms")
    if item.get("ok") is False:
        return localize("使用不可", "unavailable")
    return f"{format_ms(first)} ms" if isinstance(first, int | float) else ""


def add_missing_backends(box: QComboBox, keys: Iterable[str]) -> None:
    """Add backends that are not installed, greyed, each with the way to get it."""
    for key in keys:
        short, whole = _describe_requirement(key)
        box.addItem(find_backend_name(key))
        row = box.count() - 1
        box.setItemData(row, short, FIGURE_ROLE)
        box.setItemData(row, whole, Qt.ItemDataRole.ToolTipRole)
        model = box.model()
        if isinstance(model, QStandardItemModel):
            model.item(row).setEnabled(False)


def describe_cpu_use(voice: OpenedVoice, device: str) -> tuple[str, str]:
    """Return one sentence about the use of the CPU, and the reasons."""
    if any(backend != "cpu" for _, backend in voice.backends):
        message = localize(f"一部の計算は {device} ではなく CPU で行います。", f"Some of the work is done on the CPU, not on {device}.")
    else:
        message = localize(f"{device} ではなく CPU で合成しています。", f"The CPU is used, not {device}.")
    return message, voice.fallback or ""


class StatusLine(ThemedWidget, QStatusBar):
    """Shows the state at the left, the length of the script, the backend and the button of the latency dock at the right.

    Signals:
        backend_selected(str): the user chose another backend.
    """

    backend_selected = Signal(str)

    def __init__(self, backend: str) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.setContentsMargins(14, 0, 14, 2)
        self._names = {backend: backend, "auto": "Auto"}
        self._missing_backends: list[str] = []
        self._probe_results: tuple[Mapping[str, Any], ...] = ()
        self.places = ""  # the backend of each stage, one per row; empty before a voice was opened
        self.state = ElidedLabel("")
        self.state.setAccessibleName(localize("状態", "Status"))
        self.backends = GuardedComboBox(sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.backends.setAccessibleName(localize("バックエンド", "Backend"))
        self.total = PlainLabel("", "muted")
        self.total.setToolTip(
            localize(
                "すべての行を続けて再生したときの長さ。まだ合成していない行は推定です。",
                "Length of all lines together; lines that were not synthesised yet are estimated.",
            )
        )
        self.total.setContentsMargins(10, 0, 0, 0)
        self.actual = PlainLabel()
        self.level = LevelMeter()
        tip = localize("最初の音声までの時間と、その内訳を表示します。", "Shows the time to first audio and where it goes.")
        self.latency = create_tool_button("", tip, name=localize("処理時間", "Latency"), style="", is_checkable=True)
        # A click leaves the focus where it was, so that Space still plays the line.
        self.latency.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        caption = QLabel(localize("バックエンド", "Backend"))
        caption.setContentsMargins(18, 0, 0, 0)
        self.addWidget(self.state, 1)
        for widget in (self.level, self.total, caption, self.backends, self.actual, self.latency):
            self.addPermanentWidget(widget)
        self.draw_in_theme()
        self._fill_selector(self._names, backend)
        self._update_selector_tip()
        self.backends.activated.connect(lambda _row: self.backend_selected.emit(self.backend))
        self.show_state(SpeechState(is_loading=True))

    @property
    def backend(self) -> str:
        """Return the key of the chosen backend; empty while none is listed."""
        key: str | None = self.backends.currentData()
        return key or ""

    def list_backends(self, machine: MachineInfo) -> None:
        """List the backends of this machine, then the missing ones, greyed; the chosen one always stays in the list."""
        chosen = self.backend or machine.backends[0]
        self._names |= dict(machine.names)
        self._missing_backends = [key for key in BACKENDS if key not in map(parse_backend, machine.backends)]
        self._fill_selector(dict.fromkeys((*machine.backends, chosen)), chosen)

    def show_probe_results(self, results: Sequence[Mapping[str, Any]]) -> None:
        """Show a probe's result next to each backend; `results` are in the format of `backends --json`."""
        self._probe_results = tuple(results)
        show_probe_results(self.backends, self._probe_results)
        self._update_selector_tip()

    def describe_fallback(self, voice: OpenedVoice) -> tuple[str, str]:
        """Return a sentence that says the voice runs on the CPU instead of the chosen backend, and one with the remedy."""
        device = localize("グラフィックスデバイス", "The graphics device" if voice.is_fallback_failure else "the graphics device")
        backend = device if voice.requested_backend == "auto" else self._names.get(voice.requested_backend, voice.requested_backend)
        if not voice.is_fallback_failure:
            return describe_cpu_use(voice, device=backend)
        retry = localize(
            "グラフィックスドライバーを更新して「もう一度試す」を押すか、右下の「バックエンド」で CPU を選んでください。",
            "Update the graphics driver and press “Try again”, or choose CPU under “Backend”.",
        )
        choose = localize("右下の「バックエンド」で Auto か CPU を選んでください。", "Choose Auto or CPU under “Backend”.")
        message = localize(f"{backend} を使えないため、CPU で合成しています。", f"{backend} cannot be used; the CPU is used instead.")
        return message, retry if voice.is_device_lost else choose

    def show_voice(self, voice: OpenedVoice) -> None:
        """Show the backend that the voice really runs on."""
        self.backends.setCurrentIndex(max(0, self.backends.findData(voice.requested_backend)))
        used = list(dict.fromkeys(key for _, key in voice.backends))
        self.actual.setText("→ " + " + ".join(self._names.get(key, key) for key in used))
        self.actual.change_style("error" if voice.fallback and voice.is_fallback_failure else "muted")
        self.places = "\n".join(f"{find_stage_label(stage)}: {self._names.get(key, key)}" for stage, key in voice.backends)
        self.actual.setToolTip(escape_tip(f"{voice.fallback}\n{self.places}" if voice.fallback else self.places))
        self._update_selector_tip()

    def draw_in_theme(self) -> None:
        """Draw the icon of the button."""
        self.latency.setIcon(draw_icon("latency", self.palette().color(QPalette.ColorRole.WindowText)))

    def show_state(self, state: SpeechState) -> None:
        """Show the state, and the level while something sounds."""
        self.state.setText(describe_state(state))
        self.level.setVisible(state.is_speaking)
        if not state.is_speaking:
            self.level.clear_level()

    @Slot(object)
    def show_duration(self, duration: ScriptDuration) -> None:
        """Show the length of the whole script; nothing while it has no text."""
        minutes, seconds = divmod(round(duration.seconds), 60)
        length = f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}" if minutes >= 60 else f"{minutes}:{seconds:02d}"
        about = "" if duration.is_exact else localize("約 ", "≈ ")
        self.total.setText(localize(f"合計 {about}{length}", f"Total {about}{length}") if duration.seconds else "")

    def _fill_selector(self, keys: Iterable[str], chosen: str) -> None:
        self.backends.clear()
        for key in keys:
            self.backends.addItem(self._names[key], key)
        add_missing_backends(self.backends, (key for key in self._missing_backends if key != parse_backend(chosen)))
        show_probe_results(self.backends, self._probe_results)
        self.backends.setCurrentIndex(max(0, self.backends.findData(chosen)))

    def _update_selector_tip(self) -> None:
        """Build the tool tip of the selector: its purpose, the backend of each stage, and the measurements."""
        purpose = localize("計算に使うバックエンド。Auto では自動で選びます。", "Backend that runs the model; Auto chooses the fastest.")
        measured = escape_tip("\n".join(map(describe_probe_result, self._probe_results)))
        self.backends.setToolTip("\n\n".join(filter(None, (purpose, self.actual.toolTip(), measured))))


def describe_state(state: SpeechState) -> str:
    if state.is_speaking and state.is_preparing:
        return localize("途切れないように準備しています…", "Preparing to play without gaps…")
    if state.is_speaking and (state.is_ready or not state.is_loading) and state.computed_s:
        # The player also counts the silence that it plays itself, so the time played may exceed the length.
        seconds = f"{min(state.played_s, state.computed_s):.1f} / {state.computed_s:.1f}"
        return localize(f"再生中  {seconds} 秒", f"Playing  {seconds} s")
    if state.is_speaking and state.is_ready:
        return localize("合成中…", "Synthesising…")
    if state.is_saving:
        return localize("音声を書き出し中…", "Exporting audio…")
    if state.is_loading:
        return localize("準備中…", "Preparing…")
    return localize("準備完了", "Ready") if state.is_ready else localize("声がありません", "No voice")


def _describe_requirement(key: str) -> tuple[str, str]:
    """Describe how to get a backend, in a few words and in a sentence."""
    if key == "directml":
        whole = localize("DirectML は Windows 版の Koebako に含まれています。", "DirectML is included in Koebako for Windows.")
        return localize("Windows 版のみ", "Windows only"), whole
    if key == "coreml":
        whole = localize(
            "CoreML は macOS で Python から実行すると使えます。", "CoreML is available on macOS when Koebako runs from Python."
        )
        return localize("macOS のみ", "macOS only"), whole
    package = BACKEND_PACKAGES.get(key, "")
    whole = localize(
        f"Koebako を Python から実行し、onnxruntime の代わりに {package} をインストールすると使えます。",
        f"Available when Koebako runs from Python with {package} in place of onnxruntime.",
    )
    return localize("追加が必要", "not installed"), whole
