"""What the build installs before it asks for Wine, and what it does where that cannot be had."""

import re
import shutil
import sys
from pathlib import Path

import build
import dev
import pytest
from bundle import notice


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The programs that are there; whatever is asked for is installed, but for the installer's."""
    there: list[str] = []

    def lacking(_libraries: object, *, programs: dict[str, str]) -> list[str]:
        return [package for package in programs.values() if package not in there]

    monkeypatch.setattr(dev, "missing", lacking)
    monkeypatch.setattr(dev, "install_libraries", lambda wanted: there.extend(name for name in wanted if name != "nsis"))
    return there


def test_wine_is_installed_where_it_can_be(machine: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"--no-install-recommends nsis$"):
        build.require_wine()
    assert "wine" in machine
    machine.append("nsis")
    build.require_wine()


def test_what_cannot_be_installed_is_told_and_left_out(
    machine: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert build.targets_of("all") == ["linux", "appdir", "zip"]
    monkeypatch.setattr(shutil, "which", lambda name: name)
    assert build.targets_of("all") == ["linux", "deb", "appdir", "zip"]
    assert "SKIPPED windows-wine" in capsys.readouterr().out
    machine.append("nsis")
    assert {"windows-wine", "directml-check"} < set(build.targets_of("all")) <= set(build.TARGETS)
    assert build.targets_of("zip") == ["zip"]


def test_a_release_without_a_licence_text_stops_and_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "WINDOWS", True)
    monkeypatch.setattr(build, "build_linux", lambda *_: pytest.fail("built without it"))
    monkeypatch.setattr(notice, "RUNTIME_TEXTS", (notice.TEXTS / "nowhere.txt",))
    pytest.importorskip("pefile", reason="pefile is installed with the build's own packages")
    with pytest.raises(SystemExit, match=r"packaging/licences/nowhere\.txt"):
        build.build_windows(tmp_path, tmp_path, 0.0)


def test_a_release_has_all_licence_texts_and_stops_where_python_passes_on_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert notice.missing_texts() == []
    ours = notice.RUNTIME_TEXTS[0].read_text(encoding="utf-8")
    assert ours.startswith("Additional Conditions for this Windows binary build")
    licence = tmp_path / "LICENSE.txt"
    assert not notice.passes_on_our_text(tmp_path), "there is none"
    for told, right in (
        (f"PSF\n\n{ours}\n----\nbzip2", True),
        (f"Additional {ours}", True),
        (ours.replace("malicious", "kind"), False),
        ("PSF", False),
    ):
        licence.write_text(told, encoding="utf-8", newline="\r\n")
        assert notice.passes_on_our_text(tmp_path) == right
    monkeypatch.setattr(build, "WINDOWS", True)
    monkeypatch.setattr(build, "build_linux", lambda *_: pytest.fail("built without it"))
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    pytest.importorskip("pefile", reason="pefile is installed with the build's own packages")
    with pytest.raises(SystemExit, match="does not have the conditions"):
        build.build_windows(tmp_path, tmp_path, 0.0)


def test_what_the_build_uses_does_not_use_the_build() -> None:
    texts = {file.name: file.read_text(encoding="utf-8") for file in Path(build.__file__).with_name("bundle").glob("*.py")}
    assert [name for name, text in texts.items() if re.search(r"^\s*(from|import) build\b", text, re.MULTILINE)] == []
