"""Puts a table into tests/benchmarks/README.md or README.md, between the comments that carry its name."""

from pathlib import Path

from app.lab.subject_lookup import build_machine_row

PAGE = Path(__file__).parent / "README.md"
README = Path(__file__).parents[2] / "README.md"


def describe_machine(*facts: str) -> str:
    """Return the line above a table: the processor, the threads of a session, ONNX Runtime, these facts, and whether others were busy."""
    machine = build_machine_row("cpu")
    busy = "; measured while the machine was busy" if machine["busy"] else ""
    return ", ".join((f"{machine['cpu']}, {machine['threads']} threads, ONNX Runtime {machine['ort']}", *facts)) + busy


def put(name: str, table: str, page: Path = PAGE) -> None:
    """Replaces a table. Raises ValueError where the page has no place of that name."""
    text = page.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, opened, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not opened or not closed:
        raise ValueError(f"no place for {name}")
    page.write_text(f"{before}{begin}{table.strip()}\n{end}{after}", encoding="utf-8")
