"""Rules with neighbours: a word, the reading it has by mistake, the one it should have, and the words around that decide.

One rule a line, the first that fits wins:

    辛い  ツラ>カラ  -6..6 カレー 料理 激  # カレーが辛い。
    汚れる  ケガ>ヨゴ  !-6..-1 名 魂 心  # 手が汚れる。
    空く  ア>ス  -4..-1 腹 電車 & !+1 手  # 電車が空いた。

A key is a word as written or its base form; the reading on the left is the beginning of what the analyser says (* is any), the one on the
right takes its place (= keeps the reading, and lets nobody change it later); @2 gives the accent where the dictionary does not know it.
Conditions: places counted in words (+1 the next, -6..-1 the six before, 0 the word itself, none: always), then surfaces, base forms or
<kinds> there; `!` none of them; `&` and; `|` or. `^` and `$` are the places before the first and behind the last word. Behind `#` stands a text on which
this very rule decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.core.text.readings.morphs import Correction, Morph, MorphPart

_RULE_LINE = re.compile(r"(\S+)\s+([ァ-ヴー]*|\*)(?:>([ァ-ヴー]+)|(=))(?:@(\d+))?(?:\s+(.*))?")
_NEIGHBOUR_RANGE = re.compile(r"(!?)([+-]?\d+)(?:\.\.([+-]?\d+))?")


@dataclass(frozen=True, slots=True)
class RuleCondition:
    """A condition that one of the words stands at one of the offsets; with `is_absent`, that none does."""

    offsets: range
    words: frozenset[str]
    kinds: frozenset[str]
    is_absent: bool

    def is_met(self, morphs: Sequence[Morph], index: int) -> bool:
        """Return whether the condition holds for the word at an index."""
        return self.is_absent != any(self._is_match(morphs, index + place) for place in self.offsets)

    def _is_match(self, morphs: Sequence[Morph], index: int) -> bool:
        if not 0 <= index < len(morphs):
            return (index == -1 and "^" in self.words) or (index == len(morphs) and "$" in self.words)
        morph = morphs[index]
        return morph.surface in self.words or morph.base in self.words or not self.kinds.isdisjoint(morph.kinds)


@dataclass(frozen=True, slots=True)
class ReadingRule:
    """One line: alternatives, each of conditions that must all hold; `example` is a text on which it decides."""

    key: str
    wrong: str
    right: str
    accent: int | None
    alternatives: tuple[tuple[RuleCondition, ...], ...]
    example: str = ""

    def find_reading(self, morphs: Sequence[Morph], index: int) -> str | None:
        """Return what the word at an index is read as; None where the rule does not fit."""
        said = morphs[index].reading
        if self.wrong != "*" and not said.startswith(self.wrong):
            return None
        if not any(all(condition.is_met(morphs, index) for condition in conditions) for conditions in self.alternatives):
            return None
        if not self.right:
            return said
        return self.right if self.wrong == "*" else self.right + said[len(self.wrong) :]


class ReadingRules:
    """Rules by their words.

    Args:
        text: as the module says; raises ValueError for a line that is no rule.
    """

    def __init__(self, text: str) -> None:
        self._by_key: dict[str, list[ReadingRule]] = {}
        for line in text.splitlines():
            if line.strip():
                rule = _parse_rule(line.strip())
                self._by_key.setdefault(rule.key, []).append(rule)

    def __iter__(self) -> Iterator[ReadingRule]:
        return (rule for rules in self._by_key.values() for rule in rules)

    def find_corrections(self, morphs: Sequence[Morph]) -> Iterator[Correction]:
        """Yield what the rules say of a sentence."""
        for at, rule, reading in self.find_decisions(morphs):
            yield Correction(at, at + 1, (MorphPart(morphs[at].surface, reading, rule.accent),), "rule", rule.key)

    def find_decisions(self, morphs: Sequence[Morph]) -> Iterator[tuple[int, ReadingRule, str]]:
        """Yield the index of each word that a rule decides on, the first rule that fits, and the reading."""
        for at, morph in enumerate(morphs):
            by_surface = self._by_key.get(morph.surface, ())
            by_base = self._by_key.get(morph.base, ()) if morph.base != morph.surface else ()
            for rule in (*by_surface, *by_base):
                reading = rule.find_reading(morphs, at)
                if reading is not None:
                    yield at, rule, reading
                    break


def _parse_rule(line: str) -> ReadingRule:
    stated, _sign, example = (part.strip() for part in line.partition("#"))
    match = _RULE_LINE.fullmatch(stated)
    if not match:
        raise ValueError(f"no rule: {line}")
    key, wrong, right, _keeps, accent, conditions = match.groups()
    alternatives = tuple(tuple(map(_parse_condition, part.split("&"))) for part in (conditions or "+0 " + key).split("|"))
    return ReadingRule(key, wrong, right or "", int(accent) if accent else None, alternatives, example)


def _parse_condition(text: str) -> RuleCondition:
    places, *words = text.split()
    match = _NEIGHBOUR_RANGE.fullmatch(places)
    if not match or not words:
        raise ValueError(f"no condition: {text}")
    first = int(match[2])
    kinds = {word[1:-1] for word in words if word.startswith("<") and word.endswith(">")}
    return RuleCondition(range(first, int(match[3] or first) + 1), frozenset(words) - kinds, frozenset(kinds), bool(match[1]))
