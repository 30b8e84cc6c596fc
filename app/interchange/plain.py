"""Plain text, a line each, and VOICEVOX's text, whose lines begin with who speaks them: `キャラ（スタイル）,テキスト`."""

from __future__ import annotations

import re

from app.core.script import LineSettings
from app.core.text_encoding import decode
from app.core.text_lines import LONGEST_NAME, split_lines, without_markdown
from app.interchange.gathered import Gathered
from app.interchange.imported import Imported
from app.interchange.limits import check_count
from app.json_text import long_text

_STYLED = re.compile(r"([^,、。（）()]{1,80}（[^（）,]{1,80}）),(.*)")
_NAMED = re.compile(rf"([^,、。！？!?（）()\s]{{1,{LONGEST_NAME}}}),(.*)")


def read_plain(name: str, suffix: str, data: bytes) -> Imported:
    """Raises InputError where there is no text."""
    text = decode(name, data)
    lines = split_lines(without_markdown(text) if suffix == ".md" else text)
    check_count(name, len(lines))
    gathered = Gathered(name)
    has_names = _has_names(lines)
    for line in lines:
        match = _STYLED.fullmatch(line) or (_NAMED.fullmatch(line) if has_names else None)
        if match is None:
            gathered.add(long_text(line), LineSettings())
        else:
            text = long_text(match[2])
            gathered.add(text, LineSettings(voice=gathered.name_voice(match[1], speaker=True) if text else ""))
    return gathered.imported()


def _has_names(lines: list[str]) -> bool:
    """Every line begins with a short name and a comma, and names come again: prose does not."""
    names = [match[1] for line in lines if (match := _STYLED.fullmatch(line) or _NAMED.fullmatch(line))]
    return len(names) == len(lines) > 1 and 2 * len(set(names)) <= len(names)
