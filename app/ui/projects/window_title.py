"""The text of the title bar."""

from __future__ import annotations

from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import localize
from app.ui.projects.project_document import ProjectDocument

CHANGED_MARK = "● "


def describe_project(project: ProjectDocument) -> str:
    """Return the title of a project, for people and for a file."""
    return sanitise_short_text(project.name) or localize("名称未設定", "Untitled")


def format_window_title(project: ProjectDocument) -> str:
    """Return the name of the project and of the program, marked where there are changes that no project file holds."""
    if project.path is None and not project.is_changed:
        return "Koebako"
    return f"{CHANGED_MARK if project.is_changed else ''}{describe_project(project)} – Koebako"
