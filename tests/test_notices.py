"""What stops nothing is told once, wherever it was noticed, and written to the log."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from app.errors import AppError, InputError
from app.notices import notify, show_notices


@pytest.fixture(autouse=True)
def _nobody_is_told() -> Iterator[None]:
    yield
    show_notices(None)


def test_each_is_told_once_from_every_thread(caplog: pytest.LogCaptureFixture) -> None:
    told: list[AppError] = []
    show_notices(told.append)
    first, second = InputError("a", "b"), InputError("a", "c")
    notify(first)
    threads = [threading.Thread(target=notify, args=(error,)) for error in (first, second, InputError("a", "b"), None)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [first, second]
    assert caplog.messages.count("a b") == 3, "the log has them all"
    show_notices(None)
    notify(InputError("d"))
    assert len(told) == 2
