"""The installed voices, and how one is found by id, name or path."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from app.errors import VoiceError
from app.language import localized
from app.paths import bert_dirs, folders_in, resources_dir
from app.system_errors import reason_of
from app.voices.bert import find_bert
from app.voices.containers.suffixes import VOICE_SUFFIXES
from app.voices.manifest import MANIFEST_NAME, Named, VoiceManifest
from app.voices.voice import Voice, read_prepared

NeedBert = Callable[[str], object]

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


def damaged_voices(folders: Sequence[Path]) -> list[tuple[Path, VoiceError]]:
    """Folders that should hold a voice and do not, with what is wrong."""
    damaged = []
    for folder in (item for root in folders for item in folders_in(root)):
        try:
            read_prepared(folder)
        except VoiceError as error:
            damaged.append((folder, error))
    return damaged


def _voice_folders(folders: Sequence[Path]) -> Iterator[Path]:
    for root in folders:
        try:
            yield from (item for item in folders_in(root) if (item / MANIFEST_NAME).is_file())
        except OSError as exc:
            raise VoiceError(
                localized(f"声のフォルダーを読み込めません: {root}", f"The voices folder cannot be read: {root}"),
                localized(f"フォルダーの権限を確認してください。（{reason_of(exc)}）", f"Check its permissions. ({reason_of(exc)})"),
            ) from exc


def shipped_voice() -> str | None:
    """Id of the voice we ship; None where it is gone."""
    return next((voice.manifest.id for voice in installed_voices([resources_dir() / "voices"])), None)


def find_installed(wanted: str, folders: Sequence[Path]) -> Voice | None:
    """The prepared voice of this id or name.

    Raises:
        VoiceError: it is damaged, or several have this name; the hint lists their ids.
    """
    voices = []
    for folder in _voice_folders(folders):
        if wanted == folder.name:
            return read_prepared(folder)
        with contextlib.suppress(VoiceError):
            voices.append(read_prepared(folder))
    return find_among(wanted, voices)


class Described(Protocol):
    """A voice, opened or not."""

    @property
    def manifest(self) -> VoiceManifest:
        """What it says of itself."""


AnyVoice = TypeVar("AnyVoice", bound=Described)


def find_among(wanted: str, voices: Sequence[AnyVoice]) -> AnyVoice | None:
    """The one of this id, or else of this name; a VoiceError where several have this name, whose hint lists their ids."""
    text = wanted.casefold()
    for voice in voices:
        if text == voice.manifest.id.casefold():
            return voice
    named = [voice for voice in voices if text == voice.manifest.name.casefold()]
    if len(named) > 1:
        raise VoiceError(
            localized(f"「{wanted}」という名前の声が複数あります。", f"More than one voice is named “{wanted}”."),
            localized("ID で指定してください: ", "Use its ID: ") + ", ".join(voice.manifest.id for voice in named),
        )
    return named[0] if named else None


def find_voice(wanted: str | None, folders: Sequence[Path], need_bert: NeedBert | None = None) -> Voice:
    """The voice with this id, name or path; the first one that can speak when nothing is asked for.

    Args:
        need_bert: see `first_voice`.

    Raises:
        VoiceError: there is none; the hint names near ones.
    """
    if wanted is None:
        return first_voice(folders, need_bert).voice
    voice = find_installed(wanted, folders)
    if voice is not None:
        return voice
    if is_path(wanted):
        from app.voices.containers.sources import read_source  # with all that reads voices that are not prepared

        return read_source(Path(wanted))
    raise unknown_voice(wanted, [voice.manifest for voice in installed_voices(folders)])


@dataclass(frozen=True, slots=True)
class FirstVoice:
    """The voice that speaks where none is asked for.

    Attributes:
        silent: voices before it that cannot speak, because their BERT is missing or damaged.
    """

    voice: Voice
    silent: tuple[VoiceManifest, ...] = ()


def first_voice(folders: Sequence[Path], need_bert: NeedBert | None = None) -> FirstVoice:
    """The first voice that can speak; where none can, the first one.

    Args:
        need_bert: raises VoiceError for the id of a BERT that a voice could not use; by default where it is not installed.

    Raises:
        VoiceError: there is no voice.
    """
    damage: VoiceError | None = None
    first: Voice | None = None
    silent: list[VoiceManifest] = []
    for folder in _voice_folders(folders):
        try:
            voice = read_prepared(folder)
        except VoiceError as error:
            damage = damage or error
            continue
        if _speaks(voice, need_bert):
            return FirstVoice(voice, tuple(silent))
        silent.append(voice.manifest)
        first = first or voice
    if first is not None:
        return FirstVoice(first)
    raise damage or VoiceError(
        localized("声が一つもありません。", "There are no voices."),
        localized("Koebako を再インストールしてください。", "Reinstall Koebako."),
    )


def speaking_first(voices: Iterable[Voice], need_bert: NeedBert | None = None) -> list[Voice]:
    """The voices in their order, those that cannot speak after all others; see `first_voice`."""
    return sorted(voices, key=lambda voice: not _speaks(voice, need_bert))


def _speaks(voice: Voice, need_bert: NeedBert | None) -> bool:
    try:
        (need_bert or partial(find_bert, folders=bert_dirs()))(voice.manifest.bert)
    except VoiceError:
        return False
    return True


def silent_words(silent: Sequence[VoiceManifest], speaks: VoiceManifest) -> str:
    """That other voices come before the one that speaks, and why they do not, in the language of the user."""
    names = ", ".join(manifest.name for manifest in silent[:3]) + ("…" if len(silent) > 3 else "")
    return localized(
        f"「{names}」に必要な BERT がないため、「{speaks.name}」で合成します（BERT は koebako bert add で追加できます）。",
        f"“{names}” cannot speak without its BERT, so “{speaks.name}” is used (`koebako bert add` adds a BERT).",
    )


class UnknownVoiceError(VoiceError):
    """No voice has this id or name."""


def unknown_voice(wanted: str, known: Sequence[VoiceManifest]) -> VoiceError:
    """An error that names near voices."""
    shown = wanted if len(wanted) <= 80 else wanted[:80] + "…"
    none = localized("自分で追加した声はまだありません。", "You have not added any voices yet.")
    names = [name for manifest in known for name in (manifest.id, manifest.name)]
    return UnknownVoiceError(
        localized(f"声「{shown}」が見つかりません。", f"There is no voice “{shown}”."), near(wanted, names) if names else none
    )


def is_path(text: str) -> bool:
    """Whether a text names a file or folder rather than a voice."""
    try:
        return bool(text) and (Path(text).suffix.lower() in VOICE_SUFFIXES or Path(text).exists())
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
        localized(f"この声に{kind}「{wanted}」はありません。", f"This voice has no {kind} “{wanted}”."),
        near(wanted, [item.name for item in items]),
    )


def near(wanted: str, known: Sequence[str]) -> str:
    """A hint that names what the user may have meant, or else everything there is."""
    close = difflib.get_close_matches(wanted[:80], known, n=3, cutoff=0.4)
    lead = localized("もしかして: ", "Did you mean: ") if close else localized("使用できるもの: ", "Available: ")
    return lead + ", ".join(dict.fromkeys(close or list(known)[:12]))
