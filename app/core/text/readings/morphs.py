"""Words as the analyser finds them, before their accents are joined, how some of them are to be read, and a second analyser's readings of them.

Those are taken over for a white list of words that it knows better, and shown as a doubt for others.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.core.text.pronunciation import Word

CorrectionSource = Literal["rule", "dictionary", "second", "ruby"]


@dataclass(frozen=True, slots=True)
class Morph:
    """One word of the analyser."""

    surface: str  # surface, base: as written and its base form, NFKC
    base: str
    kinds: tuple[str, ...]  # part of speech and its subdivisions, kind and form of conjugation, as the dictionary names them
    reading: str  # katakana, long vowels as ー; empty for marks
    start: int = 0  # characters of the text before it
    is_users: bool = False  # the user's dictionary has it, so nobody may read it otherwise

    @property
    def end(self) -> int:
        """Return the characters of the text up to the end of the morph."""
        return self.start + len(self.surface)


@dataclass(frozen=True, slots=True)
class MorphPart:
    """A word that takes the place of others."""

    surface: str
    reading: str | None = None  # katakana; None is what the analyser's dictionary has for the surface
    accent: int | None = None  # mora after which the pitch falls, 0 = never; None is what the dictionary has for surface and reading
    # As `app.core.text.dictionary_entries` names it, or adverb, of a word that the analyser's dictionary need not have; otherwise the word
    # is looked up there, sooner as this part of speech (名詞,一般) or, where it is empty, as what the analyser took it for.
    kind: str = ""
    # How the accent of a noun right before it changes, by Open JTalk's rules: the pitch falls at its own accent (C1), behind its
    # first mora (C2), right before it (C3) or nowhere (C4); empty is as without it. Only for words of one of these kinds.
    joining: str = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """Words [first, last) of a sentence are these parts instead; `name` is the rule, entry or word of the white list, or the ruby."""

    first: int
    last: int
    parts: tuple[MorphPart, ...]
    source: CorrectionSource
    name: str


def drop_overlaps(corrections: Sequence[Correction]) -> list[Correction]:
    """Return corrections in order, none overlapping; of two the earlier one wins."""
    separate: list[Correction] = []
    for correction in corrections:
        if all(correction.last <= other.first or correction.first >= other.last for other in separate):
            separate.append(correction)
    return sorted(separate, key=lambda correction: correction.first)


_VOWEL_ROWS = {"オ": "オコソトノホモヨロゴゾドボポョ", "エ": "エケセテネヘメレゲゼデベペ", "ウ": "ウクスツヌフムユルグズブプュ"}
_LONG_VOWEL_PAIRS = {("オ", "ウ"), ("エ", "イ"), ("ウ", "ウ")}
_VOWEL_BY_KANA = {kana: vowel for vowel, row in _VOWEL_ROWS.items() for kana in row}
_KATAKANA_RUN = re.compile("[ァ-ヴー]+")
_LONG_VOWEL = re.compile(
    "(?<=[アカサタナハマヤラワガザダバパャ])ア|(?<=[イキシチニヒミリギジビピ])イ|(?<=[オコソトノホモヨロゴゾドボポョ])[オウ]|(?<=[エケセテネヘメレゲゼデベペ])[エイ]|(?<=[ウクスツヌフムユルグズブプュ])ウ"
)
_KANJI_IN_WORD = re.compile("[一-龠々]")
_SETTLED_SOURCES = frozenset(("user", "ruby", "rule", "dictionary", "second"))
_UNDOUBTED_KINDS = frozenset(("数", "助数詞", "接尾", "接頭詞"))  # numbers join with what they count, which the second analyser does not do
# Both are right everywhere, and the first analyser's is the usual one.
_INTERCHANGEABLE_WORDS = frozenset("多 得る 私 何 日本 言う 明日 四 七 九 一 十 家 他 方 人 後 時 本".split())  # noqa: SIM905
_UNVOICED_KANA = str.maketrans(
    "ガギグゲゴザジズゼゾダヂヅデドバビブベボパピプペポッ", "カキクケコサシスセソタチツテトハヒフヘホハヒフヘホツ"
)


@dataclass(frozen=True, slots=True)
class SecondWord:
    """A word of the second analyser: as written, its reading in kana, its place in the text."""

    surface: str
    reading: str
    start: int

    @property
    def end(self) -> int:
        """Return where the word ends in the text."""
        return self.start + len(self.surface)


def convert_to_pronunciation(reading: str) -> str:
    """Return a reading as it sounds within a word: コウエン → コーエン."""
    sound = ""
    for kana in reading:
        lengthens = bool(sound) and (_VOWEL_BY_KANA.get(sound[-1], ""), kana) in _LONG_VOWEL_PAIRS
        sound += "ー" if lengthens else kana
    return sound.replace("ヅ", "ズ").replace("ヂ", "ジ")


def has_listed_word(morphs: Sequence[Morph], text: str, white: frozenset[str]) -> bool:
    """Return whether a sentence may contain a word of the white list."""
    return any(morph.base in white for morph in morphs) or any(word in text for word in white)


def find_listed_words(morphs: Sequence[Morph], second: Sequence[SecondWord], white: frozenset[str]) -> Iterator[Correction]:
    """Yield words of the white list whose ends are ends of words in both analyses; also those that the first analyser divides (半七, 三四郎)."""
    first_at = {morph.start: at for at, morph in enumerate(morphs)}
    last_at = {morph.end: at + 1 for at, morph in enumerate(morphs)}
    for word in second:
        first, last = first_at.get(word.start), last_at.get(word.end)
        if first is None or last is None or not word.reading:
            continue
        is_divided = last - first > 1
        if word.surface not in white and (is_divided or morphs[first].base not in white):
            continue
        reading = convert_to_pronunciation(word.reading)
        if is_divided or reading != morphs[first].reading:  # numbers in divided words are read later: 半七 would be ハンナナ
            part = MorphPart(word.surface, reading, 0, "proper_noun") if is_divided else MorphPart(word.surface, reading)
            yield Correction(first, last, (part,), "second", word.surface)


_LONGEST_GIVEN_NAME = 3


def has_divided_name(morphs: Sequence[Morph]) -> bool:
    """Return whether the analyser divides what may be a given name behind a surname: 佐藤|遼|司."""
    return any("姓" in morph.kinds and _find_name_end(morphs, at) for at, morph in enumerate(morphs))


def find_divided_names(morphs: Sequence[Morph], second: Sequence[SecondWord]) -> Iterator[Correction]:
    """Yield given names that are one word to the second analyser alone."""
    words = {(word.start, word.end): word for word in second}
    for at in range(len(morphs)):
        last = _find_name_end(morphs, at)
        word = words.get((morphs[at].end, morphs[last - 1].end)) if last else None
        if word is None or not word.reading or word.reading == word.surface:
            continue
        reading = convert_to_pronunciation(word.reading)
        if reading != "".join(morph.reading for morph in morphs[at + 1 : last]):
            yield Correction(at + 1, last, (MorphPart(word.surface, reading, kind="名詞,固有名詞,人名,名"),), "second", word.surface)


def _find_name_end(morphs: Sequence[Morph], surname: int) -> int:
    """Return the end of the kanji behind a surname, if they are several words and short enough for a given name; else 0."""
    if "姓" not in morphs[surname].kinds:
        return 0
    last = surname + 1
    while last < len(morphs) and _ALL_KANJI.fullmatch(morphs[last].surface):
        last += 1
    length = morphs[last - 1].end - morphs[surname].end
    return last if last - surname > 2 and length <= _LONGEST_GIVEN_NAME else 0


_ALL_KANJI = re.compile("[一-龠々]+")
_KANJI_END = re.compile("[一-龠々ヶ][がか]?$")
_TE_FORMS = {"て": "助詞,接続助詞", "で": "助詞,接続助詞", "た": "助動詞", "だ": "助動詞"}
_VERB_RESTS = frozenset(("って", "ん", "いで"))
_TE_FORM_STEMS = ("っ", "い", "ん")
_NOT_DIVIDED = frozenset(("味っ", "殺っ"))  # 味って何


def has_divided_verb(morphs: Sequence[Morph]) -> bool:
    """Return whether the analyser may have cut a verb in the middle of its て form, as it does before a full stop: 笑|って."""
    return any(morph.surface in _VERB_RESTS and at and _may_be_divided(morphs, at) for at, morph in enumerate(morphs))


def find_divided_verbs(morphs: Sequence[Morph], second: Sequence[SecondWord]) -> Iterator[Correction]:
    """Yield what the second analyser has in place of 笑|って, 日切|って, 急|いで|た and 組|ん|で, from one common end of words to the next."""
    starts, ends = {morph.start: at for at, morph in enumerate(morphs)}, {morph.end: at + 1 for at, morph in enumerate(morphs)}
    for at in range(1, len(morphs)):
        if morphs[at].surface not in _VERB_RESTS or not _may_be_divided(morphs, at):
            continue
        verb = next((word for word in second if word.start < morphs[at].start < word.end), None)
        if verb is None or not verb.surface.endswith(_TE_FORM_STEMS) or verb.surface in _NOT_DIVIDED:
            continue
        first, last = second.index(verb), second.index(verb) + 1
        while first and second[first].start not in starts:
            first -= 1
        while last < len(second) and second[last - 1].end not in ends:
            last += 1
        if second[first].start in starts and (end := second[last - 1].end) in ends:
            parts = tuple(_build_second_part(word, is_verb=word is verb) for word in second[first:last])
            yield Correction(starts[second[first].start], ends[end], parts, "second", verb.surface)


def _may_be_divided(morphs: Sequence[Morph], index: int) -> bool:
    before, morph = morphs[index - 1], morphs[index]
    if morph.surface == "って":
        two_before = "".join(word.surface for word in morphs[max(0, index - 2) : index])
        return "終助詞" in morph.kinds and _KANJI_END.search(two_before) is not None
    if morph.surface == "ん":
        return "名詞" in before.kinds and _KANJI_END.search(before.surface) is not None and morphs[index + 1 : index + 2] != []
    return morph.surface == "いで" and "動詞" in morph.kinds and _KANJI_END.search(before.surface) is not None


def _build_second_part(word: SecondWord, *, is_verb: bool) -> MorphPart:
    if not is_verb:
        return MorphPart(word.surface, convert_to_pronunciation(word.reading), kind=_TE_FORMS.get(word.surface, ""))
    stem = convert_to_pronunciation(word.reading[:-1]).replace("トオ", "トー").replace("コオ", "コー")  # 通っ and 凍っ, but 装っ
    return MorphPart(word.surface, stem + word.reading[-1:], kind="動詞,自立")  # 防い: フセイ


def is_unsettled(word: Word) -> bool:
    """Return whether a second opinion on a word says anything: it has kanji, and neither the user nor a rule has settled its reading."""
    return (
        word.read_by not in _SETTLED_SOURCES
        and word.surface not in _INTERCHANGEABLE_WORDS
        and _UNDOUBTED_KINDS.isdisjoint(word.kind)
        and _KANJI_IN_WORD.search(word.surface) is not None
    )


def add_other_readings(words: Sequence[Word], second: Sequence[SecondWord]) -> list[Word]:
    """Return the words with the second analyser's other readings, if its words have the same ends."""
    readings = {(word.start, len(word.surface)): convert_to_pronunciation(word.reading) for word in second}
    result, start = [], 0
    for word in words:
        other_reading = readings.get((start, len(word.surface)), "") if is_unsettled(word) else ""
        start += len(word.surface)
        differs = _KATAKANA_RUN.fullmatch(other_reading) is not None and _fold_reading(other_reading) != _fold_reading(word.pronunciation)
        result.append(replace(word, other_reading=other_reading) if differs else word)
    return result


def _fold_reading(reading: str) -> str:
    return _LONG_VOWEL.sub("ー", reading).translate(_UNVOICED_KANA)
