"""Starts the built program and looks at what it does and listens to what it renders. Prints a line a check; ends the build at the first failure."""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bundle.program import Program
from bundle.smoke_contents import bare, licensed
from bundle.smoke_places import current_folder, far_away, opens_files, portable, read_only, second_instance, window
from bundle.smoke_service import serves
from bundle.smoke_speech import doctor, fallback, mistakes, natural, no_sound, pitched, plays, readings, speaks, starts, teaches, webgpu
from bundle.smoke_voices import containers, imports, optimised, report

CHECK_S = 40  # a check takes less, also under Wine


def smoke_test(program: Program, until: float = float("inf")) -> None:
    """All checks, in order; SystemExit names the one that failed.

    Args:
        until: seconds since 1970; checks that would not be done by then are reported as skipped.
    """
    print(f"Smoke test of {program.folder} ({program.size_mb():.0f} MB)", flush=True)
    with tempfile.TemporaryDirectory(prefix="koebako-smoke-") as name:
        folder = Path(name).resolve()
        before = _state(program.folder)
        program = with_own_data(program, folder)
        for check in CHECKS:
            title = (check.__doc__ or check.__name__).split(".")[0].splitlines()[0]
            if time.time() + CHECK_S > until:
                print(f"  SKIPPED  {title}: no time left", flush=True)
                continue
            began = time.monotonic()
            try:
                found = check(program, folder)
            except AssertionError as exc:
                sys.exit(f"FAILED  {title}: {exc}")
            print(f"  ok  {title}: {found} [{time.monotonic() - began:.0f} s]", flush=True)
        if _state(program.folder) != before:
            sys.exit("FAILED  The program wrote into its own folder.")
        print("  ok  Nothing was written into the program's folder", flush=True)


def with_own_data(program: Program, folder: Path) -> Program:
    """The program with data of the test's own, where a check names no other: what the caller of the build has would decide what is found."""
    return replace(program, env={**program.env, "KOEBAKO_HOME": str(folder / "home")})


def _state(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*")}


# What tells most comes first: there may be no time for the last ones.
CHECKS: list[Callable[[Program, Path], str]] = [
    starts,
    speaks,  # whose file most others compare with
    natural,
    pitched,
    window,
    readings,
    plays,
    serves,
    fallback,
    webgpu,
    imports,
    opens_files,
    optimised,
    far_away,
    portable,  # where the one before made its folder
    read_only,  # in the folder that the one before made
    current_folder,
    teaches,
    mistakes,
    licensed,
    bare,
    no_sound,
    containers,
    second_instance,
    doctor,
    report,
]
