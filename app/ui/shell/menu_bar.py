"""The menu bar and the toolbar: all actions of the window with their keys, and the most frequent ones with the command search."""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QMenu, QMenuBar, QSizePolicy, QToolBar, QToolButton, QWidget

from app.common.language import localize
from app.settings.user_settings import THEMES, Settings, ThemeChoice
from app.ui.actions.action_definitions import CHARACTER_KEYS
from app.ui.actions.window_actions import WindowActions
from app.ui.reading.melody.melody_commands import add_melody_commands
from app.ui.settings.settings_store import SettingsStore
from app.ui.widgets.controls import escape_mnemonic, fill_box

# The actions of each menu, a row for those between two separators.
FILE_MENU = (
    "new_project open_project",
    "save_project save_project_as embed_sounds",
    "import export",
    "natural_voice add_voice add_voice_address add_bert voice_library",
    "settings",
    "quit",
)
# The export page and the button under the lines do what most want; in the menu the other ways are one entry.
MORE_EXPORTS = "save_line save_all save_joined export_script"
EDIT_MENU = ("undo redo", "cut copy copy_sound paste select_all", "find replace go_to_line")
LINE_MENU = (
    "add_line edit_line duplicate delete",
    "split_here split_sentences join_lines",
    "read_english",
    "move_up move_down",
    "keep_take more_takes delete_takes",
)
CAST_MENU = (
    "show_cast",
    " ".join((*(f"character_{number}" for number in CHARACTER_KEYS), "character_none")),
    "reset_deviations select_character audition_character",
)
PLAY_MENU = (
    "play play_through stop",
    "loop live follow",
    "read_clipboard pause_reading show_mini_player",
    "audition blind_test fast_test bert_test",
)
# What a program is worked on with, and neither a script nor its sound: people look for it here, not under Play and Help.
TOOLS_MENU = ("dictionary", "measure lab")
HELP_MENU = ("user_guide tour find_command", "diagnose show_log open_data", "whats_new about")
VIEW_MENU = ("show_strip show_melody show_takes", "focus_messages past_messages", "always_on_top full_screen")

TOOLBAR_ACTIONS = ("add_line", "delete", "", "move_up", "move_down", "", "undo", "redo", " ", "find_command", "settings")
LABELLED_ACTIONS = ("add_line", "find_command")  # the other buttons show only an icon
SEARCH_WIDTH, NARROW_SEARCH, SEARCH_PADDING = 280, 160, 12
FILTER_GAP = 16  # pixels between the buttons and what chooses the lines that are shown


class MenuBar(QMenuBar):
    """Has the menus File, Edit, Line, Cast, Play, View, Tools and Help; output device and theme are changed here as settings.

    Signals:
        devices_requested(): the menu of outputs is about to open.
    """

    devices_requested = Signal()

    def __init__(self, actions: WindowActions, settings: SettingsStore) -> None:
        super().__init__()
        self._settings = settings
        self._outputs: tuple[str, ...] = ()
        file = self._create_menu(localize("ファイル(&F)", "&File"), actions, FILE_MENU)
        self.recent = QMenu(localize("最近使ったプロジェクト", "Recent projects"), file)  # the menu of recent projects, filled by its owner
        file.insertMenu(next(filter(QAction.isSeparator, file.actions())), self.recent)
        more_exports = QMenu(localize("そのほかの書き出し", "Other exports"), file)
        more_exports.addActions([actions[name] for name in MORE_EXPORTS.split()])
        file.insertMenu(file.actions()[file.actions().index(actions["export"]) + 1], more_exports)
        self._create_menu(localize("編集(&E)", "&Edit"), actions, EDIT_MENU)
        lines = self._create_menu(localize("行(&L)", "&Line"), actions, LINE_MENU)
        lines.addSeparator()
        add_melody_commands(lines.addMenu(localize("イントネーション", "Melody")), actions)
        self._create_menu(localize("登場人物(&C)", "&Cast"), actions, CAST_MENU)
        play = self._create_menu(localize("再生(&P)", "&Play"), actions, PLAY_MENU)
        # Reasons why a blind test is not offered are short in the menu and whole in the tip.
        play.setToolTipsVisible(True)
        play.addSeparator()
        self.devices = play.addMenu(localize("再生デバイス", "Output device"))
        self.devices.aboutToShow.connect(self.devices_requested)
        self._device_group = QActionGroup(self)
        self.view = self._create_menu(localize("表示(&V)", "&View"), actions, VIEW_MENU)
        self._add_themes(self.view.addMenu(localize("配色", "Theme")), settings.value.theme)
        self.view.addSeparator()
        self._create_menu(localize("ツール(&T)", "&Tools"), actions, TOOLS_MENU)
        self._create_menu(localize("ヘルプ(&H)", "&Help"), actions, HELP_MENU)
        self.list_output_devices(())
        settings.changed.connect(self._show_settings)

    @Slot(object)
    def list_output_devices(self, devices: tuple[str, ...]) -> None:
        """List the audio outputs; the chosen one stays in the list even while it is unplugged."""
        self._outputs, chosen = devices, self._settings.value.device
        self.devices.clear()
        self._device_group.deleteLater()
        self._device_group = QActionGroup(self)
        labels = {"": localize("システムの設定に合わせる", "Use system setting")} | {label: label for label in (*devices, chosen) if label}
        for device, label in labels.items():
            self._add_choice(self._device_group, self.devices, label, device, is_chosen=device == chosen)
        self._device_group.triggered.connect(lambda action: self._settings.change_settings(device=action.data()))

    def _create_menu(self, title: str, actions: WindowActions, rows: tuple[str, ...]) -> QMenu:
        """Create a menu of actions, with a separator between the rows."""
        menu = self.addMenu(title)
        for names in rows:
            if menu.actions():
                menu.addSeparator()
            menu.addActions([actions[name] for name in names.split()])
        return menu

    def _add_choice(self, group: QActionGroup, menu: QMenu, label: str, value: str, *, is_chosen: bool) -> QAction:
        """Add a choice to a menu; one of the group is checked."""
        action = group.addAction(escape_mnemonic(label))
        action.setCheckable(True)
        action.setChecked(is_chosen)
        action.setData(value)
        menu.addAction(action)
        return action

    def _add_themes(self, menu: QMenu, chosen: ThemeChoice) -> None:
        names = {
            "system": localize("システムの設定に合わせる", "Use system setting"),
            "light": localize("ライト", "Light"),
            "dark": localize("ダーク", "Dark"),
        }
        group = self._theme_group = QActionGroup(self)
        for theme in THEMES:
            action = self._add_choice(group, menu, names[theme], theme, is_chosen=theme == chosen)
            action.setWhatsThis(f"{theme} theme 配色 {names[theme]}")
        group.triggered.connect(lambda action: self._settings.change_settings(theme=action.data()))

    @Slot(object, object)
    def _show_settings(self, before: Settings, after: Settings) -> None:
        if before.theme != after.theme:
            for action in self._theme_group.actions():
                action.setChecked(action.data() == after.theme)
        if before.device != after.device:
            self.list_output_devices(self._outputs)


class SearchButton(QToolButton):
    """A button that looks like the search field it opens, with its shortcut at the right."""

    def __init__(self, actions: WindowActions) -> None:
        super().__init__()
        self._actions = actions
        self.setObjectName("search")
        self.setDefaultAction(actions["find_command"])
        self.setIconSize(QSize(16, 16))
        self.setMinimumWidth(NARROW_SEARCH)
        self.setMaximumWidth(SEARCH_WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the minimum width; the layout widens the button where there is room."""
        return QSize(NARROW_SEARCH, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the present shortcut, which the user may change, where there is room for it."""
        super().paintEvent(event)
        key = self._actions.find_key_text("find_command")
        words = self.fontMetrics().horizontalAdvance(f"{self.text()}  {key}")
        if self.iconSize().width() + words + 2 * SEARCH_PADDING > self.width():
            return
        painter = QPainter(self)
        color = self.palette().color(QPalette.ColorRole.PlaceholderText)
        # Qt's style sheet makes the placeholder colour half transparent.
        color.setAlpha(255)
        painter.setPen(color)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(self.rect().adjusted(0, 0, -SEARCH_PADDING, 0), flags, key)
        painter.end()


class EditToolBar(QToolBar):
    """A toolbar of actions; an empty name is a separator, a blank takes the remaining width.

    Args:
        line_filter: the controls that choose which lines are shown; they have their place in the blank.
    """

    def __init__(self, actions: WindowActions, line_filter: QWidget) -> None:
        super().__init__(localize("行の編集", "Edit lines"))
        self.setObjectName("edit_bar")
        self.setMovable(False)
        self.setIconSize(QSize(20, 20))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        for name in TOOLBAR_ACTIONS:
            if not name:
                self.addSeparator()
            elif name == " ":
                # Qt shows what a toolbar itself holds by an action of its own; inside another widget the filter shows and hides itself.
                room = QWidget()
                fill_box(QHBoxLayout(room), FILTER_GAP, line_filter, None, spacing=0)
                room.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
                self.addWidget(room)
            else:
                if name == "find_command":
                    button: QWidget = SearchButton(actions)
                    self.addWidget(button)
                else:
                    self.addAction(actions[name])
                    button = self.widgetForAction(actions[name])
                button.setAccessibleName(actions[name].iconText())
                button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
                if name in LABELLED_ACTIONS and isinstance(button, QToolButton):
                    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
