"""The sound server killed, frozen or unplugged while the program speaks: it says so and ends, or what it plays has ended before."""

import shutil
import time

import pytest

from tests.campaigns.attack.area import Case
from tests.campaigns.attack.operations import LONG_TEXT
from tests.campaigns.attack.place import Place, clear
from tests.campaigns.attack.program import Program, judge
from tests.null_sink import NullSink

LIMIT_S = 90.0


def kill_sound_server(case: Case, place: Place) -> str:
    """One server, one program."""
    if not all(map(shutil.which, ("pulseaudio", "pactl"))):
        return "no sound server"
    sink = NullSink(clear(place.system / "sound"))
    try:
        sink.start()
    except pytest.skip.Exception:
        return "no sound server"
    how = case.draw.choice(("kill", "kill", "freeze", "unplug"))
    case.doing(f"a sound server: {how}")
    try:
        program = Program(place, ("speak", LONG_TEXT, "--voice", "mei", "--play"), env=sink.environment)
        time.sleep(case.draw.random() * case.draw.choice((1.0, 6.0)))
        sink.unplug("first") if how == "unplug" else getattr(sink, how)()
        ran = program.finish(case, LIMIT_S)
    finally:
        sink.kill()
    judge(case, ran)
    if ran.code not in (0, 5):
        case.complain("wrong", f"the sound server went ({how}): {ran.told()}", "a sound server")
    return f"sound server {how}"
