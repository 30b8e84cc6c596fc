"""The light and dark themes: our own palette over Qt's Fusion style, icons and characters in its colours, and fonts that draw Japanese as Japanese."""

import sys
from dataclasses import dataclass
from functools import cache
from string import Template
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QDir, QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QWidget

from app.common.files.paths import find_resources_dir
from app.common.language import localize
from app.common.stages import STAGE_COLORS_ON_DARK, STAGE_COLORS_ON_LIGHT
from app.settings.user_settings import TextSize, ThemeChoice

STYLE_SHEET_TEMPLATE = Template("""
QToolTip { color: $text; background: $surface; border: 1px solid $border; padding: 5px; }
QListView#script { background: transparent; border: none; }
QFrame#card, SearchBar { background: $surface; border: 1px solid $border; border-radius: 8px; }
QFrame#banner { background: $notice; border-radius: 8px; }
QFrame#banner[card="true"] { border: 1px solid $border; }
QFrame#banner:focus, QFrame#card:focus { border: 1px solid $accent; }
QFrame#banner[error="true"] { background: $error; }
QFrame#banner[error="true"] QLabel { color: $error_text; }
QLabel#muted { color: $muted; }
QLabel[edited="true"] { color: $edited; }
QLabel#heading { font-weight: 600; }
QLabel#error { color: $error_text; background: transparent url("controls:error.svg") no-repeat top left; background-origin: padding; padding: 1px 0 1px 21px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QPushButton { padding: 7px 16px; border: 1px solid $border; border-radius: 8px; background: $surface; color: $text; }
QPushButton:hover, QPushButton:focus { border-color: $accent; }
QPushButton:pressed { background: $faint; }
QPushButton:checked { background: $notice; border-color: $accent; font-weight: 600; }
QPushButton:checked:focus { border: 2px solid $accent; padding: 6px 15px; }
QPushButton:disabled { color: $muted; background: $window; }
QPushButton#small { padding: 2px 10px; border-radius: 6px; }
QPushButton#small:checked:focus { padding: 1px 9px; }
QPushButton#listen, QPushButton#listen_small { padding: 0; font-weight: 600; border: 1px solid $edge; }
QPushButton#listen { min-width: 70px; max-width: 70px; min-height: 70px; max-height: 70px; border-radius: 36px; }
QPushButton#listen_small { min-width: 40px; max-width: 40px; min-height: 40px; max-height: 40px; border-radius: 21px; }
QPushButton#listen:hover, QPushButton#listen:focus, QPushButton#listen_small:hover, QPushButton#listen_small:focus { border-color: $accent; }
QPushButton#listen:checked, QPushButton#listen_small:checked { background: $notice; border-color: $accent; padding: 0; }
QPushButton#listen[sounding="true"], QPushButton#listen_small[sounding="true"] { background: $accent; border-color: $accent; color: $on_accent; }
QPushButton#listen:focus, QPushButton#listen_small:focus { border: 2px solid $accent; }
QPushButton#listen:focus { min-width: 68px; max-width: 68px; min-height: 68px; max-height: 68px; }
QPushButton#listen_small:focus { min-width: 38px; max-width: 38px; min-height: 38px; max-height: 38px; }
QPushButton#listen[sounding="true"]:focus, QPushButton#listen_small[sounding="true"]:focus { border-color: $text; }
QPushButton#primary { background: $accent; border-color: $accent; color: $on_accent; font-weight: 600; padding: 9px 22px; }
QPushButton#primary:hover { background: $accent_over; border-color: $accent_over; }
QPushButton#primary:pressed { background: $accent_down; border-color: $accent_down; }
QPushButton#primary:disabled { background: $faint; border-color: $faint; color: $muted; }
QPushButton#primary:focus { border: 2px solid $text; padding: 8px 21px; }
QDialog QPushButton#primary { padding: 7px 18px; }
QDialog QPushButton#primary:focus { padding: 6px 17px; }
QToolButton { border: 1px solid transparent; border-radius: 6px; padding: 4px; }
QToolButton:hover { background: $faint; }
QToolButton:pressed { background: $border; }
QToolButton:focus { border-color: $accent; }
QToolButton:checked { background: $notice; border-color: $accent; }
QToolButton:checked:focus { border: 2px solid $accent; padding: 3px; }
QToolButton::menu-indicator { image: url("controls:down.svg"); width: 10px; height: 10px; right: 5px;
  subcontrol-origin: padding; subcontrol-position: center right; }
QToolButton[popupMode="2"] { padding-right: 20px; }
QToolButton#more { padding-right: 4px; }
QToolButton#slim { padding: 1px 6px; }
QToolButton#more::menu-indicator { image: none; }
QToolButton#quiet::menu-button { border: none; width: 18px; border-radius: 4px; }
QToolButton#quiet::menu-button:hover { background: $faint; }
QToolButton#quiet::menu-arrow { image: url("controls:down.svg"); width: 10px; height: 10px; }
QToolButton#search { background: $surface; border: 1px solid $border; border-radius: 8px; padding: 4px 10px; color: $muted; }
QToolButton#search:hover, QToolButton#search:focus { border-color: $accent; }
QToolButton#framed { background: $surface; border: 1px solid $border; padding: 4px 8px; }
QToolButton#framed[popupMode="2"] { padding-right: 22px; }
QToolButton#framed:checked { background: $notice; border-color: $accent; }
QToolButton#framed:disabled { color: $muted; background: $window; }
QToolButton#framed:hover, QToolButton#framed:focus { border-color: $accent; }
QToolButton#fold { padding: 4px 6px 4px 1px; margin-left: -5px; }
QToolButton#quiet { padding: 2px 6px 2px 1px; margin-left: -6px; }
QToolButton#quiet[popupMode="2"] { padding-right: 17px; }
QPlainTextEdit#details { background: $surface; color: $text; border-radius: 6px; padding: 2px 4px; }
QToolButton#fold:checked { background: transparent; border-color: transparent; }
QToolButton#fold:focus { border-color: $accent; }
QToolBar { border: none; padding: 4px 7px 4px 4px; spacing: 4px; }
QToolBar::separator { background: $border; width: 1px; margin: 6px 6px; }
QLineEdit, QComboBox, QAbstractSpinBox {
  background: $surface; color: $text; border: 1px solid $edge; border-radius: 6px; padding: 4px 8px;
  placeholder-text-color: $muted; selection-background-color: $accent; selection-color: $on_accent;
}
QLineEdit:focus, QComboBox:focus, QComboBox:on, QAbstractSpinBox:focus { border-color: $accent; }
QLineEdit:disabled, QComboBox:disabled, QAbstractSpinBox:disabled { border-color: $border; color: $muted; background: $window; }
QAbstractSpinBox { padding: 2px 6px; }
QAbstractSpinBox QLineEdit, QAbstractSpinBox QLineEdit:focus { border: none; padding: 0 6px; background: transparent; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; width: 18px; subcontrol-origin: border; }
QAbstractSpinBox::up-button { subcontrol-position: top right; margin: 2px 2px 0 0; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; margin: 0 2px 2px 0; }
QAbstractSpinBox::up-arrow { image: url("controls:up.svg"); width: 9px; height: 9px; }
QAbstractSpinBox::down-arrow { image: url("controls:down.svg"); width: 9px; height: 9px; }
QAbstractSpinBox#number::up-button, QAbstractSpinBox#number::down-button { width: 0; margin: 0; }
QAbstractSpinBox#number::up-arrow, QAbstractSpinBox#number::down-arrow { image: none; width: 0; height: 0; }
QComboBox { combobox-popup: 0; padding-right: 2px; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url("controls:down.svg"); width: 12px; height: 12px; }
QFileDialog QToolButton#backButton { qproperty-icon: url("controls:left.svg"); }
QFileDialog QToolButton#forwardButton { qproperty-icon: url("controls:right.svg"); }
QFileDialog QToolButton#toParentButton { qproperty-icon: url("controls:up.svg"); }
QComboBox QAbstractItemView { background: $surface; border: 1px solid $border; padding: 3px; outline: none; }
QComboBox QAbstractItemView::item { min-height: 26px; padding: 0 6px; border-radius: 4px; }
QComboBox QAbstractItemView::item:selected { background: $accent; color: $on_accent; }
QCheckBox { spacing: 7px; }
QCheckBox::indicator { width: 15px; height: 15px; border: 1px solid $edge; border-radius: 4px; background: $surface; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: $accent; }
QCheckBox::indicator:checked { border-color: $accent; image: url("controls:check.svg"); }
QRadioButton { spacing: 7px; border-radius: 4px; }
QRadioButton:focus { background: $notice; }
QRadioButton::indicator { width: 15px; height: 15px; border: 1px solid $edge; border-radius: 8px; background: $surface; }
QRadioButton::indicator:hover, QRadioButton::indicator:focus { border-color: $accent; }
QRadioButton::indicator:checked { width: 7px; height: 7px; border: 5px solid $accent; }
QSlider#rating { min-width: 24px; }
QSlider#rating::groove:vertical { width: 4px; border-radius: 2px; background: $border; margin: 0; }
QSlider#rating::add-page:vertical { background: $accent; border-radius: 2px; }
QSlider#rating::sub-page:vertical { background: $border; border-radius: 2px; }
QSlider#rating::handle:vertical { width: 12px; height: 12px; margin: 0 -6px; border: 2px solid $accent; border-radius: 8px; background: $surface; }
QSlider#rating::handle:vertical:focus, QSlider#rating::handle:vertical:hover { background: $notice; }
QTextBrowser, QPlainTextEdit, QListWidget { background: $surface; border: 1px solid $border; border-radius: 8px; padding: 6px 8px; }
QListWidget { outline: none; }
QListWidget::item { padding: 4px; border: 1px solid transparent; border-radius: 6px; color: $text; }
QListWidget::item:hover { background: $faint; }
QListWidget::item:selected { background: $notice; color: $text; border-color: $accent; }
QTabWidget QTextBrowser, QTabWidget QPlainTextEdit { border: 1px solid transparent; }
QTextBrowser:focus, QPlainTextEdit:focus, QListWidget:focus { border-color: $accent; }
QTabWidget::pane { border: 1px solid $border; border-radius: 8px; background: $surface; top: 4px; margin-bottom: 6px; }
QTabBar::tab { padding: 6px 12px; margin-right: 4px; border: none; border-bottom: 2px solid transparent; color: $muted; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:focus { background: $notice; border-top-left-radius: 6px; border-top-right-radius: 6px; }
QPlainTextEdit#line, QPlainTextEdit#line:focus { background: transparent; border: none; border-radius: 0; padding: 0; }
QScrollArea, QScrollArea > QWidget > QWidget#side { background: transparent; border: none; }
QScrollArea, QScrollArea > QWidget > QWidget#strip { background: transparent; border: none; }
QScrollArea#facts { border: 1px solid transparent; border-radius: 8px; }
QScrollArea#facts:focus { border-color: $accent; }
QTableView { background: $surface; border: none; gridline-color: $faint; }
QTableView#words, QTableView#takes, QTableView#queue { border: 1px solid $border; border-radius: 8px; outline: none; }
QTableView#words:focus, QTableView#takes:focus, QTableView#queue:focus { border-color: $accent; }
QTableView#words::item, QTableView#takes::item { padding: 2px 8px; border: none; color: $text; }
QTableView#words::item:hover, QTableView#takes::item:hover { background: $faint; }
QTableView#words::item:selected, QTableView#takes::item:selected { background: $notice; color: $text; }
QTableView#queue::item { padding: 2px 8px; border: none; }
QTableView#queue::item:selected { background: $notice; color: $text; }
QTableView#words QHeaderView::section, QTableView#queue QHeaderView::section { padding: 5px 11px; }
QTableView#board { border: 1px solid $border; border-radius: 8px; outline: none; }
QTableView#board:focus { border-color: $accent; }
QTableView#board QTableCornerButton::section { background: $surface; border: none; border-bottom: 1px solid $faint; }
QTableView#board QHeaderView { background: $surface; }
QTreeView#choices { background: $surface; border: 1px solid $border; border-radius: 8px; padding: 4px; outline: none; }
QTreeView#choices:focus { border-color: $accent; }
QTreeView#choices::item { padding: 3px 2px; color: $text; }
QTreeView#choices::item:hover { background: $faint; }
QTreeView#choices::item:selected { background: $notice; color: $text; }
QTreeView#choices::item:disabled { color: $muted; }
QListWidget#choices { padding: 4px; }
QTreeView#choices::indicator, QListWidget#choices::indicator { width: 13px; height: 13px; border: 1px solid $edge; border-radius: 4px; background: $surface; }
QTreeView#choices::indicator:checked, QListWidget#choices::indicator:checked { border-color: $accent; image: url("controls:check.svg"); }
QTreeView#choices::indicator:indeterminate { border: 1px solid $accent; background: $accent; }
QTableView#words QHeaderView, QTableView#takes QHeaderView, QTableView#queue QHeaderView { background: transparent; }
QTableView#words QHeaderView::section, QTableView#takes QHeaderView::section, QTableView#queue QHeaderView::section { background: transparent; }
QTreeView#choices QHeaderView, QTreeView#choices QHeaderView::section { background: transparent; }
QTableView#takes QHeaderView::section { padding: 1px 11px; }
QFrame#edge { background: $faint; border: none; min-width: 1px; max-width: 1px; margin: 6px 0; }
QHeaderView::section { background: $surface; color: $muted; border: none; border-bottom: 1px solid $faint; padding: 3px 6px; }
QDialog#search { border: 1px solid $border; }
QDialog#search QTreeView { border: none; }
QDialog#search QLineEdit { padding: 7px 10px; border-radius: 8px; }
QDialog#search QTreeView { background: transparent; outline: none; }
QDialog#search QTreeView::item { padding: 6px 10px; border: none; }
QDialog#search QTreeView::item:hover { background: $faint; }
QDialog#search QTreeView::item:selected { background: $notice; color: $text; }
QDialog#search QTreeView::item:first { border-top-left-radius: 6px; border-bottom-left-radius: 6px; }
QDialog#search QTreeView::item:last { border-top-right-radius: 6px; border-bottom-right-radius: 6px; }
QProgressBar#played { background: $faint; border: none; border-radius: 2px; }
QProgressBar#played::chunk { background: $accent; border-radius: 2px; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar:vertical { width: 10px; background: transparent; margin: 0; }
QScrollBar::handle:vertical { background: $border; border-radius: 4px; min-height: 28px; margin: 0 1px; }
QScrollBar::handle:vertical:hover { background: $muted; }
QScrollBar::handle:vertical:disabled { background: transparent; }
QScrollBar::add-line, QScrollBar::sub-line { height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QScrollBar:horizontal { height: 9px; background: transparent; margin: 0; }
QScrollBar::handle:horizontal { background: $border; border-radius: 4px; min-width: 28px; margin: 1px 0 0 0; }
QScrollBar::handle:horizontal:hover { background: $muted; }
QScrollBar::add-line:horizontal, QScrollBar::sub-line:horizontal { width: 0; }
QMenu { background: $surface; color: $text; border: 1px solid $border; padding: 4px; }
QMenu::item { padding: 5px 22px 5px 14px; border-radius: 4px; }
QMenu::item:selected { background: $notice; }
QMenu::item:disabled { color: $muted; }
QMenu::icon { left: 8px; }
QMenu::indicator { left: 7px; width: 13px; height: 13px; border: 1px solid $edge; border-radius: 4px; }
QMenu::indicator:checked { border-color: $accent; image: url("controls:check.svg"); }
QMenu::separator { height: 1px; background: $faint; margin: 4px 6px; }
QStatusBar { border-top: 1px solid $border; }
QStatusBar::item { border: none; }
QMainWindow::separator { background: transparent; height: 6px; width: 6px; }
QMainWindow::separator:hover { background: $border; border-radius: 2px; }
QSplitter::handle { background: transparent; }
QSplitter::handle:horizontal { margin: 0 3px; }
QSplitter::handle:hover { background: $border; }
""")


# Without these fonts, Han characters may come in their Chinese shapes.
JAPANESE_FONTS = ("Yu Gothic UI", "Meiryo", "Hiragino Sans", "Noto Sans CJK JP", "Noto Sans JP", "IPAexGothic", "IPAGothic", "TakaoGothic")
MIN_FONT_SIZE_PT = 10  # points of the usual text size, however small the system's font is
TEXT_SCALES: dict[TextSize, float] = {"small": 0.9, "usual": 1.0, "large": 1.25, "largest": 1.5}

ICON_SIZES_PX = (16, 20, 24, 32, 48)


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a theme, as #rrggbb."""

    name: str
    window: str
    surface: str
    text: str
    muted: str
    faint: str
    border: str  # border, edge: edges of groups, and of fields; a field has to be found by its edge alone
    edge: str
    accent: str
    on_accent: str
    edited: str  # of values that the user changed
    notice: str
    error: str
    error_text: str
    stages: dict[str, str]


_COLOURS = {
    "window": ("#f4f5f7", "#1b1e24"),
    "surface": ("#ffffff", "#242830"),
    "text": ("#1d2129", "#e8ebf0"),
    "muted": ("#5b6472", "#a3adbb"),
    "faint": ("#e3e6eb", "#333945"),
    "border": ("#ccd2da", "#414957"),
    "edge": ("#838c9a", "#6c7687"),
    "accent": ("#2563c9", "#6ea3f7"),
    "on_accent": ("#ffffff", "#0e1420"),
    "edited": ("#7d5f00", "#f5c451"),
    "notice": ("#e5eefc", "#22324d"),
    "error": ("#fdf0d5", "#43351a"),
    "error_text": ("#7a4a00", "#f6d08a"),
}
"""On the light theme, and on the dark one."""

LIGHT_THEME = Theme(name="light", stages=STAGE_COLORS_ON_LIGHT, **{name: light for name, (light, _) in _COLOURS.items()})
DARK_THEME = Theme(name="dark", stages=STAGE_COLORS_ON_DARK, **{name: dark for name, (_, dark) in _COLOURS.items()})


def resolve_theme(choice: ThemeChoice) -> Theme:
    """Return the theme of a choice; `system` follows the desktop."""
    if choice == "system":
        return DARK_THEME if QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT_THEME
    return DARK_THEME if choice == "dark" else LIGHT_THEME


def clear_theme(app: QApplication) -> None:
    """Remove the theme from all windows, before another is applied.

    An empty style sheet makes Qt forget all widgets that it remembers rules of.
    """
    # Where one style sheet follows another, Qt polishes every widget once for each of its ancestors; with an empty one in between only
    # twice (0.45 of the time). It would also visit deleted widgets that it remembers rules of (Qt 6.11): the process crashed.
    app.setStyleSheet("")


def apply_palette(app: QApplication, theme: Theme) -> None:
    """Apply the palette alone, for widgets that are being created and draw their icons at once."""
    role = QPalette.ColorRole
    palette = QPalette()
    for color, roles in (
        (theme.window, (role.Window, role.AlternateBase)),
        (theme.surface, (role.Base, role.Button, role.ToolTipBase)),
        (theme.text, (role.WindowText, role.Text, role.ButtonText, role.ToolTipText, role.BrightText)),
        (theme.muted, (role.PlaceholderText,)),
        (theme.faint, (role.Midlight, role.Light)),
        (theme.border, (role.Mid, role.Dark)),
        (theme.accent, (role.Highlight, role.Link, role.Accent)),
        (theme.on_accent, (role.HighlightedText,)),
    ):
        for item in roles:
            palette.setColor(item, QColor(color))
    for item in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, item, QColor(theme.muted))
    app.setPalette(palette)


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Apply a theme to all windows, in place of any other."""
    if app.styleSheet():
        clear_theme(app)
    apply_palette(app, theme)
    colors = {name: getattr(theme, name) for name in Theme.__slots__ if name != "stages"}
    colors |= {"accent_over": QColor(theme.accent).lighter(108).name(), "accent_down": QColor(theme.accent).darker(112).name()}
    # A style sheet cannot name every folder, such as one with a quote in its path; a search path can.
    QDir.setSearchPaths("controls", [str(find_resources_dir() / "controls")])
    app.setStyleSheet(STYLE_SHEET_TEMPLATE.substitute(colors))


if TYPE_CHECKING:
    MixinBase = QWidget
else:
    MixinBase = object


class ThemedWidget(MixinBase):
    """Draws itself again in the colours of another theme; among the bases of a widget, it precedes Qt's class."""

    def draw_in_theme(self) -> None:
        """Draw what has colours of the palette, such as icons."""
        raise NotImplementedError

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of the theme."""
        if is_theme_change_event(self, event):
            self.draw_in_theme()
        super().changeEvent(event)


def is_theme_change_event(widget: QWidget, event: QEvent) -> bool:
    """Return True if a widget should redraw what it draws in the colours of its palette.

    `ThemeSwitcher` sends ThemeChange once the whole theme is applied. Qt's own PaletteChange comes while other widgets still have the old
    one, so it counts only while no theme is being applied, as with a dialog that is shown for the first time.
    """
    return event.type() == QEvent.Type.ThemeChange or (event.type() == QEvent.Type.PaletteChange and widget.updatesEnabled())


def apply_fonts(app: QApplication, is_japanese: bool, size: TextSize = "usual") -> None:
    """Set the application font with Japanese fonts as fallback, in the user's text size."""
    installed = set(QFontDatabase.families())
    families = [name for name in JAPANESE_FONTS if name in installed]
    font = QFont(app.font())
    # On Linux the system's font may have no Japanese shapes, so the Japanese fonts come first there.
    if sys.platform.startswith("linux") and (is_japanese or font.family() not in installed):
        font.setFamilies([*families, font.family()])
    else:
        font.setFamilies([font.family(), *families])
    font.setPointSizeF(max(font.pointSizeF(), MIN_FONT_SIZE_PT) * TEXT_SCALES[size])
    app.setFont(font)


def draw_icon(name: str, color: QColor | None = None) -> QIcon:
    """Return `resources/icons/name.svg` at the usual sizes and their doubles; `color` replaces `currentColor`."""
    return _render_svg_icon(name, None if color is None else color.name())


# A change of theme requests each of a few dozen icons several times.
@cache
def _render_svg_icon(name: str, color: str | None) -> QIcon:
    drawing = (find_resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    if color is not None:
        drawing = drawing.replace("currentColor", color)
    renderer = QSvgRenderer(QByteArray(drawing.encode()))
    result = QIcon()
    for size in sorted({edge * scale for edge in ICON_SIZES_PX for scale in (1, 2)}):
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        result.addPixmap(pixmap)
    return result


# Eight colours that are neither the accent nor alike to people who see no red, green or blue, as far apart as a search found them. Each
# holds 4.5:1 against everything that a character's name is written on, and against the letter that is written on it. Neighbours in the
# order are far apart in hue, because a cast gets its colours in this order.
CHARACTER_COLOURS_ON_LIGHT = ("#925902", "#073f3f", "#4c0ba5", "#a4222e", "#187448", "#a6088e", "#363a05", "#6d626e")
CHARACTER_COLOURS_ON_DARK = ("#f1a854", "#59f7ff", "#bbaaed", "#ff7b71", "#a9fb9a", "#c398a6", "#fae14f", "#dfeedc")
_SWATCH_MARGIN_SHARE, _HALF = 0.12, 0.5


def find_character_colour(number: int, theme_name: str) -> QColor:
    """Return the colour of a character on the theme "light" or "dark"; a number of a later version counts round."""
    colours = CHARACTER_COLOURS_ON_DARK if theme_name == "dark" else CHARACTER_COLOURS_ON_LIGHT
    return QColor(colours[number % len(colours)])


def list_colour_names() -> tuple[str, ...]:
    """Return the names of the colours, by number."""
    japanese = ("橙", "青緑", "紫", "赤", "緑", "ピンク", "黄", "灰色")
    english = ("orange", "teal", "purple", "red", "green", "pink", "yellow", "grey")
    return tuple(localize(ja, en) for ja, en in zip(japanese, english, strict=True))


def create_colour_icon(number: int, edge: int, widget: QWidget) -> QIcon:
    """Return a disc in the colour of a character, `edge` pixels wide, in the theme and in the scale of a widget."""
    # The widget's own palette may have a transparent ground by the style sheet.
    is_dark = QGuiApplication.palette().color(QPalette.ColorRole.Window).lightnessF() < _HALF
    return _draw_disc(find_character_colour(number, "dark" if is_dark else "light").name(), edge, widget.devicePixelRatioF())


# A list of sixty characters is filled with every change of the cast.
@cache
def _draw_disc(colour: str, edge: int, scale: float) -> QIcon:
    picture = QPixmap(round(edge * scale), round(edge * scale))
    picture.setDevicePixelRatio(scale)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    margin = edge * _SWATCH_MARGIN_SHARE
    painter.drawEllipse(QRectF(0, 0, edge, edge).adjusted(margin, margin, -margin, -margin))
    painter.end()
    drawn = QIcon(picture)
    # Qt tints the icon of a selected row unless a pixmap for that mode exists.
    drawn.addPixmap(picture, QIcon.Mode.Selected)
    return drawn
