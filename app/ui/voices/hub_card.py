"""A voice that AivisHub offers: its picture, who made it, its licence, its recordings, and the button that brings it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.adapters.http.offers import OfferedSample, OfferedVoice
from app.language import localized
from app.ui.labels import style_name
from app.ui.plain_text import PlainLabel, plain_tip
from app.ui.theme.icons import icon
from app.ui.theme.theme import is_theme_change
from app.ui.voices.hub_media import is_playable
from app.ui.voices.voice_details import size
from app.ui.widgets.voice_picture import voice_picture
from app.voices.wanted_bert import STANDARD_DOWNLOAD_MB

PICTURE, GAP = 56, 12
MOST_LETTERS, MOST_STYLES = 160, 8  # of the description, and of styles that are named; the rest is on the hub
State = Literal["new", "coming", "here"]


class HubCard(QFrame):
    """One voice.

    Attributes:
        add: downloads it, or uses it where it is here.

    Signals:
        add_requested(): its button.  sample_requested(OfferedSample): to be heard.  licence_requested(): to be read.
    """

    add_requested = Signal()
    sample_requested = Signal(object)
    licence_requested = Signal()

    def __init__(self, voice: OfferedVoice) -> None:
        super().__init__()
        self.setObjectName("card")
        self.voice = voice
        self._file: Path | None = None
        self.picture = QLabel()
        self.picture.setFixedSize(PICTURE, PICTURE)
        self.add, self.sizes = QPushButton(), PlainLabel()
        self.add.setObjectName("primary")
        self.add.setAutoDefault(False)
        self.add.clicked.connect(self.add_requested)
        self.sizes.setObjectName("muted")
        self.samples, self.licence = self._quiet(localized("ボイスサンプル", "Samples")), self._quiet(localized("利用規約", "Licence"))
        self.licence.setToolTip(localized("この声の利用規約を表示します。", "Shows the licence of this voice."))
        self.licence.clicked.connect(self.licence_requested)
        self.licence.setVisible(bool(voice.licence_text))
        self._offer_samples()
        self._build()
        self._draw()

    def show_state(self, state: State, *, has_bert: bool) -> None:
        """Whether it is here, and what would be downloaded."""
        voice, bert = self.voice, STANDARD_DOWNLOAD_MB * 1_000_000 * (not has_bert)
        known = state == "here" or voice.file_bytes > 0
        total = ((voice.file_bytes if state != "here" else 0) + bert) * known
        self.add.setEnabled(state != "coming")
        self.add.setText(_button_words(state, total))
        self.add.setAccessibleName(f"{voice.name}: {self.add.text()}")
        amount = size(voice.file_bytes) if known else localized("（サイズ不明）", "(unknown size)")
        parts = [localized(f"声 {amount}", f"voice {amount}")] if state != "here" else []
        parts += [f"BERT {size(bert)}"] if bert else []
        self.sizes.setText(localized("＋", " + ").join(parts) if len(parts) > 1 or not known else "")
        self.add.setToolTip(
            localized("声を追加して、選んだ行を再生します。", "Adds the voice and plays the selected line.")
            if state != "here"
            else localized("選んだ行の声をこの声に変更して、再生します。", "Uses this voice for the selected line and plays it.")
        )

    def show_picture(self, file: Path | None) -> None:
        """Its icon; a letter until there is one."""
        if file != self._file:
            self._file = file
            self._draw()

    def changeEvent(self, event: QEvent) -> None:
        """Redraws picture and icons for another theme."""
        if is_theme_change(self, event):
            self._draw()
        super().changeEvent(event)

    def _quiet(self, text: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName("quiet")
        button.setText(text)
        button.setAccessibleName(f"{self.voice.name}: {text}")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIconSize(QSize(14, 14))
        return button

    def _offer_samples(self) -> None:
        """A menu of the recordings; one of a kind that cannot be played here opens in the browser."""
        menu = QMenu(self.samples)
        for sample in self.voice.samples:
            words = f"{style_name(sample.style)}  {sample.transcript[:40]}".strip().replace("&", "&&")
            elsewhere = "" if is_playable(sample.url) else localized("（ブラウザーで開く）", " (opens in the browser)")
            action = menu.addAction(words + elsewhere)
            action.setToolTip(plain_tip(sample.transcript))
            action.triggered.connect(self._emitter(sample))
        self.samples.setMenu(menu)
        self.samples.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.samples.setToolTip(localized("ボイスサンプルを再生します。", "Plays a recording of this voice."))
        self.samples.setVisible(bool(self.voice.samples))

    def _emitter(self, sample: OfferedSample) -> Callable[[], None]:
        return lambda: self.sample_requested.emit(sample)

    def _build(self) -> None:
        name = PlainLabel(self.voice.name)
        name.setObjectName("heading")
        about = PlainLabel(" · ".join(part for part in (self.voice.maker, self.voice.licence) if part))
        about.setObjectName("muted")
        words = QVBoxLayout()
        words.setSpacing(2)
        for label in (name, about, PlainLabel(_shortened(self.voice.description, MOST_LETTERS)), self._styles()):
            label.setWordWrap(True)
            label.setMinimumWidth(1)
            label.setVisible(bool(label.text()))
            words.addWidget(label)
        links = QHBoxLayout()
        links.setSpacing(8)
        links.addWidget(self.samples)
        links.addWidget(self.licence)
        links.addStretch(1)
        words.addLayout(links)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(GAP, GAP, GAP, 8)
        row.setSpacing(GAP)
        row.addWidget(self.picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self._foot(), 0, Qt.AlignmentFlag.AlignTop)

    def _styles(self) -> PlainLabel:
        names = [style_name(name) for name in dict.fromkeys(self.voice.styles)]
        more = "…" * (len(names) > MOST_STYLES)
        label = PlainLabel(localized("スタイル: ", "Styles: ") + localized("、", ", ").join(names[:MOST_STYLES]) + more if names else "")
        label.setObjectName("muted")
        return label

    def _foot(self) -> QWidget:
        foot = QWidget()
        column = QVBoxLayout(foot)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addWidget(self.add)
        column.addWidget(self.sizes, 0, Qt.AlignmentFlag.AlignHCenter)
        return foot

    def _draw(self) -> None:
        self.picture.setPixmap(voice_picture(self.voice.name, self._file, PICTURE, self.devicePixelRatioF(), self.palette()))
        color = self.palette().color(self.foregroundRole())
        self.samples.setIcon(icon("play", color))
        self.licence.setIcon(icon("notice", color))


def _button_words(state: State, total: int) -> str:
    if state == "coming":
        return localized("追加しています…", "Adding…")
    amount = localized(f"（{size(total)}）", f" ({size(total)})") if total else ""
    name = localized("この声で再生", "Use and play") if state == "here" else localized("追加して再生", "Add and play")
    return name + amount


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rstrip() + "…"
