"""The names of OpenAI's voices speak with ours, and a voice that is named so comes first."""

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from app.compose.speaker import Speaker
from app.core.script.script import LineSettings
from app.export.safe_file_names import SpeakerNames
from app.service.agents.offered_voices import OfferedVoices
from app.service.request_fields import RefusalError
from app.service.routes_own import OPENAI_VOICES, require_openai_style
from app.service.style_catalogue import build_catalogue
from app.voices.prepared_voice import NamedId, Voice
from app.voices.voice_labels import NATURAL_VOICE_ID
from tests.service.conftest import serving

NATURAL_SPEAKERS = ("Female 1", "Female 2", "Female 3", "Female 4", "Male 1")
MEN = {"ash", "ballad", "cedar", "echo", "fable", "onyx", "verse"}
WOMEN = {"alloy", "coral", "marin", "nova", "sage", "shimmer"}


@pytest.fixture(scope="module")
def natural(mei: Speaker) -> Voice:
    """The natural voice as far as its names go, with the sound of the light one."""
    speakers = tuple(NamedId(number, name) for number, name in enumerate(NATURAL_SPEAKERS))
    return rename(mei.voice, NATURAL_VOICE_ID, speakers)


def rename(voice: Voice, voice_id: str, speakers: tuple[NamedId, ...]) -> Voice:
    return replace(voice, manifest=replace(voice.manifest, id=voice_id, name=voice_id.title(), speakers=speakers))


@pytest.fixture
def both(mei: Speaker, natural: Voice) -> Iterator[httpx.Client]:
    """A client of a service with both voices."""
    with serving(mei, [mei.voice, natural]) as url, httpx.Client(base_url=url, timeout=30) as client:
        yield client


def speak(client: httpx.Client, voice: object) -> bytes:
    answer = client.post("/v1/audio/speech", json={"model": "tts-1", "input": "はい。", "voice": voice, "response_format": "wav"})
    assert answer.status_code == 200, answer.text
    return answer.content


def test_all_thirteen_are_known_and_men_are_spoken_by_men(mei: Speaker, natural: Voice) -> None:
    assert set(OPENAI_VOICES) == MEN | WOMEN
    names = {}
    for voices in ([mei.voice], [mei.voice, natural]):
        catalogue = build_catalogue(voices)
        styles = {name: require_openai_style(catalogue, name) for name in OPENAI_VOICES}
        names[len(voices)] = {name: (style.voice, style.speaker) for name, style in styles.items()}
        assert all(style.style == 0 for style in styles.values())
    light = mei.voice.manifest.id
    assert {name for name, found in names[1].items() if found == (light, 2)} == MEN
    assert {names[1][name] for name in WOMEN} == {(light, 0), (light, 1)}
    assert {name for name, found in names[2].items() if found == (NATURAL_VOICE_ID, 4)} == MEN
    assert {names[2][name] for name in WOMEN} == {(NATURAL_VOICE_ID, number) for number in range(4)}


def test_the_light_voice_speaks_where_it_is_all_there_is(client: httpx.Client) -> None:
    woman, man = speak(client, "Mei"), speak(client, "NIT m001")
    assert woman != man
    assert [speak(client, name) for name in ("alloy", " Alloy ", "onyx", {"id": "onyx"})] == [woman, woman, man, man]


def test_the_natural_voice_speaks_where_it_is(both: httpx.Client) -> None:
    names = {"alloy": "Female 1", "shimmer": "Female 2", "nova": "Female 3"}
    own = {name: speak(both, name) for name in names.values()}
    assert len(set(own.values())) == len(own)
    assert {name: speak(both, name) for name in names} == {name: own[ours] for name, ours in names.items()}


def test_a_voice_that_is_named_so_comes_first(mei: Speaker) -> None:
    other = rename(mei.voice, "other", (NamedId(1, "Onyx"),))
    with serving(mei, [mei.voice, other]) as url, httpx.Client(base_url=url, timeout=30) as client:
        assert speak(client, "onyx") == speak(client, "Tohoku f01") != speak(client, "echo")


def test_another_name_is_refused_as_before(client: httpx.Client, mei: Speaker) -> None:
    answer = client.post("/v1/audio/speech", json={"input": "あ", "voice": "alloys"})
    assert (answer.status_code, "There is no voice “alloys”. Available: Mei" in answer.json()["error"]["message"]) == (400, True)
    assert client.post("/v1/speak", json={"text": "あ", "voice": "alloy"}).status_code == 422
    catalogue = build_catalogue([rename(mei.voice, "other", (NamedId(0, "Someone"),))])
    with pytest.raises(RefusalError):
        require_openai_style(catalogue, "alloy")


def test_a_text_may_be_as_long_as_openai_takes_it(both: httpx.Client) -> None:
    body = {"voice": "Mei", "response_format": "pcm", "input": "はい。" + "\n" * 4093}
    assert both.post("/v1/audio/speech", json=body).status_code == 200
    assert both.post("/v1/audio/speech", json=body | {"input": "は" * 4097}).status_code == 400
    assert "Mei" in [voice["id"] for voice in both.get("/v1/audio/voices").json()["voices"]]


def test_a_blend_is_offered_under_each_speaker_and_named_after_none(natural: Voice) -> None:
    styles = (natural.manifest.styles[0], NamedId(1, "混声"))
    blended = replace(natural, manifest=replace(natural.manifest, architecture="kokoro", styles=styles))
    catalogue = build_catalogue([blended])
    assert [[style.is_blend for style in speaker.styles] for speaker in catalogue.speakers] == [[False, True]] * len(NATURAL_SPEAKERS)
    settings = LineSettings(voice=NATURAL_VOICE_ID, speaker="Male 1", style="混声")
    assert OfferedVoices(catalogue, "").name_speaker(settings) == SpeakerNames("Kokoro", "Kokoro", "混声")
    assert OfferedVoices(catalogue, "").name_speaker(replace(settings, style="")) == SpeakerNames("Kokoro", "Male 1", "Neutral")
