"""The collection of presets: the user's own, and those of the open project."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from app.core.script.presets import LinePreset, Presets
from app.ui.parameters.preset_storage import choose_free_name, merge_presets


@dataclass(frozen=True, slots=True)
class PresetEntry:
    """A preset as it is displayed.

    Attributes:
        name: The unique displayed name.
        stored_name: Its name in the file; a preset of a project may be named like one of the user's.
        in_project: Whether it belongs to the project.
    """

    name: str
    preset: LinePreset
    stored_name: str
    in_project: bool = False


class PresetCollection:
    """A collection of both kinds of presets.

    Attributes:
        own: The user's presets by name.
        project: The open project's presets by name.
        entries: The displayed presets, the user's first; one that is identical in the project is displayed once.
    """

    def __init__(self) -> None:
        self.own: Presets = {}
        self.project: Presets = {}
        self.entries: tuple[PresetEntry, ...] = ()

    def set_presets(self, own: Presets | None = None, project: Presets | None = None) -> None:
        """Replace the presets of either kind; None keeps those of a kind."""
        self.own = dict(self.own if own is None else own)
        self.project = dict(self.project if project is None else project)
        shown = {name: PresetEntry(name, preset, name) for name, preset in self.own.items()}
        for name, preset in self.project.items():
            taken = {item.name: item.preset for item in shown.values()}
            shown.setdefault(free := choose_free_name(taken, name, preset), PresetEntry(free, preset, name, in_project=True))
        self.entries = tuple(shown.values())

    def list_names(self, *, in_project: bool) -> Collection[str]:
        """Return the names under which a preset of this kind would be replaced."""
        return {name for item in self.entries if item.in_project is in_project for name in (item.name, item.stored_name)}

    def put_preset(self, name: str, preset: LinePreset, *, in_project: bool) -> None:
        """Add a preset, replacing one of this kind that is displayed under the name."""
        # The displayed name may have a number that the stored name lacks; the stored one is replaced.
        same = (item.stored_name for item in self.entries if item.in_project is in_project and item.name == name)
        self._replace_presets({**self._select_presets(in_project=in_project), next(same, name): preset}, in_project=in_project)

    def add_presets(self, presets: Presets, *, in_project: bool) -> None:
        """Add presets beside the existing ones."""
        self._replace_presets(merge_presets(self._select_presets(in_project=in_project), presets), in_project=in_project)

    def remove_preset(self, entry: PresetEntry) -> None:
        """Remove a preset."""
        left = {name: preset for name, preset in self._select_presets(in_project=entry.in_project).items() if name != entry.stored_name}
        self._replace_presets(left, in_project=entry.in_project)

    def _select_presets(self, *, in_project: bool) -> Presets:
        return self.project if in_project else self.own

    def _replace_presets(self, presets: Presets, *, in_project: bool) -> None:
        self.set_presets(project=presets) if in_project else self.set_presets(own=presets)
