"""A voice in the words of people. What a manifest says is for programs, and in English for the voice that ships."""

from __future__ import annotations

from app.common.language import localize
from app.voices.voice_manifest import VoiceManifest

STARTER_NAME_WORD = "starter"
"""Format of the voice that ships."""


def localize_voice_name(name: str) -> str:
    """The name of the voice that ships, which has a word in it that is to be translated."""
    return localize(name.replace(" (starter)", "（付属）"), name)


def format_voice_name(manifest: VoiceManifest) -> str:
    """The name of any voice."""
    return localize_voice_name(manifest.name) if manifest.format == STARTER_NAME_WORD else manifest.name


def describe_starter_voice() -> str:
    """An honest line about the voice that ships."""
    return localize(
        "Open JTalk の声をもとにした軽量な音声です。SBV2 の声ほど自然ではありません。",
        "A lightweight voice based on Open JTalk voices; less natural than trained SBV2 voices.",
    )
