"""The voices that read comments: their list by number and by writer, as the settings keep it, and the request for the engine."""

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace

from app.common.errors import InputError
from app.common.language import localize
from app.core.script.script import Line, LineSettings, build_request
from app.core.synthesis_types import BOUNDS, SynthesisRequest
from app.service.chat.chat_protocol import ChatTalk
from app.service.style_catalogue import ServedSpeaker, ServedStyle, StyleCatalogue
from app.settings.user_settings import MAX_CHAT_VOICES_CHARS

_VOICE_ENTRY = re.compile(r"\s*([^\s=＝][^=＝]{0,39}?)\s*[=＝]\s*(.+?)\s*")
_VOICE_NUMBER = re.compile(r"\d{1,5}")
_SEPARATORS = re.compile(r"[;；\n]")

_WHOLE_PERCENT = 100
# What clients may send; numbers outside count as the nearest one.
SPEED_PERCENT, TONE_PERCENT, VOLUME_PERCENT = (50, 300), (50, 200), (0, 100)
SEMITONES_OF_OCTAVE = 12


def fold_writer_name(name: str) -> str:
    """Return a name in the form in which names are compared: without the width and case of its letters, and without さん."""
    return unicodedata.normalize("NFKC", name).casefold().strip().removesuffix("さん")


def parse_chat_voices(text: str) -> tuple[dict[int, str], dict[str, str]]:
    """Return names of voices by number and by folded name of a writer, from a list such as `1=Mei; Taro=Rin/Happy`."""
    entries = [entry for _, entry in _iterate_entries(text) if entry is not None]
    return (
        {key: voice for key, voice in entries if isinstance(key, int)},
        {key: voice for key, voice in entries if isinstance(key, str)},
    )


def replace_chat_voice(text: str, who: str, voice: str) -> str:
    """Return such a list with a voice for a writer or a number, or without one where `voice` is empty; all other entries stay as they are written.

    Raises InputError where a list cannot hold the entry.
    """
    key = _find_entry_key(who)
    if not may_have_voice(who):
        raise InputError(
            localize(f"「{who}」には声を指定できません。", f"No voice can be chosen for “{who}”."),
            localize("名前に「=」や「;」が含まれています。", "The name contains “=” or “;”."),
        )
    written = f"{who}={voice}" if voice else ""
    if voice and [entry for _, entry in _iterate_entries(written)] != [(key, voice)]:
        raise InputError(
            localize(f"「{voice}」は指定できません。", f"“{voice}” cannot be chosen."),
            localize("名前に「;」が含まれています。", "The name contains “;”."),
        )
    # In the place of the entry that counted until now, which is the last one of its key.
    pieces = [("" if entry is not None and entry[0] == key else piece, entry) for piece, entry in _iterate_entries(text)]
    place = max((number for number, (_, entry) in enumerate(pieces) if entry is not None and entry[0] == key), default=len(pieces))
    kept = [piece for piece, _ in pieces]
    changed = "; ".join(filter(None, (*kept[:place], written, *kept[place:])))
    if len(changed) > MAX_CHAT_VOICES_CHARS:
        raise InputError(
            localize("声の割り当てが多すぎます。", "Too many voices are listed."),
            localize(
                "「設定」の「声の割り当て」で、不要なものを削除してください。", "Remove some under Voices of comments in the settings."
            ),
        )
    return changed


def may_have_voice(who: str) -> bool:
    """Return whether a list can hold an entry for this name of a writer, or number."""
    key = _find_entry_key(who)
    return key is not None and [entry for _, entry in _iterate_entries(f"{who}=a")] == [(key, "a")]


def _iterate_entries(text: str) -> Iterator[tuple[str, tuple[int | str, str] | None]]:
    """Yield the pieces of a list, each with its key and voice, or with None where it is no entry."""
    for piece in _SEPARATORS.split(text):
        entry = _VOICE_ENTRY.fullmatch(piece)
        key = None if entry is None else _find_entry_key(entry[1])
        yield piece.strip(), None if entry is None or key is None else (key, entry[2])


def _find_entry_key(who: str) -> int | str | None:
    """Return what an entry is for, a number or a folded name; None for what is neither."""
    if _VOICE_NUMBER.fullmatch(who):
        return int(who)
    return None if who.isdigit() else fold_writer_name(who) or None


def build_chat_request(talk: ChatTalk, name: str, settings: LineSettings | None = None) -> SynthesisRequest:
    """Return the request for a comment, with the settings of its character, if any; speaker and style are left out, `name` is its id."""
    numbers: dict[str, float] = {}
    if talk.speed >= 0:
        numbers["speed"] = _clamp_percent(talk.speed, SPEED_PERCENT)
    if talk.tone >= 0:
        numbers["pitch"] = SEMITONES_OF_OCTAVE * math.log2(_clamp_percent(talk.tone, TONE_PERCENT))
    if talk.volume >= 0:
        numbers["volume"] = _clamp_percent(talk.volume, VOLUME_PERCENT)
    within = {key: min(max(value, BOUNDS[key].low), BOUNDS[key].high) for key, value in numbers.items()}
    usual = SynthesisRequest(talk.text) if settings is None else build_request(Line(talk.text, settings))
    return replace(usual, id=name, **within)  # type: ignore[arg-type]  # the names are those of its numbers


def _clamp_percent(value: int, bounds: tuple[int, int]) -> float:
    return min(max(value, bounds[0]), bounds[1]) / _WHOLE_PERCENT


def list_chat_names(talk: ChatTalk, names: Mapping[int, str]) -> tuple[str, ...]:
    """Return the names of those whom the user chose for the writer of a comment and for its voice number, in the order in which they count."""
    return tuple(filter(None, (talk.voice_name, names.get(talk.voice, ""))))


def find_chat_style(talk: ChatTalk, names: Mapping[int, str], catalogue: StyleCatalogue) -> tuple[ServedSpeaker, ServedStyle] | None:
    """Return who reads a comment: whom the user named for its writer or its number, for another number a speaker by turns; None leaves it to the reader."""
    number = talk.voice
    reader_style = next((style for name in list_chat_names(talk, names) if (style := catalogue.find_style(name)) is not None), None)
    if reader_style is None and number > 0 and number not in names and catalogue.speakers:
        reader_style = catalogue.speakers[(number - 1) % len(catalogue.speakers)].styles[0]
    return None if reader_style is None else (catalogue.find_owner(reader_style), reader_style)
