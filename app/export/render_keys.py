"""Keys that say whether a file would come out the same: one of what is spoken and by whom, one of the bytes as well."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from app.core.script.line_requests import choose_known_name
from app.core.script.script import CAST_FIELDS, Line
from app.core.script.script_data import convert_line_to_data
from app.core.text.dictionary_entries import DictionaryEntry
from app.core.text.dictionary_formats import convert_entries_to_data
from app.core.text.normalise import normalise_text
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings

DIGEST_BYTES = 16
# They have no part in the sound: who speaks is in the key by the voice's content, and the seed by its value.
_LEFT_OUT_SETTINGS = (*CAST_FIELDS, "seed_locked")
# Everything else counts, also what a later version adds to lines: a file too many is rendered, and never one too few.
_LEFT_OUT_OF_LINES = ("id", "character")
# What names the character beside a sound.
_NAMING_SIDECARS = frozenset({"json", "ass"})


@dataclass(frozen=True, slots=True)
class VoiceFacts:
    """A voice as it is opened here.

    Attributes:
        fingerprint: of all that it brings to samples and credits.
        speakers, styles: names, in the order of the voice.
    """

    fingerprint: str
    speakers: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()


@dataclass(frozen=True)
class SoundConditions:
    """The conditions under which every line of an export is spoken, beside the line itself.

    Attributes:
        program: the version of the program and the choices about reading that hold for every text.
        voices: by the id that lines have; none that cannot speak.
        words: of the project, before those of the user; a word of the first hides its like in the second.
    """

    program: tuple[str, ...]
    voices: Mapping[str, VoiceFacts]
    words: tuple[DictionaryEntry, ...] = ()

    @cached_property
    def _kanji_by_word(self) -> tuple[tuple[DictionaryEntry, frozenset[str]], ...]:
        return tuple((word, frozenset(filter(_is_kanji, word.surface))) for word in self.words)

    def select_words(self, text: str) -> list[DictionaryEntry]:
        """Return the words that may shape the reading of a text: those whose kanji all occur in it, as it is written or as it is read."""
        if not self.words:
            return []
        letters = _collect_letters(text)
        return [word for word, kanji in self._kanji_by_word if kanji <= letters]


def compute_sound_key(item: PlannedFile, conditions: SoundConditions) -> str:
    """Return a key of all that shapes the samples of a file before they get its form: equal keys, equal samples."""
    return _hash_data([conditions.program, [_describe_line(line, conditions) for line in item.lines]])


def compute_file_key(item: PlannedFile, sound_key: str, settings: ExportSettings, gain_db: float | None = None) -> str:
    """Return a key of all that shapes the bytes of a file and of those beside it, but for their names."""
    beside = sorted(settings.sidecars)
    # Ids are written only for files of several lines.
    ids = [line.id for line in item.lines] if "json" in beside and len(item.lines) > 1 else []
    form = (settings.sound, settings.subtype, settings.quality, settings.rate, settings.channels)
    characters = list(item.characters) if _NAMING_SIDECARS.intersection(beside) else []
    return _hash_data([sound_key, form, beside, settings.unit if beside else "", ids, gain_db, *([characters] if any(characters) else [])])


def _describe_line(line: Line, conditions: SoundConditions) -> dict[str, Any]:
    data = {name: value for name, value in convert_line_to_data(line).items() if name not in _LEFT_OUT_OF_LINES}
    voice = conditions.voices.get(line.settings.voice, VoiceFacts(""))
    data["settings"] = {name: value for name, value in data.get("settings", {}).items() if name not in _LEFT_OUT_SETTINGS}
    return data | {
        "voice": voice.fingerprint,
        "speaker": choose_known_name(line.settings.speaker, voice.speakers),
        "style": choose_known_name(line.settings.style, voice.styles),
        "words": convert_entries_to_data(tuple(conditions.select_words(line.text))),
    }


@lru_cache(maxsize=20_000)
def _collect_letters(text: str) -> frozenset[str]:
    """Return the letters of a text as it is written and as the analyser meets it; remembered, as the page plans after every change."""
    return frozenset(text) | frozenset(normalise_text(text, lambda _word: None))


def _is_kanji(letter: str) -> bool:
    return "\u3400" <= letter <= "\u9fff" or "\U00020000" <= letter <= "\U0003ffff"


def _hash_data(data: Sequence[Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()
