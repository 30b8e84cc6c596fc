"""What is known of one voice, and buttons for what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFormLayout, QGridLayout, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.language import localized
from app.ui.labels import style_name
from app.ui.plain_text import plain_tip
from app.ui.voices.card import about
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.voice_picture import voice_picture

PICTURE = 56
MOST_NAMES = 12
LONGEST_WORD = 40  # letters; what cannot be broken would be cut off


class VoiceFacts(QScrollArea):
    """A page about a voice.

    Attributes:
        buttons: by action.

    Signals:
        wanted(str): an action, see `VoiceLibrary`.
    """

    wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("facts")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.picture, self.name, self.about = QLabel(), QLabel(), QLabel()
        self.name.setObjectName("heading")
        self.about.setObjectName("muted")
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(14)
        self._grid = QGridLayout()
        self._grid.setSpacing(6)
        self._form.setVerticalSpacing(5)
        self.buttons = {action: self._button(action, name, tip) for action, name, tip in voice_actions()}
        for action in ("use", "prepare"):  # never both
            self.buttons[action].setObjectName("primary")
        self.setAccessibleName(localized("選んだ声について", "About the selected voice"))
        self._build()

    def show_voice(self, voice: CatalogVoice | None) -> None:
        """Shows a voice, or that there is none."""
        while self._form.rowCount():
            self._form.removeRow(0)
        if voice is None:
            self.name.setText(localized("声がありません", "No voice"))
            self.about.setText(localized("下のボタンから追加できます。", "Use the buttons below to add one."))
            self.picture.clear()
        else:
            self.name.setText(voice.name)
            self.about.setText(about(voice) if voice.starter else voice.description)
            colors = QGuiApplication.palette()  # ours is see-through, which is black
            self.picture.setPixmap(voice_picture(voice.name, voice.icon, PICTURE, self.devicePixelRatioF(), colors))
            for name, value in facts(voice):
                title = QLabel(name)
                title.setObjectName("muted")
                title.setAlignment(Qt.AlignmentFlag.AlignTop)
                self._form.addRow(title, self._words(value))
        self.about.setVisible(bool(self.about.text()))
        offered = possible(voice)
        for button in self.buttons.values():
            self._grid.removeWidget(button)
            button.hide()
        for place, action in enumerate(action for action in self.buttons if action in offered):
            self._grid.addWidget(self.buttons[action], place // 3, place % 3)
            self.buttons[action].show()
        if voice is not None and voice.place == "aivisspeech":
            self.buttons["prepare"].setText(
                localized(f"準備する（約 {size(voice.size_bytes)}）", f"Prepare (about {size(voice.size_bytes)})")
            )

    def _build(self) -> None:
        body = QWidget()
        body.setObjectName("side")
        head = QHBoxLayout()
        head.setSpacing(14)
        words = QVBoxLayout()
        words.setSpacing(2)
        for label in (self.name, self.about):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            words.addWidget(label)
        words.addStretch(1)
        head.addWidget(self.picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        for button in self.buttons.values():
            button.setParent(body)
        column = QVBoxLayout(body)
        column.setContentsMargins(14, 4, 10, 4)
        column.setSpacing(12)
        column.addLayout(head)
        column.addLayout(self._form)
        column.addStretch(1)
        column.addLayout(self._grid)
        self.setWidget(body)

    def _words(self, text: str) -> QLabel:
        label = QLabel(" ".join(_short(word) for word in text.split(" ")))
        label.setToolTip(plain_tip(text) if label.text() != text else "")
        label.setWordWrap(True)
        label.setMinimumWidth(1)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _button(self, action: str, name: str, tip: str) -> QPushButton:
        button = QPushButton(name)
        button.setToolTip(tip)
        button.setAutoDefault(False)
        button.clicked.connect(self._emitter(action))
        return button

    def _emitter(self, action: str) -> Callable[[], None]:
        return lambda: self.wanted.emit(action)


def voice_actions() -> tuple[tuple[str, str, str], ...]:
    """What can be done with voices, as (key, name, what it does)."""
    return (
        (
            "use",
            localized("この声を使う", "Use this voice"),
            localized("選んだ行の声をこの声に変更します。", "The selected lines will use it."),
        ),
        (
            "prepare",
            localized("準備する", "Prepare"),
            localized(
                "すぐに再生できる形式に変換して保存します。元の声は変更しません。",
                "Saves a copy that starts playing at once. The original is not changed.",
            ),
        ),
        (
            "bert",
            localized("BERT をダウンロード…", "Download BERT…"),
            localized("この声に必要な BERT モデルを追加します。", "Adds the BERT model this voice requires."),
        ),
        ("licence", localized("利用規約…", "Licence…"), localized("この声の利用規約を表示します。", "Shows the licence of this voice.")),
        (
            "update",
            localized("更新", "Update"),
            localized("AivisHub の最新バージョンに更新します。", "Updates it to the latest version on AivisHub."),
        ),
        ("rename", localized("名前を変更…", "Rename…"), localized("表示する名前を変更します。", "Changes the displayed name.")),
        (
            "export",
            localized("書き出す…", "Export…"),
            localized("ほかの Koebako に追加できる zip ファイルに書き出します。", "Exports a zip that another Koebako can add."),
        ),
        (
            "folder",
            localized("フォルダーを開く", "Open folder"),
            localized("声のファイルがあるフォルダーを開きます。", "Opens the folder with its files."),
        ),
        ("remove", localized("削除…", "Delete…"), localized("この声をディスクから削除します。", "Deletes the voice from disk.")),
    )


def possible(voice: CatalogVoice | None) -> set[str]:
    """Which actions a voice allows."""
    if voice is None:
        return set()
    offered = {"folder"} | ({"licence"} if voice.licence.strip() else set()) | (set() if voice.has_bert else {"bert"})
    if voice.place == "aivisspeech":
        return offered | {"prepare"}
    if voice.place == "own":
        offered |= {"rename", "export", "remove"} | ({"update"} if voice.card.uuid else set())
    return offered | {"use"}


def facts(voice: CatalogVoice) -> Iterator[tuple[str, str]]:
    """Name and value of everything worth knowing."""
    card, manifest = voice.card, voice.manifest
    if card.creators:
        yield localized("作者", "Author"), localized("、", ", ").join(card.creators)
    if card.version:
        yield localized("バージョン", "Version"), card.version
    if card.architecture:
        yield localized("アーキテクチャー", "Architecture"), card.architecture
    yield localized("形式", "Format"), f"{manifest.format}  {manifest.sampling_rate / 1000:g} kHz"
    yield localized("サイズ", "Size"), size(voice.size_bytes) if voice.place != "aivisspeech" else localized("準備前", "not prepared")
    if len(manifest.speakers) > 1:
        yield localized("話者", "Speakers"), _names([item.name for item in manifest.speakers])
    yield localized("スタイル", "Styles"), _names([style_name(item.name) for item in manifest.styles])
    if voice.samples():
        yield localized("ボイスサンプル", "Samples"), localized(f"{len(voice.samples())} 個", f"{len(voice.samples())}")
    if voice.place != "aivisspeech":
        yield localized("計算方法", "Processing"), computed(voice)
    if voice.int8_share is not None:
        yield (
            localized("int8 の BERT", "BERT in int8"),
            localized(f"音の長さの一致率 {voice.int8_share:.1%}", f"{voice.int8_share:.1%} of durations unchanged"),
        )
    yield "BERT", manifest.bert + ("" if voice.has_bert else localized("（見つかりません）", " (missing)"))
    if card.source_name:
        yield localized("追加元", "Source"), card.source_name
    for note in card.notes:
        yield localized("備考", "Note"), note


def computed(voice: CatalogVoice) -> str:
    """How it runs, and how exactly."""
    if voice.opaque:
        whole = localized("一体型（文ごとに再生を始めます）。", "Single graph (playback starts sentence by sentence).")
        return f"{whole} {voice.card.opaque_reason}".strip()
    split = localized("分割済み（すぐに再生を始めます）。", "Split into three graphs (playback starts at once).")
    if voice.card.max_abs_diff is None:
        return split
    return split + localized(
        f"元の声との差は最大 {voice.card.max_abs_diff:.1e}。", f" Differs from the original by at most {voice.card.max_abs_diff:.1e}."
    )


def size(count: int) -> str:
    """Bytes for people."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(1, round(count / 1e6))} MB"


def _short(word: str) -> str:
    """The beginning and the end of a long word without places to break it at."""
    whole = len(word) <= LONGEST_WORD or not word.isascii() or max(map(len, word.split("-"))) <= LONGEST_WORD
    return word if whole else f"{word[: LONGEST_WORD // 2]}…{word[-LONGEST_WORD // 2 + 1 :]}"


def _names(names: list[str]) -> str:
    more = "…" if len(names) > MOST_NAMES else ""
    return localized("、", ", ").join(names[:MOST_NAMES]) + more
