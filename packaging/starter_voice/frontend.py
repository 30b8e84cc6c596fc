"""Text to what the student sees (SBV2 phones, tones, characters) and to what the teacher reads (full-context labels).

Both come from one run of Open JTalk's front end, so each phone of one has its label in the other.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import pyopenjtalk
from symbols import ID

MARKS = frozenset("!?,.'-…")
ASIDE = {"。": ".", "、": ",", "・": ",", "，": ",", "．": ".", "…": "...", "！": "!", "？": "?"}
ASIDE |= dict.fromkeys('「」『』（）()【】《》〈〉〔〕“”‘’"', "'") | dict.fromkeys("—–―‐－−", "-") | {"〜": "ー", "~": "ー"}
READABLE = re.compile(r"[ぁ-ゖァ-ヺー々〆ヵヶ一-龥!?,.'\-]+")
RENAMED = {"cl": "q", "A": "a", "I": "i", "U": "u", "E": "e", "O": "o"}
MORA_ENDS = frozenset(["a", "i", "u", "e", "o", "N", "q"])
PHONE = re.compile(r"-(.+?)\+")
POSITION = re.compile(r"/A:(-?\d+)\+(\d+)\+(\d+)/.*/C:([^/]+)/.*/F:(\d+)_(\d+)#")


@dataclass(frozen=True)
class Line:
    """One line, seen by both sides.

    Attributes:
        text: normalised text, one BERT token a character.
        phones, tones: SBV2 symbols without blanks, `_` at both ends; tones 0 or 1.
        word2ph: phones per character, 1 at both ends.
        labels: full-context labels for the engine.
        token_of_label: for each label the tokens that share its time: one, or all marks of a run.
        classes: part of speech per character as the labels write it ("" where nothing is spoken).
        borders: per character 0, 1 where an accent phrase ends after it, 2 where a pause follows.
    """

    text: str
    phones: tuple[str, ...]
    tones: tuple[int, ...]
    word2ph: tuple[int, ...]
    labels: tuple[str, ...]
    token_of_label: tuple[tuple[int, ...], ...]
    classes: tuple[str, ...]
    borders: tuple[int, ...]


def normalise(text: str) -> str:
    """NFKC and SBV2's punctuation; text with characters that would need reading rules is left for the caller to skip."""
    text = "".join(ASIDE.get(c, c) for c in text.strip())
    return "".join(ASIDE.get(c, c) for c in unicodedata.normalize("NFKC", text) if not c.isspace())


def spread(count: int, characters: int) -> list[int]:
    """Phones of a word over its characters, the first ones taking what is left over."""
    return [count // characters + (index < count % characters) for index in range(characters)]


def _tone(label: str) -> int:
    _, mora, _, _, size, nucleus = POSITION.search(label).groups()  # type: ignore[union-attr]
    if size == "1":
        return 0
    return int(mora == "1") if nucleus == "1" else int(2 <= int(mora) <= int(nucleus))


def _moras(labels: list[str]) -> list[list[int]]:
    """Indices of labels, grouped by mora."""
    moras: list[list[int]] = []
    current: list[int] = []
    for index, label in enumerate(labels):
        phone = PHONE.search(label).group(1)  # type: ignore[union-attr]
        if phone in ("sil", "pau"):
            continue
        current.append(index)
        if RENAMED.get(phone, phone) in MORA_ENDS:
            moras.append(current)
            current = []
    return moras


class _Builder:
    """Collects the tokens of a line while its words go by."""

    def __init__(self, labels: list[str]) -> None:
        self.labels, self.moras = labels, _moras(labels)
        self.phones, self.tones, self.word2ph, self.classes = ["_"], [0], [1], list[str]()
        self.tokens: dict[int, list[int]] = {0: [0]}
        self._taken = self._last = 0

    def marks(self, surface: str) -> None:
        """Punctuation: within the line it shares the pause after the last phone, at an end the silence there."""
        inside = 0 < self._taken < len(self.moras)
        label = self._last + 1 if inside else (0 if self._taken == 0 else len(self.labels) - 1)
        for mark in surface:
            self.tokens.setdefault(label, []).append(len(self.phones))
            self._add(mark, 0)
        self.word2ph += [1] * len(surface)
        self.classes += [""] * len(surface)

    def word(self, surface: str, moras: int) -> None:
        """A word with its share of the labels."""
        spoken = [index for mora in self.moras[self._taken : self._taken + moras] for index in mora]
        self._taken += moras
        for index in spoken:
            phone = PHONE.search(self.labels[index]).group(1)  # type: ignore[union-attr]
            self.tokens[index] = [len(self.phones)]
            self._add(RENAMED.get(phone, phone), _tone(self.labels[index]))
            self._last = index
        self.word2ph += spread(len(spoken), len(surface))
        kind = POSITION.search(self.labels[spoken[0]]).group(4) if spoken else ""  # type: ignore[union-attr]
        self.classes += [kind] * len(surface)

    def _add(self, phone: str, tone: int) -> None:
        self.phones.append(phone)
        self.tones.append(tone)

    def line(self, text: str) -> Line | None:
        """The line, or None when a label found no token."""
        self.tokens.setdefault(len(self.labels) - 1, []).append(len(self.phones))
        if set(self.tokens) != set(range(len(self.labels))) or self._taken == 0:
            return None
        tokens = tuple(tuple(self.tokens[index]) for index in range(len(self.labels)))
        borders = _borders(self.labels, tokens, self.word2ph)
        phones, tones, word2ph = (*self.phones, "_"), (*self.tones, 0), (*self.word2ph, 1)
        return Line(text, phones, tones, word2ph, tuple(self.labels), tokens, tuple(self.classes), borders)


def analyse(text: str) -> Line | None:
    """Analyses one normalised line; None for a line whose reading the two sides do not share."""
    if not READABLE.fullmatch(text):
        return None
    words = pyopenjtalk.run_frontend(text)
    surfaces = [unicodedata.normalize("NFKC", word["string"].replace("’", "'").replace("−", "-")) for word in words]
    builder = _Builder(pyopenjtalk.make_label(words))
    if "".join(surfaces) != text or sum(word["mora_size"] for word in words) != len(builder.moras):
        return None
    for word, surface in zip(words, surfaces, strict=True):
        if all(c in MARKS for c in surface):
            builder.marks(surface)
        else:
            builder.word(surface, word["mora_size"])
    line = builder.line(text)
    return line if line is not None and set(line.phones) <= set(ID) else None


def _borders(labels: list[str], tokens: tuple[tuple[int, ...], ...], word2ph: list[int]) -> tuple[int, ...]:
    character = [index for index, count in enumerate(word2ph) for _ in range(count)]
    borders = [0] * (len(word2ph) - 1)
    for index, label in enumerate(labels[:-1]):
        found, after = POSITION.search(label), POSITION.search(labels[index + 1])
        if found is None:
            continue
        place = character[tokens[index][-1]] - 1
        if after is None:
            borders[place] = 2
        elif (found.group(3), after.group(2)) == ("1", "1"):
            borders[place] = max(borders[place], 1)
    return tuple(borders)
