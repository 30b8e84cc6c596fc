"""The built program as the smoke test sees it: a folder, and how its two executables are started on this machine."""

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bundle.command import kill


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run of the program ended."""

    code: int
    stdout: str
    stderr: str
    seconds: float

    def report(self) -> dict[str, Any]:
        """The last JSON line on stdout."""
        value = json.loads(self.stdout.strip().splitlines()[-1])
        assert isinstance(value, dict)
        return value


@dataclass(frozen=True, slots=True)
class Program:
    """A bundle.

    Attributes:
        folder: where the executables are.
        launcher: what starts them: nothing, or Wine.
        env: variables for every run.
    """

    folder: Path
    launcher: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def windows(self) -> bool:
        """Whether it is the Windows program, on whatever machine."""
        return (self.folder / "Koebako.exe").exists()

    def executable(self, name: str) -> Path:
        """`Koebako` or `koebako-cli`."""
        return self.folder / (f"{name}.exe" if self.windows else name)

    def size_mb(self) -> float:
        """Megabytes of all files."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6

    def start(self, name: str, arguments: Sequence[str | Path], env: Mapping[str, str], cwd: Path | None = None) -> subprocess.Popen[str]:
        """Starts an executable; all three streams are pipes, as under Wine they must be."""
        return subprocess.Popen(
            [*self.launcher, str(self.executable(name)), *(str(item) for item in arguments)], cwd=cwd,
            env=os.environ | dict(self.env) | {"KOEBAKO_LANG": "en"} | dict(env), encoding="utf-8", errors="replace",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(
        self,
        name: str,
        *arguments: str | Path,
        text: str = "",
        env: Mapping[str, str] | None = None,
        timeout_s: float = 120,
        cwd: Path | None = None,
    ) -> Finished:
        """Runs an executable to its end; AssertionError where it does not come to one."""
        began = time.perf_counter()
        process = self.start(name, arguments, env or {}, cwd)
        try:
            stdout, stderr = process.communicate(text, timeout=timeout_s)
        except subprocess.TimeoutExpired as exc:
            raise AssertionError(f"{name} {arguments} did not end within {timeout_s:g} s: {kill(process)[-800:]}") from exc
        return Finished(process.returncode, stdout, stderr, time.perf_counter() - began)
