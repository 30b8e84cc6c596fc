"""A disk that is full, fails or is cut off at any thing that is asked of it: files and sets of files are those before or those after."""

from app.common.files.paths import find_data_dir
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.place import clear
from tests.disk_faults import FaultyDisk, tried
from tests.test_full_disk import DEEDS, FAULTS, complaint

MOST_PLACES = (12, 60)  # a file asks for some ten things, a set for five times as many


class FullDisks(Area):
    """One fault a try."""

    def attempt(self, case: Case) -> str:
        """A file or a set is replaced, and everything looked at."""
        draw = case.draw
        name, fault, at = draw.choice(list(DEEDS)), draw.choice(FAULTS), draw.randrange(1, draw.choice(MOST_PLACES))
        case.doing(f"{name}, {fault} at {at}")
        folder = clear(self.place.out)
        clear(find_data_dir())
        DEEDS[name].prepare(folder)
        met = tried(FaultyDisk(fault, at), lambda: DEEDS[name].work(folder))
        found = case.call("looking", lambda: complaint(name, fault, folder))
        if found:
            case.complain("lost", f"{name}, {fault} at {at}: {found}", f"{name} {fault}")
        return f"{name} {fault if met else 'done'}"


ATTACKS = FullDisks
