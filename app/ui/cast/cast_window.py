"""The window of the cast: the table of characters beside the form of one, and a list of warnings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
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
from app.core.script.script import Character
from app.ui.cast.cast_table import CastTable
from app.ui.cast.character_form import CharacterForm, create_button, create_muted_label
from app.ui.cast.script_warnings import ScriptWarning
from app.ui.plain_text import PlainLabel
from app.ui.theme.dialog_margins import DIALOG_MARGINS

SIZE, SMALLEST, FORM_WIDTH = (1000, 560), (720, 420), 330
# These pixels of the screen stay free, for the title bar and the desktop's panels.
SCREEN_MARGINS_PX = (40, 80)
CHECKS_TAB = 1
NEEDS_ONE = ("up", "down", "play", "select", "audition", "assign")


class CastWindow(QDialog):
    """Shows the cast and emits commands; `CastController` runs them.

    Signals:
        command_requested(str): add, remove, merge, up, down, play, select, audition, assign, import, export, create or script.
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
        self.buttons = {name: self._create_command_button(name, *words) for name, words in _list_buttons().items()}
        self.total, self.error = create_muted_label(), PlainLabel()
        self.error.setObjectName("error")
        self.error.setWordWrap(True)
        self.error.hide()
        self.warnings = QListWidget()
        self.warnings.setAccessibleName(localize("確認が必要なこと", "Warnings"))
        self.warnings.itemActivated.connect(self._choose_warning)
        self.warnings.itemClicked.connect(self._choose_warning)
        self.no_warnings = create_muted_label(localize("確認が必要なことはありません。", "There is nothing to check."))
        self.no_warnings.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.progress = create_muted_label()
        self.pages, self.tabs = QStackedWidget(), QTabWidget()
        self.tabs.tabBar().setAccessibleName(localize("表示する内容", "What to show"))
        self._lay_out_widgets()
        self.table.chosen.connect(self.update_buttons)
        self.table.play_requested.connect(lambda: self.command_requested.emit("play"))
        self.table.removal_requested.connect(lambda: self.command_requested.emit("remove"))
        room = self.screen().availableSize()
        self.setMinimumSize(*SMALLEST)
        self.resize(min(SIZE[0], room.width() - SCREEN_MARGINS_PX[0]), min(SIZE[1], room.height() - SCREEN_MARGINS_PX[1]))

    def show_cast(self, cast: Sequence[Character]) -> None:
        """Show the characters, or what to do where there are none."""
        self.table.show_cast(cast)
        self.pages.setCurrentIndex(1 if cast else 0)
        self.setFocusProxy(self.table if cast else self.first)
        self.update_buttons()

    def show_warnings(self, found: Sequence[ScriptWarning], checked: int, total: int) -> None:
        """Show what is to be checked, and of how many lines the reading was; equal numbers need no words."""
        known = [self.warnings.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.warnings.count())]
        # Those at the end come while the user reads the others.
        if known != list(found[: len(known)]):
            self.warnings.clear()
            known = []
        for warning in found[len(known) :]:
            item = QListWidgetItem(warning.text)
            item.setData(Qt.ItemDataRole.UserRole, warning)
            self.warnings.addItem(item)
        self.progress.setText(localize(f"読みを確認中: {checked:,} / {total:,} 行", f"Checking readings: {checked:,} of {total:,} lines"))
        self.progress.setVisible(checked < total)
        self.warnings.setVisible(bool(found))
        self.no_warnings.setVisible(not found)
        words = localize("確認", "Checks")
        self.tabs.setTabText(CHECKS_TAB, f"{words} ({len(found):,})" if found else words)

    @property
    def shows_checks(self) -> bool:
        """Return whether the warnings are shown."""
        return self.tabs.currentIndex() == CHECKS_TAB

    def show_error(self, text: str) -> None:
        """Show why something was not done; an empty text hides it."""
        self.error.setText(text)
        self.error.setVisible(bool(text))

    @Slot()
    def update_buttons(self) -> None:
        """Enable what can be done with the selected characters."""
        count = len(self.table.selected)
        for name in NEEDS_ONE:
            self.buttons[name].setEnabled(count == 1)
        self.buttons["remove"].setEnabled(count > 0)
        self.buttons["merge"].setEnabled(count > 1)
        self.buttons["export"].setEnabled(bool(self.table.characters.cast))

    def _create_command_button(self, name: str, text: str, tip: str) -> QPushButton:
        button = create_button(text, tip, lambda: self.command_requested.emit(name))
        if name not in ("create", "script", "import", "export"):
            button.setObjectName("small")
        if name in ("up", "down"):
            button.setAccessibleName(tip)
        return button

    def _lay_out_widgets(self) -> None:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(self._create_row("add", "remove", "merge", "up", "down", None))
        column.addWidget(self.table, 1)
        column.addWidget(self.error)
        inner = QHBoxLayout()
        inner.setSpacing(16)
        inner.addWidget(left, 1)
        inner.addWidget(self._create_form_area())
        filled = QWidget()
        filled.setLayout(inner)
        inner.setContentsMargins(10, 10, 10, 10)
        self.pages.addWidget(self._create_empty_page())
        self.pages.addWidget(filled)
        checks = QWidget()
        listed = QVBoxLayout(checks)
        listed.setContentsMargins(10, 10, 10, 10)
        listed.addWidget(self.warnings)
        listed.addWidget(self.no_warnings)
        listed.addWidget(self.progress)
        self.tabs.addTab(self.pages, localize("登場人物", "Characters"))
        self.tabs.addTab(checks, localize("確認", "Checks"))
        below = self._create_row("import", "export")
        below.insertWidget(0, self.total, 1)
        below.addWidget(create_button(localize("閉じる", "Close"), localize("閉じる（Esc）", "Close (Esc)"), self.accept))
        outer = QVBoxLayout(self)
        outer.setContentsMargins(*DIALOG_MARGINS)
        outer.setSpacing(10)
        outer.addWidget(self.tabs, 1)
        outer.addLayout(below)

    def _create_form_area(self) -> QScrollArea:
        """Return the form in an area that scrolls where the window is low."""
        area = QScrollArea()
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
        column = QVBoxLayout(page)
        column.setSpacing(12)
        words = create_muted_label(
            localize(
                "登場人物を作ると、配役をまとめて変えたり、登場人物ごとに行を表示したりできます。",
                "With characters you can recast all lines of one at once, and show each one's lines alone.",
            )
        )
        words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row = QHBoxLayout()
        row.addStretch(1)
        self.first = create_button(
            localize("登場人物を追加", "Add a character"), _list_buttons()["add"][1], lambda: self.command_requested.emit("add")
        )
        self.first.setObjectName("primary")
        row.addWidget(self.first)
        row.addWidget(self.buttons["create"])
        row.addWidget(self.buttons["script"])
        row.addStretch(1)
        column.addStretch(1)
        column.addWidget(words)
        column.addLayout(row)
        column.addStretch(1)
        return page

    def _create_row(self, *names: str | None) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(6)
        for name in names:
            if name is None:
                row.addStretch(1)
            else:
                row.addWidget(self.buttons[name])
        return row

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
