"""Words as Japanese input methods export them: lines of reading, word, part of speech and perhaps a comment, with tabs between.

Microsoft IME begins its file with a line of its own and has remarks behind `!`; Google Japanese Input has `#`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.common.errors import InputError
from app.common.language import localize
from app.core.dictionary_entries import EntryKind

ImeCells = tuple[str, str, str]
"""The reading, the word and the part of speech of a line."""
_REMARK_MARKS = ("!", "#")
_MICROSOFT_HEADER = "!Microsoft IME Dictionary Tool"
_PART_OF_SPEECH = re.compile(
    "(?:[あかがさざただなはばまやらわアカガサザタダナハバマヤラワハ]行[五四]段|.*(?:名詞|動詞|副詞|形容詞|連体詞|接続詞|感動詞|助数詞|数詞|接頭|接尾)"
    "|固有|人名|姓|名$|.*地名|組織|短縮(?:よみ|読み)|顔文字|慣用句|独立語|単漢字|記号|句読点|数$|アルファベット|サジェストのみ|抑制単語|品詞なし|終助詞|名サ|.変)"
)
# These stand for another text, or keep a word away: as readings they would be wrong.
_WITHOUT_READING = re.compile("短縮|顔文字|サジェストのみ|抑制単語|句読点")
# The first that fits decides: a noun that takes する is no verb, and 形容動詞 is none either.
_KIND_PATTERNS: tuple[tuple[re.Pattern[str], EntryKind], ...] = (
    (re.compile("接尾|助数詞"), "suffix"),
    (re.compile("固有|人名|姓|名$|地名|組織"), "proper_noun"),
    (re.compile("名詞|名サ|形動|形容動詞|副詞"), "noun"),
    (re.compile("形容詞"), "adjective"),
    (re.compile("動詞|段"), "verb"),
)


def is_ime_text(text: str) -> bool:
    """Return whether a text is the export of an input method: by Microsoft's first line, else by the parts of speech of its first word."""
    if text.startswith(_MICROSOFT_HEADER):
        return True
    first = next(_iterate_word_lines(text), None)
    if first is None or first[1].count("\t") < 2:
        return False
    return bool(_PART_OF_SPEECH.match(first[1].split("\t")[2].strip()))


def parse_ime_lines(text: str) -> Iterator[tuple[int, ImeCells | None]]:
    """Yield the number of each line, from 1, and its cells; None for a line without reading and word. Remarks and empty lines are left out."""
    for number, line in _iterate_word_lines(text):
        cells = [cell.strip() for cell in line.split("\t")]
        yield number, (cells[0], cells[1], cells[2] if len(cells) > 2 else "") if len(cells) > 1 else None


def find_ime_kind(part_of_speech: str) -> EntryKind:
    """Return the kind of word for a part of speech. Raises InputError for one whose words have no reading of their own."""
    if _WITHOUT_READING.search(part_of_speech):
        raise InputError(
            localize(f"品詞「{part_of_speech}」の単語には読みがありません。", f"Words of the kind “{part_of_speech}” have no reading."),
            localize("短縮よみや顔文字は、読み上げには使えません。", "Shorthand and emoticons cannot be used for reading aloud."),
        )
    return next((kind for pattern, kind in _KIND_PATTERNS if pattern.search(part_of_speech)), "noun")


def _iterate_word_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(re.split("\r\n?|\n", text), 1):
        if line.strip() and not line.startswith(_REMARK_MARKS):
            yield number, line
