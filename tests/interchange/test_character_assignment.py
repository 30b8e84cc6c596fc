"""Who speaks the names of a file."""

import pytest

from app.core.script.project import Project, VoiceAssignment, VoiceReference
from app.core.script.script import Line, LineSettings, Script
from app.interchange.character_assignment import (
    AssignableSpeaker,
    AssignableVoice,
    apply_choices,
    compute_style_id,
    list_unassigned,
    match_characters,
)

UUID = "e756b8e4-b606-4e15-99b1-3f9c6a1b2317"
STYLES = ((0, "ノーマル"), (1, "あまあま"))
KNOWN = (
    AssignableVoice(
        "starter", "めい", (AssignableSpeaker("mei", "", ((0, "Neutral"), (1, "Happy"))), AssignableSpeaker("ken", "", ((0, "Neutral"),)))
    ),
    AssignableVoice("anneli", "Anneli", (AssignableSpeaker("Anneli", UUID, STYLES),), uuid="model-1"),
    AssignableVoice("twins", "双子", (AssignableSpeaker("花子", "", STYLES), AssignableSpeaker("太郎", "", STYLES))),
    AssignableVoice("other", "別人", (AssignableSpeaker("太郎", "", STYLES),)),
)


def found(
    name: str, *, speaker: bool = True, style: str = "", remembered: tuple[VoiceAssignment, ...] = (), default: str = ""
) -> tuple[str, str, str]:
    """Voice, speaker and style of a line that names somebody."""
    line = Line("はい", LineSettings(voice=name, style=style))
    project = Project(
        Script((line,)), voices=(VoiceReference(name, name),), assignments=(VoiceAssignment(name, speaker=name if speaker else ""),)
    )
    (line,) = match_characters(project, KNOWN, remembered, default).script.lines
    return line.settings.voice, line.settings.speaker, line.settings.style


def test_the_number_of_a_style() -> None:
    assert compute_style_id(UUID, 0) == 888753760  # of AivisSpeech's own first voice
    assert compute_style_id(UUID, 32) is None


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("mei", ("starter", "mei", "")),  # of the default voice
        ("花子", ("twins", "花子", "")),  # the only one of that name
        ("太郎", ("太郎", "", "")),  # two have it
        ("誰か", ("誰か", "", "")),
        ("anneli", ("anneli", "Anneli", "")),
        ("双子", ("twins", "", "")),  # a voice
        ("花子（あまあま）", ("twins", "花子", "あまあま")),
        ("花子(ノーマル)", ("twins", "花子", "ノーマル")),
        ("花子（怒り）", ("花子（怒り）", "", "")),
        ("mei（ノーマル）", ("starter", "mei", "Neutral")),  # one style by two names
        (f"aivisspeech:{compute_style_id(UUID, 1)}", ("anneli", "Anneli", "あまあま")),
        ("voicevox:3", ("voicevox:3", "", "")),
    ],
)
def test_a_name(name: str, who: tuple[str, str, str]) -> None:
    assert found(name) == who


def test_a_voice_is_looked_for_before_speakers() -> None:
    assert found("anneli", speaker=False) == ("anneli", "", "")
    assert found("太郎", default="other") == ("other", "太郎", "")


def test_the_style_of_a_row_counts() -> None:
    assert found("花子（あまあま）", style="ノーマル") == ("twins", "花子", "ノーマル")


def test_what_was_chosen_before() -> None:
    chosen = VoiceAssignment("ずんだもん", "twins", "花子", "あまあま")
    assert found("ずんだもん", remembered=(chosen,)) == ("twins", "花子", "あまあま")
    assert found("花子", remembered=(VoiceAssignment("花子", "gone"),)) == ("花子", "", "")  # a voice that is no longer here is no answer


def test_what_is_found_and_what_is_not() -> None:
    lines = tuple(Line("はい", LineSettings(voice=name)) for name in ("花子", "誰か", "gone", ""))
    voices = (VoiceReference("花子"), VoiceReference("誰か"), VoiceReference("gone", "アンネリ", "model-1"))
    characters = (VoiceAssignment("花子", speaker="花子"), VoiceAssignment("誰か", speaker="誰か"))
    project = match_characters(Project(Script(lines), voices=voices, assignments=characters), KNOWN)
    assert [line.settings.voice for line in project.script.lines] == ["twins", "誰か", "anneli", ""]
    assert [voice.id for voice in project.voices] == ["誰か"]
    assert [character.name for character in list_unassigned(project)] == ["誰か"]
    answered = apply_choices(project, {"誰か": VoiceAssignment("誰か", "other", "太郎")})
    assert [(line.settings.voice, line.settings.speaker) for line in answered.script.lines][1] == ("other", "太郎")
    assert list_unassigned(answered) == ()
