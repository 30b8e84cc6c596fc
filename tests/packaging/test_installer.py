"""What the Windows installer's script promises; whether it keeps that is tried under Wine, see `bundle.installer`."""

import random
import re
import shutil
import struct
from pathlib import Path

import pytest
from bundle import installer, signatures
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
    refusal = ["!insertmacro QUIT_IF_FOREIGN"] if section == "$(PROGRAM)" else []
    assert steps[: len(refusal) + 2] == [*refusal, "!insertmacro CLOSE_AND_SET_ASIDE", "!insertmacro REMOVE_PROGRAM"]
    refusals = [body for body in (macro("CLOSE_AND_SET_ASIDE"), macro("DELETE_PROGRAM")) if "SetErrorLevel 3" in body and "Quit" in body]
    assert len(refusals) == 2
    assert "AllowSkipFiles off" in SCRIPT, "a file that cannot be written is no success"


def test_nothing_of_another_program_is_removed_or_written_over() -> None:
    """Where neither our program nor our key says that a folder is ours, what we would remove there ends the installation."""
    removed = re.findall(
        r'(?:RMDir /r|Delete|insertmacro DELETE_PROGRAM) "(?:\$INSTDIR\\)?(.+?)"', macro("REMOVE_PROGRAM") + macro("CLOSE_AND_SET_ASIDE")
    )
    looked_for = set(re.findall(r'insertmacro NOTE_IF_FOREIGN "(.+?)"', macro("FIND_FOREIGN_PROGRAM")))
    assert {"uninstall.exe", "licenses", "_internal.old"} <= {*removed}
    assert looked_for == ({*removed} | {"_internal"}) - {"Koebako.exe"}
    for body in (
        macro("QUIT_IF_FOREIGN"),
        re.findall(r"^Function RefuseChosenFolder\n(.*?)^FunctionEnd", SCRIPT, re.MULTILINE | re.DOTALL)[0],
    ):
        assert body.index("FIND_FOREIGN_PROGRAM") < body.index("MessageBox") < max(body.find("Quit"), body.find("Abort"))
    assert "define MUI_PAGE_CUSTOMFUNCTION_LEAVE RefuseChosenFolder\n!insertmacro MUI_PAGE_DIRECTORY" in SCRIPT


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


def test_every_component_is_described() -> None:
    described = dict(re.findall(r'MUI_DESCRIPTION_TEXT \$\{(\w+)\} "\$\((\w+)\)"', SCRIPT))
    shown = re.findall(r'^Section (?:/o )?"[^-][^"]*" (\w+)', SCRIPT, re.MULTILINE)
    assert sorted(described) == sorted(shown)
    assert len(set(described.values())) == len(shown)
    assert "COMPONENTSPAGE_NODESC" not in SCRIPT


def test_a_signature_is_seen_and_what_is_not_signed_ends_a_signed_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, signed = tmp_path / "plain.exe", tmp_path / "signed.exe"
    plain.write_bytes(small_program(b""))
    signed.write_bytes(small_program(b"certificate"))
    assert not signatures.has_signature(plain)
    assert signatures.has_signature(signed)
    assert not signatures.has_signature(installer.SCRIPT)
    signed.write_bytes(signed.read_bytes()[:-1])
    assert not signatures.has_signature(signed), "the certificate is cut off"
    monkeypatch.delenv(signatures.SIGNING, raising=False)
    signatures.report_signatures([plain])
    monkeypatch.setenv(signatures.SIGNING, "Azure")
    with pytest.raises(SystemExit, match=r"Azure did not sign plain\.exe"):
        signatures.report_signatures([plain])


def small_program(certificate: bytes) -> bytes:
    """The headers of a 64-bit Windows program, with a certificate or without."""
    start = 0x40 + 24 + 112 + 16 * 8
    table = bytearray(16 * 8)
    if certificate:
        struct.pack_into("<II", table, 4 * 8, start, len(certificate))
    optional = struct.pack("<H", signatures.PE32_PLUS) + bytes(110) + bytes(table)
    return b"MZ" + bytes(0x3A) + struct.pack("<I", 0x40) + b"PE\0\0" + bytes(20) + optional + certificate


@pytest.mark.skipif(shutil.which("makensis") is None, reason="needs NSIS")
def test_a_signed_uninstaller_is_the_one_that_is_installed(tmp_path: Path) -> None:
    source = small_folder(tmp_path)
    plain = installer.make_installer(source, tmp_path).stat().st_size
    taken = installer.take_uninstaller(source)
    assert taken.read_bytes()[:2] == b"MZ"
    assert not signatures.has_signature(taken)
    assert installer.make_installer(source, tmp_path).stat().st_size == pytest.approx(plain, abs=2_000), (
        "one that was not signed changes nothing"
    )
    data, certificate = bytearray(taken.read_bytes()), random.Random(1).randbytes(300_000)
    optional = struct.unpack_from("<I", data, 0x3C)[0] + 24
    directories = optional + (112 if struct.unpack_from("<H", data, optional)[0] == signatures.PE32_PLUS else 96)
    struct.pack_into("<II", data, directories + 8 * signatures.CERTIFICATES, len(data), len(certificate))
    taken.write_bytes(bytes(data) + certificate)
    assert installer.make_installer(source, tmp_path).stat().st_size > plain + 290_000


@pytest.mark.skipif(shutil.which("makensis") is None, reason="needs NSIS")
@pytest.mark.parametrize(("target", "machine"), [("x86", 0x14C), ("amd64", 0x8664)])
def test_the_script_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, machine: int) -> None:
    """NSIS for Windows makes installers of 32 bits alone."""
    monkeypatch.setattr(installer, "choose_target", lambda: target)
    made = installer.make_installer(small_folder(tmp_path), tmp_path).read_bytes()
    assert made[:2] == b"MZ"
    header = struct.unpack_from("<I", made, 0x3C)[0]
    assert struct.unpack_from("<H", made, header + 4)[0] == machine


def small_folder(tmp_path: Path) -> Path:
    """A program's folder as far as the installer looks at it."""
    source = tmp_path / "windows-wine" / "Koebako"
    (source / "_internal").mkdir(parents=True)
    for name in ("Koebako.exe", "koebako-cli.exe", "_internal/LICENSE"):
        (source / name).write_bytes(b"x")
    return source
