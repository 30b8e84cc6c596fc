"""Where a worker attacks: a data folder, an output folder, and beside them things that nobody may touch."""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
SITE = Path(__file__).parent / "site"
CANARIES = {
    ".bashrc": b"# untouched\n",
    "Documents/letter.txt": b"untouched\n",
    "voices/voice.json": b"{}",
    "dictionary.json": b"{}",
    "secret.txt": b"canary-secret\n",
    "x.onnx": b"untouched",
}
WRITES_VARIABLE, ALLOWED_VARIABLE = "KOEBAKO_ATTACK_WRITES", "KOEBAKO_ATTACK_ALLOWED"


class Place:
    """A folder of a worker's own.

    Attributes:
        root: everything; processes are known to be ours by it.
        home: KOEBAKO_HOME.
        out: where results go.
        source: what strangers send.
        temp, system: temporary files; caches of Qt and the system's libraries.
        canary: the user's own folder.
        writes: a line for every file that a Python process opened for writing anywhere else.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home, self.out, self.source, self.temp, self.system, self.canary = (
            root / name for name in ("home", "out", "source", "temp", "system", "canary")
        )
        self.writes = root / "system" / "writes.txt"

    @property
    def log(self) -> Path:
        """The program's log."""
        return self.home / "logs" / "koebako.log"

    def make(self) -> None:
        """Everything anew."""
        for folder in (self.home, self.out, self.source, self.temp, self.system, self.canary):
            clear(folder)
        for name, content in CANARIES.items():
            (self.canary / name).parent.mkdir(parents=True, exist_ok=True)
            (self.canary / name).write_bytes(content)
        self.writes.touch()
        self._seen = self._state()

    def environment(self, **changes: str) -> dict[str, str]:
        """For the program in this place."""
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "PYTHONPATH")}
        path = os.pathsep.join(filter(None, (str(SITE), kept.get("PYTHONPATH", "").replace(f"{SITE}{os.pathsep}", ""))))
        return kept | {
            "HOME": str(self.canary),
            "KOEBAKO_HOME": str(self.home),
            "KOEBAKO_NATURAL_VOICE": "off",
            "KOEBAKO_LANG": os.environ.get("KOEBAKO_LANG", "en"),
            "TMPDIR": str(self.temp),
            "XDG_CACHE_HOME": str(self.system),
            "XDG_CONFIG_HOME": str(self.system),
            "XDG_DATA_HOME": str(self.system / "data"),
            "XDG_RUNTIME_DIR": str(self.system),
            "QT_QPA_PLATFORM": "offscreen",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": path,
            "PULSE_SERVER": "none",
            WRITES_VARIABLE: str(self.writes),
            ALLOWED_VARIABLE: os.pathsep.join(map(str, (self.home, self.out, self.source, self.temp, self.system))),
        } | changes  # fmt: skip

    def touched(self) -> list[str]:
        """What has changed where nobody may write, since the last look."""
        now = self._state()
        changed = [f"{name} changed" for name in sorted(now.keys() | self._seen.keys()) if now.get(name) != self._seen.get(name)]
        self._seen = now
        lines = self.writes.read_text(encoding="utf-8", errors="replace").splitlines() if self.writes.stat().st_size else []
        if lines:
            self.writes.write_bytes(b"")
        return changed + list(dict.fromkeys(lines))[:10]

    def _state(self) -> dict[str, tuple[int, int, int]]:
        found = [self.root, *self.root.iterdir(), self.canary, *self.canary.rglob("*")]
        own = {self.root, self.root / "progress", self.root / "worker.txt", self.home, self.out, self.source, self.temp, self.system}
        return {str(item): (0, 0, 0) if item in own else _stamp(item) for item in found}


def _stamp(path: Path) -> tuple[int, int, int]:
    status = path.lstat()
    return status.st_mode, status.st_size, status.st_mtime_ns


def clear(folder: Path) -> Path:
    """The folder, empty."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(0o700, parents=True)
    return folder


def command(*arguments: str) -> list[str]:
    """How the program is started from this checkout."""
    return [sys.executable, str(ROOT / "main.py"), *arguments]
