"""The voices that an agent is offered, for the lines of a project: who speaks them, and what of a line names that."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.common.errors import InputError
from app.common.language import localize
from app.core.delivery import KATAKANA
from app.core.script.script import LineSettings, choose_known_name
from app.core.synthesis_types import BOUNDS
from app.export.safe_file_names import SpeakerNames, name_line_speaker
from app.service.style_catalogue import ServedSpeaker, ServedStyle, StyleCatalogue
from app.voices.voice_labels import format_style, format_usual_speaker


class OfferedVoices:
    """A catalogue, and the id of the voice that lines without one mean; empty where there is none."""

    def __init__(self, catalogue: StyleCatalogue, shipped_voice: str) -> None:
        self._catalogue, self.shipped_voice = catalogue, shipped_voice
        self.names = {style.voice: speaker.voice for speaker in catalogue.speakers for style in speaker.styles}  # by id

    def find_speaker(self, settings: LineSettings) -> ServedSpeaker | None:
        """Return who speaks with these settings; None where the voice is not offered."""
        voice = settings.voice or self.shipped_voice
        speakers = [speaker for speaker in self._catalogue.speakers if speaker.styles[0].voice == voice]
        return next((speaker for speaker in speakers if speaker.plain_name == settings.speaker), next(iter(speakers), None))

    def require_voice(self, settings: LineSettings) -> str:
        """Return the id of the voice that speaks; raise InputError if it is not offered."""
        voice = settings.voice or self.shipped_voice
        if self.find_speaker(settings) is None:
            raise create_unknown_voice_error()
        return voice

    def describe_settings(self, settings: LineSettings) -> dict[str, Any]:
        """Return who speaks with these settings, and everything about how that is not as usual."""
        speaker = self.find_speaker(settings)
        voice, styles = (settings.voice, []) if speaker is None else (speaker.name, [style.name for style in speaker.styles])
        changed = {name: value for name, bounds in BOUNDS.items() if (value := getattr(settings, name)) != bounds.default}
        latin = {"latin": settings.latin} if settings.latin != KATAKANA else {}
        return {"voice": voice, "style": choose_known_name(settings.style, styles), **changed, **latin}

    def convert_settings(self, values: Mapping[str, Any], settings: LineSettings) -> dict[str, Any]:
        """Return the settings that an agent names for a line with these; raise InputError for a voice or style that is not offered."""
        changes: dict[str, Any] = {name: float(values[name]) for name in BOUNDS if name in values}
        changes |= {"latin": values["latin"]} if "latin" in values else {}
        if "voice" not in values and "style" not in values:
            return changes
        speaker = self.find_speaker(settings)
        name = values.get("voice") or ("" if speaker is None else speaker.name)
        style = self._catalogue.find_style(name, style=values.get("style", ""))
        if style is None:
            raise create_unknown_voice_error()
        return changes | self._name_style(style)

    def create_settings(self) -> LineSettings:
        """Return the settings of a line of which nothing is said: the first style speaks."""
        first = self._catalogue.first_style
        return LineSettings() if first is None else replace(LineSettings(), **self._name_style(first))

    def _name_style(self, style: ServedStyle) -> dict[str, Any]:
        """Return who speaks in a style, as lines name it: the voice that ships is none."""
        speaker = self._catalogue.find_owner(style)
        return {"voice": "" if style.voice == self.shipped_voice else style.voice, "speaker": speaker.plain_name, "style": style.name}

    def name_speaker(self, settings: LineSettings) -> SpeakerNames:
        """Return the names for files."""
        speaker = self.find_speaker(settings)
        if speaker is None:
            return name_line_speaker(settings, None)
        style = next((style for style in speaker.styles if style.name == settings.style), speaker.styles[0])
        who = speaker.voice if style.is_blend else format_usual_speaker(speaker.plain_name)
        return SpeakerNames(speaker.voice, who, format_style(style.name))


def create_unknown_voice_error() -> InputError:
    return InputError(
        localize("その声またはスタイルはありません。", "There is no such voice or style."),
        localize("voices で一覧を確認してください。", "See the list of `voices`."),
    )
