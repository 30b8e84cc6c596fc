"""Reads the energy that the processors have used, where Linux reports it and lets us read it (RAPL)."""

from __future__ import annotations

from pathlib import Path

POWERCAP = Path("/sys/class/powercap")


class EnergyMeter:
    """Counters of all processor packages; each starts over at its own limit.

    Attributes:
        there: whether the system reports energy.
    """

    def __init__(self, root: Path = POWERCAP) -> None:
        # AMD's are called so, too.
        packages = sorted(root.glob("intel-rapl:*")) if root.is_dir() else []
        self._counters = [folder for folder in packages if folder.name.count(":") == 1 and _read_number(folder / "energy_uj") is not None]
        self.there = bool(self._counters)

    def read_counters(self) -> list[int]:
        """Return the microjoules by package."""
        return [_read_number(folder / "energy_uj") or 0 for folder in self._counters]

    def compute_joules_since(self, before: list[int]) -> float:
        """Compute the energy in J that all packages used since a reading, the other programs of the machine included."""
        ranges = [_read_number(folder / "max_energy_range_uj") or 0 for folder in self._counters]
        taken = (
            now - then if now >= then else now - then + most for then, now, most in zip(before, self.read_counters(), ranges, strict=True)
        )
        return sum(taken) / 1e6


def _read_number(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):  # only the administrator may read it
        return None
