"""The card of a voice: whatever a manifest holds, reading it neither fails nor fills the disk."""

import base64
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.voices.containers import voice_descriptions
from app.voices.containers.voice_descriptions import build_voice_card
from app.voices.voice_card_data import SpeakerCard, StyleCard, VoiceCardData, VoiceSample, list_media_files, read_card, write_card

PNG = b"\x89PNG\r\n\x1a\n"


def url(data: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def speaker(**values: Any) -> dict[str, Any]:
    return {"speakers": [{"name": "花子", "local_id": 0, "uuid": "u", "supported_languages": ["ja"], "styles": []} | values]}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | st.just(url(PNG)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "local_id", "icon", "styles", "voice_samples", "audio", "transcript", "speakers", "creators", "uuid"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["speakers", "creators", "uuid", "version", "training_epochs", "model_architecture"]), JSON), JSON)
def test_any_manifest_gives_a_card_that_reads_back(aivm: dict[str, Any], config: Any) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        card = build_voice_card(config if isinstance(config, dict) else {}, aivm, folder)
        write_card(card, folder)
        assert read_card(folder) == card
        assert all((folder / file).is_file() for file in list_media_files(card))


@pytest.mark.parametrize(("data", "suffix"), [(PNG, ".png"), (b"\xff\xd8\xff\xe0", ".jpg"), (b"RIFF....WEBPVP8 ", ".webp")])
def test_an_icon_is_known_by_its_content(data: bytes, suffix: str, tmp_path: Path) -> None:
    card = build_voice_card({}, speaker(icon=url(data, "text/html")), tmp_path)
    assert card.speakers[0].icon.endswith(suffix)
    assert (tmp_path / card.speakers[0].icon).read_bytes() == data
    assert card.notes == ()


@pytest.mark.parametrize(
    "icon",
    [
        "https://example.com/icon.png",
        "data:image/svg+xml,<svg/>",
        url(b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        url(b""),
        "data:image/png;base64,***",
        "data:" + "x" * 1000 + ";base64,AAAA",
        5,
        url(PNG + bytes(voice_descriptions.MAX_ICON_BYTES)),
    ],
)
def test_an_icon_that_cannot_be_shown_is_left_out_with_a_note(icon: Any, tmp_path: Path) -> None:
    card = build_voice_card({}, speaker(icon=icon), tmp_path)
    assert card.speakers[0].icon == ""
    assert len(card.notes) == 1
    assert "花子" in card.notes[0]
    assert list(tmp_path.iterdir()) == []


def test_all_media_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voice_descriptions, "MAX_CARD_MEDIA_BYTES", 3000)
    wav = b"RIFF....WAVE" + bytes(990)
    samples = [{"audio": url(wav + bytes([number])), "transcript": str(number)} for number in range(10)]
    card = build_voice_card({}, speaker(styles=[{"name": "普通", "local_id": 0, "voice_samples": samples}]), tmp_path)
    assert [sample.transcript for sample in card.speakers[0].styles[0].samples] == ["0", "1"]
    assert sum(item.stat().st_size for item in (tmp_path / "media").iterdir()) <= 3000
    assert len(card.notes) == 8


def test_an_icon_used_everywhere_is_kept_once(tmp_path: Path) -> None:
    styles = [{"name": str(number), "local_id": number, "icon": url(PNG)} for number in range(30)]
    card = build_voice_card({}, speaker(icon=url(PNG), styles=styles), tmp_path)
    assert {style.icon for style in card.speakers[0].styles} == {card.speakers[0].icon}
    assert len(list((tmp_path / "media").iterdir())) == 1


def test_without_an_aivm_manifest_the_settings_speak(tmp_path: Path) -> None:
    assert build_voice_card({"version": "2.5.0-JP-Extra"}, {}, tmp_path).architecture == "Style-Bert-VITS2 (JP-Extra)"
    assert build_voice_card({"version": "2.5.0"}, {}, tmp_path).architecture == "Style-Bert-VITS2"


def test_a_card_that_points_elsewhere_is_no_card(tmp_path: Path) -> None:
    for name in ("/etc/passwd", "../x.png", "media/../x.png", "media/x/y.png", "media\\x.png", "voice.json"):
        style = StyleCard(0, samples=(VoiceSample(name, "x"),))
        write_card(VoiceCardData(creators=("x",), speakers=(SpeakerCard(0, styles=(style,)),)), tmp_path)
        assert read_card(tmp_path) == VoiceCardData()
