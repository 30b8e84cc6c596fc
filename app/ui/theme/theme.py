"""The light and dark themes: our own palette over Qt's Fusion style, and fonts that draw Japanese as Japanese."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from PySide6.QtCore import QDir, QEvent, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from app.common.files.paths import find_resources_dir
from app.common.stage_colors import STAGE_COLORS_ON_DARK, STAGE_COLORS_ON_LIGHT
from app.settings.user_settings import TextSize, ThemeChoice
from app.ui.theme.style_sheet import STYLE_SHEET_TEMPLATE

# Without these fonts, Han characters may come in their Chinese shapes.
JAPANESE_FONTS = ("Yu Gothic UI", "Meiryo", "Hiragino Sans", "Noto Sans CJK JP", "Noto Sans JP", "IPAexGothic", "IPAGothic", "TakaoGothic")
# Points of the usual text size, however small the system's font is.
MIN_FONT_SIZE_PT = 10
TEXT_SCALES: dict[TextSize, float] = {"small": 0.9, "usual": 1.0, "large": 1.25, "largest": 1.5}


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a theme, as #rrggbb.

    Attributes:
        border, edge: edges of groups, and of fields; a field has to be found by its edge alone.
        notice, error: backgrounds of banners.
        stages: colours by name of the stage.
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


LIGHT_THEME = Theme(
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
    stages=STAGE_COLORS_ON_LIGHT,
)
DARK_THEME = Theme(
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
    stages=STAGE_COLORS_ON_DARK,
)


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
    app.setPalette(_build_palette(theme))


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


def is_theme_change_event(widget: QWidget, event: QEvent) -> bool:
    """Return True if a widget should redraw what it draws in the colours of its palette.

    `ThemeSwitcher` sends ThemeChange once the whole theme is applied. Qt's own PaletteChange comes while other widgets still have the old
    one, so it counts only while no theme is being applied, as with a dialog that is shown for the first time.
    """
    return event.type() == QEvent.Type.ThemeChange or (event.type() == QEvent.Type.PaletteChange and widget.updatesEnabled())


def apply_fonts(app: QApplication, is_japanese: bool, size: TextSize = "usual") -> None:
    """Set the application font with Japanese fonts as fallback, in the user's text size."""
    known = set(QFontDatabase.families())
    families = [name for name in JAPANESE_FONTS if name in known]
    font = QFont(app.font())
    # On Linux the system's font may have no Japanese shapes, so the Japanese fonts come first there.
    if sys.platform.startswith("linux") and (is_japanese or font.family() not in known):
        font.setFamilies([*families, font.family()])
    else:
        font.setFamilies([font.family(), *families])
    font.setPointSizeF(max(font.pointSizeF(), MIN_FONT_SIZE_PT) * TEXT_SCALES[size])
    app.setFont(font)


def _build_palette(theme: Theme) -> QPalette:
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
