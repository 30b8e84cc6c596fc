"""What a project file says, as the window can show it: its lines are cut, cleaned and counted as text that is pasted."""

from __future__ import annotations

from dataclasses import replace

from app.core.project import Project
from app.core.script import Line, LineSettings, Script, cut, new_id, retext
from app.core.text_lines import LONGEST_LINE
from app.errors import InputError
from app.json_text import DISTURBING, short_text
from app.language import localized

MOST_LINES = 100_000


def tidy(project: Project) -> Project:
    """The same project where everything in it is as we write it. Raises InputError for more lines than a script holds."""
    lines = [piece for line in project.script.lines for piece in cut(_tidy_line(line))]
    if len(lines) > MOST_LINES:
        raise InputError(
            localized("行が多すぎます。", "There are too many lines."),
            localized(f"1 つの台本は {MOST_LINES:,} 行までです。", f"A script can have up to {MOST_LINES:,} lines."),
        )
    return replace(project, script=Script(tuple(lines), short_text(project.script.title)))


def tidy_text(text: str) -> str:
    """Without control characters, and those that turn the order of reading around; line breaks stay."""
    return DISTURBING.sub("", text.replace("\r\n", "\n"))


def _tidy_line(line: Line) -> Line:
    text, settings = tidy_text(line.text), _tidy_settings(line.settings)
    name = line.id if line.id == short_text(line.id) else new_id()  # ids of lines that are dragged stand below each other
    if text != line.text:
        line = retext(Script((line,)), line.id, text).lines[0]
    return line if (settings, name) == (line.settings, line.id) else replace(line, settings=settings, id=name)


def _tidy_settings(settings: LineSettings) -> LineSettings:
    tidied = replace(
        settings,
        voice=short_text(settings.voice),
        speaker=short_text(settings.speaker),
        style=short_text(settings.style),
        assist_text=tidy_text(settings.assist_text)[:LONGEST_LINE],
    )
    return settings if tidied == settings else tidied
