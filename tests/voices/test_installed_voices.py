"""Voices are found by id, name or path; what is missing or damaged is said plainly."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from app.adapters.shared_settings import change_settings
from app.common.errors import VoiceError
from app.common.files import paths
from app.voices import installed_voices
from app.voices.bert_models import find_bert
from app.voices.installed_voices import (
    choose_default_voice,
    find_id_by_name,
    find_shipped_voice_id,
    find_voice,
    list_installed_voices,
    order_speaking_first,
)
from app.voices.prepared_voice import NamedId, read_manifest, read_prepared_voice

SHIPPED = paths.find_resources_dir() / "voices"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the shipped voice, free to be damaged."""
    folder = tmp_path / "voices" / "mei"
    shutil.copytree(SHIPPED / "mei", folder)
    return folder


@pytest.mark.parametrize("wanted", [None, "mei", "MEI (Starter)", str(SHIPPED / "mei")])
def test_the_shipped_voice_is_found(wanted: str | None) -> None:
    assert find_voice(wanted, [SHIPPED]).manifest.id == "mei"


@pytest.fixture
def own(copy: Path) -> Path:
    """A voice that the user added."""
    change_manifest({"id": "own", "name": "Own"})(copy)
    return copy.rename(copy.with_name("own"))


def make_default(voice: str) -> None:
    """As the user does it."""
    change_settings(lambda settings: replace(settings, default_voice=voice))


@pytest.mark.parametrize("chosen", ["", "own", "mei", "gone"])
def test_the_default_comes_first_and_an_added_voice_is_not_it_until_the_user_says_so(own: Path, tmp_path: Path, chosen: str) -> None:
    make_default(chosen)
    folders = [own.parent, tmp_path / "missing", SHIPPED]
    expected = ["own", "mei"] if chosen == "own" else ["mei", "own"]
    assert [voice.manifest.id for voice in list_installed_voices(folders)] == expected
    assert choose_default_voice(folders).voice.manifest.id == expected[0]


def test_the_first_voice_that_can_speak_is_taken_and_those_before_it_are_named(own: Path) -> None:
    folders = [own.parent, SHIPPED]
    make_default("own")
    assert choose_default_voice(folders).voice.manifest.id == "own"
    change_manifest({"bert": "missing"})(own)
    first = choose_default_voice(folders)
    assert first.voice.manifest.id == "mei"
    assert [manifest.id for manifest in first.skipped] == ["own"]
    assert find_voice(None, folders).manifest.id == "mei"
    assert [voice.manifest.id for voice in order_speaking_first(list_installed_voices(folders))] == ["mei", "own"]
    anything = partial(find_bert, folders=paths.list_bert_dirs(), allow_mismatch=True)
    assert choose_default_voice(folders, anything).voice.manifest.id == "own"


def test_where_no_voice_can_speak_the_first_says_what_is_missing(copy: Path) -> None:
    change_manifest({"bert": "missing"})(copy)
    first = choose_default_voice([copy.parent])
    assert (first.voice.manifest.bert, first.skipped) == ("missing", ())


def test_unknown_names_offer_near_ones() -> None:
    with pytest.raises(VoiceError) as caught:
        find_voice("mej", [SHIPPED])
    assert "mei" in caught.value.hint


def test_speakers_and_styles_by_name_number_or_nothing() -> None:
    items = [NamedId(3, "Happy"), NamedId(1, "Neutral")]
    assert find_id_by_name("happy", items, "style") == 3
    assert find_id_by_name("1", items, "style") == 1
    assert find_id_by_name("ノーマル", items, "style") == 1
    assert find_id_by_name("Neutral", [NamedId(0, "ノーマル")], "style") == 0
    assert find_id_by_name("低く静か", [NamedId(0, "Neutral"), NamedId(29, "Low and quiet")], "style") == 29
    assert find_id_by_name(None, items, "style") == 1
    assert find_id_by_name("1", [NamedId(1, "2"), NamedId(2, "1")], "style") == 2, "a name counts before a number"
    with pytest.raises(VoiceError, match="Angry"):
        find_id_by_name("Angry", items, "style")


def change_manifest(change: dict[str, object]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        path = folder / "voice.json"
        path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")

    return apply


DAMAGES: dict[str, Callable[[Path], object]] = {
    "no manifest": lambda folder: (folder / "voice.json").unlink(),
    "empty manifest": lambda folder: (folder / "voice.json").write_text(""),
    "manifest is a list": lambda folder: (folder / "voice.json").write_text("[]"),
    "manifest is not UTF-8": lambda folder: (folder / "voice.json").write_bytes(b"\xff\xfe{}"),
    "unknown key": change_manifest({"surprise": 1}),
    "speakers of a wrong kind": change_manifest({"speakers": 5}),
    "windows of a wrong kind": change_manifest({"windows": ["x"]}),
    "graph outside the folder": change_manifest({"graphs": {"prosody": "../mei/prosody.onnx", "decoder": "decoder.onnx"}}),
    "sampling rate of nothing": change_manifest({"sampling_rate": 0}),
    "sampling rate of a wrong kind": change_manifest({"sampling_rate": "x"}),
    "no windows": change_manifest({"windows": []}),
    "windows below nothing": change_manifest({"windows": [-1]}),
    "margin of a wrong kind": change_manifest({"margin_frames": "a"}),
    "margin below nothing": change_manifest({"margin_frames": -5}),
    "no graphs": change_manifest({"graphs": {}}),
    "no decoder": change_manifest({"graphs": {"prosody": "prosody.onnx"}}),
    "graphs of a wrong kind": change_manifest({"graphs": [1]}),
    "unknown duration rule": change_manifest({"durations": "foo"}),
    "style below nothing": change_manifest({"styles": [{"id": -1, "name": "x"}]}),
    "no styles": change_manifest({"styles": []}),
    "name of a wrong kind": change_manifest({"name": 5}),
    "another version": change_manifest({"manifest_version": 99}),
    "graph missing": lambda folder: (folder / "decoder.onnx").unlink(),
    "no style vectors": lambda folder: (folder / "style_vectors.npy").unlink(),
    "style vectors truncated": lambda folder: (folder / "style_vectors.npy").write_bytes((folder / "style_vectors.npy").read_bytes()[:200]),
    "style vectors of a wrong shape": lambda folder: np.save(folder / "style_vectors.npy", np.zeros((5, 100), np.float32)),
    "style vectors that are no numbers": lambda folder: np.save(folder / "style_vectors.npy", np.full((5, 256), np.nan, np.float32)),
    "style vectors pickled": lambda folder: np.save(folder / "style_vectors.npy", np.array([{}], object), allow_pickle=True),
    "fewer style vectors than styles": lambda folder: np.save(folder / "style_vectors.npy", np.zeros((2, 256), np.float32)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_voice_is_one_sentence_and_a_hint(damage: str, copy: Path) -> None:
    DAMAGES[damage](copy)
    with pytest.raises(VoiceError) as caught:
        read_prepared_voice(copy)
    assert caught.value.message
    assert caught.value.hint
    assert list_installed_voices([copy.parent]) == []


def test_the_manifest_reads_back(copy: Path) -> None:
    manifest = read_manifest(copy)
    assert manifest.styles[0] == NamedId(0, "Neutral")
    assert not manifest.is_single_graph
    assert manifest.bert == find_bert(manifest.bert, paths.list_bert_dirs()).id


def test_another_bert_is_refused_unless_forced(tmp_path: Path) -> None:
    with pytest.raises(VoiceError, match="deberta") as caught:
        find_bert("deberta", [tmp_path, *paths.list_bert_dirs()])
    assert "--force-bert" in caught.value.hint
    assert find_bert("deberta", [tmp_path, *paths.list_bert_dirs()], allow_mismatch=True).id == "koebako-starter-v1"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"id": "bad", "name": "no files"}'])
def test_a_damaged_bert_is_named_when_it_is_wanted_and_else_left_alone(tmp_path: Path, content: str) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "bert.json").write_text(content)
    with pytest.raises(VoiceError, match="damaged"):
        find_bert("bad", [tmp_path])
    assert find_bert("koebako-starter-v1", [tmp_path, *paths.list_bert_dirs()]).id == "koebako-starter-v1"


def test_a_damaged_voice_is_named_when_it_is_the_only_one(copy: Path) -> None:
    (copy / "voice.json").write_text("{")
    with pytest.raises(VoiceError, match="damaged"):
        find_voice(None, [copy.parent])


@pytest.mark.parametrize("wanted", ["", "x" * 5000, "a\0b", "mei\n"])
def test_odd_names_are_only_unknown(wanted: str) -> None:
    with pytest.raises(VoiceError, match="no voice") as caught:
        find_voice(wanted, [SHIPPED])
    assert len(caught.value.message) < 200


def test_a_folder_of_the_same_name_does_not_hide_a_voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mei").mkdir()
    monkeypatch.chdir(tmp_path)
    assert find_voice("mei", [SHIPPED]).manifest.id == "mei"


def test_a_terminal_is_not_disturbed_by_what_a_voice_is_called(copy: Path) -> None:
    change_manifest({"name": "a\x1b[2Jb\n\u202ec", "licence": "one\ntwo\x07", "styles": [{"id": 0, "name": "\x1b]0;x"}]})(copy)
    manifest = read_manifest(copy)
    assert (manifest.name, manifest.licence, manifest.styles[0].name) == ("a[2Jb c", "one\ntwo", "]0;x")


def test_the_natural_voice_comes_before_all_others_once(tmp_path: Path, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resources = tmp_path / "resources"
    own, shipped = tmp_path / "voices", resources / "voices"
    monkeypatch.setattr(installed_voices, "find_resources_dir", lambda: resources)
    for folder in (own / "zoe", own / "kokoro", shipped / "mei", shipped / "kokoro"):
        shutil.copytree(copy, folder)
        change_manifest({"id": folder.name, "name": folder.parent.parent.name})(folder)
    shutil.rmtree(copy)

    def order() -> list[tuple[str, bool]]:
        return [(voice.manifest.id, voice.path.parent == shipped) for voice in list_installed_voices([own, shipped])]

    assert order() == [("kokoro", False), ("mei", True), ("zoe", False)]
    (own / "kokoro" / "voice.json").write_text("{", encoding="utf-8")
    assert order() == [("kokoro", True), ("mei", True), ("zoe", False)]
    shutil.rmtree(own)
    assert order() == [("kokoro", True), ("mei", True)]
    assert choose_default_voice([own, shipped]).voice.manifest.id == "kokoro"
    assert find_shipped_voice_id() == "mei", "lines of projects without a voice sound the same everywhere"
