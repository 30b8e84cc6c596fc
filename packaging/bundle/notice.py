"""The licences of everything in the bundle: NOTICE.txt, a folder of full texts, and a CycloneDX list of the parts.

Which packages are in is read off the collected files, so that a new dependency cannot be forgotten.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

LICENCE_NAMES = ("licen", "copying", "notice", "thirdparty", "authors")
# Licences of code inside a wheel whose metadata does not name them; PyInstaller's start code is under the GPL with an exception for bundles.
WITHIN = {
    "pyopenjtalk-plus": "Open JTalk and hts_engine (BSD-3-Clause), NAIST-jdic dictionary (BSD-3-Clause)",
    "sounddevice": "PortAudio (MIT)",
    "soundfile": "libsndfile (LGPL-2.1-or-later) with FLAC, Ogg, Vorbis, Opus (BSD-3-Clause), LAME and mpg123 (LGPL)",
    "onnxruntime-directml": "DirectML.dll (Microsoft's licence for redistribution, see LICENSE and ThirdPartyNotices)",
    "pyside6-essentials": "Qt 6 (LGPL-3.0-only): the libraries lie as files of their own in PySide6 and can be replaced",
    "numpy": "OpenBLAS (BSD-3-Clause), libgfortran and libquadmath (GPL-3.0 with the GCC runtime exception, LGPL-2.1)",
    "sudachidict-small": "connection classes of equal costs merged by Koebako (packaging/bundle/sudachi.py)",
    "pyinstaller": "start code of the executables (GPL-2.0-or-later with the bootloader exception)",
}
# Metadata without a short licence of its own.
KNOWN = {"sudachidict-small": "Apache-2.0", "pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception"}
STARTER_VOICE = (
    "Starter voice and starter BERT: CC BY 3.0, after the HTS Voice “Mei” of Nagoya Institute of Technology; see the model card."
)


@dataclass(slots=True)
class Part:
    """One thing that is in the bundle and not ours."""

    name: str
    version: str
    licence: str
    ecosystem: str = "pypi"
    texts: list[Path] = field(default_factory=list)


def write_notice(folder: Path, collected: Iterable[tuple[str, str]], version: str) -> None:
    """Writes NOTICE.txt, licenses/ and sbom.cdx.json into the program's folder.

    Args:
        collected: name in the bundle and file it came from.
    """
    sources = [Path(source).resolve() for _, source in collected if source and source != "-"]
    parts = sorted([*_packages(sources), *_system_parts(sources), _python()], key=lambda part: part.name.lower())
    texts = folder / "licenses"
    shutil.rmtree(texts, ignore_errors=True)
    for part in parts:
        for text in part.texts:
            target = texts / part.name / text.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(text, target)
    (folder / "NOTICE.txt").write_text(_notice(parts, version), encoding="utf-8")
    (folder / "sbom.cdx.json").write_text(json.dumps(_sbom(parts, version), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _packages(sources: list[Path]) -> Iterable[Part]:
    """Distributions that at least one collected file belongs to; PyInstaller's start code is in every executable."""
    wanted = set(sources)
    for item in metadata.distributions():
        name = str(item.name)
        if name.lower() == "koebako":  # a checkout that was installed lies on the path too
            continue
        if name.lower() != "pyinstaller" and not any(Path(str(item.locate_file(file))).resolve() in wanted for file in _code(item)):
            continue
        texts = [Path(str(item.locate_file(file))) for file in item.files or [] if _is_licence(Path(str(file)))]
        yield Part(name, item.version, _licence(item), texts=[text for text in texts if text.is_file()])


def _code(item: metadata.Distribution) -> Iterable[metadata.PackagePath]:
    # A package known by its metadata alone is not in the bundle.
    return (file for file in item.files or [] if ".dist-info" not in str(file) and file.suffix != ".pth")


def _is_licence(path: Path) -> bool:
    return path.name.lower().startswith(LICENCE_NAMES) and path.suffix.lower() in ("", ".txt", ".md", ".rst")


def _licence(item: metadata.Distribution) -> str:
    if known := KNOWN.get(str(item.name).lower()):
        return known
    fields = item.metadata
    short = next((value for key in ("License-Expression", "License") for value in fields.get_all(key) or []), "")
    classifiers = [value.rsplit(" :: ", 1)[-1] for value in fields.get_all("Classifier") or [] if value.startswith("License ::")]
    return short if 0 < len(short) < 80 else ", ".join(classifiers) or "see its licence file"


def _python() -> Part:
    places = [Path(sys.base_prefix) / "LICENSE.txt", *Path("/usr/share/doc").glob(f"python3.{sys.version_info[1]}/copyright")]
    places += [Path(sys.base_prefix) / f"lib/python3.{sys.version_info[1]}" / "LICENSE.txt"]
    return Part("Python", sys.version.split()[0], "PSF-2.0", "generic", [place for place in places if place.is_file()][:1])


def _system_parts(sources: list[Path]) -> Iterable[Part]:
    """Debian packages whose libraries went along; on other systems there are none."""
    libraries = sorted({str(source) for source in sources if ".so" in source.name and str(source).startswith(("/usr/lib/", "/lib/"))})
    libraries += [
        library.removeprefix("/usr") for library in libraries
    ]  # Debian still lists some where they lay before folders were merged
    if not libraries or shutil.which("dpkg-query") is None:
        return
    owners = subprocess.run(["dpkg-query", "-S", *libraries], capture_output=True, text=True, check=False).stdout
    for package in sorted({line.split(":", 1)[0] for line in owners.splitlines()}):
        show = ["dpkg-query", "-W", "-f", "${Version}", package]
        version = subprocess.run(show, capture_output=True, text=True, check=True).stdout.split()
        text = Path("/usr/share/doc") / package / "copyright"
        yield Part(package, version[0] if version else "", "see its licence file", "deb", [text] if text.is_file() else [])


def _notice(parts: list[Part], version: str) -> str:
    lines = [
        f"Koebako {version}",
        "",
        "Koebako itself: MIT licence, see _internal/LICENSE.",
        STARTER_VOICE,
        "",
        "This folder also holds:",
        "",
    ]
    for part in parts:
        lines.append(f"* {part.name} {part.version}: {part.licence}")
        within = WITHIN.get(part.name.lower().replace("_", "-"))
        lines += [f"    with {within}"] if within else []
    return "\n".join([*lines, "", "Full texts are in the folder licenses.", ""])


def _sbom(parts: list[Part], version: str) -> dict[str, object]:
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "Koebako", "version": version}},
        "components": [
            {
                "type": "library",
                "name": part.name,
                "version": part.version,
                "purl": f"pkg:{part.ecosystem}/{part.name.lower()}@{part.version}",
                "licenses": [{"license": {"name": part.licence}}],
            }
            for part in parts
        ],
    }
