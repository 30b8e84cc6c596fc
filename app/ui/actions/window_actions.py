"""The window's actions, one for each definition, shared by menus, toolbar and buttons; and the user's keys for them.

The file of keys holds only what differs from the defaults.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QColor, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.common.errors import AppError
from app.common.files.paths import find_data_dir
from app.common.files.whole_files import check_version, load_data, save_data
from app.common.language import localize
from app.ui.actions.action_definitions import ACTIONS, ActionSpec
from app.ui.theme.theme import draw_icon

SHORTCUTS_VERSION = 1


@dataclass(frozen=True, slots=True)
class KeyBinding:
    """The keys of one action, as Qt's portable text."""

    keys: tuple[str, ...] = ()
    list_keys: tuple[str, ...] = ()


KeyBindings = Mapping[str, KeyBinding]


def locate_shortcuts_file() -> Path:
    return find_data_dir() / "shortcuts.json"


def convert_key_sequence(sequence: QKeySequence) -> tuple[str, ...]:
    """Return the pressed key as portable text; Return and Enter are returned together."""
    key = sequence.toString(QKeySequence.SequenceFormat.PortableText)
    if not key:
        return ()
    # Qt distinguishes the number pad's Enter from Return, and users expect both to do the same.
    if key.endswith(("Return", "Enter")):
        stem = key.removesuffix("Return").removesuffix("Enter")
        return f"{stem}Return", f"{stem}Enter"
    return (key,)


def find_key_conflicts(bindings: KeyBindings) -> dict[str, list[str]]:
    """Return the names of actions by the key that several of them share."""
    # Qt triggers none of several actions that share a key.
    users: defaultdict[str, set[str]] = defaultdict(set)
    for name, binding in bindings.items():
        for key in (*binding.keys, *binding.list_keys):
            users[_normalise_key(key)].add(name)
    return {key: sorted(names) for key, names in users.items() if len(names) > 1}


def resolve_binding(spec: ActionSpec, bindings: KeyBindings) -> KeyBinding:
    """Return the keys that the user gave to an action, else its default keys without those that the user gave to others."""
    if spec.name in bindings:
        return bindings[spec.name]
    default = KeyBinding(spec.keys, spec.list_keys)
    if not bindings:
        return default
    # Of a key that two actions share, Qt would let neither work.
    used_keys = {_normalise_key(key) for binding in bindings.values() for key in (*binding.keys, *binding.list_keys)}
    free = [tuple(key for key in keys if _normalise_key(key) not in used_keys) for keys in (default.keys, default.list_keys)]
    return KeyBinding(*free)


def _normalise_key(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText)


def load_shortcuts() -> tuple[dict[str, KeyBinding], AppError | None]:
    """Return the changed keys by action; a file that cannot be read is copied aside and reported."""
    shortcuts, error = load_data(
        locate_shortcuts_file(),
        _parse_shortcuts,
        localize("ショートカットキーの設定を読み込めませんでした。", "The shortcuts could not be read."),
    )
    return shortcuts or {}, error


def save_shortcuts(bindings: KeyBindings) -> None:
    """Write all changed keys. Raise OutputFileError where that fails."""
    data = {"version": SHORTCUTS_VERSION, "shortcuts": {name: asdict(binding) for name, binding in bindings.items()}}
    save_data(locate_shortcuts_file(), data, localize("ショートカットキーの設定を保存できません", "The shortcuts could not be saved"))


def _parse_shortcuts(data: Any) -> dict[str, KeyBinding]:
    items = check_version(data, SHORTCUTS_VERSION, "shortcuts").items()
    return {name: KeyBinding(_parse_keys(item, "keys"), _parse_keys(item, "list_keys")) for name, item in items}


def _parse_keys(item: Any, scope: str) -> tuple[str, ...]:
    keys = item.get(scope) if isinstance(item, dict) else None
    if not isinstance(keys, list) or not all(isinstance(key, str) and QKeySequence(key).count() == 1 for key in keys):
        raise ValueError("no keys")
    return tuple(keys)


_SPECS = {spec.name: spec for spec in ACTIONS}


class WindowActions(QObject):
    """All actions by name, as in `actions["play"]`."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lines: QWidget | None = None
        self._list_shortcuts: list[QShortcut] = []
        self._targets: dict[str, str] = {}
        self._reasons: dict[str, str] = {}
        self._details: dict[str, str] = {}
        self._actions: dict[str, QAction] = {}
        for name, spec in _SPECS.items():
            action = self._actions[name] = QAction(self, checkable=spec.checkable, iconText=localize(*spec.label))
            action.setObjectName(name)
            if spec.is_everywhere:
                action.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
        self._bind_actions({})

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def connect_handlers(self, handlers: Mapping[str, Callable[[], object]]) -> None:
        """Connect actions with functions by name; the check mark of an action is not passed on."""
        for name, handler in handlers.items():
            self._actions[name].triggered.connect(lambda _checked=False, handler=handler: handler())

    def find_key_text(self, name: str) -> str:
        """Return the first key of an action as displayed text; empty for none."""
        return self._actions[name].text().partition("\t")[2]

    def install_list_keys(self, line_list: QWidget) -> None:
        """Make the list's keys work in this widget."""
        self._lines = line_list
        self._create_list_shortcuts(line_list)

    def apply_bindings(self, bindings: KeyBindings) -> None:
        """Use these keys where they differ from the defaults."""
        # Most users keep the defaults, which the constructor has bound already.
        if bindings != self.bindings:
            self._bind_actions(bindings)

    def describe_target(self, name: str, target: str) -> None:
        """Add to an action's name what it would act on now; empty removes it."""
        self._targets[name] = target
        self._write_action_text(name)

    def disable_action(self, name: str, reason: str, details: str = "") -> None:
        """Disable an action and show the reason behind its name; an empty reason enables it.

        Args:
            details: more of the reason, in the tool tip alone.
        """
        if (self._reasons.get(name), self._details.get(name, "")) != (reason, details):
            self._reasons[name], self._details[name] = reason, details
            self._actions[name].setEnabled(not reason)
            self._write_action_text(name)

    def draw_icons(self, color: QColor) -> None:
        for name, spec in _SPECS.items():
            if spec.drawing:
                self._actions[name].setIcon(draw_icon(spec.drawing, color))

    def _bind_actions(self, bindings: KeyBindings) -> None:
        self.bindings = dict(bindings)
        for name, spec in _SPECS.items():
            self._actions[name].setShortcuts([QKeySequence(key) for key in resolve_binding(spec, bindings).keys])
            self._write_action_text(name)
        for shortcut in self._list_shortcuts:
            # Deletion is deferred: until then a replaced shortcut would still make its key ambiguous.
            shortcut.setEnabled(False)
            shortcut.deleteLater()
        self._list_shortcuts.clear()
        if self._lines is not None:
            self._create_list_shortcuts(self._lines)

    def _write_action_text(self, name: str) -> None:
        action, target, binding = self._actions[name], self._targets.get(name, ""), resolve_binding(_SPECS[name], self.bindings)
        title = action.iconText()
        # Return and Enter are both Enter on keyboards.
        sequences = [QKeySequence(key) for key in (*binding.list_keys, *binding.keys)]
        keys = [sequence.toString(QKeySequence.SequenceFormat.NativeText).replace("Return", "Enter") for sequence in sequences]
        label = f"{title}: {target}" if target else title
        if reason := self._reasons.get(name):
            label = label.rstrip("…") + localize(f"（{reason}）", f" ({reason})")
        action.setText(f"{label}\t{keys[0]}" if keys else label)
        action.setIconText(title)
        tip = localize(*_SPECS[name].tip) or label
        tip = f"{tip} ({', '.join(dict.fromkeys(keys))})" if keys else tip
        action.setToolTip("\n".join(filter(None, (tip, self._details.get(name, "")))))

    def _create_list_shortcuts(self, line_list: QWidget) -> None:
        for name, spec in _SPECS.items():
            for key in resolve_binding(spec, self.bindings).list_keys:
                shortcut = QShortcut(QKeySequence(key), line_list)
                # In the widget alone: in its editors these keys, such as Space and E, are typed.
                shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
                shortcut.activated.connect(self._actions[name].trigger)
                self._list_shortcuts.append(shortcut)
