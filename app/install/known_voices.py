"""The voices of this machine as imported scripts look for them: by id, name, speaker, style, and the numbers that other programs give to styles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.common.files import paths
from app.interchange.character_assignment import AssignableSpeaker, AssignableVoice
from app.voices.aivisspeech_voices import find_aivisspeech_folder, list_aivisspeech_voices, read_speaker_cards
from app.voices.installed_voices import list_installed_voices
from app.voices.voice_card_data import SpeakerCard, VoiceCardData, read_card
from app.voices.voice_manifest import VoiceManifest


def list_known_voices() -> list[AssignableVoice]:
    """Return the installed voices, then AivisSpeech's; raise VoiceError if a folder cannot be read."""
    voices = [describe_voice(voice.manifest, read_card(voice.path)) for voice in list_installed_voices(paths.list_voice_dirs())]
    return voices + list_unprepared_voices(voice.id for voice in voices)


def list_unprepared_voices(installed: Iterable[str] = ()) -> list[AssignableVoice]:
    """Return AivisSpeech's voices but for those with these ids."""
    ids = set(installed)
    found = [voice for voice in list_aivisspeech_voices(find_aivisspeech_folder()) if voice.manifest.id not in ids]
    speakers = read_speaker_cards(found)
    return [_build_known_voice(voice.manifest, voice.manifest.id, speakers.get(voice.manifest.id, ())) for voice in found]


def describe_voice(manifest: VoiceManifest, card: VoiceCardData) -> AssignableVoice:
    """Describe an installed voice."""
    return _build_known_voice(manifest, card.uuid, card.speakers)


def _build_known_voice(manifest: VoiceManifest, uuid: str, cards: Sequence[SpeakerCard]) -> AssignableVoice:
    by_id = {card.id: card for card in cards}
    names = {style.id: style.name for style in manifest.styles}
    speakers = []
    for speaker in manifest.speakers:
        card = by_id.get(speaker.id)
        own = [style.id for style in card.styles if style.id in names] if card is not None else []
        styles = tuple((style, names[style]) for style in own or names)
        speakers.append(AssignableSpeaker(speaker.name, card.uuid if card is not None else "", styles))
    return AssignableVoice(manifest.id, manifest.name, tuple(speakers), uuid)
