"""A voice that AivisHub offers: its picture, makers, licence and recordings, and the button that adds it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.adapters.http.aivishub_catalog import OfferedSample, OfferedVoice
from app.common.language import localize
from app.ui.display_names import format_style
from app.ui.plain_text import PlainLabel, escape_tip
from app.ui.theme.theme import is_theme_change_event
from app.ui.theme.themed_icons import draw_icon
from app.ui.voices.hub_media import is_playable_url
from app.ui.voices.voice_fact_rows import format_bytes
from app.ui.widgets.voice_picture import draw_voice_picture
from app.voices.required_bert import STANDARD_DOWNLOAD_MB

PICTURE, GAP = 56, 12
# The hub's own page shows the rest of the description and of the styles.
MOST_LETTERS, MOST_STYLES = 160, 8
HubCardState = Literal["new", "coming", "here"]


class HubCard(QFrame):
    """A card about one voice of the hub.

    Attributes:
        add: the button that downloads the voice, or uses it if it is installed.

    Signals:
        add_requested(): the button was pressed.  sample_requested(OfferedSample): play it.  licence_requested(): show the licence.
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
        self.samples, self.licence = (
            self._create_flat_button(localize("ボイスサンプル", "Samples")),
            self._create_flat_button(localize("利用規約", "Licence")),
        )
        self.licence.setToolTip(localize("この声の利用規約を表示します。", "Shows the licence of this voice."))
        self.licence.clicked.connect(self.licence_requested)
        self.licence.setVisible(bool(voice.licence_text))
        self._fill_samples_menu()
        self._build_layout()
        self._draw_icons()

    def show_download_state(self, state: HubCardState, *, has_bert: bool) -> None:
        """Show whether the voice is installed, and how many bytes a download takes."""
        voice, bert = self.voice, STANDARD_DOWNLOAD_MB * 1_000_000 * (not has_bert)
        known = state == "here" or voice.file_bytes > 0
        total = ((voice.file_bytes if state != "here" else 0) + bert) * known
        self.add.setEnabled(state != "coming")
        self.add.setText(_format_button_text(state, total))
        self.add.setAccessibleName(f"{voice.name}: {self.add.text()}")
        amount = format_bytes(voice.file_bytes) if known else localize("（サイズ不明）", "(unknown size)")
        parts = [localize(f"声 {amount}", f"voice {amount}")] if state != "here" else []
        parts += [f"BERT {format_bytes(bert)}"] if bert else []
        self.sizes.setText(localize("＋", " + ").join(parts) if len(parts) > 1 or not known else "")
        self.add.setToolTip(
            localize("声を追加して、選んだ行を再生します。", "Adds the voice and plays the selected line.")
            if state != "here"
            else localize("選んだ行の声をこの声に変更して、再生します。", "Uses this voice for the selected line and plays it.")
        )

    def show_picture(self, file: Path | None) -> None:
        """Show the icon in `file`; without one a letter is drawn."""
        if file != self._file:
            self._file = file
            self._draw_icons()

    def changeEvent(self, event: QEvent) -> None:
        """Redraw picture and icons for another theme."""
        if is_theme_change_event(self, event):
            self._draw_icons()
        super().changeEvent(event)

    def _create_flat_button(self, text: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName("quiet")
        button.setText(text)
        button.setAccessibleName(f"{self.voice.name}: {text}")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIconSize(QSize(14, 14))
        return button

    def _fill_samples_menu(self) -> None:
        """Fill the menu of recordings; a recording in a format that cannot be played here opens in the browser."""
        menu = QMenu(self.samples)
        for sample in self.voice.samples:
            # Qt takes a single & in a menu entry for a keyboard mnemonic and would hide it.
            words = f"{format_style(sample.style)}  {sample.transcript[:40]}".strip().replace("&", "&&")
            elsewhere = "" if is_playable_url(sample.url) else localize("（ブラウザーで開く）", " (opens in the browser)")
            action = menu.addAction(words + elsewhere)
            action.setToolTip(escape_tip(sample.transcript))
            action.triggered.connect(self._create_sample_slot(sample))
        self.samples.setMenu(menu)
        self.samples.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.samples.setToolTip(localize("ボイスサンプルを再生します。", "Plays a recording of this voice."))
        self.samples.setVisible(bool(self.voice.samples))

    def _create_sample_slot(self, sample: OfferedSample) -> Callable[[], None]:
        return lambda: self.sample_requested.emit(sample)

    def _build_layout(self) -> None:
        name = PlainLabel(self.voice.name)
        name.setObjectName("heading")
        about = PlainLabel(" · ".join(part for part in (self.voice.maker, self.voice.licence) if part))
        about.setObjectName("muted")
        words = QVBoxLayout()
        words.setSpacing(2)
        for label in (name, about, PlainLabel(_truncate_text(self.voice.description, MOST_LETTERS)), self._create_styles_label()):
            label.setWordWrap(True)
            # Without a minimum width of 1 a word-wrapped label asks for the width of its longest word, and the card would not shrink.
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
        row.addWidget(self._create_footer(), 0, Qt.AlignmentFlag.AlignTop)

    def _create_styles_label(self) -> PlainLabel:
        names = [format_style(name) for name in dict.fromkeys(self.voice.styles)]
        more = "…" * (len(names) > MOST_STYLES)
        label = PlainLabel(localize("スタイル: ", "Styles: ") + localize("、", ", ").join(names[:MOST_STYLES]) + more if names else "")
        label.setObjectName("muted")
        return label

    def _create_footer(self) -> QWidget:
        foot = QWidget()
        column = QVBoxLayout(foot)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addWidget(self.add)
        column.addWidget(self.sizes, 0, Qt.AlignmentFlag.AlignHCenter)
        return foot

    def _draw_icons(self) -> None:
        self.picture.setPixmap(draw_voice_picture(self.voice.name, self._file, PICTURE, self.devicePixelRatioF(), self.palette()))
        color = self.palette().color(self.foregroundRole())
        self.samples.setIcon(draw_icon("play", color))
        self.licence.setIcon(draw_icon("notice", color))


def _format_button_text(state: HubCardState, download_bytes: int) -> str:
    if state == "coming":
        return localize("追加しています…", "Adding…")
    amount = localize(f"（{format_bytes(download_bytes)}）", f" ({format_bytes(download_bytes)})") if download_bytes else ""
    name = localize("この声で再生", "Use and play") if state == "here" else localize("追加して再生", "Add and play")
    return name + amount


def _truncate_text(text: str, max_length: int) -> str:
    return text if len(text) <= max_length else text[:max_length].rstrip() + "…"
