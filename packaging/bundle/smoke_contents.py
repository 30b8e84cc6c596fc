"""Checks of what is in the built program's folder: licences, and nothing for developers."""

import re
from pathlib import Path

from bundle.contents import FOR_DEVELOPERS, TEST_FOLDERS, is_test
from bundle.program import Program


def places_of(folder: Path) -> tuple[Path, Path]:
    """Where a program's licences are, and where its data: in an app for macOS both among its resources."""
    resources = folder.parent / "Resources"
    return (resources, resources) if folder.name == "MacOS" else (folder, folder / "_internal")


def bare(program: Program, _folder: Path) -> str:
    """It holds no tests, and nothing that only type checkers read."""
    from PyInstaller.archive.readers import ZlibArchiveReader

    modules = set(ZlibArchiveReader(str(places_of(program.folder)[1] / "koebako.pyz")).toc)
    wrong = sorted(module for module in modules if is_test(module))
    for path in program.folder.rglob("*"):
        inner = path.relative_to(program.folder)
        if f"/{inner.as_posix()}".endswith(FOR_DEVELOPERS) or not TEST_FOLDERS.isdisjoint(inner.parts[:-1]):
            wrong.append(str(inner))
    assert not wrong, f"{len(wrong)} things of tests, as {wrong[:5]}"
    return f"{len(modules)} modules"


def licensed(program: Program, _folder: Path) -> str:
    """Every licence text that the notice names is there, and each one is named by what it is for."""
    return f"{len(match_licences(program.folder))} texts"


def match_licences(folder: Path) -> dict[str, list[str]]:
    """The texts in a program's folder, and for each the parts that name it; AssertionError where one is missing, empty or named by none."""
    folder, data = places_of(folder)
    notice = (folder / "NOTICE.txt").read_text(encoding="utf-8")
    named: dict[str, list[str]] = {}
    lacking = []
    for block in re.split(r"^\* ", notice.partition("This folder also holds:")[2], flags=re.MULTILINE)[1:]:
        part = block.splitlines()[0].rsplit(":", 1)[0]
        texts = re.findall(r"^    text: (.+)$", block, re.MULTILINE)
        if not texts:
            lacking.append(part)
        for text in texts:
            named.setdefault(text, []).append(part)
    assert not lacking, f"without a text: {lacking}"
    models = [path.relative_to(folder).as_posix() for path in folder.glob("licenses/*/*") if f"licenses/{path.parent.name}/" not in notice]
    of_models = {text for text in models if (data / "resources" / "voices" / Path(text).parent.name).is_dir()}
    there = {path.relative_to(folder).as_posix() for path in (folder / "licenses").rglob("*") if path.is_file()}
    assert set(named) <= there, f"named and not there: {sorted(set(named) - there)}"
    assert there <= set(named) | of_models, f"there and named by nothing: {sorted(there - set(named) - of_models)}"
    assert all((folder / text).stat().st_size > 100 for text in there), "a text is empty"
    return named
