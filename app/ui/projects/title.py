"""What the title bar says."""

from __future__ import annotations

from app.json_text import short_text
from app.language import localized
from app.ui.projects.document import ProjectDocument

MARK = "● "


def name_of(project: ProjectDocument) -> str:
    """Of a project, for people and for a file."""
    return short_text(project.name) or localized("名称未設定", "Untitled")


def title_of(project: ProjectDocument) -> str:
    """Name of the project and of the program, marked where there are changes that no project file holds."""
    if project.path is None and not project.is_changed:
        return "Koebako"
    return f"{MARK if project.is_changed else ''}{name_of(project)} – Koebako"
