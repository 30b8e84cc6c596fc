"""Starts this copy of Koebako: `python -P FOLDER/app/__main__.py`, as `app.common.processes.launch` starts the program's children.

`app` is taken from this file's folder, not from the first place in Python's path that has a package of that name. With `-P`, neither the current
folder nor this one is in that path.
"""

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path


def take_own_package() -> None:
    """Make the package that this file belongs to the one that is imported."""
    spec = PathFinder.find_spec("app", [str(Path(__file__).parent.parent)])
    assert spec is not None
    assert spec.loader is not None
    sys.modules["app"] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules["app"])


if __name__ == "__main__":
    take_own_package()

    from app.start import main

    sys.exit(main())
