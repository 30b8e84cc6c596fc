"""The chooser of a board: voices with their speakers and styles, style weights and presets; or candidate casts."""

from collections.abc import Callable, Collection, Iterator, Sequence

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.audition.board import BoardSetup, VoiceChoice
from app.common.language import localize
from app.core.script.project import Presets
from app.core.script.script import Character
from app.core.script.text_search import fold_text
from app.ui.audition.cast_chooser import CastChooser
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.controls import PlainLabel, create_search_field, create_tool_button, escape_tip, fill_box, truncate_text
from app.ui.widgets.voice_listening import ListeningRows, Row, VoicePick
from app.voices.voice_labels import describe_speaker, format_style

STYLE_ROLE = Qt.ItemDataRole.UserRole  # the data of a style's box: (voice, speaker, style)
CHECKED, UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked
StyleKey = tuple[str, str, str]
MAX_LINE_LETTERS = 40


def fill_voice_tree(tree: QTreeWidget, voices: Sequence[CatalogVoice], is_usable: Callable[[CatalogVoice], bool]) -> None:
    """Fill the tree with all voices, unchecked; a voice that cannot speak yet says why and is disabled."""
    tree.clear()
    for voice in voices:
        if voice.origin == "aivisspeech":
            # Voices found in AivisSpeech must be prepared before they can speak.
            continue
        item = _create_box(tree, voice.name)
        item.setData(0, Qt.ItemDataRole.UserRole + 1, voice.id)
        if not is_usable(voice):
            item.setText(0, localize(f"{voice.name}（BERT が必要）", f"{voice.name} (needs BERT)"))
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            continue
        several = len(voice.speakers) > 1
        for _, speaker in voice.speakers:
            above = _create_box(item, describe_speaker(speaker)) if several else item
            for _, style in voice.styles:
                if style not in voice.manifest.blends:
                    leaf = _create_box(above, format_style(style), is_leaf=True)
                    leaf.setData(0, STYLE_ROLE, (voice.id, speaker, style))
        # A blend is none of the speakers, whichever a line has.
        for style in voice.manifest.blends:
            leaf = _create_box(item, format_style(style), is_leaf=True)
            leaf.setData(0, STYLE_ROLE, (voice.id, "", style))


def collect_checked_voices(tree: QTreeWidget) -> tuple[VoiceChoice, ...]:
    """Return the checked styles as one choice for each speaker, in the order of the tree."""
    styles_by_speaker: dict[tuple[str, str], list[str]] = {}
    for item in _iterate_style_items(tree):
        if item.checkState(0) == CHECKED:
            voice, speaker, style = item.data(0, STYLE_ROLE)
            styles_by_speaker.setdefault((voice, speaker), []).append(style)
    return tuple(VoiceChoice(voice, (speaker,), tuple(styles)) for (voice, speaker), styles in styles_by_speaker.items())


def check_voices(tree: QTreeWidget, voices: Collection[VoiceChoice]) -> None:
    """Check these styles and no others, and expand their voices."""
    style_keys: set[StyleKey] = {
        (choice.voice, speaker, style) for choice in voices for speaker in choice.speakers for style in choice.styles
    }
    blend_keys = {(voice, "", style) for voice, _, style in style_keys}
    for item in _iterate_style_items(tree):
        voice, speaker, style = item.data(0, STYLE_ROLE)
        is_checked = (voice, speaker, style) in (style_keys if speaker else blend_keys)
        item.setCheckState(0, CHECKED if is_checked else UNCHECKED)
        parent = item.parent()
        while parent is not None and item.checkState(0) == CHECKED:
            parent.setExpanded(True)
            parent = parent.parent()


def _create_box(parent: QTreeWidget | QTreeWidgetItem, name: str, *, is_leaf: bool = False) -> QTreeWidgetItem:
    item = QTreeWidgetItem(parent, [name])
    flags = item.flags() | Qt.ItemFlag.ItemIsUserCheckable
    item.setFlags(flags if is_leaf else flags | Qt.ItemFlag.ItemIsAutoTristate)
    item.setCheckState(0, UNCHECKED)
    item.setToolTip(0, escape_tip(name))
    return item


def _iterate_style_items(tree: QTreeWidget) -> Iterator[QTreeWidgetItem]:
    for row in range(tree.topLevelItemCount()):
        top = tree.topLevelItem(row)
        assert top is not None
        yield from _iterate_leaves(top)


def _iterate_leaves(item: QTreeWidgetItem) -> Iterator[QTreeWidgetItem]:
    if item.data(0, STYLE_ROLE) is not None:
        yield item
    for row in range(item.childCount()):
        below = item.child(row)
        assert below is not None
        yield from _iterate_leaves(below)


def find_first_pick(index: Row) -> VoicePick | None:
    """Return whom a row of the tree stands for: its style, or the first one below it; None for a voice that cannot speak yet."""
    first = QModelIndex(index)  # type: ignore[arg-type]  # it takes a persistent one, too
    while first.isValid() and (style := first.data(STYLE_ROLE)) is None:
        first = index.model().index(0, 0, first)
    return VoicePick(*style) if first.isValid() else None


OFFERED_STRENGTHS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
PRESETS_HEIGHT_PX = 104
BOARD_SETTLE_MS = 120  # checking a voice changes the boxes of all its styles; the board is rebuilt once, after the last of them


class BoardChooser(QWidget):
    """A side panel that says what the board compares: ways to speak, by check boxes, or casts.

    Signals:
        changed(): Something else is to be compared.
        lines_requested(): The lines now selected in the script are to be compared.
        introduction_requested(VoicePick): A voice of the lists is to be heard.
    """

    changed = Signal()
    lines_requested = Signal()
    introduction_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._presets: Presets = {}
        self._timer = QTimer(self, singleShot=True, interval=BOARD_SETTLE_MS)
        self._timer.timeout.connect(self.changed)
        self.lines = PlainLabel(wraps=True)
        self.take_lines_button = create_tool_button(
            localize("選択中の行に変更", "Use selected lines"),
            localize("台本で選んでいる行に切り替えます。", "Switches to the lines selected in the script."),
            self.lines_requested.emit,
        )
        tip = localize("名前で声を絞り込みます。", "Filters the voices by name.")
        self.search = create_search_field(localize("声を検索", "Search voices"), tip)
        self.search.textChanged.connect(self._filter_tree)
        self.tree = QTreeWidget()
        self.tree.setObjectName("choices")
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName(localize("声・話者・スタイル", "Voices, speakers and styles"))
        self.tree.setIndentation(16)
        ListeningRows(self.tree, find_first_pick).requested.connect(self.introduction_requested)
        self.tree.itemChanged.connect(lambda _item: self._timer.start())
        self.strengths = {strength: self._create_strength_button(strength) for strength in OFFERED_STRENGTHS}
        self.presets = QListWidget()
        self.presets.setObjectName("choices")
        self.presets.setMaximumHeight(PRESETS_HEIGHT_PX)
        self.presets.setAccessibleName(localize("プリセット", "Preset"))
        self.presets.itemChanged.connect(lambda _item: self._timer.start())
        self.tabs, self.pages, self.casts = QTabBar(), QStackedWidget(), CastChooser()
        self.tabs.addTab(localize("声・スタイル", "Voices"))
        self.tabs.addTab(localize("配役", "Casts"))
        self.tabs.setTabToolTip(0, localize("行ごとに、声やスタイルを聞き比べます。", "Compares voices and styles, line by line."))
        self.tabs.setTabToolTip(1, localize("登場人物の配役を、場面で聞き比べます。", "Compares casts of the characters, scene by scene."))
        self.tabs.setAccessibleName(localize("比べるもの", "What to compare"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.currentChanged.connect(self.pages.setCurrentIndex)
        self.tabs.currentChanged.connect(lambda _index: self._timer.start())
        self.casts.changed.connect(self._timer.start)
        self.casts.introduction_requested.connect(self.introduction_requested)
        lines = PlainLabel(localize("行", "Lines"), "heading")
        take_lines = (self.take_lines_button, Qt.AlignmentFlag.AlignLeft)
        fill_box(QVBoxLayout(self), lines, self.lines, take_lines, 6, self.tabs, (self.pages, 1), spacing=6)
        self.pages.addWidget(self._create_voice_page())
        self.pages.addWidget(self.casts)

    @property
    def is_of_casts(self) -> bool:
        return self.tabs.currentIndex() == 1

    def show_casts(self, *, is_of_casts: bool) -> None:
        """Show the casts, or the voices; the caller builds the board."""
        self.tabs.setCurrentIndex(int(is_of_casts))
        self._timer.stop()

    @property
    def board_setup(self) -> BoardSetup:
        """Return the checked voices, style weights and presets."""
        items = [self.presets.item(row) for row in range(self.presets.count())]
        preset_names = [item.data(Qt.ItemDataRole.UserRole) for item in items if item.checkState() == Qt.CheckState.Checked]
        strengths = tuple(strength for strength, button in self.strengths.items() if button.isChecked())
        return BoardSetup(collect_checked_voices(self.tree), strengths, {name: self._presets[name].values for name in preset_names})

    def offer_choices(self, voices: Sequence[CatalogVoice], is_usable: Callable[[CatalogVoice], bool], presets: Presets) -> None:
        """Offer these voices and presets; what is checked stays checked."""
        setup, self._presets = self.board_setup, presets
        # Refilling would emit itemChanged for every box and rebuild the board from half a tree.
        self.tree.blockSignals(True)
        fill_voice_tree(self.tree, voices, is_usable)
        self.tree.blockSignals(False)
        self.presets.blockSignals(True)
        self.presets.clear()
        for name in presets:
            item = QListWidgetItem(name)
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if name in setup.presets else Qt.CheckState.Unchecked)
            self.presets.addItem(item)
        self.presets.blockSignals(False)
        for widget in (self.presets, self.presets_title):
            widget.setVisible(bool(presets))
        check_voices(self.tree, setup.voices)
        self._filter_tree()
        self.casts.offer_voices(voices, is_usable, presets)

    def choose_ways(self, voices: Collection[VoiceChoice], strengths: Collection[float] = (), presets: Collection[str] = ()) -> None:
        """Check these voices, style weights and presets, and no others."""
        check_voices(self.tree, voices)
        for strength, button in self.strengths.items():
            button.setChecked(strength in strengths)
        for row in range(self.presets.count()):
            item = self.presets.item(row)
            item.setCheckState(Qt.CheckState.Checked if item.data(Qt.ItemDataRole.UserRole) in presets else Qt.CheckState.Unchecked)
        # The caller builds the board itself; the timer would build it a second time.
        self._timer.stop()

    def show_lines(self, texts: Sequence[str], characters: Sequence[Character]) -> None:
        """Show the text of the first compared line and the number of the others, and offer their characters."""
        self.casts.offer_characters(characters)
        more = localize(f" ほか {len(texts) - 1} 行", f" and {len(texts) - 1} more") if len(texts) > 1 else ""
        none = localize("テキストのある行を選択してください。", "Select lines with text.")
        self.lines.setText(truncate_text(" ".join(texts[0].split()), MAX_LINE_LETTERS) + more if texts else none)

    def _create_strength_button(self, strength: float) -> QToolButton:
        name = localize(f"スタイルの強さ {strength:g}", f"Style weight {strength:g}")
        tip = localize(
            f"スタイルの強さ {strength:g} を比べます。選ばなければ行の設定のままです。",
            f"Compares style weight {strength:g}. If none is checked, lines keep their own.",
        )
        button = create_tool_button(f"{strength:g}", tip, name=name, is_checkable=True)
        button.toggled.connect(lambda _on: self._timer.start())
        return button

    def _create_voice_page(self) -> QWidget:
        page = QWidget()
        voices = PlainLabel(localize("声・話者・スタイル", "Voices, speakers and styles"), "heading")
        strengths = PlainLabel(localize("スタイルの強さ", "Style weight"), "heading")
        row = fill_box(QHBoxLayout(), *((button, 1) for button in self.strengths.values()), None, spacing=4)
        self.presets_title = PlainLabel(localize("プリセット", "Presets"), "heading")
        widgets = (voices, self.search, (self.tree, 1), 6, strengths, row, 6, self.presets_title, self.presets)
        fill_box(QVBoxLayout(page), *widgets, spacing=6)
        return page

    @Slot()
    def _filter_tree(self) -> None:
        words = fold_text(self.search.text()).split()
        for row in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(row)
            assert item is not None
            item.setHidden(not all(word in fold_text(item.text(0)) for word in words))
