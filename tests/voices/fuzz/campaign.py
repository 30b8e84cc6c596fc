"""Runs hostile sources against the readers and watches what they do: `python -m tests.voices.fuzz.campaign --seconds 600 --seed 1`.

A case is good when the source opens, or is refused by a VoiceError with a message and a hint, in bounded time and memory, with nothing
left on disk. Prints a JSON line: cases by family, how many opened, and what went wrong. A wrong case can be made again by its seed.
"""

import argparse
import json
import math
import random
import resource
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from app.common.errors import VoiceError
from app.voices.containers.voice_sources import find_checkpoints, open_voice_source, read_source_facts, read_voice_source
from tests.voices.fuzz.cases import FAMILIES, RARE, Case
from tests.voices.fuzz.reference_cases import reference_families

LONGEST_CASE_S = 10.0  # of processor time, as the machine may be busy; a standstill is seen from outside
MOST_MEMORY_MB = 200  # of the whole process, above what it takes before the first case
RARE_SHARE = 0.002
REFERENCE_SHARE = 0.01


def opened(path: Path, scratch: Path) -> tuple[bool, list[str]]:
    """Whether a source opens, and what is wrong with how it was refused."""
    wrong: list[str] = []
    result = False
    actions: tuple[tuple[str, Callable[[], object]], ...] = (
        ("checkpoints", lambda: find_checkpoints(path, scratch)),
        ("read_facts", lambda: read_source_facts(path)),
        ("source_files", lambda: open_voice_source(path).list_files()),
        ("read_source", lambda: read_voice_source(path)),
    )
    for name, action in actions:
        try:
            action()
            result = True
        except VoiceError as exc:
            result = False
            if isinstance(exc.__cause__, MemoryError):
                wrong.append(f"{name}: took more memory than there is")
            if not exc.message or not exc.hint or len(exc.message) > 700:
                wrong.append(f"{name}: no sentence or no hint: {exc.message!r} {exc.hint!r}"[:300])
            if name == "checkpoints" and any(scratch.iterdir()):
                wrong.append("left in the scratch folder")
        except BaseException:  # whatever else it is, is what we look for
            wrong.append(f"{name}: {traceback.format_exc(limit=-4)}")
    return result, wrong


def try_case(make: Case, seed: str, home: Path) -> tuple[bool, list[str]]:
    """Makes one case in a folder of its own and tries it."""
    folder, scratch = home / "case", home / "scratch"
    folder.mkdir()
    scratch.mkdir()
    try:
        path = make(random.Random(seed), folder)
        before = sorted(folder.rglob("*"))
        start = time.process_time()
        result, wrong = opened(path, scratch)
        spent = time.process_time() - start
        if spent > LONGEST_CASE_S:
            wrong.append(f"took {spent:.1f} s")
        if sorted(folder.rglob("*")) != before:
            wrong.append("changed the folder of the source")
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(scratch)
    if sorted(item.name for item in home.iterdir()) != ["temp"] or any((home / "temp").iterdir()):
        wrong.append("left something on disk")
    return result, wrong


class Limits(NamedTuple):
    """How long a campaign runs: a number of cases per family, a number of seconds, or whichever comes first."""

    seconds: float = math.inf
    turns: float = math.inf


def memory_mb() -> int:
    """The most this process has held so far."""
    if sys.platform == "win32":
        raise NotImplementedError("memory is measured and limited as on Unix")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> (20 if sys.platform == "darwin" else 10)


def run(limits: Limits, seed: str, only: str, home: Path, progress: Path | None) -> dict[str, object]:
    """Cases until there were enough; stops at the tenth wrong one."""
    references = {name: make for name, make in reference_families(home.parent).items() if only in name}
    families = {name: make for name, make in FAMILIES.items() if only in name}
    rare = {name: make for name, make in RARE.items() if only in name}
    allowed, end = memory_mb() + MOST_MEMORY_MB, time.monotonic() + limits.seconds
    counts: Counter[str] = Counter()
    good: Counter[str] = Counter()
    wrong: list[str] = []
    names = list(families) or [*rare, *references]
    while counts.total() < limits.turns * len(names) and time.monotonic() < end and len(wrong) < 10:
        number = counts.total()
        draw = random.Random(f"{seed} {number}")
        name = names[number % len(names)]
        if draw.random() < RARE_SHARE and rare:
            name = draw.choice(list(rare))
        elif draw.random() < REFERENCE_SHARE and references:
            name = draw.choice(list(references))
        case = f"{seed} {number} {name}"
        if progress:
            progress.write_text(case)
        result, complaints = try_case((families | rare | references)[name], case, home)
        counts[name] += 1
        good[name] += result
        if memory_mb() > allowed:
            complaints.append(f"memory grew to {memory_mb()} MB")
            allowed = memory_mb() + MOST_MEMORY_MB // 4
        wrong += [f"[{case}] {complaint}" for complaint in complaints]
    return {"cases": counts.total(), "families": counts, "opened": good, "memory_mb": memory_mb(), "wrong": wrong}


def main() -> int:
    """Entry of the child process."""
    if sys.platform == "win32":
        raise NotImplementedError("memory is measured and limited as on Unix")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument(
        "--turns", type=int, default=math.inf, help="how many cases of each family; without --seconds and this it never ends"
    )
    parser.add_argument("--seed", default="0")
    parser.add_argument("--only", default="", help="families whose name holds this")
    parser.add_argument("--case", help="run this one case, given as it was printed")
    parser.add_argument("--progress", type=Path, help="file that names the case in work")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="koebako-fuzz-") as root:
        home = Path(root) / "home"
        (home / "temp").mkdir(parents=True)
        tempfile.tempdir = str(home / "temp")
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        if options.case:
            every = FAMILIES | RARE | reference_families(Path(root))
            print(try_case(every[options.case.split(" ", 2)[2]], options.case, home))
            return 0
        result = run(Limits(options.seconds, options.turns), options.seed, options.only, home, options.progress)
    print(json.dumps(result))
    return 1 if result["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
