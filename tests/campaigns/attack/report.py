"""What people and programs read of an attack."""

from collections.abc import Mapping
from typing import Any

from tests.campaigns.attack.campaign import Finding, Tally

SHOWN = 25  # lines of a complaint


def shown(finding: Finding) -> str:
    """A finding with the way to meet it again."""
    lines = finding.complaint.detail.strip().splitlines() or [""]
    cut = lines if len(lines) <= SHOWN else [*lines[:4], "…", *lines[-SHOWN:]]
    head = f"FINDING  {finding.area} {finding.complaint.kind} (try {finding.number})  {finding.again}"
    return "\n".join([head, *(f"    {_plain(line)}" for line in cut)])


def table(tallies: Mapping[str, Tally]) -> str:
    """A row an area."""
    rows = [("area", "tries", "findings", "kinds", "seconds", "outcomes")]
    for name, tally in tallies.items():
        rows.append((name, *_cells(tally), ", ".join(f"{word} {count}" for word, count in tally.outcomes.most_common(8))))
    total = Tally(sum(item.tries for item in tallies.values()), sum(item.seconds for item in tallies.values()))
    total.findings = [finding for item in tallies.values() for finding in item.findings]
    rows.append(("all", *_cells(total), ""))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    killed = sum(count for tally in tallies.values() for word, count in tally.outcomes.items() if word.endswith("killed"))
    rows.append(("processes killed:", str(killed), "", "", "", ""))
    return "\n".join("  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[5]]).rstrip() for row in rows)


def values(tallies: Mapping[str, Tally], seed: str) -> dict[str, Any]:
    """The same for `--json`."""
    areas = {
        name: {
            "tries": tally.tries,
            "seconds": round(tally.seconds, 1),
            "outcomes": dict(tally.outcomes),
            "findings": [
                {
                    "number": item.number,
                    "kind": item.complaint.kind,
                    "signature": item.complaint.signature(),
                    "detail": item.complaint.detail,
                    "again": item.again,
                }
                for item in tally.findings
            ],
        }
        for name, tally in tallies.items()
    }
    return {"seed": seed, "areas": areas}


def _cells(tally: Tally) -> tuple[str, str, str, str]:
    kinds = {(item.area, item.complaint.signature()) for item in tally.findings}
    return f"{tally.tries:,}", str(len(tally.findings)), str(len(kinds)), f"{tally.seconds:.0f}"


def _plain(line: str) -> str:
    """Findings are full of what a terminal must not see."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape", "backslashreplace").decode() for letter in line)[
        :400
    ]
