"""What is known of one voice, and buttons for what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.language import localized
from app.sound_choice import SoundPrecision
from app.ui.plain_text import plain_tip
from app.ui.voices.card_words import about, needs_preparing
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.precision_button import PrecisionButton
from app.ui.voices.voice_actions import VoiceActions
from app.ui.voices.voice_details import facts
from app.ui.widgets.voice_picture import voice_picture

PICTURE = 56
LONGEST_WORD = 40  # letters; what cannot be broken would be cut off


class VoiceFacts(QWidget):
    """A page about a voice; the buttons stay in sight below it.

    Attributes:
        page: what is scrolled.
        buttons: by action.
        precision: how exactly it speaks; None where there is nothing to choose.

    Signals:
        wanted(str): an action, see `VoiceLibrary`.
        precision_chosen(str): "exact" or "fast".
    """

    wanted = Signal(str)
    precision_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.page = QScrollArea()
        self.page.setObjectName("facts")
        self.page.setWidgetResizable(True)
        self.page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.page.setAccessibleName(localized("選んだ声について", "About the selected voice"))
        self.picture, self.name, self.about = QLabel(), QLabel(), QLabel()
        self.name.setObjectName("heading")
        self.about.setObjectName("muted")
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(14)
        self._form.setVerticalSpacing(5)
        self.precision: PrecisionButton | None = None
        self._foot = VoiceActions()
        self._foot.wanted.connect(self.wanted)
        self.buttons = self._foot.buttons
        self._build()

    def show_voice(self, voice: CatalogVoice, precision: SoundPrecision = "exact") -> None:
        """Shows a voice, and how exactly it speaks."""
        has_focus = self.precision is not None and self.precision.hasFocus()  # it is made again
        lead = needs_preparing() if voice.place == "aivisspeech" else ""
        words = about(voice) if voice.starter else voice.description
        self._show(voice, voice.name, "\n".join(part for part in (lead, words) if part))
        colors = QGuiApplication.palette()  # ours is see-through, which is black
        self.picture.setPixmap(voice_picture(voice.name, voice.icon, PICTURE, self.devicePixelRatioF(), colors))
        if voice.place == "own":
            title = _title(localized("音声合成の精度", "Synthesis precision"))
            title.setAlignment(Qt.AlignmentFlag.AlignVCenter)
            self._form.addRow(title, self._choice(voice, precision))
        for name, value in facts(voice):
            self._form.addRow(_title(name), self._words(value))
        if has_focus and self.precision is not None:
            self.precision.setFocus()

    def show_none(self, *, is_read: bool) -> None:
        """Shows that there is no voice, or that nobody has looked yet."""
        if not is_read:
            self._show(None, localized("読み込み中…", "Loading…"), "")
            return
        hint = localized(
            "下のボタンで追加するか、ファイルをここにドラッグ＆ドロップしてください。",
            "Use the buttons below to add one, or drop a file here.",
        )
        self._show(None, localized("声がありません", "No voices"), hint)

    def show_not_found(self) -> None:
        """Shows that there are voices, but none that was looked for."""
        self._show(None, localized("見つかりません", "No matches"), localized("検索する言葉を変更してください。", "Try other words."))

    def _show(self, voice: CatalogVoice | None, name: str, words: str) -> None:
        """What stands above the facts and below them."""
        while self._form.rowCount():
            self._form.removeRow(0)
        self.precision = None
        self.picture.setVisible(voice is not None)
        self.name.setText(name)
        self.about.setText(words)
        self.about.setVisible(bool(words))
        self._foot.offer(voice)

    def _build(self) -> None:
        body = QWidget()
        body.setObjectName("side")
        head = QHBoxLayout()
        head.setSpacing(14)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addStretch(1)
        for label in (self.name, self.about):
            _fold(label)
            words.addWidget(label)
        words.addStretch(1)
        head.addWidget(self.picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        inside = QVBoxLayout(body)
        inside.setContentsMargins(14, 4, 10, 4)
        inside.setSpacing(12)
        inside.addLayout(head)
        inside.addLayout(self._form)
        inside.addStretch(1)
        self.page.setWidget(body)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.page, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(15, 0, 0, 0)  # under the words
        foot.addWidget(self._foot)
        column.addLayout(foot)

    def _choice(self, voice: CatalogVoice, precision: SoundPrecision) -> PrecisionButton:
        self.precision = PrecisionButton(self.page.widget())  # or it would be a window of its own until it has its place
        self.precision.setObjectName("framed")
        self.precision.show_voice(voice, precision)
        self.precision.chosen.connect(self.precision_chosen)
        QWidget.setTabOrder(self.page, self.precision)
        return self.precision

    def _words(self, text: str) -> QLabel:
        label = QLabel(" ".join(_short(word) for word in text.split(" ")))
        label.setToolTip(plain_tip(text) if label.text() != text else "")
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        _fold(label)
        return label


def _title(name: str) -> QLabel:
    title = QLabel(name)
    title.setObjectName("muted")
    title.setAlignment(Qt.AlignmentFlag.AlignTop)
    return title


def _fold(label: QLabel) -> None:
    """Plain words in as many lines as they need at any width."""
    label.setWordWrap(True)
    label.setMinimumWidth(1)
    label.setTextFormat(Qt.TextFormat.PlainText)


def _short(word: str) -> str:
    """The beginning and the end of a long word without places to break it at."""
    whole = len(word) <= LONGEST_WORD or not word.isascii() or max(map(len, word.split("-"))) <= LONGEST_WORD
    return word if whole else f"{word[: LONGEST_WORD // 2]}…{word[-LONGEST_WORD // 2 + 1 :]}"
