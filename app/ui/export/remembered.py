"""What the export page was set to last: in the project, or else in general. The folder is this machine's own and stays out of projects."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from PySide6.QtCore import QStandardPaths

from app.core.project import Project
from app.export.settings import ExportSettings, settings_from_data, settings_to_data
from app.json_text import parse_object
from app.ui.settings.store import SettingsStore


class OpenProject(Protocol):
    """The project that is open, as far as exports go."""

    parts: Project

    @property
    def name(self) -> str:
        """Empty for a script without a name."""

    def change(self, **parts: Any) -> None:
        """Gives the project other parts."""


class RememberedExport:
    """Reads and writes the settings of exports."""

    def __init__(self, settings: SettingsStore, project: OpenProject) -> None:
        self._settings, self._project = settings, project

    @property
    def value(self) -> ExportSettings:
        """Those of the project where it has some; what no version could have written counts as none."""
        found = _read(self._project.parts.export) or self._general()
        return replace(found, folder=self._settings.value.save_folder or _usual_folder())

    def keep(self, settings: ExportSettings) -> None:
        """Remembers these for the project, and for those that have none yet."""
        data = settings_to_data(replace(settings, folder=""))
        self._settings.change(save_folder=settings.folder, export=json.dumps(data, ensure_ascii=False))
        self._project.change(export=data)

    def _general(self) -> ExportSettings:
        with contextlib.suppress(ValueError):
            return _read(parse_object(self._settings.value.export)) or ExportSettings()
        return ExportSettings()


def _read(data: Mapping[str, Any]) -> ExportSettings | None:
    with contextlib.suppress(ValueError):
        return settings_from_data(dict(data)) if data else None
    return None


def _usual_folder() -> str:
    return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.MusicLocation)
