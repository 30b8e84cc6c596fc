"""The one place that calls pyopenjtalk: text to words with their pronunciation, word boundaries, dictionary look-up.

The words of a sentence are put right before their accents are joined. pyopenjtalk's own corrections come later. They could undo ours, so
ours are marked as words of one more user dictionary whose readings are protected; `userdic_reading_protection` says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache, partial
from threading import Lock
from types import ModuleType
from typing import Any

from app.adapters.file_prefetch import wait_for_package
from app.adapters.openjtalk.mecab_features import (
    PRONUNCIATION,
    READING,
    FullFeatureFrontEnd,
    build_columns,
    convert_to_morphs,
    find_known_word,
    narrow_text,
    widen_ascii,
)
from app.adapters.openjtalk.reading_choices import clear_reading_choices
from app.adapters.openjtalk.stub_tsqyomi import install_stub_module
from app.adapters.openjtalk.user_lexicon import build_userdic_arguments, find_built_in_words, find_place_names, load_user_lexicon
from app.adapters.ort_telemetry import import_without_telemetry
from app.common.errors import AppError, InternalError
from app.common.language import localize
from app.core.synthesis_types import LineSentence
from app.core.text.notation.ruby_words import LexiconWord, TextReading, find_ruby_corrections, select_readings
from app.core.text.pronunciation import ReadBy, Word
from app.core.text.readings.morphs import Correction, Morph, SecondWord, add_other_readings, drop_overlaps, is_unsettled
from app.core.text.readings.reading_corrections import find_corrections
from app.core.text.sentence_splitting import split_sentences

_MAX_PIECE_CHARS = 500  # the analyser refuses text beyond 8,192 bytes; far below that its time still grows with the square of the length

_FRONT_END_LOCK = Lock()  # Sudachi's tokenizer is one for all threads; one that reads a file waits for no more than a sentence of another's

_MAX_REWRITTEN_CHARS = 24  # characters the front end may have written another way (numbers) before a word is found again

# The analyser widens ASCII; NFKC takes that back except for these.
_TO_HALF_WIDTH = str.maketrans({"’": "'", "−": "-", "。": ".", "、": ",", "”": "'", "“": "'", "‘": "'", "￥": "円"})
# What the front end cannot pronounce it hands back as it is: marks, and emoji that share a word with a rare kanji.
_NOT_KANA = re.compile("[^ァ-ヺー]")

_END_MARKS = ".!?．！？"
# What continues with a particle is no sentence of its own: うそ！と叫んだ, モーニング娘。は人気です.
_GOES_ON = r"って|を|とい[うっわえ]|とか|と(?=[一-龠々])|の(?=[一-龠々ァ-ヶ])|[はへがに](?=[一-龠々ァ-ヶ])|で(?![もはす])(?=[一-龠々])"
# A sentence has its own reading, whatever is before it; points in a row end none.
_SENTENCE = re.compile(rf"(?:[^.!?．！？]++|[.．]{{2,}}|[.!?．！？]+(?=[0-9A-Za-z]|{_GOES_ON}))+[.!?．！？]*|[.!?．！？]+")
_MARKS_AT_END = frozenset(f"{_END_MARKS}'")
_LEADING_MARKS = re.compile(r"[.'’…]+")
_OPENING_QUOTE = re.compile(r"'(?=[^.!?',])(?!と|って|が|を|に|は|の|も|で|から|な|だ|さん|くん)")
_OWN_DICTIONARIES = 1  # dictionaries beyond those of the user
Corrections = Callable[[Sequence[Morph]], list[Correction]]


def load_pyopenjtalk() -> ModuleType:
    """Import pyopenjtalk (0.15 s the first time); raise InternalError if the installation is broken."""
    install_stub_module()
    try:
        # Pyopenjtalk opens two graphs as it is imported.
        import_without_telemetry()
        import pyopenjtalk
    except (ImportError, OSError) as exc:
        raise InternalError(
            localize(
                "日本語の読みの推定に使う pyopenjtalk を読み込めません。",
                "pyopenjtalk, which determines how Japanese text is read, could not be loaded.",
            ),
            localize("Koebako を再インストールしてください。", "Reinstall Koebako."),
        ) from exc
    module: ModuleType = pyopenjtalk
    return module


@cache
def _open_front_end() -> FullFeatureFrontEnd:
    """Return the front end with its dictionary and the user's, opened once; raise InternalError if one of them does not open, or InputError."""
    module = load_pyopenjtalk()
    own = load_user_lexicon().file
    try:
        return FullFeatureFrontEnd(module.OpenJTalk(dn_mecab=module.OPEN_JTALK_DICT_DIR, **(build_userdic_arguments(own) if own else {})))
    except (RuntimeError, ValueError) as exc:
        raise InternalError(
            localize(f"読みの辞書を開けません。詳細: {exc}", f"The pronunciation dictionary could not be opened. Details: {exc}"),
            localize(f"ユーザー辞書: {own}", f"The user dictionary: {own}")
            if own
            else localize("Koebako を再インストールしてください。", "Reinstall Koebako."),
        ) from exc


def forget_user_lexicon() -> None:
    """Forget the opened lexicon after the user's dictionary or the reading settings have changed, so that the next call uses the new ones."""
    for remembered in (load_user_lexicon, _open_front_end, find_pronunciation, find_known_word, find_spelled_readings, find_all_readings):
        remembered.cache_clear()
    clear_reading_choices()


def parse_words(text: str, *, doubts: bool = False, readings: Sequence[TextReading] = ()) -> list[Word]:
    """Return words of normalised text of any length, with the readings given in it; with `doubts`, also the second analyser's other readings."""
    pieces = list(_cut_sentences(text))
    if len(pieces) == 1:
        return _parse_piece(text, tuple(readings), doubts)
    read_pieces = [(piece.text, select_readings(readings, piece)) for piece in pieces]
    # A text that is long mostly repeats itself.
    words = {piece: _parse_piece(*piece, doubts) for piece in dict.fromkeys(read_pieces)}
    return [word for piece in read_pieces for word in words[piece]]


def _cut_sentences(text: str) -> Iterator[LineSentence]:
    for index, match in enumerate(_SENTENCE.finditer(text)):
        sentence = match.group()
        pieces = (
            split_sentences(sentence, limit=_MAX_PIECE_CHARS) if len(sentence) > _MAX_PIECE_CHARS else (LineSentence(index, sentence, 0),)
        )
        yield from (LineSentence(index, piece.text, match.start() + piece.start) for piece in pieces)


def _parse_piece(text: str, readings: Sequence[TextReading], doubts: bool) -> list[Word]:
    with _FRONT_END_LOCK:
        return _parse_piece_locked(text, readings, doubts)


def _parse_piece_locked(text: str, readings: Sequence[TextReading], doubts: bool) -> list[Word]:
    run_frontend = load_pyopenjtalk().run_frontend
    try:
        features, sentence = _run_front_end(run_frontend, text, readings)
    except AppError:
        raise
    except Exception as exc:  # the binding raises whatever its C and Python parts happen to raise
        raise InternalError(
            localize("この文の読みを推定できませんでした。", "The reading of this sentence could not be determined."),
            localize("文を短く分けるか、特殊な文字を削除してください。", "Split the sentence, or remove unusual characters."),
        ) from exc
    words, place = [], 0
    for feature in features:
        surface = narrow_text(str(feature["string"]))
        start = sentence.text.find(surface, place, place + len(surface) + _MAX_REWRITTEN_CHARS)
        place = start + len(surface) if start >= 0 else place
        is_rewritten = feature.get("is_reading_rewritten") is True
        words.append(_build_word(feature, *sentence.find_reading_source(place - len(surface), place, rewritten=is_rewritten)))
    if not doubts or not any(is_unsettled(word) for word in words):
        return words
    return add_other_readings(words, find_sudachi_words("".join(word.surface for word in words)))


def _parse_sentence(front_end: FullFeatureFrontEnd, text: str) -> tuple[list[str], list[dict[str, Any]]]:
    """Analyse a sentence with a full stop, so that it is read alike with one and without, and its quotation as if it began there."""
    features, morphs, begin = list[str](), list[dict[str, Any]](), 0
    for end in (*_find_speech_starts(text), len(text)):
        is_marked = text[end - 1] in _MARKS_AT_END
        found, rows = front_end.run_mecab_detailed(text[begin:end] if is_marked else text[begin:end] + _END_MARKS[0])
        features += found if is_marked else found[:-1]
        for row in rows if is_marked else rows[:-1]:
            row_start, row_end = row["char_span"]
            morphs.append(row | {"char_span": (begin + row_start, begin + row_end)} if begin else row)
        begin = end
    return features, morphs


def _find_speech_starts(text: str) -> Iterator[int]:
    """Yield where speech begins behind dots at the start of a text or a quotation mark that opens: there a word is read as at the start."""
    if (lead := _LEADING_MARKS.match(text)) is not None and lead.end() < len(text):
        yield lead.end()
    for opening in _OPENING_QUOTE.finditer(text, lead.end() if lead is not None else 0):
        if text.count("'", 0, opening.start()) % 2 == 0:
            yield opening.end()


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
            self._analysed[text] = self._apply_corrections(*_parse_sentence(self._front_end, text))
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


def _run_front_end(
    run_frontend: Callable[..., list[dict[str, Any]]], text: str, readings: Sequence[TextReading]
) -> tuple[list[dict[str, Any]], SentenceFrontEnd]:
    """Return what the front end says of each word. Homographs and rare kanji ask Sudachi, whose dictionary is a package of its own."""
    wait_for_package("sudachidict_core")
    spoken = [replace(one, start=_count_letters(text[: one.start]), end=_count_letters(text[: one.end])) for one in readings]
    sentence = SentenceFrontEnd(_open_front_end(), partial(_find_corrections, readings=spoken))
    sentence.prepare_text(text)
    for options in ({}, {"use_sudachi_kanji_yomi": False}):
        with suppress(ModuleNotFoundError):
            return run_frontend(text, jtalk=sentence, **options), sentence
    # Reads nearly everything, and needs nothing else.
    return run_frontend(text, jtalk=sentence, use_vanilla=True), sentence


def _find_corrections(morphs: Sequence[Morph], readings: Sequence[TextReading]) -> list[Correction]:
    """Return corrections; the readings in the text itself win, also against the user's dictionary."""
    found = find_corrections(morphs, find_built_in_words(), find_place_names(), find_sudachi_words)
    return drop_overlaps([*find_ruby_corrections(morphs, readings, create_lexicon()), *found]) if readings else found


def create_lexicon() -> FrontEndLexicon:
    """Return the words that the front end knows."""
    return FrontEndLexicon(_open_front_end(), lambda text: _run_front_end(load_pyopenjtalk().run_frontend, text, ())[0])


def _count_letters(text: str) -> int:
    """Count the letters of a text as the analyser does: its words have no spaces."""
    return len(text) - text.count(" ")


@lru_cache(maxsize=4096)
def find_spelled_readings(word: str) -> frozenset[str]:
    """Return all readings, as they are spelled, that the analyser's dictionary has for a word."""
    with _FRONT_END_LOCK:
        return frozenset(known.spelled for known in create_lexicon().find_words(word))


@lru_cache(maxsize=4096)
def find_all_readings(word: str) -> frozenset[str]:
    """Return all readings of the analyser's dictionary and of Sudachi's, if that is installed."""
    known = find_spelled_readings(word)
    with _FRONT_END_LOCK:
        second = _open_sudachi_dictionary()
        return known if second is None else known.union(found.reading_form() for found in second.lookup(word))


@cache
def _open_sudachi_dictionary() -> Any:
    wait_for_package("sudachidict_core")
    try:
        return load_pyopenjtalk().utils.dictionary.Dictionary()
    except ModuleNotFoundError:
        return None


# It is asked for corrections and for doubts.
@lru_cache(maxsize=16)
def find_sudachi_words(text: str) -> tuple[SecondWord, ...]:
    """Return the longest words of Sudachi; none if its dictionary is missing."""
    utils = load_pyopenjtalk().utils
    try:
        tokenizer = utils.get_sudachi_tokenizer()
    except ModuleNotFoundError:
        return ()
    mode = utils.tokenizer.Tokenizer.SplitMode.C
    return tuple(SecondWord(word.surface(), word.reading_form(), word.begin()) for word in tokenizer.tokenize(text, mode))


def _build_word(feature: dict[str, Any], read_by: ReadBy, name: str) -> Word:
    return Word(
        surface=unicodedata.normalize("NFKC", str(feature["string"]).translate(_TO_HALF_WIDTH)).replace(" ", ""),
        # And ’, which marks a devoiced vowel: SBV2 has no such phones.
        pronunciation=_NOT_KANA.sub("", str(feature["pron"])),
        accent=int(feature["acc"]),
        is_joined=feature["chain_flag"] == 1,
        kind=(str(feature["pos"]), str(feature["pos_group1"])),
        read_by=read_by,
        name=name,
    )


@lru_cache(maxsize=4096)
def find_pronunciation(word: str) -> str | None:
    """Return the pronunciation of a Latin word if the dictionary holds it as one word, else None."""
    try:
        _, morphs = load_pyopenjtalk().run_mecab_detailed(word, jtalk=_open_front_end())
    except RuntimeError:  # too long to be a word
        return None
    if len(morphs) != 1 or morphs[0]["is_unknown"] or len(morphs[0]["features"]) < 9:
        return None
    return str(morphs[0]["features"][8]).replace("’", "")


def split_at_words(text: str) -> list[str]:
    """Split raw text at word boundaries; the pieces joined are `text`. Each character that the analyser would change or drop is one."""
    # One plain character for each of the text's, so that positions in both are the same.
    narrow = (unicodedata.normalize("NFKC", char) for char in text)
    plain = "".join(
        char if len(char) == 1 and char.isalnum() and len(char.encode("utf-8", "replace")) in (1, 3) else "、" for char in narrow
    )
    pieces: list[str] = []
    start = 0
    for piece in split_sentences(plain, limit=_MAX_PIECE_CHARS):
        for length in _measure_morphs(piece.text):
            pieces.append(text[start : start + length])
            start += length
    return pieces


def _measure_morphs(plain: str) -> list[int]:
    try:
        _, morphs = load_pyopenjtalk().run_mecab_detailed(plain, jtalk=_open_front_end())
    except RuntimeError:
        return [1] * len(plain)
    lengths = [len(morph["surface"]) for morph in morphs]
    return lengths if sum(lengths) == len(plain) else [1] * len(plain)


class FrontEndLexicon:
    """The dictionaries' knowledge of single words: implements `app.core.text.notation.ruby_words.Lexicon`; like the front end, it serves one thread at a time.

    Args:
        features: of the words of a text, as the front end and all corrections have them.
    """

    def __init__(self, front_end: FullFeatureFrontEnd, features: Callable[[str], Sequence[Mapping[str, Any]]]) -> None:
        self._front_end, self._features = front_end, features

    def find_words(self, surface: str) -> list[LexiconWord]:
        written = widen_ascii(surface)
        nodes = self._front_end.analyze_mecab_candidates(written, ((0, len(written)),))["nodes"] if written else ()
        fitting = [node for node in nodes if node["surface"] == written and not node["is_unknown"]]
        rows = [(node["feature"].split(","), node["word_cost"]) for node in fitting]
        return [LexiconWord(row[READING], row[PRONUNCIATION].replace("’", ""), ",".join(row[1:4]), cost) for row, cost in rows]

    def split_morphs(self, text: str) -> list[Morph]:
        return convert_to_morphs([morph for morph in _parse_sentence(self._front_end, text)[1] if not morph["is_ignored"]], 0)

    def compute_accent(self, kana: str) -> int:
        words = self._features(kana)
        if not words or any(word["chain_flag"] == 0 for word in words[1:]):
            return 0
        return int(words[0]["acc"])
