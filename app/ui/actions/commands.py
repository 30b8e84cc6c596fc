"""Everything that can be done, found by its name in either language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMenuBar

from app.core.text_search import folded
from app.ui.actions.definitions import ACTIONS
from app.ui.actions.kana import kana_of

MARK = "&"
BETWEEN = " › "


@dataclass(frozen=True, slots=True)
class Command:
    """An action as the search shows it.

    Attributes:
        path: menus and name.
        words: more to find it by.
    """

    action: QAction
    path: str
    words: str


def commands_in(bar: QMenuBar) -> list[Command]:
    """All actions of the menus, in their order, those without a row in the table with what their "What's this" says; the search is left out."""
    words = {spec.name: " ".join((spec.ja, spec.en, spec.tip_ja, spec.tip_en)) for spec in ACTIONS}
    return [
        Command(action, path, words.get(action.objectName()) or action.whatsThis())
        for path, action in _leaves(bar.actions(), "")
        if action.objectName() != "find_command"
    ]


def matching(commands: Iterable[Command], typed: str) -> list[Command]:
    """Those that have all typed words, the best first: as typed or the first word at the beginning of the name, at the beginning of a word, anywhere."""
    wanted = folded(typed).split()
    ranked = [(rank, place, command) for place, command in enumerate(commands) if (rank := _rank(command, wanted)) is not None]
    return [command for *_, command in sorted(ranked, key=lambda item: item[:2])]


def _rank(command: Command, wanted: list[str]) -> int | None:
    name, every = (
        folded(command.path.rsplit(BETWEEN, 1)[-1]),
        folded(f"{command.path} {command.words} {kana_of(command.path)} {kana_of(command.words)}"),
    )
    if not all(word in every for word in wanted):
        return None
    if name.startswith(" ".join(wanted)):
        return 0
    first = wanted[0]
    return 1 if name.startswith(first) else 2 if f" {first}" in f" {name}" else 3 if first in name else 4


def _leaves(actions: Iterable[QAction], path: str) -> Iterator[tuple[str, QAction]]:
    for action in actions:
        if action.isSeparator() or not action.isVisible():
            continue
        # Japanese menus have their key in brackets at the end: ファイル(&F)
        name = action.text().split("\t")[0].replace("&&", "\0")
        name = (name[: name.index("(" + MARK)] if "(" + MARK in name else name.replace(MARK, "")).replace("\0", "&")
        menu = action.menu()
        if isinstance(menu, QMenu):
            yield from _leaves(menu.actions(), f"{path}{name}{BETWEEN}")
        else:
            yield f"{path}{name}", action
