"""What every area of the attack is: a sequence of tries, each made from its number alone, that complain of what they find."""

import random
import re
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from app.common.errors import AppError, InternalError
from tests.campaigns.attack.place import Place
from tests.campaigns.attack.progress import Progress

LIMIT_S = 30.0
MEMORY_BYTES = 2 << 30


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something that must not happen.

    Attributes:
        kind: signal, internal, traceback, hang, memory, outside, half, lost, escape, token, or wrong for anything else.
        detail: what was seen, for people.
        cause: a few words that are equal for findings of one cause, where the detail tells no place in our code.
    """

    kind: str
    detail: str
    cause: str = ""

    def signature(self) -> str:
        """Equal for complaints that probably have one cause: the place in our code, or else the words without what varies."""
        if self.cause:
            return f"{self.kind} {self.cause}"
        frames = re.findall(r'File "[^"]*?(app/[^"]+|main\.py)", line (\d+)', self.detail)
        last = self.detail.strip().rsplit("\n", 1)[-1].strip()
        if frames:
            return f"{self.kind} {frames[-1][0]}:{frames[-1][1]} {last.split(':')[0][:60]}"
        return f"{self.kind} " + re.sub(r"'[^']*'|\"[^\"]*\"|/\S+|[0-9a-f]{6,}|\d+", "…", last)[:100]


@dataclass(slots=True)
class Case:
    """One try.

    Attributes:
        draw: the only source of chance, seeded by area, seed and number.
        complaints: what was found so far.
    """

    area: str
    seed: str
    number: int
    progress: Progress | None = None
    complaints: list[Complaint] = field(default_factory=list)
    draw: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.draw = random.Random(f"{self.area} {self.seed} {self.number}")

    def complain(self, kind: str, detail: object, cause: str = "") -> None:
        """Notes a finding."""
        self.complaints.append(Complaint(kind, str(detail)[:6000], cause))

    def doing(self, what: str) -> None:
        """Says what is tried, for those who find this process dead or standing still."""
        if self.progress is not None:
            self.progress.say(what)

    def allow(self, limit_s: float = LIMIT_S, memory_bytes: int = MEMORY_BYTES) -> None:
        """So many seconds from now on, and so much memory, where the program announces that it takes its time, or needs more."""
        if self.progress is not None:
            self.progress.allow(limit_s, memory_bytes)

    def once_in(self, count: int) -> bool:
        """True for one try in so many."""
        return self.draw.random() < 1 / count

    def call(self, what: str, action: Callable[[], Any], *allowed: type[Exception]) -> Any:
        """What `action` returns; None after an error of ours, or one that is allowed. Any other error is a finding."""
        self.doing(what)
        try:
            return action()
        except InternalError as error:
            self.complain("internal", f"{what}: {error.message} {error.hint}")
        except AppError as error:
            if not error.message.strip() or len(error.message) > 2000:
                self.complain("wrong", f"{what}: an error without a sentence, or without end: {error.message[:300]!r}")
        except allowed:
            pass
        except BaseException:  # whatever else it is, is what we look for
            self.complain("traceback", f"{what}\n{traceback.format_exc(limit=-8)}")
        return None

    def line(self) -> dict[str, Any]:
        """What the worker reports; what was tried comes first."""
        tried = self.progress.now().text if self.progress is not None else ""
        told = [replace(item, detail=item.detail if tried[:200] in item.detail else f"{tried}\n{item.detail}") for item in self.complaints]
        return {"number": self.number, "complaints": [asdict(item) for item in told]}


class Area:
    """Base of all areas; made once for each worker.

    Attributes:
        place: where the tries happen.
    """

    def __init__(self, place: Place) -> None:
        self.place = place

    def prepare(self) -> None:
        """Makes what all tries need."""

    def attempt(self, case: Case) -> str:
        """One try; returns a word for its outcome, which the table counts."""
        raise NotImplementedError
