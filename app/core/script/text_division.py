"""Division of a longer text into lines: by line, sentence or paragraph; and splitting and joining of lines."""

from dataclasses import replace
from itertools import groupby
from typing import Literal

from app.core.script.script import Line, Script, create_line_id
from app.core.synthesis_types import Overrides
from app.core.text.sentence_splitting import split_sentences
from app.core.text.text_lines import split_lines

Division = Literal["line", "sentence", "paragraph"]


def divide_text(text: str, by: Division) -> list[str]:
    """Return the lines of a text, none of them empty; a paragraph is the text between two blank lines."""
    if by == "line":
        return split_lines(text)
    if by == "sentence":
        return [sentence for line in split_lines(text) for sentence in divide_sentences(line)]
    blocks = groupby(text.splitlines(), key=lambda line: bool(line.strip("\ufeff").strip()))
    return [join_texts(split_lines("\n".join(lines))) for has_words, lines in blocks if has_words]


def divide_sentences(text: str, *, memos: bool = False) -> list[str]:
    """Return the sentences of a line; `memos` as `app.core.text.sentence_splitting.split_sentences` has them."""
    return [stripped for sentence in split_sentences(text, memos=memos) if (stripped := sentence.text.strip())]


def join_texts(texts: list[str]) -> str:
    """Return one text; there is a space only between two words in Latin letters or digits, which would run together."""
    joined = ""
    for text in texts:
        meets = joined and text and joined[-1].isascii() and joined[-1].isalnum() and text[0].isascii() and text[0].isalnum()
        joined += f" {text}" if meets else text
    return joined


def split_line(script: Script, line_id: str, texts: list[str]) -> tuple[Script, list[Line]]:
    """Replace a line by several with its settings, and return them too.

    Each keeps the edits of the reading that concern its own text: these count over the text they were made for.
    """
    line = script.find_line(line_id)
    if line is None or len(texts) < 2:
        return script, [] if line is None else [line]
    edits = _bind_overrides(line)
    lines = [replace(line, text=text, overrides=edits, id=line.id if not number else create_line_id()) for number, text in enumerate(texts)]
    lines[:-1] = [replace(piece, pause_after_s=None) for piece in lines[:-1]]
    index = script.find_index(line_id) or 0
    return replace(script, lines=(*script.lines[:index], *lines, *script.lines[index + 1 :])), lines


def join_lines(script: Script, ids: list[str]) -> tuple[Script, Line | None]:
    """Replace lines by one at the place of the first, with its settings and the edits of its reading; None where there are not two."""
    lines = [line for line_id in ids if (line := script.find_line(line_id)) is not None]
    if len(lines) < 2:
        return script, None
    text, pause_s = join_texts([line.text for line in lines]), lines[-1].pause_after_s
    joined = replace(lines[0], text=text, overrides=_bind_overrides(lines[0]), pause_after_s=pause_s)
    gone = {line.id for line in lines[1:]}
    return replace(script, lines=tuple(joined if line.id == joined.id else line for line in script.lines if line.id not in gone)), joined


def _bind_overrides(line: Line) -> Overrides:
    """Return the edits of a line with the text that they were made for, so that they are found in another text again."""
    overrides = line.overrides
    return overrides if overrides.text or overrides == Overrides() else replace(overrides, text=line.text)
