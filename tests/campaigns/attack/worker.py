"""The process that attacks: one area, try after try, until its time is up. Whatever happens to it, its crew sees.

Started by `tests.campaigns.attack.crew`. Reports a JSON line for each try on what was its stdout; stdout and stderr themselves go to files, where
nothing may appear that does not belong there.
"""

import argparse
import itertools
import json
import os
import re
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from app.common.language import Language, set_language
from tests.campaigns.attack import watch
from tests.campaigns.attack.area import LIMIT_S, MEMORY_BYTES, Area, Case
from tests.campaigns.attack.place import Place
from tests.campaigns.attack.progress import Progress
from tests.campaigns.attack.registry import area_class

MOST_ADDRESSES = 12 << 30  # a safety net for the machine; what may be held is watched
# Control characters that a terminal obeys, and those that turn the order of reading around; tab and new line are welcome.
ESCAPES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Aftermath:
    """What a try must not leave behind, whatever it did."""

    def __init__(self, place: Place, errors: Path) -> None:
        self._place, self._errors = place, errors
        self._told = self._logged = 0
        self.spent = False

    def judge(self, case: Case) -> None:
        """Complains of traces of the try."""
        for trace in self._place.touched():
            case.complain("outside", trace)
        told, self._told = _since(self._errors, self._told)
        if "Traceback" in told or "Fatal" in told:
            case.complain("traceback", told)
        if found := ESCAPES.search(told):
            case.complain("escape", f"on stderr: {told[max(0, found.start() - 100) : found.end() + 100]!r}")
        logged, self._logged = _since(self._place.log, self._logged)
        if "Traceback" in logged:
            case.complain("traceback", "in the log: " + logged[logged.index("Traceback") :])
        self._judge_memory(case)

    def _judge_memory(self, case: Case) -> None:
        if sys.platform != "linux":
            raise NotImplementedError("the attack is Linux's alone")
        for who, name in ((resource.RUSAGE_SELF, "this process"), (resource.RUSAGE_CHILDREN, "a program")):
            peak = resource.getrusage(who).ru_maxrss << 10
            allowed = case.progress.now().memory_bytes if case.progress is not None else MEMORY_BYTES
            if peak > allowed:
                case.complain("memory", f"{name} held {peak >> 20} MB")
            self.spent |= peak > MEMORY_BYTES  # the peak stays: another worker has to go on


def _since(path: Path, place: int) -> tuple[str, int]:
    """What was written since, and where that ends; a file that is shorter now was begun anew."""
    try:
        size = path.stat().st_size
        if size == place:
            return "", size
        with path.open("rb") as file:
            file.seek(place if size > place else 0)
            return file.read(1 << 20).decode("utf-8", "replace"), size
    except OSError:
        return "", 0


def attack(name: str, area: Area, seed: str, numbers: Iterator[int], until: float, most: int, channel: int, progress: Progress) -> None:
    """Tries until the time is up, once at least: on a busy machine an area's preparation may take all of a short turn."""
    aftermath = Aftermath(area.place, area.place.system / "stderr.txt")
    for done, number in enumerate(numbers):
        if done >= most or (done and time.monotonic() > until) or aftermath.spent:
            return
        case = Case(name, seed, number, progress)
        _speak(number)
        progress.begin(number, LIMIT_S, MEMORY_BYTES, watch.starved_s([os.getpid()]))
        outcome = case.call("", lambda case=case: area.attempt(case))
        aftermath.judge(case)
        os.write(channel, (json.dumps(case.line() | {"outcome": outcome or "refused"}) + "\n").encode())


def _speak(number: int) -> None:
    """Messages are of both languages in turn, here and in the programs that are started."""
    language: Language = "ja" if number // 8 % 2 else "en"
    os.environ["KOEBAKO_LANG"] = language
    set_language(language)


def main() -> None:
    """Entry of the process."""
    if sys.platform != "linux":
        raise NotImplementedError("the attack is Linux's alone")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("area")
    parser.add_argument("--seed", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--most", type=int, default=1 << 60)
    parser.add_argument("--until", type=float, required=True, help="seconds of the monotonic clock")
    parser.add_argument("--root", type=Path, required=True)
    options = parser.parse_args()
    progress = Progress(options.root / "progress")
    place = Place(options.root)
    place.make()
    channel = os.dup(1)
    for number, name in ((1, "stdout.txt"), (2, "stderr.txt")):
        os.dup2(os.open(place.system / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ.update(place.environment())
    os.chdir(place.canary)
    progress.say("getting ready")
    area = area_class(options.area)(place)
    area.prepare()
    # What a try imports is no trace that it leaves; the tests' conftest, which an area may have imported, lets bytecode be written.
    os.environ |= place.environment()
    sys.dont_write_bytecode = True
    place.touched()
    attack(options.area, area, options.seed, itertools.count(options.first, options.step), options.until, options.most, channel, progress)
    os._exit(0)  # threads that wait for nothing must not hold up the end


if __name__ == "__main__":
    main()
