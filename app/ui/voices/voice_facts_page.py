"""The page of the library about one voice: names and values, with buttons for its actions."""

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFormLayout, QGridLayout, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.common.language import localize
from app.core.sound.voice_traits import KOKORO_ARCHITECTURE
from app.settings.user_settings import GraphPrecision
from app.ui.voices.catalog_voice import CatalogVoice, describe_unprepared_voice, describe_voice, format_bert_action
from app.ui.voices.precision_button import PrecisionButton
from app.ui.widgets.containers import FoldingSection
from app.ui.widgets.controls import PlainLabel, create_button, escape_tip, fill_box
from app.ui.widgets.painting import draw_voice_picture
from app.voices.required_bert import SBV2_BERT_ID
from app.voices.voice_labels import describe_int8_graphs, describe_int8_quality, describe_speaker, format_style, format_usual_speaker

MOST_ABREAST, GAP = 3, 6  # three buttons side by side at most, with 6 pixels between them

MAX_LISTED_NAMES = 12
MIN_SHOWN_DIFFERENCE = 1e-7  # the smallest difference of samples (full scale 1) that the rows write


class VoiceActionButtons(QWidget):
    """Arranges as many buttons side by side as fit, three at most.

    Signals:
        action_requested(str): an action, see `VoiceLibraryDialog`.
    """

    action_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._offered_buttons: list[QPushButton] = []
        self._abreast = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP)
        self.buttons = {
            action: create_button(name, tip, partial(self.action_requested.emit, action)) for action, name, tip in list_voice_actions()
        }
        for button in self.buttons.values():
            # Without a parent one that is not offered would be a window of its own.
            button.setParent(self)
        for action in ("use", "prepare"):  # never both
            self.buttons[action].setObjectName("primary")

    def offer_actions(self, voice: CatalogVoice | None) -> None:
        offered = list_allowed_actions(voice)
        if voice is not None:
            self.buttons["bert"].setText(format_bert_action(voice.manifest.bert))
        self._offered_buttons = [button for action, button in self.buttons.items() if action in offered]
        for button in self.buttons.values():
            button.setVisible(button in self._offered_buttons)
        self.setVisible(bool(self._offered_buttons))
        self._arrange_buttons(self._count_fitting_columns())

    def minimumSizeHint(self) -> QSize:
        """Return the size of a single button."""
        # The layout's own minimum is the width of all buttons side by side, so the column could never become narrower.
        return QSize(self._measure_widest_button(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rearrange the buttons if another number fits side by side."""
        super().resizeEvent(event)
        if self._count_fitting_columns() != self._abreast:
            self._arrange_buttons(self._count_fitting_columns())

    def _measure_widest_button(self) -> int:
        return max((button.sizeHint().width() for button in self._offered_buttons), default=0)

    def _count_fitting_columns(self) -> int:
        return max(1, min(MOST_ABREAST, (self.width() + GAP) // (self._measure_widest_button() + GAP)))

    def _arrange_buttons(self, columns: int) -> None:
        self._abreast = columns
        for button in self.buttons.values():
            self._grid.removeWidget(button)
        for index, button in enumerate(self._offered_buttons):
            self._grid.addWidget(button, index // columns, index % columns)


def list_voice_actions() -> tuple[tuple[str, str, str], ...]:
    """Return the actions on voices as (key, name, tool tip)."""
    return (*_list_use_actions(), *_list_change_actions())


def _list_use_actions() -> tuple[tuple[str, str, str], ...]:
    play_tip = localize(
        "選んだ行をこの声で再生します。行の設定は変わりません。", "Plays the selected line with this voice; the line is not changed."
    )
    default_tip = localize(
        "新しいプロジェクトや、声を指定しないコマンドは、この声で話します。",
        "New projects, and commands that name no voice, speak with it.",
    )
    prepare_tip = localize(
        "すぐに再生できる形式に変換して保存します。元の声は変更しません。",
        "Saves a copy that starts playing at once. The original is not changed.",
    )
    bert_tip = localize("この声に必要な BERT モデルを追加します。", "Adds the BERT model this voice requires.")
    return (
        ("play", localize("この声で再生", "Play"), play_tip),
        (
            "use",
            localize("この声を使う", "Use this voice"),
            localize("選んだ行の声をこの声に変更します。", "The selected lines will use it."),
        ),
        ("default", localize("既定の声にする", "Make default"), default_tip),
        ("prepare", localize("準備する", "Prepare"), prepare_tip),
        ("bert", format_bert_action(SBV2_BERT_ID), bert_tip),
        ("licence", localize("利用規約…", "Licence…"), localize("この声の利用規約を表示します。", "Shows the licence of this voice.")),
    )


def _list_change_actions() -> tuple[tuple[str, str, str], ...]:
    update_tip = localize("AivisHub の最新バージョンに更新します。", "Updates it to the latest version on AivisHub.")
    renew_tip = localize(
        "以前のバージョンで追加した声でも、このバージョンの「高速」を使えるようにします。数分かかります。行の設定は変わりません。",
        "Lets a voice added by an earlier version use the Fast precision of this one. Takes minutes; lines keep their settings.",
    )
    blend_tip = localize("2 人の話者の間の声を、スタイルとして保存します。", "Saves a voice between two speakers as a style.")
    export_tip = localize("ほかの Koebako に追加できる zip ファイルに書き出します。", "Exports a zip that another Koebako can add.")
    lab_tip = localize("この声の構成、速さ、正しさを調べます。", "Shows what it is made of, how fast it runs and whether it is exact.")
    folder_tip = localize("声のファイルがあるフォルダーを開きます。", "Opens the folder with its files.")
    return (
        ("update", localize("更新", "Update"), update_tip),
        ("renew", localize("準備し直す", "Prepare again"), renew_tip),
        ("blend", localize("話者を混ぜる…", "Blend speakers…"), blend_tip),
        ("rename", localize("名前を変更…", "Rename…"), localize("表示する名前を変更します。", "Changes the displayed name.")),
        ("export", localize("書き出す…", "Export…"), export_tip),
        ("lab", localize("ラボで調べる", "Open in the lab"), lab_tip),
        ("folder", localize("フォルダーを開く", "Open folder"), folder_tip),
        ("remove", localize("削除…", "Delete…"), localize("この声をディスクから削除します。", "Deletes the voice from disk.")),
    )


def list_allowed_actions(voice: CatalogVoice | None) -> set[str]:
    if voice is None:
        return set()
    offered = {"folder", "lab"} | ({"licence"} if voice.licence.strip() else set()) | (set() if voice.has_bert else {"bert"})
    if voice.origin == "aivisspeech":
        return offered | {"prepare"}
    if voice.architecture.styles_by_speaker and len(voice.speakers) > 1:
        offered |= {"blend"}
    if voice.origin == "own":
        offered |= {"renew", "rename", "export", "remove"} | ({"update"} if voice.model_card.uuid else set())
    return offered | ({"use", "play"} if voice.has_bert else {"use"}) | (set() if voice.is_default else {"default"})


FACTS_PICTURE_PX = 56
MAX_UNBROKEN_LETTERS = 40  # letters; Qt breaks no word without spaces or hyphens, and would cut a longer one off


def list_voice_facts(voice: CatalogVoice) -> Iterator[tuple[str, str]]:
    """Yield (name, value) for what everybody may want to know about a voice."""
    card, manifest = voice.model_card, voice.manifest
    if card.creators:
        yield localize("作者", "Author"), localize("、", ", ").join(card.creators)
    if card.version:
        yield localize("バージョン", "Version"), card.version
    if card.architecture:
        yield localize("アーキテクチャー", "Architecture"), card.architecture
    architecture = "Kokoro" if voice.architecture is KOKORO_ARCHITECTURE else manifest.format
    origin = localize("Koebako 付属", "Built in") if voice.is_starter else architecture
    yield localize("形式", "Format"), f"{origin}  {manifest.sampling_rate / 1000:g} kHz"
    size = format_bytes(voice.size_bytes)
    is_unprepared = voice.origin == "aivisspeech"
    yield localize("サイズ", "Size"), localize(f"準備後 約 {size}", f"About {size} once prepared") if is_unprepared else size
    if len(manifest.speakers) > 1:
        yield localize("話者", "Speakers"), _join_names([_name_speaker(item.name) for item in manifest.speakers])
    yield localize("スタイル", "Styles"), _join_names([format_style(item.name) for item in manifest.styles])
    if voice.list_samples():
        yield localize("ボイスサンプル", "Samples"), localize(f"{len(voice.list_samples())} 個", f"{len(voice.list_samples())}")
    if manifest.bert:
        yield "BERT", manifest.bert + ("" if voice.has_bert else localize("（見つかりません）", " (missing)"))
    if card.source_name:
        yield localize("追加元", "Source"), card.source_name
    for note in card.notes:
        yield localize("備考", "Note"), note


def list_voice_details(voice: CatalogVoice) -> Iterator[tuple[str, str]]:
    """Yield (name, value) for how the voice is computed, and the measured effect of int8."""
    if voice.origin != "aivisspeech":
        yield localize("計算方法", "Processing"), describe_processing(voice)
    if voice.int8_share is not None:
        yield (
            localize("int8 の BERT", "BERT in int8"),
            localize(f"音の長さの一致率 {voice.int8_share:.1%}", f"{voice.int8_share:.1%} of durations unchanged"),
        )
    if voice.origin != "own" or voice.is_single_graph:
        return
    fast = voice.manifest.fast
    if voice.is_pending:
        yield localize("「高速」の精度", "Fast synthesis"), localize("準備中です", "still being prepared")
        return
    quality = describe_int8_quality(fast) if fast is not None else localize("この声では使えません。", "not available for this voice")
    yield localize("「高速」の精度", "Fast synthesis"), quality
    yield localize("「高速」の内訳", "Fast, by part"), "\n".join(f"{name}: {what}" for name, what in describe_int8_graphs(voice.manifest))


def describe_processing(voice: CatalogVoice) -> str:
    """Say whether the voice is split, and how much it differs from the original."""
    if voice.is_single_graph:
        single_graph = localize("一体型（文ごとに再生を始めます）。", "Single graph (playback starts sentence by sentence).")
        return localize("", " ").join(part for part in (single_graph, voice.model_card.opaque_reason) if part)
    split = localize("分割済み（すぐに再生を始めます）。", "Split into three graphs (playback starts at once).")
    if voice.model_card.max_abs_diff is None:
        return split
    # Few people can read an exponent; a difference too small for seven digits counts as the smallest that has them.
    shown_difference = max(voice.model_card.max_abs_diff, MIN_SHOWN_DIFFERENCE if voice.model_card.max_abs_diff > 0 else 0)
    difference = f"{shown_difference:.7f}".rstrip("0").rstrip(".")
    return split + localize(f"元の声との差は最大 {difference}。", f" Differs from the original by at most {difference}.")


def format_bytes(byte_count: int) -> str:
    """Return a number of bytes in MB or GB."""
    return f"{byte_count / 1e9:.1f} GB" if byte_count >= 1e9 else f"{max(1, round(byte_count / 1e6))} MB"


def _name_speaker(speaker: str) -> str:
    """Return how a speaker is called here, with the usual name for those who know it."""
    name, usual = describe_speaker(speaker), format_usual_speaker(speaker)
    return name if name == usual else f"{name} = {usual}"


def _join_names(names: list[str]) -> str:
    more = "…" if len(names) > MAX_LISTED_NAMES else ""
    return localize("、", ", ").join(names[:MAX_LISTED_NAMES]) + more


class VoiceFactsPage(QWidget):
    """Shows a voice; the buttons stay in sight below the facts.

    Signals:
        action_requested(str): an action, see `VoiceLibraryDialog`.
        precision_chosen(str): "exact" or "fast".
    """

    action_requested = Signal(str)
    precision_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.page = QScrollArea()
        self.page.setObjectName("facts")
        self.page.setWidgetResizable(True)
        self.page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.page.setAccessibleName(localize("選んだ声について", "About the selected voice"))
        self.picture, self.name, self.about = QLabel(), PlainLabel("", "heading", wraps=True), PlainLabel("", "muted", wraps=True)
        self._form = QFormLayout(horizontalSpacing=14, verticalSpacing=5)
        self._figures = QFormLayout(horizontalSpacing=14, verticalSpacing=5)
        tip = localize("計算のしかたと、測定した数値を表示します。", "Shows how the voice is computed, and what was measured.")
        self.details = FoldingSection(localize("詳細", "Details"), tip)
        self.precision: PrecisionButton | None = None
        self._foot = VoiceActionButtons()
        self._foot.action_requested.connect(self.action_requested)
        self.buttons = self._foot.buttons
        self._build_layout()

    def show_voice(self, voice: CatalogVoice, precision: GraphPrecision = "exact") -> None:
        # The precision button is made again below, and would lose the focus.
        has_focus = self.precision is not None and self.precision.hasFocus()
        lead = describe_unprepared_voice() if voice.origin == "aivisspeech" else ""
        is_described = voice.is_starter or voice.architecture is KOKORO_ARCHITECTURE
        description = describe_voice(voice) if is_described else voice.description
        self._show_heading(voice, voice.name, "\n".join(part for part in (lead, description) if part))
        # The page's own palette has a transparent ground, which counts as black.
        colors = QGuiApplication.palette()
        self.picture.setPixmap(draw_voice_picture(voice.name, voice.icon, FACTS_PICTURE_PX, self.devicePixelRatioF(), colors))
        if voice.origin == "own":
            title = _create_title_label(localize("音声合成の精度", "Synthesis precision"), Qt.AlignmentFlag.AlignVCenter)
            self._form.addRow(title, self._create_precision_button(voice, precision))
        for name, value in list_voice_facts(voice):
            self._form.addRow(_create_title_label(name, Qt.AlignmentFlag.AlignTop), _create_value_label(value))
        for name, value in list_voice_details(voice):
            self._figures.addRow(_create_title_label(name, Qt.AlignmentFlag.AlignTop), _create_value_label(value))
        self.details.setVisible(self._figures.rowCount() > 0)
        if has_focus and self.precision is not None:
            self.precision.setFocus()

    def show_no_voice(self, *, is_catalog_read: bool) -> None:
        """Show that there is no voice, or that the first scan is not over."""
        if not is_catalog_read:
            self._show_heading(None, localize("読み込み中…", "Loading…"), "")
            return
        hint = localize(
            "下のボタンで追加するか、ファイルをここにドラッグ＆ドロップしてください。",
            "Use the buttons below to add one, or drop a file here.",
        )
        self._show_heading(None, localize("声がありません", "No voices"), hint)

    def show_no_match(self) -> None:
        """Show that no voice matches the search."""
        self._show_heading(None, localize("見つかりません", "No matches"), localize("検索する言葉を変更してください。", "Try other words."))

    def _show_heading(self, voice: CatalogVoice | None, name: str, description: str) -> None:
        """Show the heading above the facts and the buttons below them, and remove the facts."""
        for form in (self._form, self._figures):
            while form.rowCount():
                form.removeRow(0)
        self.details.hide()
        self.precision = None
        self.picture.setVisible(voice is not None)
        self.name.setText(name)
        self.about.setText(description)
        self.about.setVisible(bool(description))
        self._foot.offer_actions(voice)

    def _build_layout(self) -> None:
        body = QWidget()
        body.setObjectName("side")
        for label in (self.name, self.about):
            label.setMinimumWidth(1)
        self.details.content.addLayout(self._figures)
        words = fill_box(QVBoxLayout(), None, self.name, self.about, None, spacing=2)
        head = fill_box(QHBoxLayout(), (self.picture, Qt.AlignmentFlag.AlignTop), (words, 1), spacing=14)
        fill_box(QVBoxLayout(body), head, self._form, self.details, None, spacing=12, margins=(14, 4, 10, 4))
        self.page.setWidget(body)
        # The margin aligns the buttons with the words above.
        fill_box(QVBoxLayout(self), (self.page, 1), fill_box(QHBoxLayout(), self._foot, margins=(15, 0, 0, 0)), spacing=8)

    def _create_precision_button(self, voice: CatalogVoice, precision: GraphPrecision) -> PrecisionButton:
        # Without a parent the button would be a window of its own until the layout takes it.
        self.precision = PrecisionButton(self.page.widget())
        self.precision.setObjectName("framed")
        self.precision.show_voice(voice, precision)
        self.precision.precision_chosen.connect(self.precision_chosen)
        QWidget.setTabOrder(self.page, self.precision)
        return self.precision


def _create_title_label(name: str, place: Qt.AlignmentFlag) -> PlainLabel:
    title = PlainLabel(name, "muted")
    title.setAlignment(place)
    return title


def _create_value_label(text: str) -> PlainLabel:
    label = PlainLabel(" ".join(_shorten_word(word) for word in text.split(" ")), wraps=True)
    label.setMinimumWidth(1)
    label.setToolTip(escape_tip(text) if label.text() != text else "")
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _shorten_word(word: str) -> str:
    """Shorten a long word that has no place to break to its beginning and end."""
    fits = len(word) <= MAX_UNBROKEN_LETTERS or not word.isascii() or max(map(len, word.split("-"))) <= MAX_UNBROKEN_LETTERS
    return word if fits else f"{word[: MAX_UNBROKEN_LETTERS // 2]}…{word[-MAX_UNBROKEN_LETTERS // 2 + 1 :]}"
