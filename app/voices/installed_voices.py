"""The installed voices, and how one is found by id, name or path."""

import contextlib
import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from app.common.errors import VoiceError
from app.common.files.paths import find_resources_dir, list_bert_dirs, list_subfolders
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.settings.user_settings import load_usable_settings
from app.voices.bert_models import find_bert
from app.voices.containers.unsupported_formats import VOICE_SUFFIXES
from app.voices.prepared_voice import MANIFEST_NAME, NamedId, Voice, VoiceManifest, read_manifest, read_prepared_voice
from app.voices.voice_labels import NATURAL_VOICE_ID, NATURAL_VOICE_WORD, STYLE_NAMES_JA, list_speaker_names

BertRequirement = Callable[[str], object]

# Both names mean the same style: SBV2 writes it in English, AIVM in Japanese, and people type what they see.
_STYLE_ALIASES = {japanese: name for name, japanese in STYLE_NAMES_JA.items()}


def list_installed_voices(folders: Sequence[Path]) -> list[Voice]:
    """Return all prepared voices in the given folders, in order: the user's default, the natural voice, the one that ships, the user's own.

    Damaged ones are left out (opening one by name states the reason), as is the natural voice that ships where the user has their own.
    """
    voices: list[Voice] = []
    for folder in _iterate_voice_folders(folders):
        with contextlib.suppress(VoiceError):
            voice = read_prepared_voice(folder)
            if folder.name != NATURAL_VOICE_ID or all(item.path.name != NATURAL_VOICE_ID for item in voices):
                voices.append(voice)
    return voices


def read_recipes(folders: Sequence[Path]) -> dict[str, int]:
    """Return by the id of each voice the recipe by which it was prepared, of the first where several have an id."""
    recipes: dict[str, int] = {}
    for folder in _iterate_voice_folders(folders):
        with contextlib.suppress(VoiceError):
            manifest = read_manifest(folder)
            recipes.setdefault(manifest.id, manifest.recipe)
    return recipes


def list_damaged_voices(folders: Sequence[Path]) -> list[tuple[Path, VoiceError]]:
    """Return the folders that should hold a voice and do not, each with the error."""
    damaged = []
    for folder in (item for root in folders for item in list_subfolders(root)):
        try:
            read_prepared_voice(folder)
        except VoiceError as error:
            damaged.append((folder, error))
    return damaged


def _iterate_voice_folders(folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the folders of voices in the order in which voices are listed; sorting keeps the order of `folders` otherwise.

    The user's copy of a voice that ships takes its place, so the order goes by names.
    """
    listed = list(_list_voice_folders(folders))
    shipped = [folder.name for folder in listed if folder.parent == find_resources_dir() / "voices"]
    first = (load_usable_settings().default_voice, NATURAL_VOICE_ID, *shipped)
    yield from sorted(listed, key=lambda folder: first.index(folder.name) if folder.name in first else len(first))


def _list_voice_folders(folders: Sequence[Path]) -> Iterator[Path]:
    for root in folders:
        try:
            yield from (item for item in list_subfolders(root) if (item / MANIFEST_NAME).is_file())
        except OSError as exc:
            reason = describe_reason(exc)
            raise VoiceError(
                localize(f"声のフォルダーを読み込めません: {root}", f"The voices folder cannot be read: {root}"),
                localize(f"フォルダーの権限を確認してください。（{reason}）", f"Check its permissions. ({reason})"),
            ) from exc


def find_shipped_voice_id() -> str | None:
    """Return the id of the voice that every Koebako has, or None if it is missing: the one that lines of a project without a voice mean.

    The natural voice is none, though bundles carry it: the same project would sound otherwise from a checkout.
    """
    shipped = (voice.manifest.id for voice in list_installed_voices([find_resources_dir() / "voices"]))
    return next((voice_id for voice_id in shipped if voice_id != NATURAL_VOICE_ID), None)


def find_installed_voice(wanted: str, folders: Sequence[Path]) -> Voice | None:
    """Return the prepared voice of this id or name, or None; raise VoiceError if it is damaged, or several have this name, with their ids in the hint."""
    wanted = NATURAL_VOICE_ID if wanted == NATURAL_VOICE_WORD else wanted
    voices = []
    for folder in _iterate_voice_folders(folders):
        if wanted == folder.name:
            return read_prepared_voice(folder)
        with contextlib.suppress(VoiceError):
            voices.append(read_prepared_voice(folder))
    return find_voice_among(wanted, voices)


def require_installed_voice(wanted: str, folders: Sequence[Path]) -> Voice:
    """Return the prepared voice of this id or name; raise VoiceError as `find_installed_voice`, and where there is none, with near names."""
    voice = find_installed_voice(wanted, folders)
    if voice is None:
        raise build_unknown_voice_error(wanted, [item.manifest for item in list_installed_voices(folders)])
    return voice


class HasManifest(Protocol):
    """A voice, opened or not."""

    @property
    def manifest(self) -> VoiceManifest:
        """Return the manifest of the voice."""


AnyVoice = TypeVar("AnyVoice", bound=HasManifest)


def find_voice_among(wanted: str, voices: Sequence[AnyVoice]) -> AnyVoice | None:
    """Return the voice of this id, or else of this name; raise VoiceError if several have the name, with a hint that lists their ids."""
    text = wanted.casefold()
    for voice in voices:
        if text == voice.manifest.id.casefold():
            return voice
    named = [voice for voice in voices if text == voice.manifest.name.casefold()]
    if len(named) > 1:
        raise VoiceError(
            localize(f"「{wanted}」という名前の声が複数あります。", f"More than one voice is named “{wanted}”."),
            localize("ID で指定してください: ", "Use its ID: ") + ", ".join(voice.manifest.id for voice in named),
        )
    return named[0] if named else None


def find_voice(wanted: str | None, folders: Sequence[Path], require_bert: BertRequirement | None = None) -> Voice:
    """Return the voice with this id, name or path, or the first that can speak if none is named (see `choose_default_voice`); raise VoiceError, with near names, for none."""
    if wanted is None:
        return choose_default_voice(folders, require_bert).voice
    voice = find_installed_voice(wanted, folders)
    if voice is not None:
        return voice
    if is_path_text(wanted):
        from app.voices.containers.voice_sources import read_voice_source  # with all that reads voices that are not prepared

        return read_voice_source(Path(wanted))
    raise build_unknown_voice_error(wanted, [voice.manifest for voice in list_installed_voices(folders)])


@dataclass(frozen=True, slots=True)
class DefaultVoice:
    """The voice that speaks where none is asked for; those before it were skipped because their BERT is missing or damaged."""

    voice: Voice
    skipped: tuple[VoiceManifest, ...] = ()


def choose_default_voice(folders: Sequence[Path], require_bert: BertRequirement | None = None) -> DefaultVoice:
    """Return the first voice that can speak, in the order of `list_installed_voices`, or the first voice if none can; raise VoiceError if there is no voice.

    Args:
        require_bert: raises VoiceError for the id of a BERT that a voice could not use; by default where it is not installed.
    """
    damage: VoiceError | None = None
    first: Voice | None = None
    silent: list[VoiceManifest] = []
    for folder in _iterate_voice_folders(folders):
        try:
            voice = read_prepared_voice(folder)
        except VoiceError as error:
            damage = damage or error
            continue
        if _may_speak(voice, require_bert):
            return DefaultVoice(voice, tuple(silent))
        silent.append(voice.manifest)
        first = first or voice
    if first is not None:
        return DefaultVoice(first)
    raise damage or VoiceError(
        localize("声が一つもありません。", "There are no voices."),
        localize("Koebako を再インストールしてください。", "Reinstall Koebako."),
    )


def order_speaking_first(voices: Iterable[Voice], require_bert: BertRequirement | None = None) -> list[Voice]:
    """Return the voices in their order, with those that cannot speak after all others; see `choose_default_voice`."""
    return sorted(voices, key=lambda voice: not _may_speak(voice, require_bert))


def _may_speak(voice: Voice, require_bert: BertRequirement | None) -> bool:
    if not voice.manifest.bert:
        return True
    try:
        (require_bert or partial(find_bert, folders=list_bert_dirs()))(voice.manifest.bert)
    except VoiceError:
        return False
    return True


def describe_skipped_voices(skipped: Sequence[VoiceManifest], chosen: VoiceManifest) -> str:
    """Describe the voices that come before the one that speaks and the reasons why they were skipped, in the language of the user."""
    names = ", ".join(manifest.name for manifest in skipped[:3]) + ("…" if len(skipped) > 3 else "")
    return localize(
        f"「{names}」に必要な BERT がないため、「{chosen.name}」で合成します（BERT は koebako bert add で追加できます）。",
        f"“{names}” cannot speak without its BERT, so “{chosen.name}” is used (`koebako bert add` adds a BERT).",
    )


class UnknownVoiceError(VoiceError):
    """No voice has this id or name."""


def build_unknown_voice_error(wanted: str, known: Sequence[VoiceManifest]) -> VoiceError:
    """Return an error that names similar voices."""
    shown = wanted if len(wanted) <= 80 else wanted[:80] + "…"
    none = localize("自分で追加した声はまだありません。", "You have not added any voices yet.")
    names = [name for manifest in known for name in (manifest.id, manifest.name)]
    return UnknownVoiceError(
        localize(f"声「{shown}」が見つかりません。", f"There is no voice “{shown}”."), suggest_near_names(wanted, names) if names else none
    )


def is_path_text(text: str) -> bool:
    """Return whether a text names a file or folder rather than a voice."""
    try:
        return bool(text) and (Path(text).suffix.lower() in VOICE_SUFFIXES or Path(text).exists())
    except (OSError, ValueError):  # too long, or with a null character
        return False


def find_named_id(wanted: str, items: Sequence[NamedId]) -> NamedId | None:
    """Return the speaker or style of exactly this name, or else of this number or of the same name in other words; None for none."""
    exact = (item for item in items if item.name == wanted)
    folded = _STYLE_ALIASES.get(wanted, wanted).casefold()
    like = (
        item
        for item in items
        if wanted == str(item.id)
        or folded in (name.casefold() for name in (_STYLE_ALIASES.get(item.name, item.name), *list_speaker_names(item.name)))
    )
    return next(exact, None) or next(like, None)


def find_id_by_name(wanted: str | None, items: Sequence[NamedId], kind: str) -> int:
    """Return the id of a speaker or style by name or number, the first one if none is named; `kind` is what is looked for, in the language of the user."""
    if wanted is None:
        return min((item.id for item in items), default=0)
    if (item := find_named_id(wanted, items)) is not None:
        return item.id
    raise VoiceError(
        localize(f"この声に{kind}「{wanted}」はありません。", f"This voice has no {kind} “{wanted}”."),
        suggest_near_names(wanted, [item.name for item in items]),
    )


def suggest_near_names(wanted: str, known: Sequence[str]) -> str:
    """Return a hint that names what the user may have meant, or else all names there are."""
    close = difflib.get_close_matches(wanted[:80], known, n=3, cutoff=0.4)
    lead = localize("もしかして: ", "Did you mean: ") if close else localize("使用できるもの: ", "Available: ")
    return lead + ", ".join(dict.fromkeys(close or list(known)[:12]))
