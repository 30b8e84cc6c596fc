"""The dictionaries' knowledge of single words, for readings that a text contains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.adapters.openjtalk.full_features import PRONUNCIATION, READING, FullFeatureFrontEnd
from app.adapters.openjtalk.mecab_features import convert_to_morphs, widen_ascii
from app.core.notation.ruby_words import LexiconWord
from app.core.readings.morphs import Morph


class FrontEndLexicon:
    """Implements `app.core.notation.ruby_words.Lexicon`; like the front end, it serves one thread at a time.

    Args:
        features: of the words of a text, as the front end and all corrections have them.
    """

    def __init__(self, front_end: FullFeatureFrontEnd, features: Callable[[str], Sequence[Mapping[str, Any]]]) -> None:
        self._front_end, self._features = front_end, features

    def find_words(self, surface: str) -> list[LexiconWord]:
        """Return all words with this spelling."""
        written = widen_ascii(surface)
        nodes = self._front_end.analyze_mecab_candidates(written, ((0, len(written)),))["nodes"] if written else ()
        return [
            _build_known_word(node["feature"].split(","), node["word_cost"])
            for node in nodes
            if node["surface"] == written and not node["is_unknown"]
        ]

    def split_morphs(self, text: str) -> list[Morph]:
        """Return the words of a text."""
        return convert_to_morphs([morph for morph in self._front_end.run_mecab_detailed(text)[1] if not morph["is_ignored"]], 0)

    def compute_accent(self, kana: str) -> int:
        """Return the accent of kana as one phrase; 0 if they are several."""
        words = self._features(kana)
        if not words or any(word["chain_flag"] == 0 for word in words[1:]):
            return 0
        return int(words[0]["acc"])


def _build_known_word(columns: list[str], cost: int) -> LexiconWord:
    return LexiconWord(columns[READING], columns[PRONUNCIATION].replace("’", ""), ",".join(columns[1:4]), cost)
