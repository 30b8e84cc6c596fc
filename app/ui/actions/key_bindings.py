"""The user's keys, in a file of their own that holds only what differs from the defaults."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PySide6.QtGui import QKeySequence

from app.common.errors import AppError
from app.common.files.paths import find_data_dir
from app.common.files.whole_files import check_version, load_data, save_data
from app.common.language import localize
from app.ui.actions.action_definitions import ActionSpec

SHORTCUTS_VERSION = 1


@dataclass(frozen=True, slots=True)
class KeyBinding:
    """The keys of one action, as Qt's portable text."""

    keys: tuple[str, ...] = ()
    list_keys: tuple[str, ...] = ()


KeyBindings = Mapping[str, KeyBinding]


def locate_shortcuts_file() -> Path:
    """Return the path of the file of shortcuts."""
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
