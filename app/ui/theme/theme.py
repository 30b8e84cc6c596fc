"""Light and dark: our own palette over Qt's Fusion style, and fonts that draw Japanese as Japanese."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from PySide6.QtCore import QDir, QEvent, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from app.paths import resources_dir
from app.settings import TextSize, ThemeChoice
from app.stage_colors import ON_DARK, ON_LIGHT
from app.ui.theme.style_sheet import STYLE

# Without these, Han characters may come in their Chinese shapes.
JAPANESE_FONTS = ("Yu Gothic UI", "Meiryo", "Hiragino Sans", "Noto Sans CJK JP", "Noto Sans JP", "IPAexGothic", "IPAGothic", "TakaoGothic")
SMALLEST_PT = 10  # of what is normal, whatever the system says
TEXT_SCALES: dict[TextSize, float] = {"small": 0.9, "usual": 1.0, "large": 1.25, "largest": 1.5}


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of one look, as #rrggbb.

    Attributes:
        border, edge: of what only groups, and of what can be filled in: a field has to be found by its edge alone.
        notice, error: the banner's backgrounds.
        stages: by name.
    """

    name: str
    window: str
    surface: str
    text: str
    muted: str
    faint: str
    border: str
    edge: str
    accent: str
    on_accent: str
    notice: str
    error: str
    error_text: str
    stages: dict[str, str]


LIGHT = Theme(
    name="light",
    window="#f4f5f7",
    surface="#ffffff",
    text="#1d2129",
    muted="#5b6472",
    faint="#e3e6eb",
    border="#ccd2da",
    edge="#838c9a",
    accent="#2563c9",
    on_accent="#ffffff",
    notice="#e5eefc",
    error="#fdf0d5",
    error_text="#7a4a00",
    stages=ON_LIGHT,
)
DARK = Theme(
    name="dark",
    window="#1b1e24",
    surface="#242830",
    text="#e8ebf0",
    muted="#a3adbb",
    faint="#333945",
    border="#414957",
    edge="#6c7687",
    accent="#6ea3f7",
    on_accent="#0e1420",
    notice="#22324d",
    error="#43351a",
    error_text="#f6d08a",
    stages=ON_DARK,
)


def chosen_theme(choice: ThemeChoice) -> Theme:
    """The look for a choice; `system` asks the desktop."""
    if choice == "system":
        return DARK if QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT
    return DARK if choice == "dark" else LIGHT


def clear_theme(app: QApplication) -> None:
    """Takes the look off all windows, before another is put on.

    Where one style sheet follows another, Qt polishes every widget once for each of its ancestors; by way of none it does so twice (0.45 of the time).
    It would also look at widgets that it remembers rules of, some of them deleted (Qt 6.11): the process crashed. By way of none it forgets them.
    """
    app.setStyleSheet("")


def apply_palette(app: QApplication, theme: Theme) -> None:
    """The colours alone: for parts that are being made, and draw their pictures in them at once."""
    app.setPalette(_palette(theme))


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Gives all windows a look, in place of the one that they may have."""
    if app.styleSheet():
        clear_theme(app)
    apply_palette(app, theme)
    colors = {name: getattr(theme, name) for name in Theme.__slots__ if name != "stages"}
    colors |= {"accent_over": QColor(theme.accent).lighter(108).name(), "accent_down": QColor(theme.accent).darker(112).name()}
    QDir.setSearchPaths("controls", [str(resources_dir() / "controls")])  # a style sheet cannot name every folder: not one with a quote
    app.setStyleSheet(STYLE.substitute(colors))


def is_theme_change(widget: QWidget, event: QEvent) -> bool:
    """Whether a widget is to redraw what it draws in colours of its own palette, or of its parts'.

    `ThemeSwitcher` sends ThemeChange once everything has the new look. Qt's own PaletteChange comes while parts still have the old one, so it counts
    only where no look is being put on, as with a dialog that is shown for the first time.
    """
    return event.type() == QEvent.Type.ThemeChange or (event.type() == QEvent.Type.PaletteChange and widget.updatesEnabled())


def apply_fonts(app: QApplication, japanese: bool, size: TextSize = "usual") -> None:
    """Puts fonts with Japanese shapes behind the system's own, or before it where that one has none of them, as large as the user wants them."""
    known = set(QFontDatabase.families())
    families = [name for name in JAPANESE_FONTS if name in known]
    font = QFont(app.font())
    if sys.platform.startswith("linux") and (japanese or font.family() not in known):
        font.setFamilies([*families, font.family()])
    else:
        font.setFamilies([font.family(), *families])
    font.setPointSizeF(max(font.pointSizeF(), SMALLEST_PT) * TEXT_SCALES[size])
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
