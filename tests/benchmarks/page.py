"""Puts a table into tests/benchmarks/README.md or README.md, between the comments that carry its name."""

from pathlib import Path

PAGE = Path(__file__).parent / "README.md"
README = Path(__file__).parents[2] / "README.md"


def put(name: str, table: str, page: Path = PAGE) -> None:
    """Replaces a table. Raises ValueError where the page has no place of that name."""
    text = page.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, opened, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not opened or not closed:
        raise ValueError(f"no place for {name}")
    page.write_text(f"{before}{begin}{table.strip()}\n{end}{after}", encoding="utf-8")
