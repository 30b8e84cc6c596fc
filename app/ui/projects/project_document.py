"""The project that is open: its file, what is in it beside the script, and whether the file holds it all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.core.script.project import Project, VoiceReference
from app.core.script.script import Script
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_origin import ScriptOrigin
from app.ui.script.startup_script import is_greeting


class ProjectDocument(QObject):
    """Belongs to a script.

    Attributes:
        path: of the file; None for a script without a name.
        digest: of what the file held when it was read or written here.
        parts: the project without its script.
        is_changed: the file does not hold it all; of a script without a name, there is something to lose.

    Signals:
        changed(): another file, other parts, or `is_changed` is not what it was.
    """

    changed = Signal()

    def __init__(self, script: ScriptDocument, origin: ScriptOrigin) -> None:
        super().__init__(script)
        self._script = script
        self.path = Path(origin.file) if origin.file else None
        self.digest, self.parts = origin.digest, origin.parts
        self._saved = None if origin.is_changed else (script.script, origin.parts)
        self.is_changed = self._has_changes()
        script.changed.connect(self._update_is_changed)

    @property
    def name(self) -> str:
        """Return the name of the file without its suffix; empty for a script without a name."""
        return self.path.stem if self.path else ""

    @property
    def origin(self) -> ScriptOrigin:
        """Return the origin of the script, to be kept between starts."""
        return ScriptOrigin(str(self.path or ""), self.digest, self.is_changed, self.parts)

    def change_parts(self, **parts: Any) -> None:
        """Give the project other parts, by name of the field of `Project`; equal ones change nothing."""
        before, self.parts = self.parts, replace(self.parts, **parts)
        if self.parts != before:
            self.is_changed = self._has_changes()
            self.changed.emit()

    @Slot(object)
    def add_references(self, voices: tuple[VoiceReference, ...]) -> None:
        """Add the voices that lines name now; the present one replaces an older one."""
        known = {voice.id: voice for voice in (*self.parts.voices, *voices)}
        self.change_parts(voices=tuple(known.values()))

    def begin_project(self, project: Project, path: Path | None, digest: str) -> None:
        """Begin another project, whose script is shown already."""
        self.parts = replace(project, script=Script(), current="", assignments=())
        self.mark_saved(path, digest, self._script.script, self.parts)

    def mark_saved(self, path: Path | None, digest: str, script: Script, parts: Project) -> None:
        """Record that the file holds this script and these parts, which may have changed already."""
        self.path, self.digest, self._saved = path, digest, (script, parts)
        self.is_changed = self._has_changes()
        self.changed.emit()

    def mark_lost(self) -> None:
        """Record that the file holds something else, or no longer exists."""
        self._saved = None
        self._update_is_changed()

    @Slot()
    def _update_is_changed(self, *_scripts: object) -> None:
        before, self.is_changed = self.is_changed, self._has_changes()
        if before != self.is_changed:
            self.changed.emit()

    def _has_changes(self) -> bool:
        script = self._script.script
        if self.path is not None:
            return self._saved is None or self._saved != (script, self.parts)
        typed = any(line.text.strip() for line in script.lines) and not is_greeting(script)
        parts = self.parts
        return typed or bool(parts.dictionary or script.cast or parts.takes or parts.presets)
