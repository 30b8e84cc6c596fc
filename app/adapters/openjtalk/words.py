"""The one place that calls pyopenjtalk: text to words with their pronunciation, word boundaries, dictionary look-up."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache, partial
from threading import Lock
from types import ModuleType
from typing import Any

from app.adapters.openjtalk.choices import forget_choices
from app.adapters.openjtalk.dictionary import as_userdic, taught_words
from app.adapters.openjtalk.features import FullFeatures
from app.adapters.openjtalk.own_words import own_words
from app.adapters.openjtalk.rows import known_word, narrow
from app.adapters.openjtalk.ruby import FrontEndLexicon
from app.adapters.openjtalk.sentence import SentenceFrontEnd
from app.adapters.openjtalk.unused_parts import leave_out_unused
from app.adapters.prefetch import wait_for
from app.adapters.telemetry import import_unreported
from app.core.notation.ruby_words import Reading, readings_within, ruby_corrections
from app.core.readings.correct import corrections
from app.core.readings.morphs import Correction, Morph, without_overlaps
from app.core.readings.second import SecondWord, is_open, with_others
from app.core.sentences import split_sentences
from app.core.words import ReadBy, Word
from app.errors import AppError, InternalError
from app.language import localized

# The analyser refuses text beyond 8,192 bytes; far below that its time still grows with the square of the length.
_LONGEST = 500

_ONE_AT_A_TIME = Lock()  # Sudachi's tokenizer is one for all threads; one that reads a file waits for no more than a sentence of another's

_REWRITTEN = 24  # characters the front end may have written another way (numbers) before a word is found again

# The analyser widens ASCII; NFKC takes that back except for these.
_NARROW = str.maketrans({"’": "'", "−": "-", "。": ".", "、": ",", "”": "'", "“": "'", "‘": "'", "￥": "円"})
# What the front end cannot pronounce it hands back as it is: marks, and emoji that share a word with a rare kanji.
_NOT_KANA = re.compile("[^ァ-ヺー]")


def load() -> ModuleType:
    """Imports pyopenjtalk (0.15 s the first time); an InternalError says that the installation is broken."""
    leave_out_unused()
    try:
        import_unreported()  # pyopenjtalk opens two graphs as it is imported
        import pyopenjtalk
    except (ImportError, OSError) as exc:
        raise InternalError(
            localized(
                "日本語の読みの推定に使う pyopenjtalk を読み込めません。",
                "pyopenjtalk, which determines how Japanese text is read, could not be loaded.",
            ),
            localized("Koebako を再インストールしてください。", "Reinstall Koebako."),
        ) from exc
    module: ModuleType = pyopenjtalk
    return module


@cache
def _front_end() -> FullFeatures:
    """The front end with its dictionary and the user's, opened once. Raises InternalError where one of them does not open, InputError."""
    module = load()
    own = taught_words().file
    try:
        return FullFeatures(module.OpenJTalk(dn_mecab=module.OPEN_JTALK_DICT_DIR, **(as_userdic(own) if own else {})))
    except (RuntimeError, ValueError) as exc:
        raise InternalError(
            localized(f"読みの辞書を開けません。詳細: {exc}", f"The pronunciation dictionary could not be opened. Details: {exc}"),
            localized(f"ユーザー辞書: {own}", f"The user dictionary: {own}")
            if own
            else localized("Koebako を再インストールしてください。", "Reinstall Koebako."),
        ) from exc


def forget_taught_words() -> None:
    """The user's dictionary, or how text is to be read, has changed: whatever is asked next is asked with the new one."""
    for remembered in (taught_words, _front_end, lookup, known_word, spelled_readings, all_readings):
        remembered.cache_clear()
    forget_choices()


def analyse(text: str, *, doubts: bool = False, readings: Sequence[Reading] = ()) -> list[Word]:
    """Words of normalised text of any length, with readings that are given in it; with `doubts`, also what the second analyser reads otherwise."""
    if len(text) <= _LONGEST:
        return _analyse_piece(text, tuple(readings), doubts)
    pieces = [(piece.text, readings_within(readings, piece)) for piece in split_sentences(text, limit=_LONGEST)]
    words = {piece: _analyse_piece(*piece, doubts) for piece in dict.fromkeys(pieces)}  # a text that is long mostly repeats itself
    return [word for piece in pieces for word in words[piece]]


def _analyse_piece(text: str, readings: Sequence[Reading], doubts: bool) -> list[Word]:
    with _ONE_AT_A_TIME:
        return _analysed(text, readings, doubts)


def _analysed(text: str, readings: Sequence[Reading], doubts: bool) -> list[Word]:
    run_frontend = load().run_frontend
    try:
        features, sentence = _features(run_frontend, text, readings)
    except AppError:
        raise
    except Exception as exc:  # the binding raises whatever its C and Python parts happen to raise
        raise InternalError(
            localized("この文の読みを推定できませんでした。", "The reading of this sentence could not be determined."),
            localized("文を短く分けるか、特殊な文字を削除してください。", "Split the sentence, or remove unusual characters."),
        ) from exc
    words, place = [], 0
    for feature in features:
        surface = narrow(str(feature["string"]))
        found = sentence.text.find(surface, place, place + len(surface) + _REWRITTEN)
        place = found + len(surface) if found >= 0 else place
        words.append(_word(feature, *sentence.read_by(place - len(surface), place, rewritten=feature.get("is_reading_rewritten") is True)))
    return _with_second_opinion(words) if doubts else words


def _with_second_opinion(words: list[Word]) -> list[Word]:
    if not any(is_open(word) for word in words):
        return words
    return with_others(words, second_words("".join(word.surface for word in words)))


def _features(
    run_frontend: Callable[..., list[dict[str, Any]]], text: str, readings: Sequence[Reading]
) -> tuple[list[dict[str, Any]], SentenceFrontEnd]:
    """What the front end says of each word. Homographs and rare kanji ask Sudachi, whose dictionary is a package of its own."""
    wait_for("sudachidict_core")
    spoken = [replace(one, start=_letters(text[: one.start]), end=_letters(text[: one.end])) for one in readings]
    sentence = SentenceFrontEnd(_front_end(), partial(_corrections, readings=spoken))
    sentence.prepare(text)
    for options in ({}, {"use_sudachi_kanji_yomi": False}):
        with suppress(ModuleNotFoundError):
            return run_frontend(text, jtalk=sentence, **options), sentence
    return run_frontend(text, jtalk=sentence, use_vanilla=True), sentence  # reads nearly everything, and needs nothing else


def _corrections(morphs: Sequence[Morph], readings: Sequence[Reading]) -> list[Correction]:
    """The readings of the text itself win, also against the user's dictionary."""
    found = corrections(morphs, own_words(), second_words)
    return without_overlaps([*ruby_corrections(morphs, readings, _lexicon()), *found]) if readings else found


def _lexicon() -> FrontEndLexicon:
    return FrontEndLexicon(_front_end(), lambda text: _features(load().run_frontend, text, ())[0])


def _letters(text: str) -> int:
    """Letters of a text as the analyser counts them: its words have no spaces."""
    return len(text) - text.count(" ")


@lru_cache(maxsize=4096)
def spelled_readings(word: str) -> frozenset[str]:
    """All readings, as they are spelled, that the analyser's dictionary has for a word."""
    with _ONE_AT_A_TIME:
        return frozenset(known.spelled for known in _lexicon().known(word))


@lru_cache(maxsize=4096)
def all_readings(word: str) -> frozenset[str]:
    """The same with those of Sudachi's dictionary, where it is there."""
    known = spelled_readings(word)
    with _ONE_AT_A_TIME:
        second = _second_dictionary()
        return known if second is None else known.union(found.reading_form() for found in second.lookup(word))


@cache
def _second_dictionary() -> Any:
    """Sudachi's dictionary, to look words up; None where it is missing."""
    wait_for("sudachidict_core")
    try:
        return load().utils.dictionary.Dictionary()
    except ModuleNotFoundError:
        return None


@lru_cache(maxsize=16)  # it is asked for corrections and for doubts
def second_words(text: str) -> tuple[SecondWord, ...]:
    """Words of Sudachi, the longest; none where its dictionary is missing."""
    utils = load().utils
    try:
        tokenizer = utils.get_sudachi_tokenizer()
    except ModuleNotFoundError:
        return ()
    mode = utils.tokenizer.Tokenizer.SplitMode.C
    return tuple(SecondWord(word.surface(), word.reading_form(), word.begin()) for word in tokenizer.tokenize(text, mode))


def _word(feature: dict[str, Any], read_by: ReadBy, name: str) -> Word:
    return Word(
        surface=unicodedata.normalize("NFKC", str(feature["string"]).translate(_NARROW)).replace(" ", ""),
        pronunciation=_NOT_KANA.sub("", str(feature["pron"])),  # and ’, which marks a devoiced vowel: SBV2 has no such phones
        accent=int(feature["acc"]),
        joined=feature["chain_flag"] == 1,
        kind=(str(feature["pos"]), str(feature["pos_group1"])),
        read_by=read_by,
        name=name,
    )


@lru_cache(maxsize=4096)
def lookup(word: str) -> str | None:
    """Pronunciation of a Latin word if the dictionary holds it as one word, else None."""
    try:
        _, morphs = load().run_mecab_detailed(word, jtalk=_front_end())
    except RuntimeError:  # too long to be a word
        return None
    if len(morphs) != 1 or morphs[0]["is_unknown"] or len(morphs[0]["features"]) < 9:
        return None
    return str(morphs[0]["features"][8]).replace("’", "")


def cut(text: str) -> list[str]:
    """Raw text at word boundaries; pieces joined are `text`. Characters the analyser would change or drop stand alone."""
    # One plain character for each of the text's, so that positions in both are the same.
    plain = "".join(_plain(char) for char in text)
    pieces: list[str] = []
    start = 0
    for piece in split_sentences(plain, limit=_LONGEST):
        for length in _morph_lengths(piece.text):
            pieces.append(text[start : start + length])
            start += length
    return pieces


def _plain(char: str) -> str:
    narrow = unicodedata.normalize("NFKC", char)
    return narrow if len(narrow) == 1 and narrow.isalnum() and len(narrow.encode("utf-8", "replace")) in (1, 3) else "、"


def _morph_lengths(plain: str) -> list[int]:
    try:
        _, morphs = load().run_mecab_detailed(plain, jtalk=_front_end())
    except RuntimeError:
        return [1] * len(plain)
    lengths = [len(morph["surface"]) for morph in morphs]
    return lengths if sum(lengths) == len(plain) else [1] * len(plain)
