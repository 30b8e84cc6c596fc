"""The window's fixtures, and the trend of a run."""

from collections.abc import Iterator

import pytest

from tests.benchmarks.heartbeat.trend import Trend
from tests.ui.conftest import open_window, player, qapp, qtbot

__all__ = ["open_window", "player", "qapp", "qtbot"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--record` appends the figures of this run to trend.tsv."""
    parser.addoption("--record", action="store_true", help="append the figures of the heartbeat to its trend")


@pytest.fixture(scope="session")
def trend(request: pytest.FixtureRequest) -> Iterator[Trend]:
    """What the figures are noted in."""
    trend = Trend()
    yield trend
    if request.config.getoption("--record"):
        trend.record()
