"""The settings as several programs change them: one at a time, so that none undoes what another has chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.adapters.files.lock import sole_use
from app.settings import Settings, known_settings, merged, save_settings, settings_at, settings_path


def change_settings(change: Callable[[Settings], Settings]) -> Settings:
    """Lets `change` make other settings of the remembered ones; returns these. Raises OutputFileError."""
    with sole_use(settings_path()):
        settings = known_settings()
        changed = change(settings)
        if changed != settings:
            save_settings(changed)
        return changed


def write_changes(before: Settings, after: Settings, path: Path | None = None) -> None:
    """Writes what changed between two settings of a program: what others chose meanwhile stays.

    A file that is gone or unreadable is written whole. Raises OutputFileError.
    """
    path = path or settings_path()
    with sole_use(path):
        found = settings_at(path)
        save_settings(after if found is None else merged(before, after, found), path)
