"""One sentence on its way through Open JTalk's front end: its words are put right before their accents are joined.

pyopenjtalk's own corrections come later. They could undo ours, so ours are marked as words of one more user dictionary whose readings are
protected; `userdic_reading_protection` says so.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from app.adapters.openjtalk.dictionary import KIND_FEATURES
from app.adapters.openjtalk.features import BASE, PRONUNCIATION, READING, WRITTEN, FullFeatures
from app.core.moras import split_moras
from app.core.readings.morphs import Correction, Morph, Part
from app.core.words import ReadBy

_OURS = 1  # dictionaries beyond those of the user
_KINDS: dict[str, str] = {"adverb": "副詞,一般,*,*,*,*"} | {str(kind): features for kind, features in KIND_FEATURES.items()}
Corrections = Callable[[Sequence[Morph]], list[Correction]]
_WIDE = {ord(" "): "\u3000"} | {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


class SentenceFrontEnd:
    """Takes the place of the front end for one call of `run_frontend`.

    Args:
        corrections: what to change in the words of a sentence.

    Attributes:
        text: the words as the analyser has them, joined.
        made: the corrections, each with the first and last character of `text` it concerns.
        users: the same of words of the user's dictionary.
    """

    def __init__(self, front_end: FullFeatures, corrections: Corrections) -> None:
        self._front_end = front_end
        self._corrections = corrections
        self.text = ""
        self.made: list[tuple[int, int, Correction]] = []
        self.users: list[tuple[int, int]] = []
        self._analysed: dict[str, tuple[list[str], list[dict[str, Any]]]] = {}
        self._protected = tuple(front_end.userdic_reading_protection)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._front_end, name)

    @property
    def userdic_reading_protection(self) -> tuple[bool, ...]:
        """Which dictionaries' readings are protected: the user's, and ours where one was used."""
        return (*self._protected, True) if self.made else self._protected

    def prepare(self, text: str) -> None:
        """Analyses the text, so that it is known whether anything is protected."""
        self._words(text)

    def read_by(self, start: int, end: int, *, rewritten: bool) -> tuple[ReadBy, str]:
        """What gave the reading of text[start:end], and which rule, entry or word of the white list."""
        for first, last, correction in self.made:
            if first < end and start < last:
                return correction.source, correction.name
        if any(first < end and start < last for first, last in self.users):
            return "user", self.text[start:end]
        return ("front_end" if rewritten else "analyser"), ""

    def run_frontend(self, text: str, *options: bool, **named: bool) -> list[dict[str, Any]]:
        """Words with accents, in phrases."""
        words: list[dict[str, Any]] = self._front_end.run_njd_from_mecab(self._words(text)[0], *options, **named)
        return words

    def run_frontend_detailed(self, text: str, *options: bool, **named: bool) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The same, and all that is known of every word."""
        features, morphs = self._words(text)
        return self._front_end.run_njd_from_mecab(features, *options, **named), morphs

    def _words(self, text: str) -> tuple[list[str], list[dict[str, Any]]]:
        if text not in self._analysed:
            self._analysed[text] = self._corrected(*self._front_end.run_mecab_detailed(text))
        return self._analysed[text]

    def _corrected(self, features: list[str], detailed: list[dict[str, Any]]) -> tuple[list[str], list[dict[str, Any]]]:
        spoken = [morph for morph in detailed if not morph["is_ignored"]]
        if len(spoken) != len(features):
            return features, detailed
        morphs = as_morphs(spoken, len(self._protected))
        self.text = "".join(morph.surface for morph in morphs)
        self.users = [(morph.start, morph.end) for morph in morphs if morph.is_users]
        found = self._corrections(morphs)
        if not found:
            return features, detailed
        lines, rows, at = [], [], 0
        for correction in found:
            lines += features[at : correction.first]
            rows += spoken[at : correction.first]
            covered = spoken[correction.first : correction.last]
            start = covered[0]["char_span"][0]
            self.made.append((morphs[correction.first].start, morphs[correction.last - 1].end, correction))
            for part in correction.parts:
                columns = self._columns(part, covered[0]["features"])
                end = start + len(part.surface)
                lines.append(",".join(columns))
                place = {"surface": wide(part.surface), "features": columns, "char_span": (start, end), "is_unknown": False}
                rows.append(covered[0] | place | {"dictionary_index": len(self._protected) + _OURS})
                start = end
            at = correction.last
        return lines + features[at:], rows + spoken[at:]

    def _columns(self, part: Part, covered: list[str]) -> list[str]:
        surface = wide(part.surface)
        if part.kind in _KINDS and part.reading is not None:
            features = _KINDS[part.kind]
            accent = f"{part.accent or 0}/{len(split_moras(part.reading))}"
            return [surface, *features.split(","), surface, part.reading, part.reading, accent, "*"]
        found = _known(self._front_end, surface, part.reading, part.kind or ",".join(covered[1:4]))
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
def _known(front_end: FullFeatures, surface: str, reading: str | None, kind: str) -> tuple[str, ...] | None:
    """What the dictionary says of a word with this reading; of several the one of the same part of speech, then the most usual."""
    nodes = front_end.analyze_mecab_candidates(surface, ((0, len(surface)),))["nodes"]
    fitting = [
        node
        for node in nodes
        if node["surface"] == surface
        and not node["is_unknown"]
        and (reading is None or _plain_reading(node["feature"].split(",")[PRONUNCIATION]) == reading)
    ]
    if not fitting:
        return None
    best = min(fitting, key=lambda node: (not node["feature"].split(",", 1)[1].startswith(kind), node["word_cost"]))
    return tuple(best["feature"].split(","))


def as_morphs(detailed: Sequence[dict[str, Any]], users: int) -> list[Morph]:
    """Words of the analyser; the first `users` dictionaries beside its own are the user's."""
    morphs: list[Morph] = []
    start = 0
    for morph in detailed:
        columns = morph["features"]
        is_known = len(columns) > PRONUNCIATION
        surface = narrow(morph["surface"])
        base = narrow(columns[BASE]) if is_known else surface
        reading = _plain_reading(columns[PRONUNCIATION]) if is_known else ""
        morphs.append(Morph(surface, base, tuple(columns[1:BASE]), reading, start, 1 <= morph["dictionary_index"] <= users))
        start += len(surface)
    return morphs


def wide(text: str) -> str:
    """As the analyser writes ASCII."""
    return text.translate(_WIDE)


@lru_cache(maxsize=4096)
def narrow(text: str) -> str:
    """NFKC, the length kept."""
    return text if text.isascii() else "".join(one if len(one := unicodedata.normalize("NFKC", char)) == 1 else char for char in text)


def _plain_reading(pronunciation: str) -> str:
    return pronunciation.replace("’", "").replace(":", "")
