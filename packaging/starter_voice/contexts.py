"""What the teachers' decision trees ask about: the fields of a full-context label, from phones, tones and what the reader finds in the text.

A label is one sounding phone, or a run of silent ones. The voice's graph computes the same (`export_contexts.py`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from frontend import MARKS, MORA_ENDS
from moved import moved
from numpy.typing import NDArray
from symbols import ID, RELATIVES

TONE_OFFSET = 6  # of Japanese tones in the graphs
TEMPLATE = (
    "{p1}^{p2}-{p3}+{p4}={p5}/A:{a1}+{a2}+{a3}/B:{b1}-{b2}_{b3}/C:{c1}_{c2}+{c3}/D:{d1}+{d2}_{d3}/E:{e1}_{e2}!{e3}_{e4}-{e5}"
    "/F:{f1}_{f2}#{f3}_{f4}@{f5}_{f6}|{f7}_{f8}/G:{g1}_{g2}%{g3}_{g4}_{g5}/H:{h1}_{h2}"
    "/I:{i1}-{i2}@{i3}+{i4}&{i5}-{i6}|{i7}+{i8}/J:{j1}_{j2}/K:{k1}+{k2}-{k3}"
)
FIELDS = tuple(re.findall(r"\{(\w+)\}", TEMPLATE))
PHONES = (
    "xx", "sil", "pau", "a", "i", "u", "e", "o", "A", "I", "U", "E", "O", "N", "cl", "b", "by", "ch", "d", "dy", "f", "g", "gy", "gw",
    "h", "hy", "j", "k", "ky", "kw", "m", "my", "n", "ny", "p", "py", "r", "ry", "s", "sh", "t", "ts", "ty", "v", "w", "y", "z",
)  # fmt: skip
NOTHING = 0  # the code of "xx"; a phone's is its place in PHONES, a number's is itself and ZERO
ZERO = 56
CODES = 192
LONGEST = 49  # the labels count up to here, but breath groups, the morae of one, and those of a line
GROUPS, MORAE = 19, 99
MOST = {
    **dict.fromkeys(("i3", "i4", "k1"), GROUPS),
    **dict.fromkeys(("f7", "f8", "h2", "i2", "j2"), MORAE),
    **dict.fromkeys(("i7", "i8", "k3"), CODES - 1 - ZERO),
}
SIL, PAU, NASAL, OPEN = (PHONES.index(name) for name in ("sil", "pau", "N", "o"))

Codes = NDArray[np.int64]


def _ids(symbols: frozenset[str]) -> tuple[int, ...]:
    return tuple(sorted(ID[symbol] for symbol in {*symbols, *(rare for rare, known in RELATIVES.items() if known in symbols)}))


END_IDS = _ids(MORA_ENDS)
VOWEL_IDS = _ids(frozenset("aiueo"))
SILENT_IDS = _ids(frozenset({*MARKS - {"…"}, "_"}))
QUESTION_IDS = _ids(frozenset("?"))


def _teachers_name(symbol: str) -> int:
    name = RELATIVES.get(symbol, symbol)
    name = {"q": "cl"}.get(name, name)
    return PHONES.index(name) if name in PHONES else NOTHING


PHONE_OF_ID = np.array([_teachers_name(symbol) for symbol in ID])
VOICELESS_OF_ID = np.array([PHONES.index(PHONES[code].upper()) if PHONES[code] in "aiueo" else code for code in PHONE_OF_ID])


@dataclass(frozen=True)
class Found:
    """What phones and tones do not tell. Per phone: whether an accent phrase begins; whether it is a vowel without voice; codes of words (n, 9).

    The nine codes are part of speech, form and type of inflection of the word before, of its own and of the word after.
    """

    begins: NDArray[np.bool_]
    voiceless: NDArray[np.bool_]
    words: Codes


def word_codes(name: str) -> list[int]:
    """Codes of the three parts of a name as `frontend.Line.words` holds it."""
    return [NOTHING if part in ("", "xx") else ZERO + int(part) for part in (name or "..").split(".")]


def starts_of_moras(phones: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True for spoken phones that follow the end of a mora or a silence."""
    silent, ends = np.isin(phones, SILENT_IDS), np.isin(phones, END_IDS)
    before = np.concatenate([[True], (silent | ends)[:-1]])
    return np.asarray(before & ~silent)


def labels_of(phones: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first phone of each label, and the label of each phone."""
    silent = np.isin(phones, SILENT_IDS)
    opens = ~(silent & np.concatenate([[False], silent[:-1]]))
    return np.flatnonzero(opens), np.cumsum(opens) - 1


def contexts(phones: NDArray[np.int64], tones: NDArray[np.int64], found: Found) -> Codes:
    """Codes (labels, FIELDS) of symbols `phones` with tones 0 or 1."""
    first, label = labels_of(phones)
    spoken = ~np.isin(phones, SILENT_IDS)[first]
    asked = np.bincount(label, np.isin(phones, QUESTION_IDS)) > 0
    names = np.where(found.voiceless[first], VOICELESS_OF_ID[phones[first]], PHONE_OF_ID[phones[first]])
    values = {
        **_of_phones(np.where(spoken, names, PAU), spoken),
        **_of_words(found.words[first], spoken),
        **_of_places(_Places(phones[first], tones[first], found.begins[first], moved(asked, 1), spoken)),
    }
    nothing = np.full(len(first), NOTHING)
    return np.stack([values.get(field, nothing) for field in FIELDS], 1)


def _of_phones(names: Codes, spoken: NDArray[np.bool_]) -> dict[str, Codes]:
    """The phone with two on either side. A nasal after the first silence is heard inside a word, as `teacher.py` has it said."""
    names = names.copy()
    names[[0, -1]] = SIL
    before, after = moved(names, -1), moved(names, 1)
    alone = (before == SIL) & (names == NASAL)
    around = (np.where(alone, OPEN, before), names, np.where(alone & ~moved(spoken, 1), OPEN, after))
    return dict(zip(("p1", "p2", "p3", "p4", "p5"), (moved(names, -2), *around, moved(names, 2)), strict=True))


def _of_words(words: Codes, spoken: NDArray[np.bool_]) -> dict[str, Codes]:
    own = words[:, 3:6] * spoken[:, None]
    before = np.where(spoken[:, None], words[:, :3], moved(own, -1))
    after = np.where(spoken[:, None], words[:, 6:], moved(own, 1))
    return {f"{part}{place + 1}": table[:, place] for part, table in zip("bcd", (before, own, after), strict=True) for place in range(3)}


class _Places:
    """Counts of morae, accent phrases and breath groups of every label."""

    def __init__(self, phones: Codes, tones: Codes, begins: NDArray[np.bool_], asked: NDArray[np.bool_], spoken: NDArray[np.bool_]) -> None:
        self.spoken = spoken.astype(np.int64)
        self.asked = asked * self.spoken
        self.ends = np.isin(phones, END_IDS).astype(np.int64)
        self.high = tones * self.spoken
        self.opening = self.spoken * (1 - moved(self.spoken, -1))
        self.head = np.maximum(self.opening, begins * self.spoken)
        self.phrase, self.group, self.mora = np.cumsum(self.head), np.cumsum(self.opening), np.cumsum(self.ends) - self.ends + 1

    def of_phrase(self, values: Codes, shift: Codes | int = 0) -> Codes:
        """Sum over the phrase `shift` further on."""
        return _sums(values * self.spoken, self.phrase, shift)

    def of_group(self, values: Codes, shift: Codes | int = 0) -> Codes:
        """Sum over the breath group `shift` further on."""
        return _sums(values * self.spoken, self.group, shift)


def _sums(values: Codes, owner: Codes, shift: Codes | int) -> Codes:
    sums = np.zeros(owner[-1] + 2, np.int64)
    np.add.at(sums, owner, values)
    return np.asarray(sums[owner + shift])  # owners count from 1


def _of_places(at: _Places) -> dict[str, Codes]:
    length, peak, lead = at.of_phrase(at.ends), at.of_phrase(at.ends * at.high), at.of_phrase(at.head * (1 - at.high))
    nucleus, question = np.where(peak > 0, peak + lead, length), np.minimum(at.of_phrase(at.asked), 1)
    since_phrase = at.of_phrase(at.head * at.mora)
    count, moras = at.of_group(at.head), at.of_group(at.ends)
    group_phrase, group_mora = at.of_group(at.opening * at.phrase), at.of_group(at.opening * at.mora)
    here, place, mora = at.mora - since_phrase + 1, at.phrase - group_phrase + 1, since_phrase - group_mora + 1
    line = at.spoken * 0 + 1
    groups, phrases, total = at.group[-1] * line, at.phrase[-1] * line, at.ends.sum() * line
    own: Mapping[str, Codes] = {
        "a1": here - nucleus, "a2": here, "a3": length - here + 1,
        "f1": length, "f2": nucleus, "f3": question, "f5": place, "f6": count - place + 1, "f7": mora, "f8": moras - mora + 1,
        "i1": count, "i2": moras, "i3": at.group, "i4": groups - at.group + 1,
        "i5": group_phrase, "i6": phrases - group_phrase + 1, "i7": group_mora, "i8": total - group_mora + 1,
    }  # fmt: skip
    found = {field: _code(value, at.spoken, MOST.get(field, LONGEST)) for field, value in own.items()}
    for part, shift, adjacent in (("e", -at.spoken, place > 1), ("g", line, place < count)):
        exists = at.of_phrase(at.head, shift)
        for number, value in enumerate((length, nucleus, question)):
            found[f"{part}{number + 1}"] = _code(at.of_phrase(at.head * value, shift), exists)
        found[f"{part}5"] = _code(adjacent, exists * at.spoken)
    for part, shift in (("h", -at.spoken), ("j", line)):
        exists = at.of_group(at.opening, shift)
        for field, value in ((f"{part}1", at.head), (f"{part}2", at.ends)):
            found[field] = _code(at.of_group(value, shift), exists, MOST.get(field, LONGEST))
    return found | {name: _code(value, line, MOST.get(name, LONGEST)) for name, value in (("k1", groups), ("k2", phrases), ("k3", total))}


def _code(values: NDArray[np.generic], exists: Codes, most: int = LONGEST) -> Codes:
    return np.where(exists > 0, np.clip(values.astype(np.int64), -LONGEST, most) + ZERO, NOTHING)
