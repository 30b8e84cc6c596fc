"""The change log: its form, both languages, and the notes of a release that are cut from it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.common.change_log import cut_language, cut_version, list_versions, strip_markdown, translate_change_log
from app.common.files import paths
from app.common.version import VERSION

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / ".github" / "CHANGELOG.md").read_text(encoding="utf-8")
KINDS = {
    "Added": "追加",
    "Changed": "変更",
    "Deprecated": "非推奨",
    "Removed": "削除",
    "Fixed": "修正",
    "Security": "セキュリティ",
}
SMALL = (
    "# Changes\n\n## [2.0.1] - 2027-01-05\n\n### English\n\n#### Fixed\n\n- a\n\n### 日本語\n\n#### 修正\n\n- あ\n\n## [2.0.0]\n\nwords\n"
)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def test_a_version_and_a_language_are_cut_whole() -> None:
    assert list_versions(SMALL) == ["2.0.1", "2.0.0"]
    assert cut_language(cut_version(SMALL, "2.0.1"), "ja") == "### 修正\n\n- あ"
    assert cut_version(SMALL, "2.0.0") == cut_language("words", "en") == "words"
    assert cut_version(SMALL, "2.0") == ""
    assert strip_markdown("### Fixed\n\n- **A.** `b`, [c](https://d)\n") == "Fixed\n\n• A. b, c\n"
    assert translate_change_log(SMALL, "en") == "## 2.0.1\n\n### Fixed\n\n- a\n\n## 2.0.0\n\nwords\n"


def test_the_newest_version_is_this_one_or_the_next() -> None:
    versions = list_versions(TEXT)
    assert versions == sorted(versions, key=_numbers, reverse=True)
    assert _numbers(VERSION) <= _numbers(versions[0])
    assert len(re.findall(r"^## ", TEXT, re.MULTILINE)) == len(versions), "a heading that is no version"


@pytest.mark.parametrize("version", list_versions(TEXT))
def test_both_languages_have_the_same_entries(version: str) -> None:
    section = cut_version(TEXT, version)
    english, japanese = cut_language(section, "en"), cut_language(section, "ja")
    kinds = re.findall(r"^### (.+)$", english, re.MULTILINE)
    assert kinds
    assert [KINDS[kind] for kind in kinds] == re.findall(r"^### (.+)$", japanese, re.MULTILINE)
    assert english.count("\n- ") == japanese.count("\n- ") > 0
    assert not re.search("[ぁ-んァ-ヶ一-龥]", english)
    assert all(re.search("[ぁ-んァ-ヶ]", line) for line in japanese.splitlines() if line.startswith("- "))


def test_a_bundle_has_it_beside_the_resources_and_a_wheel_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert paths.find_change_log() == ROOT / ".github" / "CHANGELOG.md"
    monkeypatch.setattr(paths, "find_resources_dir", lambda: tmp_path / "resources")
    assert paths.find_change_log() is None
    (tmp_path / "CHANGELOG.md").write_text("")
    assert paths.find_change_log() == tmp_path / "CHANGELOG.md"


def run_notes(folder: Path, *options: str, tag: str = "") -> subprocess.CompletedProcess[str]:
    """The program in a copy of what it needs, whose version is that of the newest entry; with Python alone."""
    for name in ("app/common/change_log.py", "packaging/bundle/signatures.py", "packaging/release_notes.py", ".github/CHANGELOG.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    version = folder / "app" / "common" / "version.py"
    if not version.exists():
        version.write_text(f'VERSION = "{list_versions(TEXT)[0]}"\n')
    return subprocess.run(
        [sys.executable, "-S", "-P", "-B", str(folder / "packaging" / "release_notes.py"), *options],
        capture_output=True, encoding="utf-8", check=False, env=os.environ | {"PYTHONUTF8": "1", "GITHUB_REF_NAME": tag, "PYTHONPATH": ""},
    )  # fmt: skip


def test_the_notes_of_a_release_need_python_alone(tmp_path: Path) -> None:
    newest = list_versions(TEXT)[0]
    assert run_notes(tmp_path).stdout.strip() == cut_version(TEXT, newest)
    assert run_notes(tmp_path, "--tag", tag=f"v{newest}").returncode == 0
    refused = run_notes(tmp_path, "--tag", tag="v0.0.1")
    assert refused.returncode == 1
    assert f"The tag is v0.0.1, and the version is {newest}." in refused.stderr
    (tmp_path / "app" / "common" / "version.py").write_text('VERSION = "0.0.9"\n')
    missing = run_notes(tmp_path)
    assert missing.returncode == 1
    assert "CHANGELOG.md has nothing about 0.0.9" in missing.stderr


def test_the_notes_say_what_is_not_signed(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    assert "署名" not in run_notes(tmp_path, "--files", str(files)).stdout
    (files / "Koebako-1.0.0-windows-x64-setup.exe").write_bytes(b"MZ" + bytes(100))
    told = run_notes(tmp_path, "--files", str(files)).stdout
    assert "**not signed**" in told
    assert "**署名がありません**" in told
