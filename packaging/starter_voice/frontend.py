"""Text to what the student sees (SBV2 phones, tones, characters) and to what the teacher reads (full-context labels).

Both come from one run of Open JTalk's front end, so each phone of one has its label in the other.
"""

import re
import unicodedata
from dataclasses import dataclass

import numpy as np
import pyopenjtalk
from numpy.typing import NDArray
from symbols import ID

MARKS = frozenset("!?,.'-…")
ASIDE = {"。": ".", "、": ",", "・": ",", "，": ",", "．": ".", "…": "...", "！": "!", "？": "?"}
ASIDE |= dict.fromkeys('「」『』（）()【】《》〈〉〔〕“”‘’"', "'") | dict.fromkeys("—–―‐－−", "-") | {"〜": "ー", "~": "ー"}
READABLE = re.compile(r"[ぁ-ゖァ-ヺー々〆ヵヶ一-龥!?,.'\-]+")
VOICELESS = {vowel.upper(): vowel for vowel in "aiueo"}
RENAMED = {"cl": "q", **VOICELESS}
MORA_ENDS = frozenset(["a", "i", "u", "e", "o", "N", "q"])
PHONE = re.compile(r"-(.+?)\+")
POSITION = re.compile(r"/A:(-?\d+)\+(\d+)\+(\d+)/.*/F:(\d+)_(\d+)#")
WORDS = re.compile(r"/B:([^/]+)/C:([^/]+)/D:([^/]+)/")
SILENT_WORDS = ("", "", "")


@dataclass(frozen=True)
class Line:
    """One line, seen by both sides.

    Attributes:
        text: normalised text, one BERT token a character.
        phones, tones: SBV2 symbols without blanks, `_` at both ends; tones 0 or 1.
        word2ph: phones per character, 1 at both ends.
        labels: full-context labels for the engine.
        token_of_label: for each label the tokens that share its time: one, or all marks of a run.
        begins: per phone 1 where an accent phrase begins, else 0.
        voiceless: per phone 1 for a vowel that is said without voice, else 0.
        words: per character part of speech and inflection of the word before, of its own and of the word after, as the
            labels write them ("" where nothing is spoken).
    """

    text: str
    phones: tuple[str, ...]
    tones: tuple[int, ...]
    word2ph: tuple[int, ...]
    labels: tuple[str, ...]
    token_of_label: tuple[tuple[int, ...], ...]
    begins: tuple[int, ...]
    voiceless: tuple[int, ...]
    words: tuple[tuple[str, str, str], ...]


def ids_of(line: Line) -> NDArray[np.int64]:
    """The phones as the graphs take them."""
    return np.array([ID[phone] for phone in line.phones])


def feature_rows(line: Line) -> NDArray[np.int64]:
    """Row of the BERT features that each phone reads."""
    return np.repeat(np.arange(len(line.word2ph)), line.word2ph)


def normalise(text: str) -> str:
    """NFKC and SBV2's punctuation; text with characters that would need reading rules is left for the caller to skip."""
    text = "".join(ASIDE.get(c, c) for c in text.strip())
    return "".join(ASIDE.get(c, c) for c in unicodedata.normalize("NFKC", text) if not c.isspace())


def spread(count: int, characters: int) -> list[int]:
    """Phones of a word over its characters, the first ones taking what is left over."""
    return [count // characters + (index < count % characters) for index in range(characters)]


def _tone(label: str) -> int:
    _, mora, _, size, nucleus = POSITION.search(label).groups()  # type: ignore[union-attr]
    if size == "1":
        return 0
    return int(mora == "1") if nucleus == "1" else int(2 <= int(mora) <= int(nucleus))


def _words(label: str) -> tuple[str, str, str]:
    before, own, after = (".".join(re.findall(r"[0-9x]+", part)) for part in WORDS.search(label).groups())  # type: ignore[union-attr]
    return before, own, after


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
        self.phones, self.tones, self.begins, self.voiceless, self.word2ph = ["_"], [0], [0], [0], [1]
        self.words = list[tuple[str, str, str]]()
        self._first = {mora[0] for mora in self.moras if POSITION.search(labels[mora[0]]).group(2) == "1"}  # type: ignore[union-attr]
        self.tokens: dict[int, list[int]] = {0: [0]}
        self._taken = self._last = 0

    def marks(self, surface: str) -> None:
        """Punctuation: within the line it shares the pause after the last phone, at an end the silence there."""
        inside = 0 < self._taken < len(self.moras)
        label = self._last + 1 if inside else (0 if self._taken == 0 else len(self.labels) - 1)
        for mark in surface:
            self.tokens.setdefault(label, []).append(len(self.phones))
            self._add(mark)
        self.word2ph += [1] * len(surface)
        self.words += [SILENT_WORDS] * len(surface)

    def word(self, surface: str, moras: int) -> None:
        """A word with its share of the labels."""
        spoken = [index for mora in self.moras[self._taken : self._taken + moras] for index in mora]
        self._taken += moras
        for index in spoken:
            phone = PHONE.search(self.labels[index]).group(1)  # type: ignore[union-attr]
            self.tokens[index] = [len(self.phones)]
            self._add(RENAMED.get(phone, phone), _tone(self.labels[index]), int(index in self._first), int(phone in VOICELESS))
            self._last = index
        self.word2ph += spread(len(spoken), len(surface))
        self.words += [_words(self.labels[spoken[0]]) if spoken else SILENT_WORDS] * len(surface)

    def _add(self, phone: str, tone: int = 0, begins: int = 0, voiceless: int = 0) -> None:
        for column, value in ((self.tones, tone), (self.begins, begins), (self.voiceless, voiceless)):
            column.append(value)
        self.phones.append(phone)

    def line(self, text: str) -> Line | None:
        """The line, or None when a label found no token."""
        self.tokens.setdefault(len(self.labels) - 1, []).append(len(self.phones))
        if set(self.tokens) != set(range(len(self.labels))) or self._taken == 0:
            return None
        tokens = tuple(tuple(self.tokens[index]) for index in range(len(self.labels)))
        phones, (tones, begins, voiceless) = (*self.phones, "_"), ((*column, 0) for column in (self.tones, self.begins, self.voiceless))
        return Line(text, phones, tones, (*self.word2ph, 1), tuple(self.labels), tokens, begins, voiceless, tuple(self.words))


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
