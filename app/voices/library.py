"""The voices at hand, and how one is found by id, name or path."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

from app.errors import VoiceError
from app.language import say
from app.voices.manifest import MANIFEST_NAME, Named
from app.voices.sources import SUFFIXES, read_source
from app.voices.voice import Voice, read_prepared

_NEUTRAL = {"ノーマル": "Neutral"}  # the same style: SBV2 writes it in English, AIVM in Japanese


def installed_voices(folders: Sequence[Path]) -> list[Voice]:
    """All prepared voices in the given folders, in order; damaged ones are left out here (opening one by name says why)."""
    voices = []
    for folder in _voice_folders(folders):
        try:
            voices.append(read_prepared(folder))
        except VoiceError:
            continue
    return voices


def _voice_folders(folders: Sequence[Path]) -> Iterable[Path]:
    for folder in folders:
        if folder.is_dir():
            yield from sorted(item for item in folder.iterdir() if (item / MANIFEST_NAME).is_file())


def find_voice(wanted: str | None, folders: Sequence[Path]) -> Voice:
    """The voice with this id, name or path; the first one when nothing is asked for.

    Raises:
        VoiceError: there is none; the hint names near ones.
    """
    for folder in _voice_folders(folders):
        if wanted == folder.name:
            return read_prepared(folder)
    voices = installed_voices(folders)
    for voice in voices:
        if wanted is None or wanted.casefold() in (voice.manifest.id.casefold(), voice.manifest.name.casefold()):
            return voice
    if wanted and _is_path(wanted):
        return read_source(Path(wanted))
    if wanted is None:
        for folder in _voice_folders(folders):
            read_prepared(folder)  # says what is wrong with it
        raise VoiceError(
            say("声が一つもありません。", "There is no voice at all."), say("Koebako を入れ直してください。", "Reinstall Koebako.")
        )
    shown = wanted if len(wanted) <= 80 else wanted[:80] + "…"
    raise VoiceError(
        say(f"声「{shown}」は見つかりません。", f'There is no voice "{shown}".'),
        near(wanted, [name for voice in voices for name in (voice.manifest.id, voice.manifest.name)]),
    )


def _is_path(text: str) -> bool:
    try:
        return Path(text).suffix.lower() in SUFFIXES or Path(text).exists()
    except (OSError, ValueError):  # too long, or with a null character
        return False


def find_named(wanted: str | None, items: Sequence[Named], kind: str) -> int:
    """Id of a speaker or style by name or number; the first one when nothing is asked for.

    Args:
        kind: what is looked for, in the language of the user.
    """
    if wanted is None:
        return min((item.id for item in items), default=0)
    for item in items:
        if wanted == str(item.id) or _NEUTRAL.get(wanted, wanted).casefold() == _NEUTRAL.get(item.name, item.name).casefold():
            return item.id
    raise VoiceError(
        say(f"この声に{kind}「{wanted}」はありません。", f'This voice has no {kind} "{wanted}".'),
        near(wanted, [item.name for item in items]),
    )


def near(wanted: str, known: Sequence[str]) -> str:
    """A hint that names what the user may have meant, or else everything there is."""
    close = difflib.get_close_matches(wanted[:80], known, n=3, cutoff=0.4)
    lead = say("もしかして: ", "Did you mean: ") if close else say("選べるもの: ", "Choose one of: ")
    return lead + ", ".join(dict.fromkeys(close or list(known)[:12]))
