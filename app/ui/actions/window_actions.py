"""The window's actions, one for each definition, shared by menus, toolbar and buttons."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QColor, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.common.language import localize
from app.ui.actions.action_definitions import ACTIONS
from app.ui.actions.key_bindings import KeyBindings, resolve_binding
from app.ui.theme.theme import draw_icon

_SPECS = {spec.name: spec for spec in ACTIONS}


class WindowActions(QObject):
    """All actions by name, as in `actions["play"]`."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lines: QWidget | None = None
        self._list_shortcuts: list[QShortcut] = []
        self._targets: dict[str, str] = {}
        self._reasons: dict[str, str] = {}
        self._actions: dict[str, QAction] = {}
        for name, spec in _SPECS.items():
            action = self._actions[name] = QAction(self, checkable=spec.checkable, iconText=localize(*spec.label))
            action.setObjectName(name)
        self._bind_actions({})

    def __getitem__(self, name: str) -> QAction:
        """Return the action of this name."""
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

    def disable_action(self, name: str, reason: str) -> None:
        """Disable an action and show the reason behind its name; an empty reason enables it."""
        if self._reasons.get(name) != reason:
            self._reasons[name] = reason
            self._actions[name].setEnabled(not reason)
            self._write_action_text(name)

    def draw_icons(self, color: QColor) -> None:
        """Draw the icons in this colour."""
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
        """Write the text and tooltip of an action."""
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
        action.setToolTip(f"{tip} ({', '.join(dict.fromkeys(keys))})" if keys else tip)

    def _create_list_shortcuts(self, line_list: QWidget) -> None:
        for name, spec in _SPECS.items():
            for key in resolve_binding(spec, self.bindings).list_keys:
                shortcut = QShortcut(QKeySequence(key), line_list)
                # In the widget alone: in its editors these keys, such as Space and E, are typed.
                shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
                shortcut.activated.connect(self._actions[name].trigger)
                self._list_shortcuts.append(shortcut)
