"""The voices of this machine as imported scripts look for them: by id, name, speaker, style, and the numbers that other programs give to styles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app import paths
from app.interchange.assign import KnownSpeaker, KnownVoice
from app.voices.aivisspeech import aivisspeech_folder, aivisspeech_voices, speakers_in
from app.voices.card import Card, SpeakerCard, read_card
from app.voices.library import installed_voices
from app.voices.manifest import VoiceManifest


def known_voices() -> list[KnownVoice]:
    """The installed ones, then AivisSpeech's. Raises VoiceError where a folder cannot be read."""
    voices = [known_voice(voice.manifest, read_card(voice.path)) for voice in installed_voices(paths.voice_dirs())]
    return voices + unprepared_voices(voice.id for voice in voices)


def unprepared_voices(installed: Iterable[str] = ()) -> list[KnownVoice]:
    """AivisSpeech's voices but for those with these ids."""
    ids = set(installed)
    found = [voice for voice in aivisspeech_voices(aivisspeech_folder()) if voice.manifest.id not in ids]
    speakers = speakers_in(found)
    return [_known(voice.manifest, voice.manifest.id, speakers.get(voice.manifest.id, ())) for voice in found]


def known_voice(manifest: VoiceManifest, card: Card) -> KnownVoice:
    """A voice that is installed."""
    return _known(manifest, card.uuid, card.speakers)


def _known(manifest: VoiceManifest, uuid: str, cards: Sequence[SpeakerCard]) -> KnownVoice:
    by_id = {card.id: card for card in cards}
    names = {style.id: style.name for style in manifest.styles}
    speakers = []
    for speaker in manifest.speakers:
        card = by_id.get(speaker.id)
        own = [style.id for style in card.styles if style.id in names] if card is not None else []
        styles = tuple((style, names[style]) for style in own or names)
        speakers.append(KnownSpeaker(speaker.name, card.uuid if card is not None else "", styles))
    return KnownVoice(manifest.id, manifest.name, tuple(speakers), uuid)
