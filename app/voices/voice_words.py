"""A voice in the words of people. What a manifest says is for programs, and in English for the voice that ships."""

from __future__ import annotations

from app.language import localized
from app.voices.manifest import VoiceManifest

STARTER = "starter"
"""Format of the voice that ships."""


def voice_name(name: str) -> str:
    """The name of the voice that ships, which has a word in it that is to be translated."""
    return localized(name.replace(" (starter)", "（付属）"), name)


def shown_name(manifest: VoiceManifest) -> str:
    """The name of any voice."""
    return voice_name(manifest.name) if manifest.format == STARTER else manifest.name


def about_starter() -> str:
    """An honest line about the voice that ships."""
    return localized(
        "Open JTalk の声をもとにした軽量な音声です。SBV2 の声ほど自然ではありません。",
        "A lightweight voice based on Open JTalk voices; less natural than trained SBV2 voices.",
    )
