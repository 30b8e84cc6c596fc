"""A card names the speaker and the style that will be heard."""

from app.core.script.script import Line, LineSettings
from app.ui.display_names import VoiceLabel
from app.ui.script.line_delegate import LineVoiceNames


def voices() -> LineVoiceNames:
    known = LineVoiceNames()
    known.set_voices(
        [VoiceLabel("", "Mei", ("Neutral", "Happy"), ("Mei",), None), VoiceLabel("two", "二人", ("Calm",), ("花子", "太郎"), None)], str
    )
    return known


def line(voice: str, style: str = "", speaker: str = "") -> Line:
    return Line("はい。", id="a", settings=LineSettings(voice=voice, style=style, speaker=speaker))


def test_it_names_what_will_be_heard() -> None:
    known = voices()
    assert known.format_summary(line("")) == "Neutral"
    assert known.format_summary(line("", "Happy")) == "Happy"
    assert known.format_summary(line("two", "Happy", "太郎")) == "太郎 · Calm"
    assert known.format_summary(line("two")) == "花子 · Calm"


def test_a_style_that_the_voice_does_not_have_is_explained() -> None:
    known = voices()
    assert known.format_explanation(line("two", "Happy")) == "This voice has no “Happy” style; it speaks in “Calm”."
    assert known.format_explanation(line("", "Happy")) == "Happy"


def test_a_voice_that_is_not_here_is_named_by_what_it_was_called() -> None:
    known = voices()
    assert known.is_missing("gone")
    assert known.find_voice_name("gone") == "gone (missing)"
    assert known.format_summary(line("gone", "Happy", "太郎")) == "gone"
    assert known.format_explanation(line("gone")) == "Missing voice: gone"
    assert known.find_style(line("gone", "Happy")) == "Happy"
