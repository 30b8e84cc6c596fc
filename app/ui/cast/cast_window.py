"""The window of the cast: the table of characters, the form of the selected one, and a list of warnings."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.common.language import localize
from app.core.delivery import KATAKANA
from app.core.script.characters import MOST_ALIASES
from app.core.script.script import Character, LineSettings
from app.core.synthesis_types import BOUNDS
from app.ui.cast.cast_table import CastTable
from app.ui.cast.script_warnings import ScriptWarning
from app.ui.parameters.setting_fields import VoiceFields
from app.ui.theme.theme import ThemedWidget, create_colour_icon, list_colour_names
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.controls import DIALOG_MARGINS, ChoiceBox, PlainLabel, create_button, describe_control, fill_box
from app.ui.widgets.dialogs import ClosableDialog
from app.ui.widgets.painting import PortraitPictures

SIZE, SMALLEST, FORM_WIDTH = (1000, 560), (720, 420), 330
CHECKS_TAB = 1
NEEDS_ONE = ("up", "down", "play", "select", "audition", "assign")
SWATCH_PX, PORTRAIT_PX = 16, 28
MAX_NAME_LETTERS, MAX_NOTE_LETTERS = 200, 2_000
ALIAS_SEPARATORS = "、,，;；"


class CharacterForm(ThemedWidget, QWidget):
    """Shows a character, and emits the user's changes.

    Signals:
        edited(str, object): this field of the character has another value: aliases, colour, note or portrait.
        portrait_requested(): a picture is to be chosen.  blend_requested(): mix two speakers of the voice.
        recast(str, object): this setting has another value: voice, speaker or style.
        line_settings_requested(): take the settings of the selected line.
    """

    edited = Signal(str, object)
    portrait_requested = Signal()
    blend_requested = Signal()
    recast = Signal(str, object)
    line_settings_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._character: Character | None = None
        self.title = PlainLabel(style="heading", wraps=True)
        tip = localize("台本でのほかの名前。「、」で区切ります。", "Other names in scripts, separated by commas.")
        self.aliases = _create_field(localize("別名", "Also known as"), tip, MAX_NAME_LETTERS * MOST_ALIASES)
        name = localize("メモ", "Note")
        self.note = _create_field(name, localize("役柄や話し方のメモ。", "A note about the part, for people."), MAX_NOTE_LETTERS)
        tip = localize("行のカードに表示する色。", "Shown on the cards of lines.")
        self.colour = describe_control(ChoiceBox(), localize("色", "Colour"), tip)
        self.colour.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.colour.setIconSize(QSize(SWATCH_PX, SWATCH_PX))
        tip = localize("行のカードに表示する画像を選びます。", "Chooses a picture for the cards of lines.")
        self.portrait = create_button(localize("画像を選ぶ…", "Choose picture…"), tip, self.portrait_requested.emit)
        self.portrait.setIconSize(QSize(PORTRAIT_PX, PORTRAIT_PX))
        tip = localize("画像を外し、名前の最初の文字を表示します。", "Shows the first letter of the name again.")
        self.no_portrait = create_button(localize("画像を外す", "Remove picture"), tip, lambda: self.edited.emit("portrait", ""))
        self._pictures = PortraitPictures(self, PORTRAIT_PX)
        self.voice = VoiceFields()
        tip = localize("配役。この登場人物のすべての行の声が変わります。", "Recasts: all lines of this character get this voice.")
        self.voice.chooser.box.setToolTip(tip)
        self.numbers = PlainLabel(style="muted", wraps=True)
        text = localize("選択中の行の設定を使う", "Use selected line's settings")
        tip = localize(
            "選んだ行の声と話し方を、この登場人物のものにします。行ごとの設定はそのままです。",
            "Gives the character the voice and delivery of the selected line; what lines have of their own stays.",
        )
        self.blend = create_button(
            localize("2 人の話者を混ぜる…", "Blend two speakers…"),
            localize("2 人の話者の間の声を、聞きながら作ります。", "Makes a voice between two speakers, by ear."),
            self.blend_requested.emit,
            style="small",
        )
        self.from_line = create_button(text, tip, self.line_settings_requested.emit)
        self._lay_out_fields()
        self.draw_in_theme()
        self._connect_fields()

    def show_character(self, character: Character | None, voice: CatalogVoice | None) -> None:
        """Show a character with its voice, None for one that is not installed; no character leaves the form empty."""
        is_other = character is None or self._character is None or character.id != self._character.id
        self._character = character
        self.setEnabled(character is not None)
        settings = character.settings if character is not None else LineSettings()
        self.title.setText(character.name if character is not None else localize("登場人物を選んでください", "Select a character"))
        for field, text in (
            (self.aliases, localize("、", ", ").join(character.aliases) if character is not None else ""),
            (self.note, character.note if character is not None else ""),
        ):
            # Setting the text that is shown already would move the cursor of a user who is typing.
            if field.text() != text and (is_other or not (field.hasFocus() and field.isModified())):
                field.setText(text)
        picture = self._pictures.find_picture(character.portrait) if character is not None else None
        self.portrait.setIcon(QIcon() if picture is None else QIcon(picture))
        self.no_portrait.setVisible(picture is not None)
        with QSignalBlocker(self.colour):
            self.colour.setCurrentIndex(character.colour % self.colour.count() if character is not None else -1)
        self.voice.offer_choices(
            [name for _, name in voice.speakers] if voice is not None else [],
            [name for _, name in voice.styles] if voice is not None else [],
        )
        self.voice.show_settings(settings)
        self.voice.set_enabled(character is not None)
        self.blend.setVisible(voice is not None and voice.can_blend)
        self.numbers.setText(describe_delivery(settings))

    def show_voices(self, voices: Sequence[CatalogVoice]) -> None:
        self.voice.chooser.show_voices(voices)

    def add_buttons(self, buttons: Sequence[QPushButton]) -> None:
        """Put the commands for the character under its name, in rows of two."""
        for number, button in enumerate(buttons):
            self._commands.addWidget(button, *divmod(number, 2))

    def _lay_out_fields(self) -> None:
        form = QFormLayout(horizontalSpacing=8, verticalSpacing=6)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        labels: list[QWidget] = []
        pictures = QWidget()
        fill_box(QHBoxLayout(pictures), self.portrait, self.no_portrait, None, spacing=6)
        for name, field in (
            (localize("画像", "Picture"), pictures),
            (localize("色", "Colour"), self.colour),
            (localize("別名", "Aliases"), self.aliases),
            (localize("メモ", "Note"), self.note),
        ):
            form.addRow(name, field)
            labels.append(form.labelForField(field))
        labels += self.voice.labels
        width = max(label.sizeHint().width() for label in labels)
        for label in labels:
            label.setMinimumWidth(width)
        self._commands = QGridLayout()
        self._commands.setSpacing(6)
        fill_box(
            QVBoxLayout(self), self.title, self._commands, 2, self.voice, self.blend, self.numbers, self.from_line, 6, form, None, spacing=8
        )

    def draw_in_theme(self) -> None:
        """Fill the list of colours."""
        with QSignalBlocker(self.colour):
            chosen = self.colour.currentIndex()
            self.colour.clear()
            for number, name in enumerate(list_colour_names()):
                self.colour.addItem(create_colour_icon(number, SWATCH_PX, self), name)
            self.colour.setCurrentIndex(chosen)

    def _connect_fields(self) -> None:
        self.aliases.editingFinished.connect(self._emit_aliases)
        self.note.editingFinished.connect(self._emit_note)
        self.colour.activated.connect(lambda row: self.edited.emit("colour", row))
        self.voice.chooser.chosen.connect(lambda voice: self.recast.emit("voice", voice))
        self.voice.edited.connect(self.recast)

    @Slot()
    def _emit_aliases(self) -> None:
        """Emit names that were typed: a name with a comma is two only then, and what was not touched stays as it is."""
        is_typed, names = self.aliases.isModified(), split_aliases(self.aliases.text())
        self.aliases.setModified(False)
        if is_typed and self._character is not None and names != self._character.aliases:
            self.edited.emit("aliases", names)

    @Slot()
    def _emit_note(self) -> None:
        is_typed = self.note.isModified()
        self.note.setModified(False)
        if is_typed and self._character is not None and self.note.text() != self._character.note:
            self.edited.emit("note", self.note.text())


def split_aliases(text: str) -> tuple[str, ...]:
    """Return the names in a text that separates them by commas of either language; none twice, and no more than a project holds."""
    for separator in ALIAS_SEPARATORS:
        text = text.replace(separator, "\n")
    return tuple(dict.fromkeys(name for part in text.split("\n") if (name := part.strip())))[:MOST_ALIASES]


def describe_delivery(settings: LineSettings) -> str:
    """Return the numbers of a delivery that are not the usual ones, in words."""
    changed = [
        f"{bounds.label} {bounds.unit.format_number(getattr(settings, name))}"
        for name, bounds in BOUNDS.items()
        if getattr(settings, name) != bounds.default
    ]
    if settings.pauses:
        changed.append(localize("間の長さ", "pauses"))
    if settings.latin != KATAKANA:
        changed.append(localize("英字を英語で読む", "Latin letters in English"))
    numbers = localize("、", ", ").join(changed)
    return numbers[:1].upper() + numbers[1:] or localize("話し方は標準の設定です。", "Usual delivery.")


def _create_field(name: str, tip: str, max_length: int) -> QLineEdit:
    return describe_control(QLineEdit(maxLength=max_length), name, tip)


class CastWindow(ClosableDialog):
    """Shows the cast and emits commands; `CastController` runs them.

    Signals:
        command_requested(str): add, remove, merge, up, down, play, stop, select, audition, assign, import, export, create or script.
        warning_chosen(ScriptWarning): go to what a warning is about.
    """

    command_requested = Signal(str)
    warning_chosen = Signal(object)

    def __init__(self, parent: QWidget, describe_voice: Callable[[Character], str]) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("登場人物", "Cast"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.table = CastTable(describe_voice)
        self.form = CharacterForm()
        self.buttons = {name: self._create_command_button(name, *texts) for name, texts in _list_buttons().items()}
        self.total, self.error = PlainLabel(style="muted", wraps=True), PlainLabel(style="error", wraps=True)
        self.error.hide()
        self.warnings = QListWidget()
        self.warnings.setAccessibleName(localize("確認が必要なこと", "Warnings"))
        self.warnings.itemActivated.connect(self._choose_warning)
        self.warnings.itemClicked.connect(self._choose_warning)
        self.no_warnings = PlainLabel(localize("確認が必要なことはありません。", "There is nothing to check."), "muted", wraps=True)
        self.no_warnings.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.progress = PlainLabel(style="muted", wraps=True)
        self.pages, self.tabs = QStackedWidget(), QTabWidget()
        for part in (self.tabs, self.tabs.tabBar()):
            part.setAccessibleName(localize("表示する内容", "What to show"))
        self._lay_out_widgets()
        self.table.chosen.connect(self.update_buttons)
        self.table.play_requested.connect(lambda: self.command_requested.emit("play"))
        self.table.removal_requested.connect(lambda: self.command_requested.emit("remove"))
        self.setMinimumSize(*SMALLEST)
        self.resize(*SIZE)

    def show_cast(self, cast: Sequence[Character]) -> None:
        """Show the characters, or what to do where there are none."""
        self.table.show_cast(cast)
        self.pages.setCurrentIndex(1 if cast else 0)
        self.setFocusProxy(self.table if cast else self.first)
        self.update_buttons()

    def show_warnings(self, warnings: Sequence[ScriptWarning], checked_count: int, total: int) -> None:
        """Show what is to be checked, and of how many lines the reading was; equal numbers need no words."""
        shown_warnings = [self.warnings.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.warnings.count())]
        # Those at the end come while the user reads the others.
        if shown_warnings != list(warnings[: len(shown_warnings)]):
            self.warnings.clear()
        for warning in warnings[self.warnings.count() :]:
            item = QListWidgetItem(warning.text)
            item.setData(Qt.ItemDataRole.UserRole, warning)
            self.warnings.addItem(item)
        text = localize(f"読みを確認中: {checked_count:,} / {total:,} 行", f"Checking readings: {checked_count:,} of {total:,} lines")
        self.progress.setText(text)
        self.progress.setVisible(checked_count < total)
        self.warnings.setVisible(bool(warnings))
        self.no_warnings.setVisible(not warnings)
        title = localize("確認", "Checks")
        self.tabs.setTabText(CHECKS_TAB, f"{title} ({len(warnings):,})" if warnings else title)

    @property
    def shows_checks(self) -> bool:
        """Return whether the warnings are shown."""
        return self.tabs.currentIndex() == CHECKS_TAB

    def show_error(self, text: str) -> None:
        """Show why something was not done; an empty text hides it."""
        self.error.setText(text)
        self.error.setVisible(bool(text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Esc stop what is spoken before it closes the window."""
        if event.key() == Qt.Key.Key_Escape:
            self.command_requested.emit("stop")
        else:
            super().keyPressEvent(event)

    @Slot()
    def update_buttons(self) -> None:
        """Enable what can be done with the selected characters."""
        count = len(self.table.selected)
        for name in NEEDS_ONE:
            self.buttons[name].setEnabled(count == 1)
        self.buttons["remove"].setEnabled(count > 0)
        self.buttons["merge"].setEnabled(count > 1)
        self.buttons["export"].setEnabled(bool(self.table.characters.rows))

    def _create_command_button(self, name: str, text: str, tip: str) -> QPushButton:
        style = "" if name in ("create", "script", "import", "export") else "small"
        button = create_button(text, tip, lambda: self.command_requested.emit(name), style=style)
        if name in ("up", "down"):
            button.setAccessibleName(tip)
        return button

    def _lay_out_widgets(self) -> None:
        left, filled, checks = QWidget(), QWidget(), QWidget()
        commands = fill_box(QHBoxLayout(), *(self.buttons[name] for name in ("add", "remove", "merge", "up", "down")), None, spacing=6)
        fill_box(QVBoxLayout(left), commands, (self.table, 1), self.error, spacing=8)
        fill_box(QHBoxLayout(filled), (left, 1), self._create_form_area(), spacing=16, margins=(10, 10, 10, 10))
        self.pages.addWidget(self._create_empty_page())
        self.pages.addWidget(filled)
        fill_box(QVBoxLayout(checks), self.warnings, self.no_warnings, self.progress, margins=(10, 10, 10, 10))
        self.tabs.addTab(self.pages, localize("登場人物", "Characters"))
        self.tabs.addTab(checks, localize("確認", "Checks"))
        close = create_button(localize("閉じる", "Close"), localize("閉じる（Esc）", "Close (Esc)"), self.accept)
        below = fill_box(QHBoxLayout(), (self.total, 1), self.buttons["import"], self.buttons["export"], close, spacing=6)
        fill_box(QVBoxLayout(self), (self.tabs, 1), below, spacing=10, margins=DIALOG_MARGINS)

    def _create_form_area(self) -> QScrollArea:
        """Return the form in an area that scrolls where the window is low."""
        area = QScrollArea()
        area.setAccessibleName(localize("登場人物の設定", "Settings of the character"))
        self.form.setObjectName("side")
        self.form.add_buttons([self.buttons[name] for name in ("play", "audition", "select", "assign")])
        area.setWidget(self.form)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFixedWidth(max(FORM_WIDTH, self.form.minimumSizeHint().width() + area.verticalScrollBar().sizeHint().width()))
        return area

    def _create_empty_page(self) -> QWidget:
        page = QWidget()
        text = localize(
            "登場人物を作ると、配役をまとめて変えたり、登場人物ごとに行を表示したりできます。",
            "With characters you can recast all lines of one at once, and show each one's lines alone.",
        )
        lead = PlainLabel(text, "muted", wraps=True)
        lead.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.first = self._create_command_button("add", localize("登場人物を追加", "Add a character"), _list_buttons()["add"][1])
        self.first.setObjectName("primary")
        row = fill_box(QHBoxLayout(), None, self.first, self.buttons["create"], self.buttons["script"], None)
        fill_box(QVBoxLayout(page), None, lead, row, None, spacing=12, margins=None)
        return page

    @Slot(QListWidgetItem)
    def _choose_warning(self, item: QListWidgetItem) -> None:
        self.warning_chosen.emit(item.data(Qt.ItemDataRole.UserRole))


def _list_buttons() -> dict[str, tuple[str, str]]:
    return {
        "add": (
            localize("追加", "Add"),
            localize("登場人物を追加します。声は選択中の行と同じになります。", "Adds a character with the voice of the selected line."),
        ),
        "remove": (
            localize("削除", "Remove"),
            localize(
                "登場人物を削除します。行の声と設定はそのままです。（Del）",
                "Removes the characters; their lines keep voice and settings. (Del)",
            ),
        ),
        "merge": (
            localize("1 人にまとめる", "Merge"),
            localize(
                "選んだ登場人物を 1 人にまとめます。ほかの名前は別名になります。（Ctrl や Shift で複数選択）",
                "Makes one character of the selected ones; the other names become aliases (Ctrl or Shift selects several).",
            ),
        ),
        "up": ("↑", localize("一覧の上に移動", "Move up in the cast")),
        "down": ("↓", localize("一覧の下に移動", "Move down in the cast")),
        "play": (
            localize("セリフを再生", "Speak a line"),
            localize("この登場人物の行を 1 つ再生します。（Space）", "Plays a line of the character. (Space)"),
        ),
        "select": (
            localize("行を選択", "Select lines"),
            localize("この登場人物の行をすべて選びます。", "Selects all lines of the character."),
        ),
        "assign": (
            localize("選択中の行に設定", "Give to lines"),
            localize("選択中の行を、この登場人物のセリフにします。", "Gives the selected lines this character."),
        ),
        "audition": (
            localize("オーディション…", "Audition…"),
            localize("この登場人物のセリフを、いろいろな声で聞き比べます。", "Compares lines of the character in many voices."),
        ),
        "import": (
            localize("プロジェクトから読み込む…", "Import from project…"),
            localize("ほかのプロジェクトの登場人物を追加します。", "Adds the characters of another project."),
        ),
        "export": (
            localize("プロジェクトに書き出す…", "Export as project…"),
            localize("登場人物だけを、台本のない新しいプロジェクトに保存します。", "Saves the characters as a new project without lines."),
        ),
        "create": (
            localize("行の声から作る", "Make from voices"),
            localize("行で使われている声ごとに、登場人物を作ります。", "Makes a character for each voice that lines have."),
        ),
        "script": (
            localize("台本を読み込む…", "Import a script…"),
            localize("登場人物の名前がある台本を読み込みます。", "Imports a script that names its characters."),
        ),
    }
