"""The presets that there are: the user's own, and those of the open project."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from app.core.presets import Preset, Presets
from app.ui.parameters.presets import free_name, merged


@dataclass(frozen=True, slots=True)
class Entry:
    """A preset as it is shown.

    Attributes:
        name: no other one is shown under it.
        kept_as: its name where it is kept; one of a project may be called like one of the user's.
        in_project: it belongs to the project.
    """

    name: str
    preset: Preset
    kept_as: str
    in_project: bool = False


class PresetShelf:
    """Knows both kinds.

    Attributes:
        own: the user's, by name.
        project: those of the open project, by name.
        entries: as they are shown, the user's first; one that is the same in the project is shown once.
    """

    def __init__(self) -> None:
        self.own: Presets = {}
        self.project: Presets = {}
        self.entries: tuple[Entry, ...] = ()

    def show(self, own: Presets | None = None, project: Presets | None = None) -> None:
        """These from now on; None leaves those of a kind as they are."""
        self.own = dict(self.own if own is None else own)
        self.project = dict(self.project if project is None else project)
        shown = {name: Entry(name, preset, name) for name, preset in self.own.items()}
        for name, preset in self.project.items():
            taken = {item.name: item.preset for item in shown.values()}
            shown.setdefault(free := free_name(taken, name, preset), Entry(free, preset, name, in_project=True))
        self.entries = tuple(shown.values())

    def names(self, *, in_project: bool) -> Collection[str]:
        """Under which a preset of this kind would be replaced."""
        return {name for item in self.entries if item.in_project is in_project for name in (item.name, item.kept_as)}

    def put(self, name: str, preset: Preset, *, in_project: bool) -> None:
        """Keeps a preset; one of this kind that is shown under the name is replaced."""
        same = (item.kept_as for item in self.entries if item.in_project is in_project and item.name == name)
        self._change({**self._of(in_project=in_project), next(same, name): preset}, in_project=in_project)

    def add(self, presets: Presets, *, in_project: bool) -> None:
        """Keeps presets beside those that there are."""
        self._change(merged(self._of(in_project=in_project), presets), in_project=in_project)

    def remove(self, entry: Entry) -> None:
        """Takes a preset out."""
        left = {name: preset for name, preset in self._of(in_project=entry.in_project).items() if name != entry.kept_as}
        self._change(left, in_project=entry.in_project)

    def _of(self, *, in_project: bool) -> Presets:
        return self.project if in_project else self.own

    def _change(self, presets: Presets, *, in_project: bool) -> None:
        self.show(project=presets) if in_project else self.show(own=presets)
