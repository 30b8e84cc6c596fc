"""A word of the analyser as we see it, and one of our words as the analyser writes it: a row of features, in full also with the shipped dictionary.

A word's features are a line of text with columns: as it is written, what it is (six columns), its base form, its reading, its pronunciation,
its accent, and how it joins others. In the shorter dictionary (packaging/bundle/open_jtalk_trim.py) an empty pronunciation is the reading,
an empty reading is the word in katakana, and an empty base form is the word itself; a base form like `1く` takes one letter from the
word's end and puts く there. The whole dictionary has no such columns, so nothing changes there.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from app.core.text.dictionary_entries import EntryKind
from app.core.text.pronunciation import split_moras
from app.core.text.readings.morphs import Morph, MorphPart

WRITTEN, BASE, READING, PRONUNCIATION = 0, 7, 8, 9
HIRAGANA_TO_KATAKANA = {letter: letter + 0x60 for letter in range(ord("ぁ"), ord("ゖ") + 1)}
_CHANGED_ENDING = re.compile("([0-9]+)(.*)")  # a dictionary's own digits are wide ones


def restore_columns(columns: list[str]) -> list[str]:
    """Return the features of a word in full; an unknown word has fewer columns and stays as it is."""
    if len(columns) <= PRONUNCIATION:
        return columns
    written = columns[WRITTEN]
    reading = columns[READING] or written.translate(HIRAGANA_TO_KATAKANA)
    changed = _CHANGED_ENDING.fullmatch(columns[BASE])
    base = written[: len(written) - int(changed[1])] + changed[2] if changed else columns[BASE] or written
    full = [*columns[:BASE], base, reading, columns[PRONUNCIATION] or reading]
    return full + columns[PRONUNCIATION + 1 :]


def restore_feature(feature: str) -> str:
    """Return features in one line in full, as `restore_columns` does."""
    return ",".join(restore_columns(feature.split(",")))


class FullFeatureFrontEnd:
    """Open JTalk's front end, whose functions give and take features in full; pyopenjtalk's functions take it as `jtalk`."""

    def __init__(self, front_end: Any) -> None:
        self._front_end = front_end

    def __getattr__(self, name: str) -> Any:
        return getattr(self._front_end, name)

    def run_mecab(self, text: str) -> list[str]:
        """Return the features of every word."""
        return [restore_feature(feature) for feature in self._front_end.run_mecab(text)]

    def run_mecab_detailed(self, text: str) -> tuple[list[str], list[dict[str, Any]]]:
        """Return the features of every word, and all facts about every word."""
        features, morphs = self._front_end.run_mecab_detailed(text)
        return [restore_feature(feature) for feature in features], [
            morph | {"features": restore_columns(morph["features"])} for morph in morphs
        ]

    def run_frontend(self, text: str, *options: bool, **named: bool) -> list[dict[str, Any]]:
        """Return words with accents, in phrases."""
        words: list[dict[str, Any]] = self._front_end.run_njd_from_mecab(self.run_mecab(text), *options, **named)
        return words

    def run_frontend_detailed(self, text: str, *options: bool, **named: bool) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return words with accents, in phrases, and all facts about every word."""
        features, morphs = self.run_mecab_detailed(text)
        return self._front_end.run_njd_from_mecab(features, *options, **named), morphs

    def analyze_mecab_candidates(self, text: str, places: tuple[tuple[int, int], ...]) -> dict[str, Any]:
        """Return all words that are possible at some places; only `nodes` are in full, as no caller uses more."""
        found: dict[str, Any] = self._front_end.analyze_mecab_candidates(text, places)
        rows = [(node, restore_columns(node["feature"].split(","))) for node in found["nodes"]]
        return found | {"nodes": [node | {"feature": ",".join(row), "pronunciation": row[PRONUNCIATION]} for node, row in rows]}


KIND_FEATURES: dict[EntryKind, str] = {
    "proper_noun": "名詞,固有名詞,一般,*,*,*",
    "noun": "名詞,一般,*,*,*,*",
    "suffix": "名詞,接尾,一般,*,*,*",
    "verb": "動詞,自立,*,*,一段,基本形",
    "adjective": "形容詞,自立,*,*,形容詞・アウオ段,基本形",
}
_KIND_BY_FEATURES: dict[str, str] = {"adverb": "副詞,一般,*,*,*,*"} | {str(kind): features for kind, features in KIND_FEATURES.items()}
NAME_KIND = "名詞,固有名詞"
_FULL_WIDTH = {ord(" "): "\u3000"} | {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


def build_columns(front_end: FullFeatureFrontEnd, part: MorphPart, covered: list[str]) -> list[str]:
    """Return the features of a word that replaces another one, whose features are `covered`."""
    surface = widen_ascii(part.surface)
    if part.kind in _KIND_BY_FEATURES and part.reading is not None:
        features = _KIND_BY_FEATURES[part.kind]
        accent = f"{part.accent or 0}/{len(split_moras(part.reading))}"
        return [surface, *features.split(","), surface, part.reading, part.reading, accent, part.joining or "*"]
    found = find_known_word(front_end, surface, part.reading, part.kind or ",".join(covered[1:4]))
    if not found and part.reading is not None and part.kind.startswith(NAME_KIND):
        columns = [surface, *part.kind.split(","), "一般", "*", "*", surface, part.reading, part.reading, "0/0", "C1"]
    else:
        columns = list(found) if found else [*covered, *["*"] * (12 - len(covered))]
    columns[WRITTEN] = surface
    if part.reading is not None and not found:
        columns[READING] = columns[PRONUNCIATION] = part.reading
    moras = len(split_moras(columns[PRONUNCIATION].replace("’", "")))
    old = columns[PRONUNCIATION + 1].partition("/")[0]
    accent_of_old = int(old) if old.isdecimal() else 0
    columns[PRONUNCIATION + 1] = f"{min(accent_of_old, moras) if part.accent is None else part.accent}/{moras}"
    return columns


@lru_cache(maxsize=1024)
def find_known_word(front_end: FullFeatureFrontEnd, surface: str, reading: str | None, kind: str) -> tuple[str, ...] | None:
    """Return what the dictionary says of a word with this reading; of several the one of the same part of speech, then the most usual."""
    nodes = front_end.analyze_mecab_candidates(surface, ((0, len(surface)),))["nodes"]
    fitting = [
        node
        for node in nodes
        if node["surface"] == surface
        and not node["is_unknown"]
        and (reading is None or _strip_devoicing_marks(node["feature"].split(",")[PRONUNCIATION]) == reading)
    ]
    if not fitting:
        return None
    best = min(fitting, key=lambda node: (not node["feature"].split(",", 1)[1].startswith(kind), node["word_cost"]))
    return tuple(best["feature"].split(","))


def convert_to_morphs(detailed: Sequence[dict[str, Any]], user_dictionaries: int) -> list[Morph]:
    """Return the words of the analyser; the first `user_dictionaries` dictionaries after its own are the user's."""
    morphs: list[Morph] = []
    start = 0
    for morph in detailed:
        columns = morph["features"]
        is_known = len(columns) > PRONUNCIATION
        surface = narrow_text(morph["surface"])
        base = narrow_text(columns[BASE]) if is_known else surface
        reading = _strip_devoicing_marks(columns[PRONUNCIATION]) if is_known else ""
        morphs.append(Morph(surface, base, tuple(columns[1:BASE]), reading, start, 1 <= morph["dictionary_index"] <= user_dictionaries))
        start += len(surface)
    return morphs


def widen_ascii(text: str) -> str:
    """Return ASCII as the analyser writes it, in full width."""
    return text.translate(_FULL_WIDTH)


@lru_cache(maxsize=4096)
def narrow_text(text: str) -> str:
    """Return NFKC of a text in the same length."""
    return text if text.isascii() else "".join(one if len(one := unicodedata.normalize("NFKC", char)) == 1 else char for char in text)


def _strip_devoicing_marks(pronunciation: str) -> str:
    return pronunciation.replace("’", "").replace(":", "")
