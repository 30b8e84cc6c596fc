"""The voices of this machine as imported scripts look for them: by id, name, speaker, style, and the numbers that other programs give to styles."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from app.adapters.files.file_lock import lock_path_for_change
from app.common.errors import AppError
from app.common.files import paths
from app.common.files.paths import find_data_dir
from app.common.files.untrusted_json import sanitise_short_text
from app.common.files.whole_files import check_version, load_data, save_data
from app.common.language import localize
from app.core.script.project import VoiceAssignment
from app.interchange.character_assignment import AssignableSpeaker, AssignableVoice
from app.voices.aivisspeech_voices import find_aivisspeech_folder, list_aivisspeech_voices, read_speaker_cards
from app.voices.installed_voices import list_installed_voices
from app.voices.prepared_voice import VoiceManifest
from app.voices.voice_card_data import SpeakerCard, VoiceCardData, read_card
from app.voices.voice_labels import list_speaker_names

CHARACTERS_VERSION = 1
MAX_CHARACTERS = 10_000


def list_known_voices() -> list[AssignableVoice]:
    """Return the installed voices, then AivisSpeech's; raise VoiceError if a folder cannot be read."""
    voices = [describe_voice(voice.manifest, read_card(voice.path)) for voice in list_installed_voices(paths.list_voice_dirs())]
    return voices + list_unprepared_voices(voice.id for voice in voices)


def list_unprepared_voices(installed: Iterable[str] = ()) -> list[AssignableVoice]:
    """Return AivisSpeech's voices but for those with these ids."""
    ids = set(installed)
    voices = [voice for voice in list_aivisspeech_voices(find_aivisspeech_folder()) if voice.manifest.id not in ids]
    speakers = read_speaker_cards(voices)
    return [_build_known_voice(voice.manifest, voice.manifest.id, speakers.get(voice.manifest.id, ())) for voice in voices]


def describe_voice(manifest: VoiceManifest, card: VoiceCardData) -> AssignableVoice:
    return _build_known_voice(manifest, card.uuid, card.speakers)


def _build_known_voice(manifest: VoiceManifest, uuid: str, cards: Sequence[SpeakerCard]) -> AssignableVoice:
    by_id = {card.id: card for card in cards}
    names = {style.id: style.name for style in manifest.styles}
    speakers = []
    for speaker in manifest.speakers:
        card = by_id.get(speaker.id)
        style_ids = [style.id for style in card.styles if style.id in names] if card is not None else []
        styles = tuple((style, names[style]) for style in style_ids or names)
        other_names = list_speaker_names(speaker.name)[1:]
        speakers.append(AssignableSpeaker(speaker.name, card.uuid if card is not None else "", styles, other_names))
    return AssignableVoice(manifest.id, manifest.name, tuple(speakers), uuid, tuple(manifest.blends))


def locate_characters_file() -> Path:
    return find_data_dir() / "characters.json"


def load_characters() -> tuple[tuple[VoiceAssignment, ...], AppError | None]:
    """Return the remembered characters; a file that cannot be read is copied aside and reported."""
    failed = localize("登場人物と声の対応を読み込めませんでした。", "The voices assigned to characters could not be read.")
    characters, error = load_data(locate_characters_file(), _parse_characters, failed)
    return characters or (), error


def remember_characters(chosen: Iterable[VoiceAssignment]) -> None:
    """Add choices to the file, replacing those of the same name and dropping the oldest. Raise OutputFileError."""
    failed = localize("登場人物と声の対応を保存できません", "The voices assigned to characters could not be saved")
    # Another window may remember characters at the same time; without the lock one of the two changes is lost.
    with lock_path_for_change(locate_characters_file()):
        characters = {character.name: character for character in load_characters()[0]}
        for character in chosen:
            # Removed and added again, a choice becomes the newest and is the last to be dropped.
            characters.pop(character.name, None)
            characters[character.name] = character
        newest = list(characters.values())[-MAX_CHARACTERS:]
        data = {
            "version": CHARACTERS_VERSION,
            "characters": {assignment.name: [assignment.voice, assignment.speaker, assignment.style] for assignment in newest},
        }
        save_data(locate_characters_file(), data, failed)


def _parse_characters(data: Any) -> tuple[VoiceAssignment, ...]:
    characters = []
    for name, (voice, speaker, style) in list(check_version(data, CHARACTERS_VERSION, "characters").items())[:MAX_CHARACTERS]:
        characters.append(VoiceAssignment(*map(sanitise_short_text, (name, voice, speaker, style))))
    return tuple(characters)
