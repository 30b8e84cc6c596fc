"""What package managers are given, read back by other readers: winget's YAML, scoop's JSON, and what older versions read."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from bundle import installer, manifests, release_feed

from app.common.change_log import list_versions

ROOT = Path(__file__).parents[2]
VERSION = list_versions((ROOT / ".github" / "CHANGELOG.md").read_text(encoding="utf-8"))[0]


@pytest.fixture
def dist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of a release with their manifests."""
    monkeypatch.setenv(release_feed.REPOSITORY, "someone/koebako")
    monkeypatch.setattr(manifests, "version_of_program", lambda: VERSION)
    (tmp_path / f"Koebako-{VERSION}-windows-x64-setup.exe").write_bytes(b"MZ setup")
    (tmp_path / f"Koebako-{VERSION}-windows-x64.zip").write_bytes(b"PK zip")
    manifests.write_manifests(tmp_path)
    return tmp_path


def test_wingets_manifests_agree_with_the_installer_and_each_other(dist: Path) -> None:
    read = {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in dist.glob("*.yaml")}
    assert {item["ManifestType"] for item in read.values()} == {"version", "installer", "defaultLocale", "locale"}
    assert {(item["PackageIdentifier"], item["PackageVersion"], item["ManifestVersion"]) for item in read.values()} == {
        ("Koebako.Koebako", VERSION, "1.6.0")
    }
    for name, item in read.items():
        kind = item["ManifestType"]
        assert f"winget-manifest.{kind}.1.6.0.schema.json" in (dist / name).read_text(encoding="utf-8").splitlines()[0]
        assert (
            name
            == f"Koebako.Koebako{'.locale.' + item['PackageLocale'] if 'PackageLocale' in item else '' if kind == 'version' else '.' + kind}.yaml"
        )
    made = read["Koebako.Koebako.installer.yaml"]
    (setup,) = made["Installers"]
    assert (
        setup["InstallerUrl"] == f"https://github.com/someone/koebako/releases/download/v{VERSION}/Koebako-{VERSION}-windows-x64-setup.exe"
    )
    assert setup["InstallerSha256"] == hashlib.sha256(b"MZ setup").hexdigest().upper()
    assert made["InstallerSwitches"]["Silent"] == "/S"
    assert made["InstallerType"] == "nullsoft"
    assert made["ProductCode"] == installer.KEY.rsplit("\\", 1)[1]
    assert made["ExpectedReturnCodes"] == [{"InstallerReturnCode": installer.RUNNING, "ReturnResponse": "packageInUse"}]
    assert made["Scope"] == "user"
    script = installer.SCRIPT.read_text(encoding="utf-8")
    assert "RequestExecutionLevel user" in script
    assert set(made["FileExtensions"]) == {suffix[1:] for suffix in re.findall(r'OPEN_WITH "(\.\w+)"', script)}
    japanese = read["Koebako.Koebako.locale.ja-JP.yaml"]
    assert "読み上げ" in japanese["ShortDescription"]
    assert read["Koebako.Koebako.yaml"]["DefaultLocale"] == read["Koebako.Koebako.locale.en-US.yaml"]["PackageLocale"]
    assert all(len(item["ShortDescription"]) <= 256 for item in read.values() if "ShortDescription" in item)


def test_scoops_manifest_agrees_with_the_zip(dist: Path) -> None:
    read = json.loads((dist / "koebako.json").read_text(encoding="utf-8"))
    (packed,) = read["architecture"].values()
    assert packed["url"].endswith(f"/v{VERSION}/Koebako-{VERSION}-windows-x64.zip")
    assert packed["hash"] == hashlib.sha256(b"PK zip").hexdigest()
    assert read["autoupdate"]["architecture"]["64bit"]["url"].replace("$version", VERSION) == packed["url"]
    assert read["bin"] == [["koebako-cli.exe", "koebako"]]
    assert (read["version"], read["extract_dir"]) == (VERSION, "Koebako")


def test_latest_is_what_the_program_asks_for(dist: Path) -> None:
    read = json.loads((dist / "latest.json").read_text(encoding="utf-8"))
    assert read["version"] == VERSION
    assert read["page"] == f"https://github.com/someone/koebako/releases/tag/v{VERSION}"
    assert "自然な声" in read["notes"]["ja"]
    assert "natural voice" in read["notes"]["en"]
    assert not set("#*`") & set("".join(read["notes"].values())), "it is shown as plain text"
    assert release_feed.feed_address() == "https://github.com/someone/koebako/releases/latest/download/latest.json"


def test_the_build_writes_them_with_nothing_of_ours_on_its_path(dist: Path) -> None:
    (dist / "latest.json").unlink()
    code = "import sys; sys.path = [*sys.argv[1:2], *sys.path]; from pathlib import Path; from bundle import manifests; manifests.write_latest(sys.argv[3], Path(sys.argv[2]))"
    subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(ROOT / "packaging"), str(dist), VERSION],
        check=True,
        env=os.environ | {"PYTHONUTF8": "1"},
    )
    test_latest_is_what_the_program_asks_for(dist)


def test_nothing_is_written_where_nobody_says_where_files_will_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(release_feed.REPOSITORY, raising=False)
    with pytest.raises(SystemExit, match="KOEBAKO_REPOSITORY"):
        manifests.write_manifests(tmp_path)
    assert release_feed.release_json(tmp_path) == []
    monkeypatch.setenv(release_feed.REPOSITORY, "someone/koebako")
    with pytest.raises(SystemExit, match="build installer and zip first"):
        manifests.write_manifests(tmp_path)
    ((made, place),) = release_feed.release_json(tmp_path)
    assert place == "resources"
    assert json.loads(Path(made).read_text(encoding="utf-8")) == {"feed": release_feed.feed_address()}
