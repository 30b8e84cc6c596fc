"""Names of files from a pattern: `$連番$_$キャラ$` or, the same, `$number$_$speaker$`. Tokens are those that VOICEVOX users know."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from app.core.notation.written import plain_text
from app.core.script import Line
from app.language import language, localized

TEXT_LENGTH, NUMBER_WIDTH = 10, 3
FORBIDDEN = re.compile(r'[\x00-\x1f"*/:<>?\\|\x7f]')
"""What Windows refuses in a name, and control characters."""

_TOKEN = re.compile(r"\$([^$]*)\$")
_JAPANESE = {
    "連番": "number",
    "キャラ": "speaker",
    "スタイル": "style",
    "テキスト": "text",
    "日付": "date",
    "プロジェクト名": "project",
}
TAKE = "take"


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is written in the language of the user, and what it stands for."""

    written: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Who:
    """Who speaks a line, by the names that people see."""

    voice: str = ""
    speaker: str = ""
    style: str = ""


def tokens() -> list[Token]:
    """All there are, in the order of a menu."""
    meanings = {
        "number": localized("行の番号（3桁）", "line number, three digits"),
        "speaker": localized("話者", "speaker"),
        "style": localized("スタイル", "style"),
        "voice": localized("声", "voice"),
        "text": localized("テキストの先頭10文字", "first ten characters of the text"),
        "date": localized("日付", "date, as in 20260131"),
        "project": localized("プロジェクト名", "project name"),
        "id": localized("行の ID", "line ID"),
        "seed": localized("シード", "seed"),
        TAKE: localized("同じ名前を避ける番号", "number that makes the name unique"),
    }
    japanese = {name: word for word, name in _JAPANESE.items()} if language() == "ja" else {}
    return [Token(f"${japanese.get(name, name)}$", meaning) for name, meaning in meanings.items()]


def problem_of(pattern: str) -> str:
    """What is wrong with a pattern, as a sentence for the user; empty where nothing is."""
    if not pattern.strip():
        return localized("ファイル名を入力してください。", "Enter a file name.")
    for name in _TOKEN.findall(pattern):
        if name not in _JAPANESE and name not in _JAPANESE.values() and name not in ("voice", "id", "seed", TAKE):
            return localized(f"「${name}$」という項目はありません。", f"There is no item “${name}$”.")
    rest = _TOKEN.sub("", pattern)
    if "$" in rest:
        return localized("「$」が対になっていません。", "A “$” has no closing “$”.")
    found = FORBIDDEN.search(rest)
    if found is not None:
        shown = found[0] if found[0].isprintable() else repr(found[0])
        return localized(f"ファイル名に「{shown}」は使えません。", f"A file name cannot contain “{shown}”.")
    return ""


def values_of(line: Line, number: int, who: Who, project: str, day: date) -> dict[str, str]:
    """What the tokens stand for; `take` is decided where the other names are known."""
    first = " ".join(FORBIDDEN.sub(" ", plain_text(line.text, memos=line.settings.memos)).split())
    return {
        "number": f"{number:0{NUMBER_WIDTH}d}",
        "voice": who.voice,
        "speaker": who.speaker or who.voice,
        "style": who.style,
        "text": first[:TEXT_LENGTH],
        "date": f"{day:%Y%m%d}",
        "project": project,
        "id": line.id,
        "seed": str(line.settings.seed),
    }


def filled(pattern: str, values: Mapping[str, str]) -> str:
    """The pattern with its values; of those nothing stays that a name cannot have. `$take$` stays where it has no value."""

    def value(found: re.Match[str]) -> str:
        name = _JAPANESE.get(found[1], found[1])
        return FORBIDDEN.sub("", values[name]) if name in values else f"${name}$"

    return _TOKEN.sub(value, pattern)
