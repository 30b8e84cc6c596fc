"""The areas of the attack: what each is called, and how much of the time it gets beside the others."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.campaigns.attack.area import Area

SHARES: dict[str, float] = {  # those of long tries first, so that what they overrun is made up for by the others
    "kills": 2.0,  # each starts the program twice: 200 an hour on two cores, with room for a busy machine
    "windows": 1.2,
    "races": 1.0,
    "takes": 1.0,
    "parameters": 0.8,
    "models": 1.0,
    "texts": 0.8,
    "scripts": 0.8,
    "servers": 0.8,
    "exports": 0.5,
    "own_json": 0.8,
    "full_disks": 0.5,
    "services": 0.8,
    "agents": 0.8,
    "events": 0.5,
    "chat": 0.3,
    "clusters": 0.3,
}


def area_class(name: str) -> type[Area]:
    """The class of an area; its module lies in `tests/campaigns/attack/areas`."""
    found: type[Area] = importlib.import_module(f"tests.campaigns.attack.areas.{name}").ATTACKS
    return found
