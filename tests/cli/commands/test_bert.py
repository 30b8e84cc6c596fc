"""`koebako bert`."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app.cli.commands.bert import run
from app.cli.main import main
from app.common.files import paths
from app.install import install_bert
from app.install.bert_preparation import prepare_bert
from app.install.refinement_runs import refine_installed
from app.install.staging_folders import create_staging_folder
from app.settings.user_settings import load_settings
from app.voices.bert_models import list_installed_berts
from tests.fault_server import FaultServer, Reply
from tests.install.test_install_bert import refine_narrow
from tests.voices.prepare.bert.deberta_files import write_published


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_published(tmp_path_factory.mktemp("wide"), hidden=1024, heads=16, inner=64)


@pytest.fixture
def narrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One of 64 numbers a token, where nobody speaks with it."""
    monkeypatch.setattr(install_bert, "prepare_bert_in_sandbox", partial(prepare_bert, width=64))
    monkeypatch.setattr(run, "refine_installed", partial(refine_installed, refine=refine_narrow))
    return write_published(tmp_path / "narrow", hidden=64, heads=4, inner=64)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with FaultServer() as running:
        yield running


def test_list_shows_the_starter(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bert", "list", "--json"]) == 0
    (bert,) = lines(capsys.readouterr().out)
    assert bert["id"] == "koebako-starter-v1"
    assert bert["precisions"] == ["float32"]
    assert bert["used"] is False
    assert main(["bert", "list"]) == 0
    assert "koebako-starter-v1" in capsys.readouterr().out


def test_add_use_list_remove(narrow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bert", "add", str(narrow), "--id", "mine", "--json"]) == 0
    *progress, added = lines(capsys.readouterr().out)
    assert {line["type"] for line in progress} == {"progress"}
    percents = [line["percent"] for line in progress]
    assert percents == sorted(percents)
    assert added["type"] == "bert"
    assert added["id"] == "mine"
    assert added["precisions"] == ["float32"]
    assert added["pending"] is True
    assert main(["bert", "add", "mine", "--wait", "--json"]) == 0
    found, *_, refinement = lines(capsys.readouterr().out)
    assert (found["already"], found["pending"]) == (True, True)
    assert refinement == {"type": "bert_refinement", "id": "mine", "outcome": "refined"}
    assert main(["bert", "list", "--json"]) == 0
    finished, *_ = lines(capsys.readouterr().out)
    assert finished["precisions"] == ["float32", "int8"]
    assert finished["int8_cosine"] > 0.999
    assert finished["pending"] is False
    assert main(["bert", "use", "mine", "--precision", "int8"]) == 0
    settings, _ = load_settings()
    assert (settings.bert, settings.bert_precision) == ("mine", "int8")
    capsys.readouterr()
    assert main(["bert", "list", "--json"]) == 0
    assert [(line["id"], line["used"]) for line in lines(capsys.readouterr().out)] == [("mine", True), ("koebako-starter-v1", False)]
    assert main(["bert", "remove", "mine"]) == 0
    assert load_settings()[0].bert == ""
    assert not (paths.find_data_dir() / "bert" / "mine").exists()


def test_the_same_again_is_there_already(narrow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bert", "add", str(narrow.parent)]) == 0
    said = capsys.readouterr()
    assert "(added)" in said.out
    assert "koebako bert add ID --wait" in said.err
    assert main(["bert", "add", str(narrow.parent)]) == 0
    assert "(already there)" in capsys.readouterr().out


def test_by_its_address_with_what_lies_beside_it(narrow: Path, server: FaultServer, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("model.safetensors", "config.json"):
        server.reply(f"/bert/{name}", Reply(narrow.with_name(name).read_bytes()))
    tokens = narrow.with_name("vocab.txt").read_text(encoding="utf-8").splitlines()
    tokenizer = {"model": {"type": "WordPiece", "vocab": {token: index for index, token in enumerate(tokens)}}}
    server.reply("/bert/tokenizer.json", Reply(json.dumps(tokenizer).encode()))
    assert main(["bert", "add", "--url", server.url("/bert/model.safetensors"), "--id", "far", "--json"]) == 0
    found = lines(capsys.readouterr().out)
    assert "downloading" in {line.get("step") for line in found}
    assert found[-1]["id"] == "far"
    assert not any((paths.find_data_dir() / "downloads").glob("*/*.safetensors"))


@pytest.mark.parametrize(("options", "code", "kept"), [([], 3, False), (["--id", "Ä"], 2, True)])
def test_a_download_that_is_no_bert_is_dropped_and_one_for_another_try_kept(
    options: list[str], code: int, kept: bool, server: FaultServer, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        server.reply(f"/bert/{name}", Reply(b"{}"))
    assert main(["bert", "add", "--url", server.url("/bert/model.onnx"), *options]) == code
    assert any((paths.find_data_dir() / "downloads").glob("*/*.onnx")) == kept


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["add"], 2),
        (["add", "x", "--hub"], 2),
        (["add", "nowhere.onnx"], 3),
        (["use", "nothing"], 3),
        (["use", "koebako-starter-v1", "--precision", "int4"], 2),
        (["remove", "nothing"], 3),
        (["remove", "koebako-starter-v1"], 3),
    ],
)
def test_mistakes_are_one_sentence_and_a_hint(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bert", *arguments, "--json"]) == code
    (line,) = lines(capsys.readouterr().out)
    assert line["error"]["message"]
    assert line["error"]["hint"]


def test_check_tells_the_precision_of_each_voice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bert", "check", "--json"]) == 0
    assert lines(capsys.readouterr().out) == [{"voice": "mei", "bert": "koebako-starter-v1", "equal_share": None, "precision": "float32"}]


def test_force_takes_the_bert_in_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = paths.find_data_dir() / "bert" / "mine"
    shutil.copytree(next((paths.find_resources_dir() / "bert").iterdir()), mine)
    described = json.loads((mine / "bert.json").read_text(encoding="utf-8")) | {"id": "mine"}
    (mine / "bert.json").write_text(json.dumps(described), encoding="utf-8")
    assert main(["bert", "use", "mine"]) == 0
    capsys.readouterr()
    voice = paths.find_data_dir() / "voices" / "needy"
    shutil.copytree(paths.find_resources_dir() / "voices" / "mei", voice)
    manifest = json.loads((voice / "voice.json").read_text(encoding="utf-8")) | {"id": "needy", "bert": "unknown-bert"}
    (voice / "voice.json").write_text(json.dumps(manifest), encoding="utf-8")
    target = tmp_path / "a.wav"
    arguments = ["speak", "あ", "-o", str(target), "--voice", "needy", "--accept-licence"]
    assert main(arguments) == 3
    assert "bert add FILE --id unknown-bert" in capsys.readouterr().err
    assert main([*arguments, "--force-bert"]) == 0
    assert target.stat().st_size > 44


@pytest.mark.parametrize("step", ["building", "checking"])
def test_a_killed_process_leaves_nothing(step: str, wide: Path) -> None:
    command = [sys.executable, "-m", "app.cli.main", "bert", "add", str(wide), "--id", "mine", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert any(json.loads(line).get("step") == step for line in child.stdout)
        child.kill()
    assert child.returncode != 0
    assert list_installed_berts([paths.find_data_dir() / "bert"]) == []
    with create_staging_folder() as folder:  # sweeps what the dead left
        assert [item for item in folder.parent.iterdir() if item.is_dir()] == [folder]
