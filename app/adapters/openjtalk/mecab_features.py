"""A word of the analyser as we see it, and one of our words as the analyser writes it: a row of features."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from app.adapters.openjtalk.full_features import BASE, PRONUNCIATION, READING, WRITTEN, FullFeatureFrontEnd
from app.core.text.dictionary_entries import EntryKind
from app.core.text.pronunciation import split_moras
from app.core.text.readings.morphs import Morph, MorphPart

KIND_FEATURES: dict[EntryKind, str] = {
    "proper_noun": "名詞,固有名詞,一般,*,*,*",
    "noun": "名詞,一般,*,*,*,*",
    "suffix": "名詞,接尾,一般,*,*,*",
    "verb": "動詞,自立,*,*,一段,基本形",
    "adjective": "形容詞,自立,*,*,形容詞・アウオ段,基本形",
}
_KIND_BY_FEATURES: dict[str, str] = {"adverb": "副詞,一般,*,*,*,*"} | {str(kind): features for kind, features in KIND_FEATURES.items()}
_FULL_WIDTH = {ord(" "): "\u3000"} | {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


def build_columns(front_end: FullFeatureFrontEnd, part: MorphPart, covered: list[str]) -> list[str]:
    """Return the features of a word that replaces another one, whose features are `covered`."""
    surface = widen_ascii(part.surface)
    if part.kind in _KIND_BY_FEATURES and part.reading is not None:
        features = _KIND_BY_FEATURES[part.kind]
        accent = f"{part.accent or 0}/{len(split_moras(part.reading))}"
        return [surface, *features.split(","), surface, part.reading, part.reading, accent, part.joining or "*"]
    found = find_known_word(front_end, surface, part.reading, part.kind or ",".join(covered[1:4]))
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
