"""Adds voices to the library. A voice is complete and proved in the staging folder before it takes its place there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.files.free_space import check_free_space
from app.common.errors import UserDecisionRequiredError
from app.common.files.paths import find_data_dir, list_voice_dirs
from app.common.language import choose_by_frontend, localize
from app.common.progress import Report, build_part_report, ignore_report
from app.install.sandboxed_import import prepare_voice_in_sandbox
from app.install.staging_folders import create_staging_folder, read_in_place, recover_interrupted_moves, replace_folder
from app.install.voice_identity import VoiceIdentity, build_voice_folder, compute_prepared_digest, identify_voice
from app.install.voice_licence import AskLicence, require_licence
from app.voices.containers.voice_sources import VoiceSource, find_checkpoints, open_voice_source
from app.voices.installed_voices import list_installed_voices
from app.voices.prepared_voice import PrepareVoice, Voice, read_prepared_voice
from app.voices.voice_card_data import VoiceCardData, read_card

if TYPE_CHECKING:
    from app.voices.containers.voice_sources import Checkpoint

MAX_LISTED_CHECKPOINTS = 20


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The user's choices for a voice that is added."""

    ask_licence: AskLicence
    should_keep_both: bool = False  # in addition to another voice of the same id, under an id of its own
    should_update: bool = False  # in place of what is installed under the same id
    name: str | None = None  # instead of the voice's own


@dataclass(frozen=True, slots=True)
class InstallResult:
    """The result of installing a voice: it was there before and nothing was changed, or it took the place of another version, or neither."""

    voice: Voice
    card: VoiceCardData
    was_installed: bool = False
    was_updated: bool = False


def add_voice(
    source: Path,
    options: ImportOptions,
    report: Report = ignore_report,
    *,
    checkpoint: str | None = None,
    prepare: PrepareVoice = prepare_voice_in_sandbox,
) -> InstallResult:
    """Install the one voice of a source: a voice file, a folder or a `.zip`.

    Args:
        checkpoint: which voice, where the source holds several: a file name, with or without its suffix.

    Raises:
        VoiceError: it is no voice; UserDecisionRequiredError where there are several, or another version, or the licence was declined.
        OutputFileError: the disk is full or cannot be written.
    """
    (installed,) = add_voices(source, options, report, checkpoint=checkpoint, prepare=prepare)
    return installed


def choose_checkpoints(checkpoints: Sequence[Checkpoint], requested: str | None, *, all_voices: bool) -> list[Checkpoint]:
    """Return the requested voice, or all of them; raise VoiceError with a list if the choice is not clear."""
    if requested is not None:
        name = requested.casefold()
        matches = [item for item in checkpoints if name in map(str.casefold, (item.label, item.path.name, item.path.stem))]
        if len(matches) == 1:
            return matches
        raise UserDecisionRequiredError(
            localize(f"「{requested}」という声のファイルは含まれていません。", f"It does not contain a voice file “{requested}”."),
            localize("使用できるもの: ", "Available: ") + _format_list(checkpoints),
        )
    if len(checkpoints) == 1 or all_voices:
        return list(checkpoints)
    raise UserDecisionRequiredError(
        localize(
            f"声のファイルが {len(checkpoints)} 個あります: {_format_list(checkpoints)}",
            f"There are {len(checkpoints)} voice files: {_format_list(checkpoints)}",
        ),
        choose_by_frontend(
            localize("一つを選ぶか、すべて追加してください。", "Choose one, or add all."),
            localize(
                "--checkpoint 名前 で一つを選ぶか、--all ですべて追加してください。",
                "Choose one with --checkpoint NAME, or add all with --all.",
            ),
        ),
        [*(f"--checkpoint={item.label}" for item in checkpoints[:MAX_LISTED_CHECKPOINTS]), "--all"],
    )


def _format_list(checkpoints: Sequence[Checkpoint]) -> str:
    return ", ".join(item.label for item in checkpoints[:MAX_LISTED_CHECKPOINTS]) + (
        ", …" if len(checkpoints) > MAX_LISTED_CHECKPOINTS else ""
    )


def add_voices(
    source: Path,
    options: ImportOptions,
    report: Report = ignore_report,
    *,
    checkpoint: str | None = None,
    all_voices: bool = False,
    prepare: PrepareVoice = prepare_voice_in_sandbox,
) -> list[InstallResult]:
    """Install the voice of a source as `add_voice`; with `all_voices` install all of them, each under its own name."""
    recover_interrupted_moves(find_user_voices_dir())
    with create_staging_folder() as scratch:
        report("reading", 0.0)
        chosen = choose_checkpoints(find_checkpoints(source, scratch), checkpoint, all_voices=all_voices)
        installed = []
        for index, item in enumerate(chosen):
            part_report = build_part_report(report, index / len(chosen), (index + 1) / len(chosen))
            source_name = source.name if item.label in ("", source.name) else f"{source.name}/{item.label}"
            label = item.label if len(chosen) > 1 else None
            installed.append(_add_single_voice(item.source, source_name, options, part_report, prepare, name_addition=label))
            item.source.forget_contents()
        return installed


def find_voice_by_content(sha256: str) -> InstallResult | None:
    """Return the voice that was made from a file with this SHA-256 (hex), or None."""
    voice = next((item for item in list_installed_voices(list_voice_dirs()) if _read_digest(item) == sha256), None)
    return None if voice is None else InstallResult(voice, read_card(voice.path), was_installed=True)


def ask_licence_early(source: Path, ask: AskLicence) -> None:
    """Ask for the licence of a voice file before `add_voice`, which then does not; raise UserDecisionRequiredError, VoiceError."""
    identity = identify_voice(open_voice_source(source))
    if _find_existing(identity) is None:
        require_licence(identity.create_licence(identity.id), ask)


def find_user_voices_dir() -> Path:
    """Return the folder in which voices are installed."""
    return find_data_dir() / "voices"


def _add_single_voice(
    source: VoiceSource, source_name: str, options: ImportOptions, report: Report, prepare: PrepareVoice, *, name_addition: str | None
) -> InstallResult:
    """Install one voice; one of several gets its own name, whatever name was requested."""
    identity = identify_voice(source, build_part_report(report, 0.0, 0.1))
    existing = _find_existing(identity)
    if existing is not None and not options.should_update and _read_digest(existing) == identity.sha256:
        return InstallResult(existing, read_card(existing.path), was_installed=True)
    target = _choose_target_folder(identity, existing, options)
    require_licence(identity.create_licence(target.name), options.ask_licence)
    check_free_space(target, identity.estimate_prepared_bytes())
    with replace_folder(target) as folder:
        build_voice_folder(
            folder,
            source,
            replace(identity, id=target.name),
            build_part_report(report, 0.1, 0.95),
            prepare,
            name=options.name if name_addition is None else f"{identity.name} ({name_addition})",
            source_name=source_name,
        )
    report("storing", 1.0)
    was_updated = existing is not None and existing.path == target
    return read_in_place(target, lambda place: InstallResult(read_prepared_voice(place), read_card(place), was_updated=was_updated))


def _find_existing(identity: VoiceIdentity) -> Voice | None:
    voices = list_installed_voices(list_voice_dirs())
    return next(
        (voice for voice in voices if _read_digest(voice) == identity.sha256),
        next((voice for voice in voices if voice.manifest.id == identity.id), None),
    )


def _read_digest(voice: Voice) -> str:
    return compute_prepared_digest(voice.path, read_card(voice.path))


def _choose_target_folder(identity: VoiceIdentity, existing: Voice | None, options: ImportOptions) -> Path:
    """Return the folder for the new voice: that of the one it replaces, or a free one."""
    if existing is None:
        # A folder that exists already is damaged, or it would have been found.
        return find_user_voices_dir() / identity.id
    if options.should_keep_both:
        return _find_free_folder(identity.id)
    if options.should_update and existing.path.parent == find_user_voices_dir():
        return existing.path
    version, is_own = read_card(existing.path).version or "?", existing.path.parent == find_user_voices_dir()
    if is_own:
        hint = choose_by_frontend(
            localize("置き換えるか、両方を残してください。", "Replace it, or keep both."),
            localize(
                "--update で置き換えるか、--keep-both で両方を残してください。", "Replace it with --update, or keep both with --keep-both."
            ),
        )
    else:
        hint = localize("付属の声は置き換えられません。", "The included voice cannot be replaced. ") + choose_by_frontend(
            localize("両方を残せます。", "You can keep both."), localize("--keep-both を使ってください。", "Use --keep-both.")
        )
    raise UserDecisionRequiredError(
        localize(
            f"声「{existing.manifest.name}」の別のバージョンがすでにあります（{version}。追加しようとしたバージョン: {identity.version or '?'}）。",
            f"Another version of the voice “{existing.manifest.name}” is already installed ({version}; this one: {identity.version or '?'}).",
        ),
        hint,
        ["--update", "--keep-both"] if is_own else ["--keep-both"],
    )


def _find_free_folder(voice_id: str) -> Path:
    installed_ids = {voice.manifest.id for voice in list_installed_voices(list_voice_dirs())}
    number = 2
    while f"{voice_id}-{number}" in installed_ids or (find_user_voices_dir() / f"{voice_id}-{number}").exists():
        number += 1
    return find_user_voices_dir() / f"{voice_id}-{number}"
