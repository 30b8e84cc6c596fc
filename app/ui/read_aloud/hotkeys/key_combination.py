"""A key with modifiers, as each system numbers it."""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from app.common.errors import InputError
from app.common.language import localize

X11_SHIFT, X11_CONTROL, X11_ALT, X11_SUPER = 1, 4, 8, 64
WINDOWS_ALT, WINDOWS_CONTROL, WINDOWS_SHIFT, WINDOWS_SUPER = 1, 2, 4, 8
_MODIFIERS = (
    (Qt.KeyboardModifier.ControlModifier, X11_CONTROL, WINDOWS_CONTROL, "CTRL"),
    (Qt.KeyboardModifier.AltModifier, X11_ALT, WINDOWS_ALT, "ALT"),
    (Qt.KeyboardModifier.ShiftModifier, X11_SHIFT, WINDOWS_SHIFT, "SHIFT"),
    (Qt.KeyboardModifier.MetaModifier, X11_SUPER, WINDOWS_SUPER, "LOGO"),
)
# X11's name, and the virtual key code of Windows.
_NAMED_KEYS: dict[Qt.Key, tuple[str, int]] = {
    Qt.Key.Key_Space: ("space", 0x20),
    Qt.Key.Key_Insert: ("Insert", 0x2D),
    Qt.Key.Key_Home: ("Home", 0x24),
    Qt.Key.Key_End: ("End", 0x23),
    Qt.Key.Key_PageUp: ("Page_Up", 0x21),
    Qt.Key.Key_PageDown: ("Page_Down", 0x22),
    Qt.Key.Key_Left: ("Left", 0x25),
    Qt.Key.Key_Up: ("Up", 0x26),
    Qt.Key.Key_Right: ("Right", 0x27),
    Qt.Key.Key_Down: ("Down", 0x28),
    Qt.Key.Key_Pause: ("Pause", 0x13),
}
LAST_FUNCTION_KEY = 24
_WINDOWS_F1 = 0x70


@dataclass(frozen=True, slots=True)
class KeyCombination:
    """A key with modifiers."""

    x11_key: str  # its name among X11's keysyms
    x11_modifiers: int
    windows_key: int  # its virtual key code
    windows_modifiers: int
    portal_modifiers: tuple[str, ...]  # words of the XDG specification of shortcuts
    label: str

    @property
    def portal_trigger(self) -> str:
        """Return the combination as the portal of Wayland takes it."""
        return "+".join((*self.portal_modifiers, self.x11_key))


def parse_key_combination(text: str) -> KeyCombination:
    """Return the combination that a text such as `Ctrl+Alt+R` names.

    Raises InputError if it has no modifier, or a key that works in no other program.
    """
    sequence = QKeySequence(text, QKeySequence.SequenceFormat.PortableText)
    if sequence.count() != 1:
        raise _create_key_error(text)
    combination = sequence[0]  # type: ignore[index]
    modifiers = combination.keyboardModifiers()
    rows = [row for row in _MODIFIERS if modifiers & row[0]]
    name, windows_key = _find_key(combination.key())
    is_alone = not any(modifiers & row[0] for row in _MODIFIERS if row[3] != "SHIFT")
    # A letter without a modifier could no longer be typed.
    if not name or (is_alone and not name.startswith("F") and name != "Pause"):
        raise _create_key_error(text)
    x11_modifiers, windows_modifiers = sum(row[1] for row in rows), sum(row[2] for row in rows)
    label = sequence.toString(QKeySequence.SequenceFormat.NativeText)
    return KeyCombination(name, x11_modifiers, windows_key, windows_modifiers, tuple(row[3] for row in rows), label)


def _find_key(key: Qt.Key) -> tuple[str, int]:
    code = int(key)
    if ord("A") <= code <= ord("Z"):
        return chr(code).lower(), code
    if ord("0") <= code <= ord("9"):
        return chr(code), code
    number = code - int(Qt.Key.Key_F1)
    if 0 <= number < LAST_FUNCTION_KEY:
        return f"F{number + 1}", _WINDOWS_F1 + number
    return _NAMED_KEYS.get(key, ("", 0))


def _create_key_error(text: str) -> InputError:
    return InputError(
        localize(f"「{text}」はグローバルホットキーに使えません。", f"“{text}” cannot be a global hotkey."),
        localize("Ctrl か Alt と、文字キーか F キーを組み合わせてください。", "Combine Ctrl or Alt with a letter, digit or function key."),
    )


def create_taken_error(label: str) -> InputError:
    """Return the error for a key that another program holds."""
    hint = localize(
        "設定の「読み上げ」で別のキーを選ぶか、そのアプリを終了してから設定で「OK」を押してください。",
        "Choose another key in Settings › Read aloud, or close that program and press OK there.",
    )
    return InputError(localize(f"{label} はほかのアプリが使用しています。", f"Another program uses {label} already."), hint)
