"""The collection of presets, the user's own and those of the open project, and the files that they are read from and written to."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.common.errors import AppError, InputError
from app.common.files.paths import find_data_dir
from app.common.files.untrusted_json import parse_json
from app.common.files.whole_files import PARSE_FAULTS, check_version, load_data, read_with_retry, save_data
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.core.script.project import MOST_PRESETS, LinePreset, Presets, convert_presets_to_data, parse_presets, parse_untrusted_presets

PRESETS_VERSION = 1
LARGEST_BYTES, MOST_VALUES = 4 << 20, 50 * MOST_PRESETS  # limits (bytes, values) of an imported file; a preset has some 500 bytes


@dataclass(frozen=True, slots=True)
class PresetEntry:
    """A preset as it is displayed."""

    name: str
    preset: LinePreset
    stored_name: str  # Its name in the file; a preset of a project may be named like one of the user's
    in_project: bool = False


def locate_presets_file() -> Path:
    """Return the path of the user's presets."""
    return find_data_dir() / "presets.json"


def describe_default_preset() -> str:
    """Return the name of the built-in preset, which has every value at its default."""
    return localize("標準", "Default")


def load_presets() -> tuple[dict[str, LinePreset], AppError | None]:
    """Return the user's presets by name; a file that cannot be read is copied aside and reported."""
    presets, error = load_data(
        locate_presets_file(), _parse_presets, localize("プリセットを読み込めませんでした。", "The presets could not be read.")
    )
    return presets or {}, error


def save_presets(presets: Presets, path: Path | None = None) -> None:
    """Write all presets, to the user's own file or to an exported one. Raise OutputFileError where that fails."""
    data = {"version": PRESETS_VERSION, "presets": convert_presets_to_data(presets)}
    save_data(path or locate_presets_file(), data, localize("プリセットを保存できません", "The presets could not be saved"))


def read_presets(path: Path) -> dict[str, LinePreset]:
    """Return the presets of an imported file. Raise InputError where it is not a preset file."""
    try:
        data = parse_json(read_with_retry(path, LARGEST_BYTES), most_values=MOST_VALUES)
        return parse_untrusted_presets(check_version(data, PRESETS_VERSION, "presets"))
    except PARSE_FAULTS as exc:
        hint = localize("Koebako から書き出したプリセットのファイルを選んでください。", "Choose a preset file that Koebako exported.")
        details = f"{hint}（{describe_reason(exc)}）" if isinstance(exc, OSError) else hint
        raise InputError(localize(f"「{path.name}」を読み込めません。", f"“{path.name}” cannot be read."), details) from exc


def merge_presets(presets: Presets, added: Presets) -> dict[str, LinePreset]:
    """Return both sets of presets; an added one whose name is taken by a different preset gets a number."""
    result = dict(presets)
    for name, preset in added.items():
        result[choose_free_name(result, name, preset)] = preset
    return result


def choose_free_name(presets: Presets, name: str, preset: LinePreset) -> str:
    """Return the name for an added preset: its own, or one with a number where that belongs to a different preset."""
    names = (name, *(f"{name} ({number})" for number in range(2, len(presets) + 3)))
    return next(name for name in names if (name not in presets and name != describe_default_preset()) or presets.get(name) == preset)


def _parse_presets(data: Any) -> dict[str, LinePreset]:
    return parse_presets(check_version(data, PRESETS_VERSION, "presets"))


class PresetCollection:
    """A collection of both kinds of presets."""

    def __init__(self) -> None:
        self.own: Presets = {}
        self.project: Presets = {}
        # The displayed presets, the user's first; one that is identical in the project is displayed once.
        self.entries: tuple[PresetEntry, ...] = ()

    def set_presets(self, own: Presets | None = None, project: Presets | None = None) -> None:
        """Replace the presets of either kind; None keeps those of a kind."""
        self.own = dict(self.own if own is None else own)
        self.project = dict(self.project if project is None else project)
        entries = {name: PresetEntry(name, preset, name) for name, preset in self.own.items()}
        for name, preset in self.project.items():
            presets = {item.name: item.preset for item in entries.values()}
            entries.setdefault(free := choose_free_name(presets, name, preset), PresetEntry(free, preset, name, in_project=True))
        self.entries = tuple(entries.values())

    def list_names(self, *, in_project: bool) -> Collection[str]:
        """Return the names under which a preset of this kind would be replaced."""
        return {name for item in self.entries if item.in_project is in_project for name in (item.name, item.stored_name)}

    def put_preset(self, name: str, preset: LinePreset, *, in_project: bool) -> None:
        """Add a preset, replacing one of this kind that is displayed under the name."""
        # The displayed name may have a number that the stored name lacks; the stored one is replaced.
        stored_names = (item.stored_name for item in self.entries if item.in_project is in_project and item.name == name)
        self._replace_presets({**self._select_presets(in_project=in_project), next(stored_names, name): preset}, in_project=in_project)

    def add_presets(self, presets: Presets, *, in_project: bool) -> None:
        """Add presets to the existing ones."""
        self._replace_presets(merge_presets(self._select_presets(in_project=in_project), presets), in_project=in_project)

    def remove_preset(self, entry: PresetEntry) -> None:
        """Remove a preset."""
        presets = {name: preset for name, preset in self._select_presets(in_project=entry.in_project).items() if name != entry.stored_name}
        self._replace_presets(presets, in_project=entry.in_project)

    def _select_presets(self, *, in_project: bool) -> Presets:
        return self.project if in_project else self.own

    def _replace_presets(self, presets: Presets, *, in_project: bool) -> None:
        self.set_presets(project=presets) if in_project else self.set_presets(own=presets)
