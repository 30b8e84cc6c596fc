"""An empty module in the place of one that pyopenjtalk imports and we never use: `tsqyomi.model`, a second way to choose readings, with all of pydantic.

Library: pyopenjtalk-plus 0.4.1. Buys: 0.12 s of processor time, of 0.27 s for pyopenjtalk, at every start that reads text. Remove when
importing pyopenjtalk imports no pydantic.
"""

import sys
from types import ModuleType

STUBBED_MODULE = "pyopenjtalk.tsqyomi.model"


class StubModule(ModuleType):
    """A module whose every public name is a class without anything."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("_"):
            raise AttributeError(name)
        return type(name, (), {})


def install_stub_module() -> None:
    """Install the stub, before pyopenjtalk is imported; afterwards it has no effect."""
    if "pyopenjtalk" not in sys.modules:
        sys.modules.setdefault(STUBBED_MODULE, StubModule(STUBBED_MODULE))
