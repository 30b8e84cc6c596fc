"""One sentence on its way through Open JTalk's front end: its words are put right before their accents are joined.

pyopenjtalk's own corrections come later. They could undo ours, so ours are marked as words of one more user dictionary whose readings are
protected; `userdic_reading_protection` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from app.adapters.openjtalk.full_features import FullFeatureFrontEnd
from app.adapters.openjtalk.mecab_features import build_columns, convert_to_morphs, widen_ascii
from app.core.text.accent_phrases import ReadBy
from app.core.text.readings.morphs import Correction, Morph

_OWN_DICTIONARIES = 1  # dictionaries beyond those of the user
Corrections = Callable[[Sequence[Morph]], list[Correction]]


class SentenceFrontEnd:
    """Takes the place of the front end for one call of `run_frontend`."""

    def __init__(self, front_end: FullFeatureFrontEnd, corrections: Corrections) -> None:
        self._front_end = front_end
        self._find_corrections = corrections
        self.text = ""  # the words as the analyser has them, joined
        # What was changed, each with the first and last character of `text` it concerns.
        self.corrections: list[tuple[int, int, Correction]] = []
        self.user_spans: list[tuple[int, int]] = []  # the first and last characters of words of the user's dictionary
        self._analysed: dict[str, tuple[list[str], list[dict[str, Any]]]] = {}
        self._protected = tuple(front_end.userdic_reading_protection)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._front_end, name)

    @property
    def userdic_reading_protection(self) -> tuple[bool, ...]:
        """Return which dictionaries' readings are protected: the user's, and ours where one was used."""
        return (*self._protected, True) if self.corrections else self._protected

    def prepare_text(self, text: str) -> None:
        """Analyse the text, so that it is known whether any reading is protected."""
        self._run_mecab_once(text)

    def find_reading_source(self, start: int, end: int, *, rewritten: bool) -> tuple[ReadBy, str]:
        """Return what gave the reading of text[start:end], and which rule, entry or word of the white list."""
        for first, last, correction in self.corrections:
            if first < end and start < last:
                return correction.source, correction.name
        if any(first < end and start < last for first, last in self.user_spans):
            return "user", self.text[start:end]
        return ("front_end" if rewritten else "analyser"), ""

    def run_frontend(self, text: str, *options: bool, **named: bool) -> list[dict[str, Any]]:
        """Return words with accents, in phrases."""
        words: list[dict[str, Any]] = self._front_end.run_njd_from_mecab(self._run_mecab_once(text)[0], *options, **named)
        return words

    def run_frontend_detailed(self, text: str, *options: bool, **named: bool) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return words with accents, in phrases, and all facts about every word."""
        features, morphs = self._run_mecab_once(text)
        return self._front_end.run_njd_from_mecab(features, *options, **named), morphs

    def _run_mecab_once(self, text: str) -> tuple[list[str], list[dict[str, Any]]]:
        if text not in self._analysed:
            self._analysed[text] = self._apply_corrections(*self._front_end.run_mecab_detailed(text))
        return self._analysed[text]

    def _apply_corrections(self, features: list[str], detailed: list[dict[str, Any]]) -> tuple[list[str], list[dict[str, Any]]]:
        self.corrections = []
        spoken = [morph for morph in detailed if not morph["is_ignored"]]
        if len(spoken) != len(features):
            return features, detailed
        morphs = convert_to_morphs(spoken, len(self._protected))
        self.text = "".join(morph.surface for morph in morphs)
        self.user_spans = [(morph.start, morph.end) for morph in morphs if morph.is_users]
        found = self._find_corrections(morphs)
        if not found:
            return features, detailed
        lines, rows, at = [], [], 0
        for correction in found:
            lines += features[at : correction.first]
            rows += spoken[at : correction.first]
            covered = spoken[correction.first : correction.last]
            start = covered[0]["char_span"][0]
            self.corrections.append((morphs[correction.first].start, morphs[correction.last - 1].end, correction))
            for part in correction.parts:
                columns = build_columns(self._front_end, part, covered[0]["features"])
                end = start + len(part.surface)
                lines.append(",".join(columns))
                place = {"surface": widen_ascii(part.surface), "features": columns, "char_span": (start, end), "is_unknown": False}
                rows.append(covered[0] | place | {"dictionary_index": len(self._protected) + _OWN_DICTIONARIES})
                start = end
            at = correction.last
        return lines + features[at:], rows + spoken[at:]
