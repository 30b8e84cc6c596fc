"""Blends of two speakers, kept as styles of an installed voice whose styles belong to speakers.

A blend is a row of the style vectors between those of two speakers, a style that names it, and the pitch between theirs. A voice
that ships cannot be changed: its first blend makes a copy in the user's folder, which from then on is found in its place.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.adapters.files.file_lock import lock_path_for_change
from app.common.errors import InputError, VoiceError
from app.common.files.paths import find_data_dir, list_voice_dirs
from app.common.language import localize
from app.core.sound.voice_traits import ARCHITECTURES, KOKORO_ARCHITECTURE, SpeakerBlend, StyleRows
from app.core.synthesis_types import Float32
from app.install.staging_folders import link_or_copy, read_in_place, replace_folder
from app.install.voice_identity import list_prepared_files, validate_voice_name
from app.install.voice_import import find_user_voices_dir
from app.voices.installed_voices import require_installed_voice
from app.voices.prepared_voice import MANIFEST_NAME, NamedId, Voice, VoiceManifest, read_prepared_voice, write_manifest
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME
from app.voices.untrusted.voice_limits import MAX_VOICE_STYLES
from app.voices.voice_card_data import read_card

NEUTRAL_NAMES = frozenset({"neutral", "ノーマル"})


def add_blend(reference: str, blend: SpeakerBlend) -> Voice:
    """Add a blend to the voice of this id or name and return the changed voice.

    Raise VoiceError if there is none, or none to blend; InputError for the name, or a speaker that is not the voice's; OutputFileError.
    """
    name = validate_voice_name(blend.name)
    if name.casefold() in NEUTRAL_NAMES or name in KOKORO_ARCHITECTURE.manner_names:
        raise InputError(
            localize(f"「{name}」は使えません。", f"“{name}” cannot be used."),
            localize("別の名前を入力してください。", "Choose another name."),
        )
    if not 0.0 <= blend.share <= 1.0:
        raise InputError(localize("割合は 0〜1 で指定してください。", "The share must be between 0 and 1."))
    with lock_blends():
        voice = _find_blendable_voice(reference)
        return _replace_voice(voice, *_insert_blend(voice, replace(blend, name=name)))


def remove_blend(reference: str, name: str) -> Voice:
    """Remove a blend from a voice and return the changed voice; raise the errors of `add_blend`, and InputError where there is none."""
    with lock_blends():
        voice = _find_blendable_voice(reference)
        blends = voice.manifest.blends
        if name not in blends:
            raise InputError(
                localize(f"ブレンド「{name}」はありません。", f"There is no blend “{name}”."),
                localize("ほかの場所で削除された可能性があります。", "It may have been removed elsewhere."),
            )
        row = len(voice.style_vectors) - len(blends) + blends.index(name)
        blends = [blend for blend in blends if blend != name]
        pitches = tuple(np.delete(voice.manifest.median_f0, row).tolist())
        return _replace_voice(voice, _rebuild_manifest(voice.manifest, blends, pitches), np.delete(voice.style_vectors, row, axis=0))


def lock_blends() -> contextlib.AbstractContextManager[None]:
    """Keep other programs from changing blends during the block; raise OutputFileError as `lock_path_for_change`."""
    return lock_path_for_change(find_data_dir() / "speaker_blends")


def keep_blends(old_voice: Voice, folder: Path) -> None:
    """Add the blends of a voice to the new one in a folder that will replace it, if it has the same speakers or more; raise VoiceError, OSError."""
    new_voice = read_prepared_voice(folder)
    old, new = old_voice.manifest, new_voice.manifest
    count = len(old.blends)
    if not count or old.speakers != new.speakers[: len(old.speakers)]:
        return
    np.save(folder / STYLE_VECTORS_NAME, np.concatenate((new_voice.style_vectors, old_voice.style_vectors[-count:])))
    write_manifest(_rebuild_manifest(new, old.blends, (*new.median_f0, *old.median_f0[-count:])), folder)


def _find_blendable_voice(reference: str) -> Voice:
    voice = require_installed_voice(reference, list_voice_dirs())
    if not ARCHITECTURES[voice.manifest.architecture].styles_by_speaker:
        raise VoiceError(
            localize(f"「{voice.manifest.name}」の話者は混ぜられません。", f"The speakers of “{voice.manifest.name}” cannot be blended."),
            localize("混ぜられるのは「Kokoro」の話者です。", "Those of “Kokoro” can."),
        )
    return voice


def _insert_blend(voice: Voice, blend: SpeakerBlend) -> tuple[VoiceManifest, Float32]:
    """Return the manifest and style vectors with a blend, in the place of one of its name."""
    manifest = voice.manifest
    speakers = [speaker.name for speaker in manifest.speakers]
    for name in (blend.first, blend.second):
        if name not in speakers:
            raise InputError(localize(f"話者「{name}」はこの声にいません。", f"This voice has no speaker “{name}”."), "、".join(speakers))
    rows = StyleRows(tuple(manifest.blends), voice.style_vectors, manifest.median_f0)
    rows = rows.insert_blend(blend, speakers)
    if len(rows.vectors) > MAX_VOICE_STYLES:
        raise InputError(
            localize("これ以上ブレンドを保存できません。", "No more blends can be saved."),
            localize("使わないブレンドを削除してください。", "Remove some that you do not use."),
        )
    return _rebuild_manifest(manifest, rows.blends, rows.pitches), rows.vectors


def _rebuild_manifest(manifest: VoiceManifest, blends: Sequence[str], pitches: tuple[float, ...]) -> VoiceManifest:
    others = [style.name for style in manifest.styles if style.name not in manifest.blends]
    numbered = ARCHITECTURES[manifest.architecture].assign_style_ids([*others, *blends])
    return replace(manifest, styles=tuple(NamedId(number, name) for number, name in numbered.items()), median_f0=pitches)


def _replace_voice(voice: Voice, manifest: VoiceManifest, vectors: Float32) -> Voice:
    """Put the voice with other styles in its place as a whole folder: a manifest that does not fit its vectors is a damaged voice."""
    target = voice.path if voice.path.parent == find_user_voices_dir() else find_user_voices_dir() / manifest.id
    with replace_folder(target) as folder:
        for file in list_prepared_files(voice.path, read_card(voice.path)):
            if file.name not in (MANIFEST_NAME, STYLE_VECTORS_NAME):
                # A file of the program itself is copied: the user's voice must outlive an update of the program.
                link_or_copy(file, folder / file.relative_to(voice.path), may_link=target == voice.path)
        np.save(folder / STYLE_VECTORS_NAME, vectors)
        write_manifest(manifest, folder)
        read_prepared_voice(folder).build_traits()
    return read_in_place(target, read_prepared_voice)
