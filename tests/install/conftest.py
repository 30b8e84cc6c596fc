"""What tests of installing share."""

from pathlib import Path

import pytest

from app.install.natural_voice import SplitModel

from .natural_voice_files import write_wheels


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """A folder for the wheels of a small natural voice; `model` fills it."""
    return tmp_path / "wheels"


@pytest.fixture
def model(wheels: Path) -> SplitModel:
    return write_wheels(wheels)
