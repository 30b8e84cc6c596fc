"""Rests are for threads beside the window, and lose nothing."""

import threading
import time

import pytest

from app.common.gil_yield import REST_S, iterate_yielding_gil

MANY = 200_000


@pytest.fixture
def rests(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    taken: list[float] = []
    monkeypatch.setattr(time, "sleep", taken.append)
    return taken


def test_a_thread_beside_the_window_rests(rests: list[float]) -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.extend(iterate_yielding_gil(range(MANY))))
    thread.start()
    thread.join()
    assert found == list(range(MANY))
    assert set(rests) == {REST_S}


def test_the_main_thread_never_does(rests: list[float]) -> None:
    assert list(iterate_yielding_gil(range(MANY))) == list(range(MANY))
    assert rests == []
