"""The service imports without what the bundle leaves out, and with all that its libraries import by name."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import importlib.abc, runpy, sys
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/packaging"]
from bundle.contents import EXCLUDED_MODULES

class LeftOut(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if any(name == one or name.startswith(one + ".") for one in EXCLUDED_MODULES):
            raise ModuleNotFoundError(name, name=name)

runpy.run_path(sys.argv[1] + "/packaging/bundle/stand_ins.py")
sys.meta_path.insert(0, LeftOut())
import app.cli.commands.serve.run
from uvicorn.config import Config
config = Config(lambda: None, lifespan="off", ws="none", log_config=None)
config.load()
import asyncio, anyio
async def scoped():
    async with anyio.create_task_group():
        pass
asyncio.run(scoped())
spec = open(sys.argv[1] + "/packaging/koebako.spec").read()
for name in ("uvicorn.lifespan.off", "anyio._backends._asyncio"):
    assert name in sys.modules and f'"{name}"' in spec, name
"""


def test_the_service_needs_nothing_that_is_left_out() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(ROOT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
