"""A voice in the words of people. What a manifest says is for programs, and in English for the voice that ships."""

from __future__ import annotations

from app.common.language import localize
from app.voices.voice_manifest import VoiceManifest

STARTER_NAME_WORD = "starter"
"""Format of the voice that ships."""

NATURAL_VOICE_ID, NATURAL_VOICE_WORD = "kokoro", "natural"
"""Id of the natural voice, and the word by which it is added on the command line, where it is found by this too."""


def localize_voice_name(name: str) -> str:
    """Return the name of the voice that ships, with its one English word translated."""
    return localize(name.replace(" (starter)", "（付属）"), name)


def format_voice_name(manifest: VoiceManifest) -> str:
    """Return the name of a voice as the user reads it."""
    return localize_voice_name(manifest.name) if manifest.format == STARTER_NAME_WORD else manifest.name


def describe_starter_voice() -> str:
    """Return a sentence about the voice that ships."""
    return localize(
        "すぐに話し始める軽量な声です。Open JTalk の声をもとにしています。",
        "A light voice that starts at once, based on Open JTalk voices.",
    )


def describe_natural_voice() -> str:
    """Return a sentence about the natural voice, whose manifest holds it in English alone."""
    return localize(
        "自然な声です。アクセントは Koebako の読みのとおりに話します。Kokoro-82M の重みを使っています。",
        "A natural voice that keeps the accents of Koebako's reading, made from the weights of Kokoro-82M.",
    )
