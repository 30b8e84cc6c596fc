"""What the Windows installer's script promises; whether it keeps that is tried under Wine, see `bundle.installer`."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from bundle import installer
from bundle.command import PROJECT

SCRIPT = installer.SCRIPT.read_text(encoding="utf-8")


def sections() -> dict[str, str]:
    """Sections by name, without the removal's prefix twice."""
    return dict(re.findall(r'^Section (?:/o )?"([^"]+)".*?\n(.*?)^SectionEnd', SCRIPT, re.MULTILINE | re.DOTALL))


def macro(name: str) -> str:
    found = re.search(rf"^!macro {name}\b.*?\n(.*?)^!macroend", SCRIPT, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_it_waits_for_every_program_that_is_built() -> None:
    spec = (PROJECT / "packaging" / "koebako.spec").read_text(encoding="utf-8")
    built = {f"{name}.exe" for name in re.findall(r'EXE\(.*?name="(.+?)"', spec)}
    assert len(built) >= 2
    assert installer.programs_waited_for() == built
    assert set(re.findall(r'insertmacro DELETE_PROGRAM "(.+?)"', SCRIPT)) == built


@pytest.mark.parametrize("section", ["$(PROGRAM)", "un.$(PROGRAM)"])
def test_nothing_is_changed_before_all_are_closed(section: str) -> None:
    steps = [line.strip() for line in sections()[section].splitlines() if line.strip() and not line.strip().startswith((";", "SectionIn"))]
    assert steps[:2] == ["!insertmacro CLOSE_AND_SET_ASIDE", "!insertmacro REMOVE_PROGRAM"]
    refusals = [body for body in (macro("CLOSE_AND_SET_ASIDE"), macro("DELETE_PROGRAM")) if "SetErrorLevel 3" in body and "Quit" in body]
    assert len(refusals) == 2
    assert "AllowSkipFiles off" in SCRIPT, "a file that cannot be written is no success"


def test_a_removal_keeps_what_belongs_to_the_user_unless_that_is_chosen() -> None:
    assert re.search(r'^Section /o "un\.\$\(USERDATA\)"', SCRIPT, re.MULTILINE), "not ticked, so that a silent removal keeps it"
    assert [name for name, body in sections().items() if re.search(r'(rd /s|RMDir /r).*"\$\{DATA\}"', body)] == ["un.$(USERDATA)"]
    assert "!insertmacro MUI_UNPAGE_COMPONENTS" in SCRIPT
    assert "$(KEPT)" in sections()["-un.Tell"]


def test_every_sentence_is_there_in_both_languages() -> None:
    told = {
        language: re.findall(rf"^LangString (\w+) \$\{{LANG_{language}\}}", SCRIPT, re.MULTILINE) for language in ("JAPANESE", "ENGLISH")
    }
    assert told["JAPANESE"] == told["ENGLISH"]
    assert set(re.findall(r"\$\((\w+)\)", SCRIPT)) == set(told["ENGLISH"])


def test_a_program_that_it_does_not_know_ends_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: "makensis")
    for name in ("Koebako.exe", "koebako-cli.exe", "another.exe"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(SystemExit, match=r"another\.exe"):
        installer.make_installer(tmp_path, tmp_path)


@pytest.mark.skipif(shutil.which("makensis") is None, reason="needs NSIS")
def test_the_script_compiles(tmp_path: Path) -> None:
    source = tmp_path / "windows-wine" / "Koebako"
    (source / "_internal").mkdir(parents=True)
    for name in ("Koebako.exe", "koebako-cli.exe", "_internal/LICENSE"):
        (source / name).write_bytes(b"x")
    assert installer.make_installer(source, tmp_path).read_bytes()[:2] == b"MZ"
