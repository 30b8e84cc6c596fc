"""The documents fit the tree: every file that they name is there, every room has a row, and none is longer than one sitting."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ARCHITECTURE = ROOT / "app" / "ARCHITECTURE.md"
DOCUMENTS = [
    ROOT / "README.md",
    ARCHITECTURE,
    ROOT / ".github" / "CONTRIBUTING.md",
    ROOT / "tests" / "benchmarks" / "README.md",
    *sorted((ROOT / "app" / "decisions").glob("*.md")),
]
LOOKED_UP_IN = (
    ROOT,
    ROOT / "app",
    ROOT / "app" / "voices" / "prepare",
    ROOT / "app" / "install",
    ROOT / "app" / "adapters",
    ROOT / "packaging",
    ROOT / "resources" / "help" / "en",
)
ROOMS = sorted(
    {path.parent.relative_to(ROOT / "app").as_posix() for path in ROOT.glob("app/**/__init__.py")} - {".", "adapters", "ui", "cli"}
)
MADE_BY_US = {"voice.json", "card.json", "autosave.json"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.stem)
def test_every_file_that_is_named_is_there(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for name in set(re.findall(r"`([\w./-]+\.(?:py|md|spec|toml))`", text)) - MADE_BY_US:
        in_a_room = list(ROOT.glob(f"app/**/{name}")) if "/" not in name else []
        assert in_a_room or any((folder / name).exists() for folder in (*LOOKED_UP_IN, document.parent)), name
    for link in (*re.findall(r"\]\(([^)#]+)", text), *re.findall(r'(?:src|srcset)="([^"]+)"', text)):
        assert "://" in link or (document.parent / link).exists(), link


def test_every_room_has_a_row() -> None:
    text = ARCHITECTURE.read_text(encoding="utf-8")
    for room in ROOMS:
        assert f"`{room}/`" in text or f"`{room.rpartition('/')[2]}/`" in text, room


@pytest.mark.parametrize(("document", "most"), [(ROOT / "README.md", 250), (ROOT / ".github" / "CONTRIBUTING.md", 220)])
def test_documents_stay_short(document: Path, most: int) -> None:
    assert len(document.read_text(encoding="utf-8").splitlines()) <= most


@pytest.mark.parametrize("document", sorted((ROOT / "app" / "decisions").glob("*.md")), ids=lambda path: path.stem)
def test_rows_of_decisions_are_short(document: Path) -> None:
    rows = document.read_text(encoding="utf-8").splitlines()
    assert [row for row in rows if len(row) > 140 and not row.startswith("|")] == []
