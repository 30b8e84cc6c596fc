"""The window's actions, one for each definition, shared by menus, toolbar and buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QColor, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.common.language import localize
from app.ui.actions.action_definitions import ACTIONS, ActionSpec
from app.ui.actions.key_bindings import KeyBinding, KeyBindings, resolve_binding
from app.ui.theme.themed_icons import draw_icon


class WindowActions(QObject):
    """All actions by name, as in `actions["play"]`."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lines: QWidget | None = None
        self._list_shortcuts: list[QShortcut] = []
        self._about: dict[str, str] = {}
        self._why_not: dict[str, str] = {}
        self._actions = {spec.name: self._create_action(spec) for spec in ACTIONS}
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
        for spec in ACTIONS:
            self._install_shortcuts(line_list, self._actions[spec.name], resolve_binding(spec, self.bindings).list_keys)

    def apply_bindings(self, bindings: KeyBindings) -> None:
        """Use these keys where they differ from the defaults."""
        # Most users keep the defaults, which the constructor has bound already.
        if bindings != self.bindings:
            self._bind_actions(bindings)

    def _bind_actions(self, bindings: KeyBindings) -> None:
        self.bindings = dict(bindings)
        for shortcut in self._list_shortcuts:
            # Deletion is deferred: until then a replaced shortcut would still make its key ambiguous.
            shortcut.setEnabled(False)
            shortcut.deleteLater()
        self._list_shortcuts.clear()
        for spec in ACTIONS:
            self._bind_action(spec, resolve_binding(spec, self.bindings))

    def describe_target(self, name: str, target: str) -> None:
        """Add to an action's name what it would act on now; empty removes it."""
        self._about[name] = target
        self._update_action_text(name)

    def disable_action(self, name: str, reason: str) -> None:
        """Disable an action and show the reason behind its name; an empty reason enables it."""
        if self._why_not.get(name) != reason:
            self._why_not[name] = reason
            self._actions[name].setEnabled(not reason)
            self._update_action_text(name)

    def draw_icons(self, color: QColor) -> None:
        """Draw the icons in this colour."""
        for spec in ACTIONS:
            if spec.drawing:
                self._actions[spec.name].setIcon(draw_icon(spec.drawing, color))

    def _create_action(self, spec: ActionSpec) -> QAction:
        action = QAction(self)
        action.setIconText(localize(*spec.label))
        action.setCheckable(spec.checkable)
        action.setObjectName(spec.name)
        return action

    def _bind_action(self, spec: ActionSpec, binding: KeyBinding) -> None:
        action = self._actions[spec.name]
        action.setShortcuts([QKeySequence(key) for key in binding.keys])
        self._write_action_text(spec, binding)
        if self._lines is not None:
            self._install_shortcuts(self._lines, action, binding.list_keys)

    def _update_action_text(self, name: str) -> None:
        spec = next(item for item in ACTIONS if item.name == name)
        self._write_action_text(spec, resolve_binding(spec, self.bindings))

    def _write_action_text(self, spec: ActionSpec, binding: KeyBinding) -> None:
        """Write the text and tooltip of an action."""
        action, about = self._actions[spec.name], self._about.get(spec.name, "")
        name = action.iconText()
        key_texts = [_format_key(key) for key in (*binding.list_keys, *binding.keys)]
        label = f"{name}: {about}" if about else name
        if why := self._why_not.get(spec.name):
            label = label.rstrip("…") + localize(f"（{why}）", f" ({why})")
        action.setText(f"{label}\t{key_texts[0]}" if key_texts else label)
        action.setIconText(name)
        keys = f" ({', '.join(dict.fromkeys(key_texts))})" if key_texts else ""
        action.setToolTip(f"{localize(*spec.tip) or label}{keys}")

    def _install_shortcuts(self, line_list: QWidget, action: QAction, keys: tuple[str, ...]) -> None:
        for key in keys:
            shortcut = QShortcut(QKeySequence(key), line_list)
            # In the widget alone: in its editors these keys, such as Space and E, are typed.
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(action.trigger)
            self._list_shortcuts.append(shortcut)


def _format_key(key: str) -> str:
    """Return a key as it is printed on keyboards: Return and Enter are both Enter."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText).replace("Return", "Enter")
