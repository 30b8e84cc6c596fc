"""Adds voices to the library. A voice is complete and proved in the staging folder before it takes its place there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from app.adapters.files.disk_room import check_room
from app.install.choice import UndecidedError, choose
from app.install.confined import prepare_voice_confined
from app.install.identity import Identity, identify, prepared_digest
from app.install.licence import Ask, require_licence
from app.install.prepared import Prepare
from app.install.prepared_folder import prepare_into
from app.install.staging import mend, put_in_place, staged_folder
from app.language import by_frontend, localized
from app.own_folder import make_folder
from app.paths import data_dir, voice_dirs
from app.progress import Report, part, unreported
from app.voices.card import Card, read_card
from app.voices.containers.checkpoints import checkpoints
from app.voices.library import installed_voices
from app.voices.voice import Voice, read_prepared


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user wants when a voice is added.

    Attributes:
        ask: shows the licence; whether it is accepted.
        keep_both: beside another voice of the same id, under an id of its own.
        update: in place of what is installed under the same id.
        name: instead of the voice's own.
    """

    ask: Ask
    keep_both: bool = False
    update: bool = False
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Installed:
    """What came of a source.

    Attributes:
        already: this very voice was there before; nothing was changed.
        updated: it took the place of another version.
    """

    voice: Voice
    card: Card
    already: bool = False
    updated: bool = False


def add_voice(
    source: Path,
    wishes: Wishes,
    report: Report = unreported,
    *,
    checkpoint: str | None = None,
    prepare: Prepare = prepare_voice_confined,
) -> Installed:
    """Installs the one voice of a source.

    Args:
        source: a voice file, a folder or a `.zip`.
        checkpoint: which voice, where the source holds several: a file name, with or without its suffix.

    Raises:
        VoiceError: it is no voice; an UndecidedError where there are several, another version is installed, or the licence was declined.
        OutputFileError: the disk is full or cannot be written.
    """
    (installed,) = add_voices(source, wishes, report, checkpoint=checkpoint, prepare=prepare)
    return installed


def add_voices(
    source: Path,
    wishes: Wishes,
    report: Report = unreported,
    *,
    checkpoint: str | None = None,
    every: bool = False,
    prepare: Prepare = prepare_voice_confined,
) -> list[Installed]:
    """As `add_voice`; with `every` all voices of a source, each under its own name."""
    mend(user_voices())
    with staged_folder() as scratch:
        report("reading", 0.0)
        chosen = choose(checkpoints(source, scratch), checkpoint, every=every)
        installed = []
        for index, item in enumerate(chosen):
            own = part(report, index / len(chosen), (index + 1) / len(chosen))
            named = replace(wishes, name=_name_of_several(item.path, item.label)) if len(chosen) > 1 else wishes
            source_name = source.name if item.label in ("", source.name) else f"{source.name}/{item.label}"
            installed.append(_add(item.path, source_name, named, own, prepare))
        return installed


def known_by_content(sha256: str) -> Installed | None:
    """The voice that was made from a file with this SHA-256 (hex); None where there is none."""
    voice = next((item for item in installed_voices(voice_dirs()) if _digest(item) == sha256), None)
    return None if voice is None else Installed(voice, read_card(voice.path), already=True)


def ask_ahead(source: Path, ask: Ask) -> None:
    """Asks for the licence of a voice file before `add_voice` does, which asks for none that was accepted.

    Raises VoiceError when it is no voice, an UndecidedError when the licence is declined, or nobody can answer now.
    """
    identity = identify(source)
    if _existing(identity) is None:
        require_licence(identity.licence_for(identity.id), ask)


def user_voices() -> Path:
    """Where voices are installed."""
    return data_dir() / "voices"


def _name_of_several(path: Path, label: str) -> str:
    return f"{identify(path).name} ({label})"


def _add(path: Path, source_name: str, wishes: Wishes, report: Report, prepare: Prepare) -> Installed:
    identity = identify(path, part(report, 0.0, 0.1))
    existing = _existing(identity)
    if existing is not None and not wishes.update and _digest(existing) == identity.sha256:
        return Installed(existing, read_card(existing.path), already=True)
    target = _target(identity, existing, wishes)
    require_licence(identity.licence_for(target.name), wishes.ask)
    check_room(target, identity.prepared_bytes())
    with staged_folder() as stage:
        folder = stage / target.name
        make_folder(folder)
        prepare_into(
            folder, path, replace(identity, id=target.name), part(report, 0.1, 0.95), prepare, name=wishes.name, source_name=source_name
        )
        put_in_place(folder, target)
    report("storing", 1.0)
    return Installed(read_prepared(target), read_card(target), updated=existing is not None and existing.path == target)


def _existing(identity: Identity) -> Voice | None:
    """The installed voice of the same content, or else of the same id."""
    voices = installed_voices(voice_dirs())
    same = [voice for voice in voices if _digest(voice) == identity.sha256]
    return next(iter(same), None) or next((voice for voice in voices if voice.manifest.id == identity.id), None)


def _digest(voice: Voice) -> str:
    return prepared_digest(voice.path, read_card(voice.path))


def _target(identity: Identity, existing: Voice | None, wishes: Wishes) -> Path:
    """Folder of the voice to be: that of the one it replaces, or a free one."""
    if existing is None:
        return user_voices() / identity.id  # what lies there already is damaged, or it would have been found
    if wishes.keep_both:
        return _free(identity.id)
    if wishes.update and existing.path.parent == user_voices():
        return existing.path
    version, own = read_card(existing.path).version or "?", existing.path.parent == user_voices()
    raise UndecidedError(
        localized(
            f"声「{existing.manifest.name}」の別のバージョンがすでにあります（{version}。追加しようとしたバージョン: {identity.version or '?'}）。",
            f"Another version of the voice “{existing.manifest.name}” is already installed ({version}; this one: {identity.version or '?'}).",
        ),
        _ways_out(own),
        ["--update", "--keep-both"] if own else ["--keep-both"],
    )


def _ways_out(own: bool) -> str:
    if own:
        command = localized(
            "--update で置き換えるか、--keep-both で両方を残してください。", "Replace it with --update, or keep both with --keep-both."
        )
        return by_frontend(localized("置き換えるか、両方を残してください。", "Replace it, or keep both."), command)
    refused = localized("付属の声は置き換えられません。", "The included voice cannot be replaced. ")
    return refused + by_frontend(
        localized("両方を残せます。", "You can keep both."), localized("--keep-both を使ってください。", "Use --keep-both.")
    )


def _free(voice_id: str) -> Path:
    taken = {voice.manifest.id for voice in installed_voices(voice_dirs())}
    number = 2
    while f"{voice_id}-{number}" in taken or (user_voices() / f"{voice_id}-{number}").exists():
        number += 1
    return user_voices() / f"{voice_id}-{number}"
