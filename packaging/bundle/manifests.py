"""The manifests of winget and scoop, and latest.json, written from the files that are to be given away.

Their form follows public examples; neither schema could be asked here, which the help page of limits says.
"""

import hashlib
import json
import os
import runpy
import sys
import time
from pathlib import Path

from bundle.command import PROJECT
from bundle.linux_tree import source_date, version_of_program
from bundle.release_feed import LATEST, REPOSITORY, download_address

IDENTIFIER = "Koebako.Koebako"
WINGET = "1.6.0"  # the version of winget's schema
SUMMARY = "Reads Japanese text aloud with natural voices"
SUMMARY_JA = "日本語のテキストを自然な声で読み上げます"
LONGER = "Koebako reads Japanese text aloud with Kokoro and Style-Bert-VITS2 voices. Everything runs on your own computer, and voices are included."
LONGER_JA = "Koebako（声箱）は、Kokoro と Style-Bert-VITS2 の声で日本語のテキストを読み上げます。処理はすべてこのコンピューター内で行い、声も付属しています。"
TAGS = ("japanese", "speech", "text-to-speech", "tts", "voice")
SUFFIXES = ("aivm", "aivmx", "koebako", "sbv2")


def write_manifests(dist: Path) -> list[Path]:
    """Writes them of the installer and the zip in dist; SystemExit where one is missing, or nobody says where the files will be."""
    if not os.environ.get(REPOSITORY):
        sys.exit(f"{REPOSITORY}=OWNER/NAME must say where the files will be published.")
    version = version_of_program()
    setup, portable = (_newest(dist, f"Koebako-{version}-windows*-x64{end}") for end in ("-setup.exe", ".zip"))
    made = [*write_winget(setup, version, dist), write_scoop(portable, version, dist), write_latest(version, dist)]
    print(*(f"  {path.name}" for path in made), sep="\n", flush=True)
    return made


def write_winget(setup: Path, version: str, dist: Path) -> list[Path]:
    """The version, the installer and its words in both languages, a file each, as winget's repository wants them."""
    address = f"https://github.com/{os.environ[REPOSITORY]}"
    date = time.strftime("%Y-%m-%d", time.gmtime(source_date()))
    common = {"PackageIdentifier": IDENTIFIER, "PackageVersion": version}
    words = {"Publisher": "Koebako", "PublisherUrl": address, "PackageName": "Koebako", "PackageUrl": address, "License": "MIT"}
    words |= {"LicenseUrl": f"{address}/blob/v{version}/LICENSE"}
    notes = {"ReleaseNotesUrl": f"{address}/releases/tag/v{version}"}
    installer = {
        "InstallerType": "nullsoft", "Scope": "user", "InstallModes": ["interactive", "silent", "silentWithProgress"],
        "InstallerSwitches": {"Silent": "/S", "SilentWithProgress": "/S", "InstallLocation": "/D=<INSTALLPATH>"},
        "UpgradeBehavior": "install", "ProductCode": "Koebako", "ReleaseDate": date, "MinimumOSVersion": "10.0.17763.0",
        "ExpectedReturnCodes": [{"InstallerReturnCode": 3, "ReturnResponse": "packageInUse"}],
        "FileExtensions": list(SUFFIXES),
        "Installers": [{"Architecture": "x64", "InstallerUrl": download_address(version, setup.name), "InstallerSha256": _sha256(setup).upper()}],
    }  # fmt: skip
    english = {
        "PackageLocale": "en-US",
        **words,
        "ShortDescription": SUMMARY,
        "Description": LONGER,
        "Moniker": "koebako",
        "Tags": list(TAGS),
        **notes,
    }
    japanese = {"PackageLocale": "ja-JP", **words, "ShortDescription": SUMMARY_JA, "Description": LONGER_JA, **notes}
    files: dict[str, tuple[str, dict[str, object]]] = {
        "": ("version", {"DefaultLocale": "en-US"}),
        ".installer": ("installer", dict(installer)),
        ".locale.en-US": ("defaultLocale", dict(english)),
        ".locale.ja-JP": ("locale", dict(japanese)),
    }
    made = []
    for name, (kind, values) in files.items():
        path = dist / f"{IDENTIFIER}{name}.yaml"
        head = f"# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{WINGET}.schema.json\n"
        path.write_text(head + _yaml({**common, **values, "ManifestType": kind, "ManifestVersion": WINGET}), encoding="utf-8", newline="\n")
        made.append(path)
    return made


def write_scoop(portable: Path, version: str, dist: Path) -> Path:
    """The zip for scoop, which finds later versions by the tags of the repository."""
    address = f"https://github.com/{os.environ[REPOSITORY]}"
    later = {"architecture": {"64bit": {"url": f"{address}/releases/download/v$version/{portable.name.replace(version, '$version')}"}}}
    manifest = {
        "version": version, "description": SUMMARY, "homepage": address, "license": "MIT",
        "architecture": {"64bit": {"url": download_address(version, portable.name), "hash": _sha256(portable)}},
        "extract_dir": "Koebako", "bin": [["koebako-cli.exe", "koebako"]], "shortcuts": [["Koebako.exe", "Koebako"]],
        "checkver": "github", "autoupdate": later | {"hash": {"url": "$baseurl/SHA256SUMS"}},
    }  # fmt: skip
    path = dist / "koebako.json"
    path.write_text(json.dumps(manifest, indent=4, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    return path


def write_latest(version: str, dist: Path) -> Path:
    """What the program of an older version reads: this one's number, and what is new in each language."""
    log = runpy.run_path(str(PROJECT / "app" / "common" / "change_log.py"))
    section = log["cut_version"]((PROJECT / ".github" / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    notes = {language: log["strip_markdown"](log["cut_language"](section, language)) for language in ("ja", "en")}
    page = f"https://github.com/{os.environ[REPOSITORY]}/releases/tag/v{version}"
    path = dist / LATEST
    path.write_text(
        json.dumps({"version": version, "page": page, "notes": notes}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n"
    )
    return path


def _yaml(values: dict[str, object], indent: str = "") -> str:
    """YAML of texts, numbers, lists and objects; every text is written as JSON writes it, which YAML reads the same."""
    lines = []
    for name, value in values.items():
        if isinstance(value, dict):
            lines.append(f"{indent}{name}:\n{_yaml(value, indent + '  ')}")
        elif isinstance(value, list):
            lines.append(f"{indent}{name}:\n" + "".join(_yaml_item(item, indent) for item in value))
        else:
            lines.append(f"{indent}{name}: {json.dumps(value, ensure_ascii=False)}\n")
    return "".join(lines)


def _yaml_item(item: object, indent: str) -> str:
    if isinstance(item, dict):
        return f"{indent}- {_yaml(item, indent + '  ').lstrip()}"
    return f"{indent}- {json.dumps(item, ensure_ascii=False)}\n"


def _newest(dist: Path, pattern: str) -> Path:
    """The file of this kind; of a release if there is one, and not of a program that was built under Wine to be tried."""
    found = sorted(dist.glob(pattern), key=lambda path: ("-wine-" in path.name, path.name))
    return found[0] if found else sys.exit(f"There is no {pattern} in {dist}; build installer and zip first.")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
