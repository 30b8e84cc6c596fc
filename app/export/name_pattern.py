"""Names of files from a pattern: `$連番$_$キャラ$` or, the same, `$number$_$speaker$`. Tokens are those that VOICEVOX users know."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from app.common.language import get_language, localize
from app.core.script.script import Line
from app.core.text.notation.explicit_notation import strip_notation

TEXT_LENGTH, NUMBER_WIDTH = 10, 3
FORBIDDEN_FILE_NAME_CHARS = re.compile(r'[\x00-\x1f"*/:<>?\\|\x7f]')  # what Windows refuses in a name, and control characters

_PATTERN_TOKEN = re.compile(r"\$([^$]*)\$")
_MEANING_BY_JAPANESE_TOKEN = {
    "連番": "number",
    "キャラ": "speaker",
    "登場人物": "character",
    "スタイル": "style",
    "テキスト": "text",
    "日付": "date",
    "プロジェクト名": "project",
}
COUNTER_TOKEN = "take"
_CHARACTER = r"\$(?:character|登場人物)\$"
_ENCLOSED_CHARACTER = re.compile(rf"\({_CHARACTER}\)|（{_CHARACTER}）|\[{_CHARACTER}\]|［{_CHARACTER}］|【{_CHARACTER}】|{_CHARACTER}")
_SEPARATORS = " _-.・＿－　"


@dataclass(frozen=True, slots=True)
class PatternToken:
    """A token as it is written in the language of the user, and what it stands for."""

    label: str
    meaning: str


@dataclass(frozen=True, slots=True)
class SpeakerNames:
    """The displayed names of a line's voice, speaker and style, and of its character; empty where it has none."""

    voice: str = ""
    speaker: str = ""
    style: str = ""
    character: str = ""


def list_tokens() -> list[PatternToken]:
    """Return all tokens, in the order of a menu."""
    meanings = {
        "number": localize("行の番号（3桁）", "line number, three digits"),
        "character": localize("登場人物", "character"),
        "speaker": localize("話者", "speaker"),
        "style": localize("スタイル", "style"),
        "voice": localize("声", "voice"),
        "text": localize("テキストの先頭10文字", "first ten characters of the text"),
        "date": localize("日付", "date, as in 20260131"),
        "project": localize("プロジェクト名", "project name"),
        "id": localize("行の ID", "line ID"),
        "seed": localize("シード", "seed"),
        COUNTER_TOKEN: localize("同じ名前を避ける番号", "number that makes the name unique"),
    }
    japanese = {name: word for word, name in _MEANING_BY_JAPANESE_TOKEN.items()} if get_language() == "ja" else {}
    return [PatternToken(f"${japanese.get(name, name)}$", meaning) for name, meaning in meanings.items()]


def describe_pattern_problem(pattern: str) -> str:
    """Return a pattern's problem as a sentence for the user; empty where it has none."""
    if not pattern.strip():
        return localize("ファイル名を入力してください。", "Enter a file name.")
    for name in _PATTERN_TOKEN.findall(pattern):
        if (
            name not in _MEANING_BY_JAPANESE_TOKEN
            and name not in _MEANING_BY_JAPANESE_TOKEN.values()
            and name not in ("voice", "id", "seed", COUNTER_TOKEN)
        ):
            return localize(f"「${name}$」という項目はありません。", f"There is no item “${name}$”.")
    rest = _PATTERN_TOKEN.sub("", pattern)
    if "$" in rest:
        return localize("「$」が対になっていません。", "A “$” has no closing “$”.")
    found = FORBIDDEN_FILE_NAME_CHARS.search(rest)
    if found is not None:
        shown = found[0] if found[0].isprintable() else repr(found[0])
        return localize(f"ファイル名に「{shown}」は使えません。", f"A file name cannot contain “{shown}”.")
    return ""


def build_token_values(line: Line, number: int, names: SpeakerNames, project: str, day: date) -> dict[str, str]:
    """Build the tokens' values; `take` is decided where the other names are known."""
    first = " ".join(FORBIDDEN_FILE_NAME_CHARS.sub(" ", strip_notation(line.text, memos=line.settings.memos)).split())
    return {
        "number": f"{number:0{NUMBER_WIDTH}d}",
        "voice": names.voice,
        "speaker": names.speaker or names.voice,
        "character": names.character,
        "style": names.style,
        "text": first[:TEXT_LENGTH],
        "date": f"{day:%Y%m%d}",
        "project": project,
        "id": line.id,
        "seed": str(line.settings.seed),
    }


def fill_pattern(pattern: str, values: Mapping[str, str]) -> str:
    """Fill in the values, without characters that a name cannot have; `$take$` stays without a value, a missing character takes a separator along."""
    if not values.get("character"):
        pattern = _remove_character_token(pattern)

    def replace_token(found: re.Match[str]) -> str:
        name = _MEANING_BY_JAPANESE_TOKEN.get(found[1], found[1])
        return FORBIDDEN_FILE_NAME_CHARS.sub("", values[name]) if name in values else f"${name}$"

    return _PATTERN_TOKEN.sub(replace_token, pattern)


def _remove_character_token(pattern: str) -> str:
    """Return the pattern without the token of the character, the brackets around it and one separator beside it."""
    while (found := _ENCLOSED_CHARACTER.search(pattern)) is not None:
        before, after = pattern[: found.start()], pattern[found.end() :]
        if before[-1:] and before[-1] in _SEPARATORS:
            before = before[:-1]
        elif not before and after[:1] and after[0] in _SEPARATORS:
            after = after[1:]
        pattern = before + after
    return pattern
