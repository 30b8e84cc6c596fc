"""The voice that speaks the selected line: who it is, an honest line about it, its licence, its samples, and what it lacks."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton, QVBoxLayout

from app.language import localized
from app.ui.plain_text import folded_tip
from app.ui.theme.icons import icon
from app.ui.theme.theme import is_theme_change
from app.ui.voices.bert_words import bert_action
from app.ui.voices.card_words import KnownVoice, about, folded, makers, needs_preparing
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.precision_button import PrecisionButton
from app.ui.voices.samples_button import SamplesButton
from app.ui.widgets.voice_picture import voice_picture

PICTURE, MARGIN, BESIDE = 44, 12, 10  # pixels; around everything, and beside the picture
LEAST_HEIGHT = 132  # of the card with a picture, a speaker and two lines: it does not grow while a voice is looked up


class VoiceCard(QFrame):
    """Name and description of a voice.

    Signals:
        licence_requested(): show the licence.  sample_requested(Path): play this recording.  style_requested(str): let it speak in this style.
        lab_requested(str): look into this voice.
        mend_requested(): the voice lacks something.  assign_requested(): another voice is to speak all lines of one that is missing.
    """

    licence_requested = Signal()
    sample_requested = Signal(object)
    style_requested = Signal(str)
    lab_requested = Signal(str)
    mend_requested = Signal()
    assign_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setMinimumHeight(LEAST_HEIGHT)
        self._voice: KnownVoice | None = None
        self._speaker = ""
        self.picture = QLabel()
        self.picture.setFixedSize(PICTURE, PICTURE)
        self.name = QLabel(localized("声を準備しています…", "Preparing the voice…"))
        self.name.setObjectName("heading")
        self.makers, self.about, self.lack = QLabel(), QLabel(), QLabel()
        self.makers.setObjectName("muted")
        self.about.setObjectName("muted")
        self.lack.setObjectName("error")
        self.mend = QPushButton()
        self.mend.setAccessibleName(localized("不足しているものを追加", "Add what is missing"))
        self.mend.clicked.connect(self.mend_requested)
        self.assign = QPushButton(localized("見つからない声をまとめて割り当て…", "Assign all missing voices…"))
        self.assign.setToolTip(
            localized("見つからない声の行すべてに、別の声を割り当てます。", "Gives all lines of missing voices to other voices.")
        )
        self.assign.clicked.connect(self.assign_requested)
        self.licence, self.samples = self._button(localized("利用規約", "Licence")), SamplesButton()
        self.precision = PrecisionButton(tests=True)
        self.precision.setObjectName("quiet")
        self.samples.sample_requested.connect(self.sample_requested)
        self.samples.style_requested.connect(self.style_requested)
        self.licence.setToolTip(localized("この声の利用規約を表示します。", "Shows the licence of this voice."))
        self.licence.clicked.connect(self.licence_requested)
        self._build()
        self._show_lack("", "")

    def show_voice(self, voice: KnownVoice) -> None:
        """Shows a voice."""
        self._voice = voice
        known = voice if isinstance(voice, CatalogVoice) else None
        self.name.setText(voice.name)
        self._show_makers()
        self.about.setText(about(voice))
        self.about.setVisible(bool(self.about.text()))
        self.about.setToolTip(folded_tip(voice.description))
        self.licence.setVisible(bool(voice.licence.strip()))
        self._draw()
        speaks = known is None or (known.place != "aivisspeech" and known.has_bert)
        self._offer_samples(speaks)
        if known is not None and known.place == "aivisspeech":
            self._show_lack(
                needs_preparing(),
                localized("準備する", "Prepare"),
            )
        elif known is not None and not known.has_bert:
            self._show_lack(
                localized("この声を使うには、対応する BERT が必要です。", "This voice requires a BERT model that is not installed."),
                bert_action(known.manifest.bert, with_size=True),
            )
        else:
            self._show_lack("", "")

    def show_speaker(self, name: str) -> None:
        """Who of the voice speaks the line."""
        self._speaker = name
        self._show_makers()

    def show_forced(self) -> None:
        """Adds that the voice speaks with a BERT that is not its own; as it speaks, it can be heard."""
        self._offer_samples(speaks=True)
        self._show_lack(localized("別の BERT で代用しています。", "Using another BERT in place of its own."), self.mend.text())

    def show_missing(self, name: str) -> None:
        """Shows that the voice of the line is not here; `name` is what it was called, empty where nobody knows."""
        self._voice = None
        self.name.setText(name or localized("不明な声", "Unknown voice"))
        self.about.setText(
            localized(
                "声のファイルをウィンドウにドラッグ＆ドロップすると、また使えるようになります。別の声を選ぶこともできます。",
                "Drop its file on the window to add it again, or choose another voice.",
            )
        )
        self.about.setToolTip("")
        self.about.show()
        for widget in (self.makers, self.licence, self.samples, self.precision):
            widget.hide()
        self._draw()
        self._show_lack(
            localized("この行の声が見つかりません。", "The voice for this line is missing."),
            localized("別の声を選ぶ…", "Choose another voice…"),
        )
        self.assign.show()

    def show_no_voice(self) -> None:
        """Shows that none could be opened."""
        self.name.setText(localized("声がありません", "No voice"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width has room for other parts beside each other."""
        super().resizeEvent(event)
        if self._voice is not None:
            self._show_makers()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What else can be done with the voice."""
        if isinstance(voice := self._voice, CatalogVoice):
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addAction(localized("ラボで調べる", "Open in the lab")).triggered.connect(lambda: self.lab_requested.emit(voice.id))
            menu.popup(event.globalPos())

    def changeEvent(self, event: QEvent) -> None:
        """Redraws the icons for another theme."""
        if is_theme_change(self, event):
            self._draw()
        super().changeEvent(event)

    def _button(self, text: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName("quiet")
        button.setText(text)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIconSize(QSize(14, 14))
        button.hide()
        return button

    def _build(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(1)
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        for button in (self.licence, self.samples, self.precision):
            buttons.addWidget(button)
        buttons.addStretch(1)
        for label in (self.name, self.makers):
            words.addWidget(label)
        words.addLayout(buttons)
        words.addStretch(1)
        head = QHBoxLayout()
        head.setSpacing(BESIDE)
        head.addWidget(self.picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, 10, MARGIN, 10)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.lack)
        column.addWidget(self.about)
        column.addWidget(self.mend)
        column.addWidget(self.assign)
        column.addStretch(1)
        for label in (self.name, self.makers, self.about, self.lack):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)

    def _offer_samples(self, speaks: bool) -> None:
        known = self._voice if isinstance(self._voice, CatalogVoice) else None
        self.samples.offer(known, [name for _, name in self._voice.styles] if speaks and self._voice is not None else [])

    def _show_lack(self, text: str, action: str) -> None:
        self.lack.setText(text)
        self.lack.setVisible(bool(text))
        self.mend.setText(action)
        self.mend.setToolTip(text or self.mend.accessibleName())
        self.mend.setVisible(bool(action))
        self.assign.hide()

    def _show_makers(self) -> None:
        """Speaker, makers and version, of what is known."""
        speaker = localized(f"話者: {self._speaker}", f"Speaker: {self._speaker}") if self._speaker and self._voice else ""
        made = makers(self._voice) if isinstance(self._voice, CatalogVoice) else []
        room = self.width() - 2 * MARGIN - PICTURE - BESIDE - 2 * self.frameWidth()
        self.makers.setText(folded([speaker, *made] if speaker else made, self.makers.fontMetrics(), room))
        self.makers.setVisible(bool(self.makers.text()))

    def _draw(self) -> None:
        image = self._voice.icon if isinstance(self._voice, CatalogVoice) else None
        name = self._voice.name if self._voice else "?"
        self.picture.setPixmap(voice_picture(name, image, PICTURE, self.devicePixelRatioF(), self.palette()))
        color = self.palette().color(self.foregroundRole())
        self.samples.setIcon(icon("play", color))
        self.licence.setIcon(icon("notice", color))
