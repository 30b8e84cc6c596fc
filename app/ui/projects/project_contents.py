"""Converts the window's content to a project and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.core.script.project import Project
from app.core.script.script import Script
from app.ui.projects.project_document import ProjectDocument
from app.ui.script.line_seeds import LineSeeds
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_list import ScriptList
from app.ui.voices.voice_catalog import VoiceCatalog

MANY_LINES = 500  # lines that are laid out gradually


class ProjectContents:
    """Puts the parts together.

    Args:
        stop_playing: ends what is played.
    """

    def __init__(
        self,
        project: ProjectDocument,
        document: ScriptDocument,
        seeds: LineSeeds,
        view: ScriptList,
        catalog: VoiceCatalog,
        stop_playing: Callable[[], object],
    ) -> None:
        self._project, self._document, self._seeds = project, document, seeds
        self._view, self._catalog, self._stop = view, catalog, stop_playing

    @property
    def script(self) -> Script:
        """Return the present script."""
        return self._document.script

    def collect_parts(self) -> Project:
        """Return the project without its script, but with the voices that the script names now."""
        from app.ui.projects.voice_references import build_voice_references

        kept = self._project.parts
        return replace(kept, voices=build_voice_references(self.script, self._catalog, kept.voices))

    def build_project(self, parts: Project, name: str) -> Project:
        """Return the whole project, as a file of this name is to hold it."""
        script = self._seeds.apply_last_seeds(self.script)
        return replace(parts, script=replace(script, title=script.title or name), current=self._view.current_id)

    def show_project(self, project: Project, path: Path | None = None, digest: str = "") -> None:
        """Show another project; there is no way back."""
        self._view.end_editing()
        self._stop()
        if len(project.script.lines) > MANY_LINES:
            self._view.gradual.begin_layout()
        self._document.reset_script(project.script)
        lines = project.script.lines
        current = project.current if project.script.find_line(project.current) else lines[0].id if lines else ""
        self._view.select_lines([current])
        self._project.begin_project(project, path, digest)
