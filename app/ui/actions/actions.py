"""The window's actions, one for each definition; menus, toolbar and buttons all use them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QColor, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.language import localized
from app.ui.actions.definitions import ACTIONS, ActionSpec
from app.ui.actions.key_bindings import Binding, Bindings, usable
from app.ui.theme.icons import icon


class Actions(QObject):
    """All actions by name: `actions["play"]`.

    Attributes:
        bindings: keys that differ from the usual ones.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lines: QWidget | None = None
        self._list_shortcuts: list[QShortcut] = []
        self._about: dict[str, str] = {}
        self._why_not: dict[str, str] = {}
        self._actions = {spec.name: self._make(spec) for spec in ACTIONS}
        self._bind_all({})

    def __getitem__(self, name: str) -> QAction:
        """The action of this name."""
        return self._actions[name]

    def key_of(self, name: str) -> str:
        """The first key of an action as people write it; empty for none."""
        return self._actions[name].text().partition("\t")[2]

    def listen_in(self, lines: QWidget) -> None:
        """Makes the keys of the list work in it."""
        self._lines = lines
        for spec in ACTIONS:
            self._listen(lines, self._actions[spec.name], self._binding(spec).list_keys)

    def bind(self, bindings: Bindings) -> None:
        """Uses these keys where they differ from the usual ones."""
        if bindings != self.bindings:  # as most users have them, a start is done with its keys once
            self._bind_all(bindings)

    def _bind_all(self, bindings: Bindings) -> None:
        self.bindings = dict(bindings)
        for shortcut in self._list_shortcuts:
            shortcut.setEnabled(False)
            shortcut.deleteLater()
        self._list_shortcuts.clear()
        for spec in ACTIONS:
            self._bind(spec, self._binding(spec))

    def describe_target(self, name: str, about: str) -> None:
        """Adds to the name of an action what it would act on just now; empty takes it away."""
        self._about[name] = about
        self._reword(name)

    def withhold(self, name: str, why: str) -> None:
        """Disables an action and says why behind its name; empty enables it."""
        if self._why_not.get(name) != why:
            self._why_not[name] = why
            self._actions[name].setEnabled(not why)
            self._reword(name)

    def draw(self, color: QColor) -> None:
        """Colours the drawings to fit the theme."""
        for spec in ACTIONS:
            if spec.drawing:
                self._actions[spec.name].setIcon(icon(spec.drawing, color))

    def _binding(self, spec: ActionSpec) -> Binding:
        return self.bindings.get(spec.name) or usable(Binding(spec.keys, spec.list_keys), self.bindings)

    def _make(self, spec: ActionSpec) -> QAction:
        action = QAction(self)
        action.setIconText(localized(spec.ja, spec.en))
        action.setCheckable(spec.checkable)
        action.setObjectName(spec.name)
        return action

    def _bind(self, spec: ActionSpec, binding: Binding) -> None:
        action = self._actions[spec.name]
        action.setShortcuts([QKeySequence(key) for key in binding.keys])
        self._word(spec, binding)
        if self._lines is not None:
            self._listen(self._lines, action, binding.list_keys)

    def _reword(self, name: str) -> None:
        spec = next(item for item in ACTIONS if item.name == name)
        self._word(spec, self._binding(spec))

    def _word(self, spec: ActionSpec, binding: Binding) -> None:
        """Writes what menus and tips say."""
        action, about = self._actions[spec.name], self._about.get(spec.name, "")
        name = action.iconText()
        shown = [_written(key) for key in (*binding.list_keys, *binding.keys)]
        words = f"{name}: {about}" if about else name
        if why := self._why_not.get(spec.name):
            words = words.rstrip("…") + localized(f"（{why}）", f" ({why})")
        action.setText(f"{words}\t{shown[0]}" if shown else words)
        action.setIconText(name)
        keys = f" ({', '.join(dict.fromkeys(shown))})" if shown else ""
        action.setToolTip(f"{localized(spec.tip_ja, spec.tip_en) or words}{keys}")

    def _listen(self, lines: QWidget, action: QAction, keys: tuple[str, ...]) -> None:
        for key in keys:
            shortcut = QShortcut(QKeySequence(key), lines)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(action.trigger)
            self._list_shortcuts.append(shortcut)


def _written(key: str) -> str:
    """A key as it stands on keyboards: both Return and Enter are Enter."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText).replace("Return", "Enter")
