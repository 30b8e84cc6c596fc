"""The settings as several programs change them: one at a time, so that none undoes what another has chosen."""

from __future__ import annotations

from collections.abc import Callable

from app.adapters.files.lock import sole_use
from app.settings import Settings, known_settings, save_changes, save_settings, settings_path


def change_settings(change: Callable[[Settings], Settings]) -> Settings:
    """Lets `change` make other settings of the remembered ones; returns these. Raises OutputFileError."""
    with sole_use(settings_path()):
        settings = known_settings()
        changed = change(settings)
        if changed != settings:
            save_settings(changed)
        return changed


def write_changes(before: Settings, after: Settings) -> None:
    """As `save_changes`, while no other program changes them."""
    with sole_use(settings_path()):
        save_changes(before, after)
