"""Voices that users bring: their numbers stay, and the lengths of their queries are those of their sound, also where a voice is one graph."""

import io
import shutil
import wave
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import onnx
import pytest
from onnx import helper

from app.common.files import paths
from app.compose.speaker_opening import open_speaker
from app.install.manage_voices import remove_voice, rename_voice
from app.install.voice_import import add_voice
from app.install.voice_preparation import prepare_voice
from app.service.style_catalogue import StyleCatalogue, build_catalogue
from app.voices.installed_voices import find_id_by_name, list_installed_voices
from app.voices.prepared_voice import NamedId, read_prepared_voice
from app.voices.voice_labels import SPEAKER_LABELS, list_speaker_names
from tests.brief_preparation import verify_briefly
from tests.install.voice_files import aivmx, quick, wishes
from tests.service.conftest import serving

TEXT = "こんにちは、世界。今日は、本当に晴れますか？"
FRAMES = 1.0


def numbers(catalogue: StyleCatalogue) -> list[list[int]]:
    return [[style.id for style in speaker.styles] for speaker in catalogue.speakers]


def offered() -> StyleCatalogue:
    return build_catalogue(list_installed_voices([paths.find_data_dir() / "voices"]))


def test_numbers_stay_where_a_voice_has_no_uuid(tiny_models: Path, tmp_path: Path) -> None:
    """After a start, under another name, prepared otherwise by a later version, and where the file is added again; another file has others."""
    source = tiny_models / "jp-extra-tiny" / "model.onnx"
    added = add_voice(source, wishes(), prepare=quick)
    assert not any(speaker.uuid for speaker in added.card.speakers)
    before = numbers(offered())
    assert len(before) == 3
    assert numbers(offered()) == before
    rename_voice(added.voice.manifest.id, "別の名前")
    with (added.voice.path / "decoder.onnx").open("ab") as graph:
        graph.write(b"\x00")
    assert numbers(offered()) == before
    remove_voice(added.voice.manifest.id)
    elsewhere = shutil.copytree(source.parent, tmp_path / "moved")
    add_voice(elsewhere / "model.onnx", wishes(), prepare=quick)
    assert numbers(offered()) == before
    other = add_voice(tiny_models / "jp-extra-tiny-2spk" / "model.safetensors", wishes(), prepare=quick)
    assert not {number for speaker in numbers(build_catalogue([other.voice])) for number in speaker} & {
        number for one in before for number in one
    }


def test_numbers_of_a_uuid_do_not_depend_on_the_file(tiny_models: Path, tmp_path: Path) -> None:
    first = add_voice(aivmx(tiny_models, tmp_path / "a.aivmx", version="1.0.0"), wishes(), prepare=quick)
    before = numbers(build_catalogue([first.voice]))
    remove_voice(first.voice.manifest.id)
    second = add_voice(aivmx(tiny_models, tmp_path / "b.aivmx", version="1.1.0"), wishes(), prepare=quick)
    assert numbers(build_catalogue([second.voice]))[:2] == before[:2]  # those that have one


def test_the_shipped_voice_keeps_its_numbers_when_it_is_made_anew(tmp_path: Path) -> None:
    ours = paths.find_resources_dir() / "voices" / "mei"
    folder = shutil.copytree(ours, tmp_path / "mei")
    (folder / "flow.onnx").write_bytes(b"another one")
    assert numbers(build_catalogue([read_prepared_voice(folder)])) == numbers(build_catalogue([read_prepared_voice(ours)]))


def test_a_style_is_found_by_every_name_that_people_know() -> None:
    """Of its voice, its speaker and its own, which `/v1/speak` takes as `koebako speak` does."""
    catalogue = build_catalogue(list_installed_voices(paths.list_voice_dirs()))

    def chosen(*names: str) -> tuple[int, int] | None:
        found = catalogue.find_style(*names)
        return None if found is None else (found.speaker, found.style)

    assert chosen("") == chosen("mei") == chosen("Mei (starter)") == chosen("mei", "Mei") == (0, 0)
    assert chosen("Tohoku f01") == chosen("mei", "tohoku F01") == chosen("", "1") == (1, 0)
    assert chosen("Mei/Sad") == chosen("mei", "", "Sad") == chosen("Mei (starter)", "0", "4") == (0, 4)
    assert chosen("NIT m001", "", "happy") == (2, 1)
    assert chosen("nobody") is chosen("mei", "nobody") is chosen("mei", "", "nobody") is chosen("NIT m001", "Mei") is None


@pytest.mark.parametrize("speaker", SPEAKER_LABELS)
def test_a_speaker_of_the_natural_voice_is_found_by_each_of_its_names(speaker: str) -> None:
    mei = read_prepared_voice(paths.find_resources_dir() / "voices" / "mei")
    speakers = tuple(NamedId(number, name) for number, name in enumerate(SPEAKER_LABELS))
    catalogue = build_catalogue([replace(mei, manifest=replace(mei.manifest, speakers=speakers))])
    number = list(SPEAKER_LABELS).index(speaker)
    for name in list_speaker_names(speaker):
        for found in (catalogue.find_style(name), catalogue.find_style("", name), catalogue.find_style(f"{name}/Sad")):
            assert found is not None
            assert found.speaker == number
        assert find_id_by_name(name, speakers, "speaker") == number
    assert [served.convert_to_json()["name"] for served in catalogue.speakers] == list(SPEAKER_LABELS), "clients have the former names"


@pytest.mark.parametrize(
    "source",
    [
        "jp-extra-tiny/model.safetensors",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("jp-extra-tiny-2spk/model.aivmx", "multilingual-tiny/model.sbv2", "nanairo-tiny/model.safetensors", "variant-no-noise-inputs/model.onnx")
        ),
    ],
)  # fmt: skip
def test_a_voice_that_was_imported_is_served(tiny_models: Path, tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tiny_models / source
    verify_briefly(monkeypatch)
    prepare_voice(path, tmp_path, int8=False)
    check_lengths(tmp_path, opaque=False)


def test_a_voice_of_one_graph_is_served(tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the seams hidden from the importer."""
    verify_briefly(monkeypatch)
    folder = shutil.copytree(tiny_models / "jp-extra-tiny", tmp_path / "source")
    model = onnx.load(str(folder / "model.onnx"))
    model.graph.node.append(helper.make_node("Ceil", ["sdp_ratio"], ["rounded"], name="/Ceil_1"))
    onnx.save(model, str(folder / "model.onnx"))
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    assert prepare_voice(folder / "model.onnx", prepared, int8=False).manifest.is_single_graph
    check_lengths(prepared, opaque=True)


def check_lengths(folder: Path, *, opaque: bool) -> None:
    """A query's lengths are those of the sound to a frame at any speed; edits count, or are refused."""
    speaker = open_speaker(str(folder), force_bert=True)
    with serving(speaker, voices=[read_prepared_voice(folder)]) as url, httpx.Client(base_url=url, timeout=60) as client:
        style = client.get("/speakers").json()[0]["styles"][-1]["id"]
        query = client.post("/audio_query", params={"text": TEXT, "speaker": style}).json()
        for speed in (1.0, 1.37, 0.7):
            changed = query | {"speedScale": speed}
            sound = client.post("/streaming_synthesis", params={"speaker": style}, json=changed)
            assert abs(seconds(sound.content) - length_s(changed)) * 44100 / 512 <= FRAMES, speed
        query["accent_phrases"][0]["moras"][0]["vowel_length"] += 0.5
        longer = client.post("/synthesis", params={"speaker": style}, json=query)
        assert longer.status_code == (422 if opaque else 200)
        if not opaque:
            assert abs(seconds(longer.content) - length_s(query)) * 44100 / 512 <= FRAMES
        body = {"text": TEXT, "style_id": style, "speed": 1.2}
        told = client.post("/v1/timings", json=body).json()["samples"]
        assert len(client.post("/v1/speak", json=body | {"format": "pcm"}).content) == 2 * told


def length_s(query: dict[str, Any]) -> float:
    moras = [mora for phrase in query["accent_phrases"] for mora in (*phrase["moras"], *filter(None, [phrase["pause_mora"]]))]
    inner = sum(mora["vowel_length"] + (mora["consonant_length"] or 0) for mora in moras)
    return float(query["prePhonemeLength"] + inner / query["speedScale"] + query["postPhonemeLength"])


def seconds(content: bytes) -> float:
    with wave.open(io.BytesIO(content)) as file:
        return file.getnframes() / file.getframerate()
