"""The settings as several programs change them: one at a time, so that none undoes what another has chosen."""

from collections.abc import Callable
from pathlib import Path

from app.adapters.files.file_lock import lock_path_for_change
from app.settings.user_settings import Settings, find_settings_path, load_usable_settings, merge_settings, read_settings_file, save_settings


def change_settings(change: Callable[[Settings], Settings]) -> Settings:
    """Let `change` make other settings of the remembered ones and return these; raise OutputFileError."""
    with lock_path_for_change(find_settings_path()):
        settings = load_usable_settings()
        changed = change(settings)
        if changed != settings:
            save_settings(changed)
        return changed


def write_changes(before: Settings, after: Settings, path: Path | None = None) -> None:
    """Write the differences between two settings of a program, or all where the file is gone or unreadable; raise OutputFileError."""
    path = path or find_settings_path()
    with lock_path_for_change(path):
        settings = read_settings_file(path)
        save_settings(after if settings is None else merge_settings(before, after, settings), path)
