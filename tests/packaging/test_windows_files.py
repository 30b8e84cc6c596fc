"""Reading of Windows programs: imports, versions, one C++ runtime."""

from pathlib import Path

import pytest

pytest.importorskip("pefile", reason="pefile is installed with the build's own packages")
pip = pytest.importorskip("pip", reason="pip carries the Windows program that is looked at")

from bundle import audit, msvc, notice, pe  # noqa: E402  they import pefile

# pip carries small start programs for Windows on every system.
START_PROGRAM = Path(pip.__file__).parent / "_vendor" / "distlib" / "w64.exe"


@pytest.fixture
def program() -> Path:
    """A program for 64-bit Windows."""
    if not START_PROGRAM.exists():
        pytest.skip("this pip brings no Windows program along")
    return START_PROGRAM


def test_imports_of_a_program(program: Path) -> None:
    assert "CreateProcessW" in pe.imports_of(program)["kernel32.dll"]
    assert pe.machine(program) == pe.AMD64


def test_what_is_no_program_has_no_machine(tmp_path: Path) -> None:
    (tmp_path / "a.dll").write_bytes(b"no")
    assert pe.machine(tmp_path / "a.dll") == 0
    assert list(pe.pe_files(tmp_path)) == []


def test_only_the_newest_runtime_is_taken_and_to_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(msvc, "file_version", lambda path: {"old": "14.38.1.0", "new": "14.44.2.0"}[path.parent.name])
    entries = [
        ("PySide6\\msvcp140.dll", "old/msvcp140.dll", "BINARY"),
        ("shiboken6\\MSVCP140.dll", "new/MSVCP140.dll", "BINARY"),
        ("numpy.libs/msvcp140-a4c2.dll", "old/msvcp140-a4c2.dll", "BINARY"),
        ("other.dll", "old/other.dll", "BINARY"),
    ]
    assert msvc.one_runtime(entries) == [
        ("other.dll", "old/other.dll", "BINARY"),
        ("msvcp140-a4c2.dll", "old/msvcp140-a4c2.dll", "BINARY"),
        ("msvcp140.dll", "new/MSVCP140.dll", "BINARY"),
    ]


def test_an_import_that_nothing_resolves_ends_the_audit(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.exe").write_bytes(program.read_bytes())
    monkeypatch.setattr(audit, "SYSTEM", audit.SYSTEM - {"kernel32"})
    with pytest.raises(SystemExit, match="asks for kernel32"):
        audit.audit(tmp_path)


def test_a_runtime_under_a_private_name_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    versions = {"msvcp140.dll": (14, 44, 35211, 0), "vcruntime140.dll": (14, 44, 35211, 0), "msvcp140-a4c2.dll": (14, 40, 33810, 0)}
    monkeypatch.setattr(audit, "version", lambda file: versions[file.name])
    audit.audit_runtime([tmp_path / name for name in versions])
    printed = capsys.readouterr().out
    assert "One C++ runtime under its own names, 14.44.35211.0: msvcp140.dll, vcruntime140.dll" in printed
    assert "under private names: msvcp140-a4c2.dll 14.40.33810.0" in printed
    audit.audit_runtime([tmp_path / name for name in versions if "-" not in name])
    assert "under private names: none" in capsys.readouterr().out


def test_microsofts_libraries_are_parts_with_their_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pe, "file_version", lambda path: path.parent.name)
    collected = [
        ("msvcp140.dll", "x/14.44/msvcp140.dll"),
        ("msvcp140_1.dll", "x/14.44/msvcp140_1.dll"),
        ("msvcp140-a4c2.dll", "x/14.40/msvcp140-a4c2.dll"),
        ("onnxruntime\\capi\\DirectML.dll", "x/1.15/DirectML.dll"),
        ("other.dll", "x/1/other.dll"),
    ]
    parts = {(part.name, part.version): part for part in notice.list_microsoft_libraries(collected)}
    assert set(parts) == {("Microsoft Visual C++ runtime", "14.44"), ("Microsoft Visual C++ runtime", "14.40"), ("DirectML", "1.15")}
    texts = parts["DirectML", "1.15"].texts
    assert [text.name for text in texts] == ["DirectML-LICENSE.txt", "DirectML-ThirdPartyNotices.txt"]
    assert "MICROSOFT DIRECTX MACHINE LEARNING (DIRECTML)" in texts[0].read_text(encoding="utf-8-sig")
