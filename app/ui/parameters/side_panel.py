"""The column at the right: the voice, the character and all settings of the selected lines."""

from collections.abc import Collection, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.common.language import localize
from app.core.script.script import Character, LineSettings
from app.core.sound.voice_traits import VoiceArchitecture
from app.core.synthesis_types import BOUNDS, PAUSE_BOUNDS
from app.ui.parameters.preset_bar import PresetBar
from app.ui.parameters.setting_fields import (
    LatinField,
    LinePauseField,
    SeedField,
    SliderField,
    VoiceFields,
    mark_label,
    set_up_number_field,
)
from app.ui.theme.theme import ThemedWidget, create_colour_icon
from app.ui.voices.catalog_voice import VoiceSummary
from app.ui.voices.voice_card import VoiceCard
from app.ui.widgets.containers import FoldingSection
from app.ui.widgets.controls import ChoiceBox, GuardedDoubleSpinBox, PlainLabel, describe_control, fill_box, set_up_button

PAUSE_MARK_LABELS = {",": "、", ".": "。…", "!": "！", "?": "？"}  # the shown marks by phone; the other marks rarely occur in Japanese
PAUSE_COLUMNS = 2

SWATCH_PX, CHARACTER_SPACING_PX = 16, 8


class PauseFields(QWidget):
    """A number field (seconds) for each mark; below zero the voice decides.

    Signals:
        edited(tuple): The pauses were changed; the value is that of `app.core.script.script.LineSettings.pauses`.
    """

    edited = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        self.title = QLabel(localize("間の長さ（秒）", "Pauses (s)"))
        grid.addWidget(self.title, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        self.fields = {phone: self._create_field(mark) for phone, mark in PAUSE_MARK_LABELS.items()}
        self._unshown_pauses: tuple[tuple[str, float], ...] = ()
        for number, (phone, field) in enumerate(self.fields.items()):
            row, column = divmod(number, PAUSE_COLUMNS)
            label = QLabel(PAUSE_MARK_LABELS[phone])
            label.setBuddy(field)
            grid.addWidget(label, row, 1 + 2 * column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(field, row, 2 + 2 * column)
        for column in range(PAUSE_COLUMNS):
            grid.setColumnStretch(2 + 2 * column, 1)

    def show_pauses(self, pauses: tuple[tuple[str, float], ...]) -> None:
        lengths = dict(pauses)
        # Pauses at marks that have no field here must survive an edit of the others.
        self._unshown_pauses = tuple(item for item in pauses if item[0] not in PAUSE_MARK_LABELS)
        for phone, field in self.fields.items():
            with QSignalBlocker(field):
                field.setValue(lengths.get(phone, field.minimum()))

    def _create_field(self, label: str) -> QDoubleSpinBox:
        field = GuardedDoubleSpinBox(singleStep=PAUSE_BOUNDS.step, decimals=2)
        field.setRange(-PAUSE_BOUNDS.step, PAUSE_BOUNDS.high)
        field.setSpecialValueText(localize("自動", "auto"))
        field.setValue(field.minimum())
        set_up_number_field(field)
        field.setMinimumHeight(field.sizeHint().height())
        tip = localize(
            f"「{label}」での間の長さ（話速 1 のときの秒数）。0 より下げると自動になります。",
            f"Length of the pause at {label}, in seconds at speed 1; below 0 the voice decides.",
        )
        describe_control(field, localize(f"「{label}」の間（秒）", f"Pause at {label} (s)"), tip)
        field.valueChanged.connect(self._emit_pauses)
        return field

    @Slot()
    def _emit_pauses(self) -> None:
        chosen = [(phone, round(field.value(), 2)) for phone, field in self.fields.items() if field.value() >= 0]
        self.edited.emit(tuple(sorted([*chosen, *self._unshown_pauses])))


class AssistField(QLineEdit):
    """A line edit for a text whose mood colours the speech."""

    def __init__(self) -> None:
        super().__init__()
        self.setPlaceholderText(localize("アシストテキスト（例: とても嬉しい！）", "Assist text, for example 「とても嬉しい！」"))
        tip = localize("読み上げずに、この文の雰囲気だけを話し方に反映します。", "Not spoken; its mood colours the speech.")
        describe_control(self, localize("アシストテキスト", "Assist text"), tip)
        self.setClearButtonEnabled(True)
        clear = localize("アシストテキストを消去", "Clear the assist text")
        for button in self.findChildren(QToolButton):
            describe_control(button, clear, clear)

    def show_text(self, text: str) -> None:
        """Show the line's text."""
        # Setting the text that is shown already would move the cursor of a user who is typing.
        if self.text() != text:
            self.setText(text)


MAIN_PARAMETERS = [name for name, bounds in BOUNDS.items() if not bounds.is_advanced]
# `assist_weight` is left out, because its slider is placed below the assist text.
ADVANCED_PARAMETERS = [name for name, bounds in BOUNDS.items() if bounds.is_advanced and name != "assist_weight"]
USUAL_WIDTH, NARROWEST, WIDEST = 400, 340, 640  # pixels


class CharacterField(ThemedWidget, QWidget):
    """A label, a list of the cast, and a button that is there while a selected line deviates from its character.

    Signals:
        chosen(str): the user gave the selected lines the character of this id, or none for an empty one.
        reset_requested(): give the lines the settings of their characters again.
    """

    chosen = Signal(str)
    reset_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._cast: Sequence[Character] = ()
        self._drawn: tuple[object, ...] = ()
        self._selected_ids: Collection[str] = ()
        self.label = QLabel(localize("登場人物", "Character"))
        name = localize("登場人物", "Character")
        self.box = describe_control(ChoiceBox(), name, localize("選んだ行のセリフを話す登場人物。", "Who speaks the selected lines."))
        self.box.setMinimumContentsLength(6)
        self.box.setIconSize(QSize(SWATCH_PX, SWATCH_PX))
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.box.setPlaceholderText(localize("（複数）", "(mixed)"))
        self.box.activated.connect(self._choose_row)
        self.label.setBuddy(self.box)
        tip = localize("登場人物と違う設定を、登場人物のものに戻します。", "Gives lines the settings of their character again.")
        self.reset = set_up_button(QPushButton(localize("設定を戻す", "Reset")), tip, style="small")
        self.reset.clicked.connect(self.reset_requested)
        fill_box(QHBoxLayout(self), self.label, (self.box, 1), self.reset, spacing=CHARACTER_SPACING_PX)
        self.reset.hide()
        self.hide()

    def show_characters(self, cast: Sequence[Character], chosen: Collection[str], deviations: Collection[str]) -> None:
        """Show who speaks the selected lines, and offer the cast; without one there is nothing to show.

        Args:
            chosen: ids of the lines' characters, empty for none.
            deviations: names of the settings in which lines differ from their characters.
        """
        self.setVisible(bool(cast))
        drawn = tuple((character.id, character.name, character.colour) for character in cast)
        self._cast, self._selected_ids = cast, chosen
        if drawn != self._drawn:
            self._drawn = drawn
            self.draw_in_theme()
        else:
            self._select_row()
        self.box.setEnabled(bool(chosen))
        self.reset.setVisible(bool(deviations))
        if deviations:
            names = localize("、", ", ").join(list_setting_labels(deviations))
            words = localize(
                f"登場人物と違う設定を、登場人物のものに戻します: {names}", f"Gives lines the settings of their character again: {names}"
            )
            self.reset.setToolTip(words)
            self.reset.setAccessibleDescription(words)

    def draw_in_theme(self) -> None:
        """Fill the list, with the colours of the characters."""
        with QSignalBlocker(self.box):
            self.box.clear()
            self.box.addItem(localize("（なし）", "(none)"), "")
            for character in self._cast:
                self.box.addItem(create_colour_icon(character.colour, SWATCH_PX, self), character.name, character.id)
        self._select_row()

    def _select_row(self) -> None:
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(self.box.findData(next(iter(self._selected_ids))) if len(self._selected_ids) == 1 else -1)

    @Slot(int)
    def _choose_row(self, row: int) -> None:
        self.chosen.emit(self.box.itemData(row))


def list_setting_labels(names: Collection[str]) -> list[str]:
    """Return the labels of settings, in the order of the panel."""
    labels = {
        "voice": localize("声", "voice"),
        "speaker": localize("話者", "speaker"),
        "style": localize("スタイル", "style"),
        **{name: bounds.label for name, bounds in BOUNDS.items()},
        "pauses": localize("間の長さ", "pauses"),
        "latin": localize("英字の読み方", "Latin letters"),
    }
    return [label for name, label in labels.items() if name in names]


class SidePanel(QScrollArea):
    """Shows the settings of a line, and emits the user's changes.

    Signals:
        edited(str, object): The user changed the setting of this name to this value.
        preset_selected(dict): The user changed these settings to these values at once.
        folded(): The section of advanced settings was opened or closed.
        introduction_requested(VoicePick): A voice, speaker or style is to be heard.
    """

    introduction_requested = Signal(object)
    edited = Signal(str, object)
    preset_selected = Signal(object)
    folded = Signal()

    def __init__(self) -> None:
        super().__init__()
        # Set while settings are shown: the fields' own signals must not count as edits of the line.
        self._is_showing = False
        self._settings, self._count = LineSettings(), 1
        self._mixed_settings: Collection[str] = ()
        self._architectures: frozenset[VoiceArchitecture] = frozenset()
        self.card = VoiceCard()
        self.character = CharacterField()
        self._choices = VoiceFields()
        self._choices.introduction_requested.connect(self.introduction_requested)
        self.chooser, self.speakers, self.styles = self._choices.chooser, self._choices.speakers, self._choices.styles
        self.chosen = PlainLabel("", "muted")
        self.presets = PresetBar()
        self.sliders = {name: SliderField(bounds, bounds.tip) for name, bounds in BOUNDS.items()}
        self.seed = SeedField()
        self.pauses = PauseFields()
        self.line_pause = LinePauseField()
        self.latin = LatinField()
        self.assist = AssistField()
        tip = localize("緩急、間、ゆらぎを調整します。", "Rhythm, pauses and variation.")
        self.expression = FoldingSection(localize("詳細設定", "Advanced"), tip)
        advanced = [self.sliders[name] for name in ADVANCED_PARAMETERS]
        fill_box(self.expression.content, *advanced, self.pauses, self.line_pause, self.latin, margins=None)
        fill_box(self.expression.content, self.assist, self.sliders["assist_weight"], self.seed, margins=None)
        self._build_widgets()
        self._align_labels()
        self._connect_widgets()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the width that the controls need."""
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self._fit_width()
        return super().eventFilter(watched, event)

    def show_voice(self, voice: VoiceSummary) -> None:
        """Offer the speakers and styles of a voice; the line keeps its own where the voice has them."""
        self.card.show_voice(voice)
        styles = [name for _, name in voice.styles]
        self._choices.offer_choices([name for _, name in voice.speakers], styles, voice.architecture.list_blends(styles))
        self.show_settings(self._settings, self._count, self._mixed_settings)

    def show_missing(self, name: str) -> None:
        """Show that the line's voice is missing."""
        self.card.show_missing_voice(name)
        # Speakers and styles of another voice must not be offered in its place.
        self._choices.offer_choices([], [])
        self.show_settings(self._settings, self._count, self._mixed_settings)

    def offer_settings(self, architectures: frozenset[VoiceArchitecture]) -> None:
        """Offer what the voices of the selected lines use; a setting that only some of them use is offered, too.

        Without any kind of voice all settings are offered. The lines keep the values of those that are not.
        """
        if architectures == self._architectures:
            return
        self._architectures = architectures
        unused = frozenset.intersection(*(item.unused_numbers for item in architectures)) if architectures else frozenset()
        for name, slider in self.sliders.items():
            slider.setVisible(name not in unused)
        self.assist.setVisible("assist_text" not in unused)
        self.latin.set_used(not architectures or any(item.speaks_english for item in architectures))
        self._show_seed_use()

    def _show_seed_use(self) -> None:
        kinds = self._architectures
        self.seed.set_used(not kinds or any(kind.should_use_seed(self._settings) for kind in kinds))

    def show_settings(self, settings: LineSettings, count: int = 1, mixed: Collection[str] = ()) -> None:
        """Show the settings of the current line.

        `count` lines are selected, which differ in the settings named in `mixed`; with no line there is nothing to set.
        """
        self._settings, self._count, self._mixed_settings = settings, count, mixed
        self._is_showing = True
        for name, slider in self.sliders.items():
            slider.set_value(getattr(settings, name))
            slider.set_mixed(name in mixed)
        self._choices.show_settings(settings, mixed)
        self.card.show_speaker(self._choices.speaker)
        self._show_seed_use()
        self.seed.set_value(settings.seed)
        self.seed.set_locked(settings.seed_locked)
        self.pauses.show_pauses(settings.pauses)
        self.latin.show_reading(settings.latin, is_mixed="latin" in mixed)
        self.assist.show_text(settings.assist_text)
        self.presets.show_settings(settings)
        self._is_showing = False
        self._show_count(count)

    def show_characters(self, cast: Sequence[Character], chosen: Collection[str], deviations: Collection[str]) -> None:
        """Show who speaks the selected lines, and mark the settings that are not those of their characters.

        Args:
            chosen: ids of the lines' characters, empty for none.
        """
        self.character.show_characters(cast, chosen, deviations)
        self._choices.mark_deviations(deviations)
        for name, slider in self.sliders.items():
            mark_label(slider.label, name in deviations)
        mark_label(self.pauses.title, "pauses" in deviations)
        mark_label(self.latin.label, "latin" in deviations)

    def _show_count(self, count: int) -> None:
        """Show how many lines the settings apply to."""
        for widget in (*(self.sliders[name] for name in MAIN_PARAMETERS), self.presets, self.expression):
            widget.setEnabled(count > 0)
        # The card and the chooser's button stay enabled: voices can be managed without any line.
        self._choices.set_enabled(count > 0)
        selected = localize(
            f"{count} 行を選択中。変更はすべての行に適用されます。", f"{count} lines selected; changes apply to all of them."
        )
        nothing = localize("行を選択すると、声や話し方を変更できます。", "Select a line to change its voice and style.")
        self.chosen.setText(selected if count else nothing)
        self.chosen.setVisible(count != 1)

    def _build_widgets(self) -> None:
        self._controls = QWidget()
        sliders = [self.sliders[name] for name in MAIN_PARAMETERS]
        controls = fill_box(QVBoxLayout(self._controls), spacing=4)
        fill_box(controls, self.character, self._choices, *sliders, self.presets, self.expression, margins=None)
        side = QWidget()
        side.setObjectName("side")
        self._column = fill_box(QVBoxLayout(side), self.card, self.chosen, self._controls, None, margins=(0, 0, 2, 0), spacing=6)
        self.setWidget(side)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The scroll bar's space is reserved, or everything would move sideways when it appears.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().rangeChanged.connect(self._update_scroll_bar)
        self.setMaximumWidth(WIDEST)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _align_labels(self) -> None:
        """Give all labels the width of the longest, so that the sliders line up."""
        labels: list[QWidget] = [slider.label for slider in self.sliders.values()]
        labels += [
            self.seed.label,
            self.presets.label,
            self.pauses.title,
            self.line_pause.label,
            self.latin.label,
            self.character.label,
            *self._choices.labels,
        ]
        width = max(label.sizeHint().width() for label in labels)
        for label in labels:
            label.setMinimumWidth(width)
        self.seed.number.setFixedWidth(self.seed.number.sizeHint().width() - 8)
        self._fit_width()

    def _fit_width(self) -> None:
        """Leave the panel as wide as its controls need, which the style sheet and large text widen."""
        bar, margin = self.verticalScrollBar().sizeHint().width(), self._column.contentsMargins().right()
        # Counted while it is hidden as well, or the panel would widen with the first changed setting.
        reset = self.character.box.minimumSizeHint().width() + self.character.label.minimumWidth() + self.character.reset.sizeHint().width()
        needed = max(self._controls.minimumSizeHint().width(), reset + 2 * CHARACTER_SPACING_PX)
        self.setMinimumWidth(max(NARROWEST, min(WIDEST, needed + margin + bar)))

    def _connect_widgets(self) -> None:
        for name, slider in self.sliders.items():
            slider.value_changed.connect(partial(self._emit_change, name))
        self.seed.value_changed.connect(partial(self._emit_change, "seed"))
        self.seed.locked_changed.connect(partial(self._emit_change, "seed_locked"))
        self.pauses.edited.connect(partial(self._emit_change, "pauses"))
        self.latin.edited.connect(partial(self._emit_change, "latin"))
        self.assist.textEdited.connect(partial(self._emit_change, "assist_text"))
        self._choices.edited.connect(self.edited)
        self.presets.chosen.connect(self.preset_selected)
        self.expression.toggled.connect(self.folded)

    def _emit_change(self, name: str, value: object) -> None:
        if not self._is_showing:
            self.edited.emit(name, value)

    @Slot(int, int)
    def _update_scroll_bar(self, low: int, high: int) -> None:
        self.verticalScrollBar().setEnabled(high > low)
