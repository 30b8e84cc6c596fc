"""Keys of the user's choice, in a file of their own; only what differs from the usual ones is kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PySide6.QtGui import QKeySequence

from app.data_file import load_data, save_data, versioned
from app.errors import AppError
from app.language import localized
from app.paths import data_dir

VERSION = 1


@dataclass(frozen=True, slots=True)
class Binding:
    """Keys of one action, in Qt's portable words.

    Attributes:
        keys: work everywhere in the window.
        list_keys: work in the list of lines only.
    """

    keys: tuple[str, ...] = ()
    list_keys: tuple[str, ...] = ()


Bindings = Mapping[str, Binding]


def shortcuts_path() -> Path:
    """Where they are kept."""
    return data_dir() / "shortcuts.json"


def keys_of(sequence: QKeySequence) -> tuple[str, ...]:
    """The keys that a user pressed; the enter key of the number pad goes along with the other one."""
    key = sequence.toString(QKeySequence.SequenceFormat.PortableText)
    if not key:
        return ()
    if key.endswith(("Return", "Enter")):
        stem = key.removesuffix("Return").removesuffix("Enter")
        return f"{stem}Return", f"{stem}Enter"
    return (key,)


def conflicts(bindings: Bindings) -> dict[str, list[str]]:
    """Names of actions by the key that several of them share; Qt would let none of these work."""
    users: defaultdict[str, set[str]] = defaultdict(set)
    for name, binding in bindings.items():
        for key in (*binding.keys, *binding.list_keys):
            users[_portable(key)].add(name)
    return {key: sorted(names) for key, names in users.items() if len(names) > 1}


def usable(usual: Binding, bindings: Bindings) -> Binding:
    """Usual keys of an action but for those that the user has given to others: of a key that two actions share, Qt lets neither work."""
    if not bindings:
        return usual
    taken = {_portable(key) for binding in bindings.values() for key in (*binding.keys, *binding.list_keys)}
    free = [tuple(key for key in keys if _portable(key) not in taken) for keys in (usual.keys, usual.list_keys)]
    return Binding(*free)


def _portable(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText)


def load_shortcuts() -> tuple[dict[str, Binding], AppError | None]:
    """Changed keys by name of the action; what cannot be read is kept in a copy and reported."""
    shortcuts, error = load_data(
        shortcuts_path(), _read, localized("ショートカットキーの設定を読み込めませんでした。", "The shortcuts could not be read.")
    )
    return shortcuts or {}, error


def save_shortcuts(bindings: Bindings) -> None:
    """Writes all of them; OutputFileError where that fails."""
    data = {"version": VERSION, "shortcuts": {name: asdict(binding) for name, binding in bindings.items()}}
    save_data(shortcuts_path(), data, localized("ショートカットキーの設定を保存できません", "The shortcuts could not be saved"))


def _read(data: Any) -> dict[str, Binding]:
    items = versioned(data, VERSION, "shortcuts").items()
    return {name: Binding(_keys(item, "keys"), _keys(item, "list_keys")) for name, item in items}


def _keys(item: Any, scope: str) -> tuple[str, ...]:
    keys = item.get(scope) if isinstance(item, dict) else None
    if not isinstance(keys, list) or not all(isinstance(key, str) and QKeySequence(key).count() == 1 for key in keys):
        raise ValueError("no keys")
    return tuple(keys)
