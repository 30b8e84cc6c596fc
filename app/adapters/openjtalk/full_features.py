"""The full features of words, also with the shipped dictionary, which leaves out features that follow from the rest.

A word's features are a line of text with columns: as it is written, what it is (six columns), its base form, its reading, its pronunciation,
its accent, and how it joins others. In the shorter dictionary (packaging/bundle/open_jtalk_trim.py) an empty pronunciation is the reading,
an empty reading is the word in katakana, and an empty base form is the word itself; a base form like `1く` takes one letter from the
word's end and puts く there. The whole dictionary has no such columns, so nothing changes there.
"""

import re
from typing import Any

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
