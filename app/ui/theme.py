"""Light and dark: our own palette over Qt's Fusion style, and fonts that draw Japanese as Japanese."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from string import Template

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from app.settings import ThemeChoice

# Without these, Han characters may come in their Chinese shapes.
JAPANESE_FONTS = ("Yu Gothic UI", "Meiryo", "Hiragino Sans", "Noto Sans CJK JP", "Noto Sans JP", "IPAexGothic", "IPAGothic", "TakaoGothic")


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of one look, as #rrggbb. `stages` by name; `notice` and `trouble` are the banner's backgrounds."""

    name: str
    window: str
    surface: str
    text: str
    muted: str
    faint: str
    border: str
    accent: str
    on_accent: str
    notice: str
    trouble: str
    trouble_text: str
    stages: dict[str, str]


LIGHT = Theme(
    name="light",
    window="#f4f5f7",
    surface="#ffffff",
    text="#1d2129",
    muted="#5b6472",
    faint="#e3e6eb",
    border="#ccd2da",
    accent="#2563c9",
    on_accent="#ffffff",
    notice="#e5eefc",
    trouble="#fdf0d5",
    trouble_text="#7a4a00",
    stages={
        "text": "#8a94a3",
        "g2p": "#3b82d6",
        "tokenize": "#1fa3a0",
        "bert": "#6a5bd8",
        "expand": "#a77bdc",
        "prosody": "#d99412",
        "flow": "#e06a35",
        "decode": "#d1456b",
        "synthesis": "#d1456b",
        "audio": "#5aa83e",
    },
)
DARK = Theme(
    name="dark",
    window="#1b1e24",
    surface="#242830",
    text="#e8ebf0",
    muted="#a3adbb",
    faint="#333945",
    border="#414957",
    accent="#6ea3f7",
    on_accent="#0e1420",
    notice="#22324d",
    trouble="#43351a",
    trouble_text="#f6d08a",
    stages={
        "text": "#94a0b0",
        "g2p": "#5aa2ef",
        "tokenize": "#3fc1bd",
        "bert": "#9083f5",
        "expand": "#c19cf0",
        "prosody": "#eeb345",
        "flow": "#f2875a",
        "decode": "#ec6d90",
        "synthesis": "#ec6d90",
        "audio": "#7fcb62",
    },
)

_STYLE = Template("""
QToolTip { color: $text; background: $surface; border: 1px solid $border; padding: 5px; }
QListView#script { background: transparent; border: 2px solid transparent; border-radius: 8px; }
QListView#script:focus { border-color: $faint; }
QPlainTextEdit#line { background: transparent; border: none; padding: 0; }
QFrame#card { background: $surface; border: 1px solid $border; border-radius: 8px; }
QFrame#banner { background: $notice; border-radius: 8px; }
QFrame#banner[trouble="true"] { background: $trouble; }
QFrame#banner[trouble="true"] QLabel { color: $trouble_text; }
QLabel#muted { color: $muted; }
QLabel#heading { font-weight: 600; }
QLabel#trouble { color: $trouble_text; background: $trouble; border-radius: 4px; padding: 1px 6px; }
QPushButton { padding: 7px 16px; border: 1px solid $border; border-radius: 8px; background: $surface; color: $text; }
QPushButton:hover, QPushButton:focus { border-color: $accent; }
QPushButton:pressed { background: $faint; }
QPushButton:disabled { color: $muted; background: $window; }
QPushButton#small { padding: 2px 10px; border-radius: 6px; }
QPushButton#primary { background: $accent; border-color: $accent; color: $on_accent; font-weight: 600; padding: 9px 22px; }
QPushButton#primary:focus { border: 2px solid $text; padding: 8px 21px; }
QToolButton { border: 1px solid transparent; border-radius: 6px; padding: 4px; }
QToolButton:hover { background: $faint; }
QToolButton:focus { border-color: $accent; }
QToolButton:checked { background: $notice; border-color: $accent; }
QToolButton#fold:checked { background: transparent; border-color: transparent; }
QToolButton#fold:focus { border-color: $accent; }
QToolBar { border: none; padding: 4px 10px 0 10px; spacing: 4px; }
QToolBar::separator { background: $border; width: 1px; margin: 6px 6px; }
QLineEdit { background: $surface; border: 1px solid $border; border-radius: 6px; padding: 5px 8px; color: $text; }
QLineEdit:focus { border-color: $accent; }
QScrollArea, QScrollArea > QWidget > QWidget#side { background: transparent; border: none; }
QScrollArea, QScrollArea > QWidget > QWidget#strip { background: transparent; border: none; }
QTableView { background: $surface; border: none; gridline-color: $faint; }
QHeaderView::section { background: $surface; color: $muted; border: none; border-bottom: 1px solid $faint; padding: 3px 6px; }
QDialog#search { border: 1px solid $border; }
QDialog#search QTreeView { border: none; }
QDialog#search QTreeView::item { padding: 5px 6px; }
QProgressBar#played { background: $faint; border: none; border-radius: 2px; }
QProgressBar#played::chunk { background: $accent; border-radius: 2px; }
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
QStatusBar { border-top: 1px solid $border; }
QStatusBar::item { border: none; }
QMainWindow::separator { background: transparent; height: 6px; width: 6px; }
""")


def chosen_theme(choice: ThemeChoice) -> Theme:
    """The look for a choice; `system` asks the desktop."""
    if choice == "system":
        return DARK if QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT
    return DARK if choice == "dark" else LIGHT


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Gives all windows the look."""
    app.setPalette(_palette(theme))
    app.setStyleSheet(_STYLE.substitute({name: getattr(theme, name) for name in Theme.__slots__ if name != "stages"}))


def apply_fonts(app: QApplication, japanese: bool) -> None:
    """Puts fonts with Japanese shapes behind the system's own, or before it where that one has none of them."""
    known = set(QFontDatabase.families())
    families = [name for name in JAPANESE_FONTS if name in known]
    font = QFont(app.font())
    if sys.platform.startswith("linux") and (japanese or font.family() not in known):
        font.setFamilies([*families, font.family()])
    else:
        font.setFamilies([font.family(), *families])
    if font.pointSizeF() < 10:
        font.setPointSizeF(10)
    app.setFont(font)


def _palette(theme: Theme) -> QPalette:
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
    return palette
