"""Plain text as a script: a line each, VOICEVOX's text (`話者（スタイル）,テキスト`), and dialogue, `名前「台詞」` and `名前：台詞` with narration between; and a script as such a text."""

import re
from collections.abc import Sequence

from app.common.language import localize
from app.core.text.text_lines import MAX_NAME_CHARACTERS, decode_text, split_lines, strip_markdown
from app.interchange.imported_script import ImportedScript, ImportedScriptBuilder, NamedLine, check_line_count

MAX_QUOTED_LINES = 50  # a longer quotation is not one
MIN_DIALOGUE_SHARE = 0.5  # of the lines with content; in novels and articles it is far fewer
MIN_DIALOGUE_LINES = 2
_NAME = rf"[^「」『』（）()：:、。，．,.！？!?…\s]{{1,{MAX_NAME_CHARACTERS}}}(?:[ \u3000][^「」『』（）()：:、。，．,.！？!?…\s]{{1,8}})?"
_WHO = rf"({_NAME}(?:[（(][^「」『』（）()：:]{{1,{MAX_NAME_CHARACTERS}}}[）)])?)"
_QUOTED = re.compile(rf"{_WHO}[ \u3000]?([「『])(.*)", re.DOTALL)
_AFTER_COLON = re.compile(rf"{_WHO}[ \u3000]?[：:](?!//)\s*(\S.*)", re.DOTALL)
_CLOSING = {"「": "」", "『": "』"}
_QUOTED_SIGNS = re.compile(r"[「」『』]")

_STYLED_LINE = re.compile(r"([^,、。（）()]{1,80}（[^（）,]{1,80}）),(.*)")
_NAMED_LINE = re.compile(
    rf"([^,、。！？!?（）()\s\d][^,、。！？!?（）()\s]{{0,{MAX_NAME_CHARACTERS}}}(?: [^,、。！？!?（）()\s]{{1,12}})?),(?=\S)(?=.*[ぁ-ヺ一-龠])(.*)"
)
# What Aozora Bunko puts around its texts: how their signs are to be read, and from which book, by whom and when they were typed.
_AOZORA_RULE = re.compile(r"-{20,}")
_AOZORA_SIGNS, _AOZORA_SOURCE, _AOZORA_NAME = "テキスト中に現れる記号", "底本：", "青空文庫"


def parse_dialogue(lines: Sequence[str]) -> list[NamedLine] | None:
    """Return who says what in lines of a text, or None for a text that is no dialogue.

    In a dialogue two lines or more, and more than half of all, say who speaks; a quotation of several lines is one of them.
    Lists such as `場所：東京` look like names and colons: where these outnumber quotations, names must come again.
    """
    spoken, quoted, colon_count = _take_apart(lines)
    if quoted + colon_count < MIN_DIALOGUE_LINES or quoted + colon_count <= MIN_DIALOGUE_SHARE * len(spoken):
        return None
    names = [line.name for line in spoken if line.name]
    return spoken if quoted >= colon_count or 2 * len(set(names)) <= len(names) else None


def _take_apart(lines: Sequence[str]) -> tuple[list[NamedLine], int, int]:
    """Return the lines, and how many of them are in quotation marks and after colons."""
    closing = [line.count("」") + line.count("』") - line.count("「") - line.count("『") for line in lines]
    spoken: list[NamedLine] = []
    quoted = colon_count = at = 0
    while at < len(lines):
        if (match := _QUOTED.match(lines[at])) and (end := _find_quote_end(lines, closing, at, _CLOSING[match[2]])):
            text = " ".join((match[3], *lines[at + 1 : end]))[:-1].strip()
            spoken.append(NamedLine(match[1], text))
            quoted += 1
            at = end
            continue
        if (match := _AFTER_COLON.fullmatch(lines[at])) and not match[1].isdecimal():
            spoken.append(NamedLine(match[1], match[2].strip()))
            colon_count += 1
        else:
            spoken.append(NamedLine("", lines[at]))
        at += 1
    return spoken, quoted, colon_count


def _find_quote_end(lines: Sequence[str], closing: Sequence[int], start: int, mark: str) -> int:
    """Return the line behind a quotation that begins in a line and ends at the end of one; 0 if there is none.

    `closing` says how many more quotation marks close in each line than open.
    """
    open_marks = 0
    for at in range(start, min(len(lines), start + MAX_QUOTED_LINES)):
        open_marks -= closing[at]
        if open_marks <= 0:
            return at + 1 if open_marks == 0 and lines[at].endswith(mark) and _is_one_quotation(lines[start : at + 1]) else 0
    return 0


def _is_one_quotation(lines: Sequence[str]) -> bool:
    """Return whether the first quotation mark is closed by the last one, unlike those of `彼「あ」彼女「い」`."""
    depth, signs = 0, [sign for line in lines for sign in _QUOTED_SIGNS.findall(line)]
    for index, sign in enumerate(signs):
        depth += 1 if sign in _CLOSING else -1
        if depth <= 0:
            return index == len(signs) - 1
    return False


def format_dialogue(lines: Sequence[NamedLine]) -> str:
    """Return `名前「台詞」` for each line, `名前：台詞` where its quotation marks do not match, and the text alone of narration."""
    return "".join(f"{_format_line(line)}\n" for line in lines)


def _format_line(line: NamedLine) -> str:
    if not line.name:
        return line.text
    quoted = f"「{line.text}」"
    return f"{line.name}{quoted}" if _is_one_quotation([quoted]) else f"{line.name}：{line.text}"


def read_plain_text(name: str, suffix: str, data: bytes) -> ImportedScript:
    """Read plain text; raise InputError if there is none."""
    text = decode_text(name, data)
    lines = split_lines(strip_markdown(text) if suffix == ".md" else text)
    check_line_count(name, len(lines))
    builder = ImportedScriptBuilder(name)
    spoken_lines = _drop_aozora_parts(lines)
    if len(spoken_lines) < len(lines):
        ja, en = "青空文庫の凡例と奥付は読み込みませんでした。", "Aozora Bunko's legend and colophon were not imported."
        builder.losses.add_sentence(localize(ja, en))
    lines = spoken_lines
    for line in _split_voicevox_text(lines) or parse_dialogue(lines) or [NamedLine("", line) for line in lines]:
        builder.add_named_line(line)
    return builder.build_script()


def _drop_aozora_parts(lines: list[str]) -> list[str]:
    """Return the lines without the legend and the colophon of Aozora Bunko; all of them where nothing would be left."""
    rules = [at for at, line in enumerate(lines) if _AOZORA_RULE.fullmatch(line)]
    spoken = lines
    if len(rules) > 1 and any(_AOZORA_SIGNS in line for line in lines[rules[0] : rules[1]]):
        spoken = lines[: rules[0]] + lines[rules[1] + 1 :]
    end = next((at for at in reversed(range(len(spoken))) if spoken[at].startswith(_AOZORA_SOURCE)), len(spoken))
    if end < len(spoken) and any(_AOZORA_NAME in line for line in spoken[end:]):
        spoken = spoken[:end]
    return spoken or lines


def _split_voicevox_text(lines: list[str]) -> list[NamedLine]:
    """Return who speaks what, or nothing where no line begins with a name and a comma."""
    # Prose does not begin every line with a short name and a comma of Latin text before Japanese, with no space between.
    has_names = len(lines) > 1 and all(_STYLED_LINE.fullmatch(line) or _NAMED_LINE.fullmatch(line) for line in lines)
    matches = [_STYLED_LINE.fullmatch(line) or (_NAMED_LINE.fullmatch(line) if has_names else None) for line in lines]
    if not any(matches):
        return []
    return [NamedLine(match[1], match[2]) if match else NamedLine("", line) for match, line in zip(matches, lines, strict=True)]
