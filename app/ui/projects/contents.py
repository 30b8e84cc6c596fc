"""What the window shows, as a project, and a project as what the window shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.core.project import Project
from app.core.script import Script
from app.ui.projects.document import ProjectDocument
from app.ui.script.document import ScriptDocument
from app.ui.script.list import ScriptList
from app.ui.script.take_seeds import TakeSeeds
from app.ui.voices.catalog import VoiceCatalog

MANY = 500  # lines that are laid out gradually


class Contents:
    """Puts the parts together.

    Args:
        stop: ends what is played.
    """

    def __init__(
        self,
        project: ProjectDocument,
        document: ScriptDocument,
        seeds: TakeSeeds,
        view: ScriptList,
        catalog: VoiceCatalog,
        stop: Callable[[], object],
    ) -> None:
        self._project, self._document, self._seeds = project, document, seeds
        self._view, self._catalog, self._stop = view, catalog, stop

    @property
    def script(self) -> Script:
        """As it is now."""
        return self._document.script

    def parts(self) -> Project:
        """Everything but the script, with the voices that it names now."""
        from app.ui.projects.references import references

        kept = self._project.parts
        return replace(kept, voices=references(self.script, self._catalog, kept.voices))

    def snapshot(self, parts: Project, name: str) -> Project:
        """All of it, as a file of this name is to hold it."""
        script = self._seeds.applied_to(self.script)
        return replace(parts, script=replace(script, title=script.title or name), current=self._view.current_id)

    def show(self, project: Project, path: Path | None = None, digest: str = "") -> None:
        """Another project; there is no way back."""
        self._view.end_editing()
        self._stop()
        if len(project.script.lines) > MANY:
            self._view.gradual.begin()
        self._document.reset(project.script)
        lines = project.script.lines
        current = project.current if project.script.find(project.current) else lines[0].id if lines else ""
        self._view.choose([current])
        self._project.begin(project, path, digest)
