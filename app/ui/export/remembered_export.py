"""Remembers the settings of the export page, in the project and for projects that have none."""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QStandardPaths

from app.common.files.untrusted_json import parse_object
from app.core.script.project import Project
from app.export.export_settings import ExportSettings, convert_settings_to_data, parse_settings_data
from app.ui.settings.settings_store import SettingsStore


class ExportProject(Protocol):
    """The open project, as far as exports use it."""

    parts: Project
    path: Path | None

    @property
    def name(self) -> str:
        """Return the project's name; empty for an unnamed script."""

    def change_parts(self, **parts: Any) -> None:
        """Replace parts of the project."""


class ExportSettingsMemory:
    """A reader and writer of remembered export settings."""

    def __init__(self, settings: SettingsStore, project: ExportProject) -> None:
        self._settings, self._project = settings, project

    @property
    def settings(self) -> ExportSettings:
        """Return the project's settings, or else the general ones; malformed settings count as none."""
        settings = _parse_settings(self._project.parts.export)
        if settings is None:
            with contextlib.suppress(ValueError):
                settings = _parse_settings(parse_object(self._settings.value.export))
        # The folder belongs to this machine and never to a project, which may come from someone else.
        default_folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.MusicLocation)
        return replace(settings or ExportSettings(), folder=self._settings.value.save_folder or default_folder)

    def remember_settings(self, settings: ExportSettings) -> None:
        """Remember the settings for the project, and for projects that have none yet."""
        data = convert_settings_to_data(replace(settings, folder=""))
        self._settings.change_settings(save_folder=settings.folder, export=json.dumps(data, ensure_ascii=False))
        self._project.change_parts(export=data)


def _parse_settings(data: Mapping[str, Any]) -> ExportSettings | None:
    with contextlib.suppress(ValueError):
        return parse_settings_data(dict(data)) if data else None
    return None
